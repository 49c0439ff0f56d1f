package facts

// Disk is one disk of the machine with the volume behind it.
type Disk struct {
	Name         string   `json:"name"`
	Launcher     string   `json:"launcher"`
	Path         string   `json:"path"`
	Boot         bool     `json:"boot"`         // the guest boots from it
	VolumeKind   string   `json:"volumeKind"`   // dataVolume, persistentVolumeClaim, containerDisk, ephemeral, hostDisk, cloudInit, …
	VirtualBytes *int64   `json:"virtualBytes"` // what the disk must hold; null when nobody says
	Image        []Image  `json:"image"`        // containerDisk
	Lineage      []Import `json:"lineage"`      // the DataVolume behind the claim, then what it was cloned from, oldest last
	Claim        []Claim  `json:"claim"`
}

// Import is one DataVolume: how content came into a claim.
type Import struct {
	Namespace       string     `json:"namespace"`
	Name            string     `json:"name"`
	UID             string     `json:"uid"`
	ResourceVersion string     `json:"resourceVersion"`
	Edited          bool       `json:"edited"`          // the spec was changed after creation: the content is of another source
	Phase           string     `json:"phase"`           // CDI's word; empty before CDI saw it
	Reason          string     `json:"reason"`          // of condition Running
	CreatedAt       string     `json:"createdAt"`       // RFC 3339, UTC; empty before it exists
	ClaimName       string     `json:"claimName"`       // that CDI says it fills; empty before CDI says so
	ClaimOwned      bool       `json:"claimOwned"`      // the claim of its name is controlled by this very DataVolume
	FilledElsewhere bool       `json:"filledElsewhere"` // CDI was told, or may, take a claim as it is and import nothing
	Source          string     `json:"source"`          // http, registry, upload, blank, pvc, snapshot, dataSource, s3, gcs, imageio, vddk, none
	URL             string     `json:"url"`             // without user information
	PullMethod      string     `json:"pullMethod"`
	Checksum        []Checksum `json:"checksum"`
	Image           []Image    `json:"image"`
	RequestKind     string     `json:"requestKind"`  // storage (CDI adds the overhead) or pvc (taken as it is)
	RequestBytes    *int64     `json:"requestBytes"` // null when absent or not a size
	VolumeMode      string     `json:"volumeMode"`   // Filesystem, Block or empty
	StorageClass    string     `json:"storageClass"`
	Overhead        string     `json:"overhead"`      // file system overhead of its class, a decimal fraction
	RequiredBytes   *int64     `json:"requiredBytes"` // what the request must at least be to hold the disk
}

// Claim is one PersistentVolumeClaim.
type Claim struct {
	Name          string `json:"name"`
	UID           string `json:"uid"`
	Phase         string `json:"phase"`
	VolumeMode    string `json:"volumeMode"`
	StorageClass  string `json:"storageClass"`
	RequestBytes  *int64 `json:"requestBytes"`
	CapacityBytes *int64 `json:"capacityBytes"` // null until bound
	RequiredBytes *int64 `json:"requiredBytes"` // disk plus overhead; null when the disk's size is not known
}

// Checksum is "algorithm:digest" taken apart.
type Checksum struct {
	Path      string `json:"path"`
	Algorithm string `json:"algorithm"` // lower case
	Digest    string `json:"digest"`    // lower case
	Valid     bool   `json:"valid"`     // a known algorithm with a digest of its length, in hexadecimal
	Problem   string `json:"problem"`   // why it is not valid
}

// Image is a container image reference taken apart.
type Image struct {
	Text      string   `json:"text"`
	Valid     bool     `json:"valid"`
	Problem   string   `json:"problem"`
	Registry  string   `json:"registry"` // lower case, with port
	Path      []string `json:"path"`     // components of the repository
	Tag       string   `json:"tag"`
	Algorithm string   `json:"algorithm"` // of the digest; empty without one
	Digest    string   `json:"digest"`
}

// ImageUse is one place at which the machine uses a container image.
type ImageUse struct {
	Path     string `json:"path"`
	Launcher string `json:"launcher"`
	Use      string `json:"use"` // disk, kernel, sidecar, import
	Image    Image  `json:"image"`
}

// Quantity is a Kubernetes quantity as a user wrote it.
type Quantity struct {
	Text    string `json:"text"`
	Value   *int64 `json:"value"`   // in bytes; null when it is absent, does not parse or overflows
	Problem string `json:"problem"` // why Value is null; empty when nothing was written
}

// Quota is one ResourceQuota.
type Quota struct {
	Name   string   `json:"name"`
	UID    string   `json:"uid"`
	Scoped bool     `json:"scoped"` // counts only some pods: no cap on the namespace
	Hard   []Amount `json:"hard"`
}

// Amount is one resource with its amount.
type Amount struct {
	Resource string `json:"resource"`
	Milli    *int64 `json:"milli"` // thousandths of the unit; null when it overflows
	Text     string `json:"text"`
}

// LimitRange is one LimitRange.
type LimitRange struct {
	Name  string      `json:"name"`
	UID   string      `json:"uid"`
	Items []LimitItem `json:"items"`
}

// LimitItem is one entry of spec.limits.
type LimitItem struct {
	Path           string   `json:"path"`
	Type           string   `json:"type"` // Container, Pod or PersistentVolumeClaim
	Max            []Amount `json:"max"`
	Default        []Amount `json:"default"`
	DefaultRequest []Amount `json:"defaultRequest"`
}
