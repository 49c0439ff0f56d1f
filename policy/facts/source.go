package facts

// Origin is a place that a disk's content is fetched from over a network: by
// spec.url, or by a DataVolume of the machine's own namespace.
type Origin struct {
	Path      string   `json:"path"`
	Text      string   `json:"text"`      // without credentials
	Scheme    string   `json:"scheme"`    // lower case; docker for an image of a registry
	Userinfo  bool     `json:"userinfo"`  // a user or a password is written in it
	Valid     bool     `json:"valid"`     // the host is known for certain
	Problem   string   `json:"problem"`   // why it is not
	Port      int      `json:"port"`      // of a URL, 443 for https and 80 for http without one; 0 where there is none
	Host      string   `json:"host"`      // lower case, without port and closing dot; an address in its canonical form
	Labels    []string `json:"labels"`    // of a name; none for an address
	Addresses []string `json:"addresses"` // that the host is or contains (IPv4 in IPv6); none for a name
}

// SourceHost is one entry of the parameter allowedSourceHosts, taken apart.
type SourceHost struct {
	Text  string `json:"text"`
	Host  string `json:"host"`  // a name, or an address in its canonical form; empty for a CIDR and for what is neither
	Below bool   `json:"below"` // the names below Host (*.name), and not Host
	CIDR  string `json:"cidr"`  // canonical; empty otherwise
}

// Foreign is an object outside the machine's own namespace that it takes
// content from: asked for by its custom resource, or used by a child.
type Foreign struct {
	Path      string            `json:"path"`
	Kind      string            `json:"kind"` // Secret, DataSource, PersistentVolumeClaim, VolumeSnapshot or NetworkAttachmentDefinition
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels"` // of that namespace
}

// SourceGrant permits objects of other namespaces.
type SourceGrant struct {
	Selects    bool     `json:"selects"`
	Reason     string   `json:"reason"`
	Namespaces []string `json:"namespaces"`
}
