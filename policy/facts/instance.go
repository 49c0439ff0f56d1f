package facts

// Instance is what a virtfoundry.io Instance asks for, and what its references
// lead to.
type Instance struct {
	PowerState   string            `json:"powerState"` // Running or Halted
	Tenant       []Owning          `json:"tenant"`     // that controls the namespace, by uid
	OfferingName string            `json:"offeringName"`
	Offering     []Offering        `json:"offering"` // none: none is named, or it does not exist
	Cores        int64             `json:"cores"`    // of the offering, or the default
	MemoryBytes  int64             `json:"memoryBytes"`
	TemplateName string            `json:"templateName"`
	Templates    []Template        `json:"templates"` // of that name: the own namespace's, the platform's
	DedicatedCPU bool              `json:"dedicatedCPU"`
	PodNetwork   bool              `json:"podNetwork"` // the annotation asks for it
	NICs         []InstanceNIC     `json:"nics"`
	Existing     []ExistingMachine `json:"existing"` // the VirtualMachine of its name
}

// Owning is the Tenant that controls a namespace.
type Owning struct {
	Name          string `json:"name"`
	UID           string `json:"uid"`
	Slug          string `json:"slug"`
	NamespaceName string `json:"namespaceName"` // that its slug gives
	Deleting      bool   `json:"deleting"`
}

// Offering is a size of the catalogue.
type Offering struct {
	Name          string `json:"name"`
	UID           string `json:"uid"`
	PlatformOwned bool   `json:"platformOwned"` // label virtfoundry.io/platform-owned=true
	Cores         int64  `json:"cores"`
	MemoryBytes   int64  `json:"memoryBytes"`
	DedicatedCPU  bool   `json:"dedicatedCPU"`
}

// Template is what an Instance may boot from.
type Template struct {
	Path       string  `json:"path"` // Template/namespace/name
	Namespace  string  `json:"namespace"`
	Name       string  `json:"name"`
	UID        string  `json:"uid"`
	Platform   bool    `json:"platform"` // lies in the platform's catalogue
	Shadows    bool    `json:"shadows"`  // the platform's catalogue has one of its name as well
	SourceType string  `json:"sourceType"`
	OSType     string  `json:"osType"`
	Image      []Image `json:"image"` // sourceType container
	URL        string  `json:"url"`   // the other source types; without user information
}

// InstanceNIC is one entry of spec.nics with the Network that it names.
type InstanceNIC struct {
	Path     string `json:"path"`
	Name     string `json:"name"`    // of KubeVirt's interface
	Network  string `json:"network"` // metadata.name
	Found    bool   `json:"found"`
	In       string `json:"in"`       // the namespace of the Network: the own one, else the platform's
	Type     string `json:"type"`     // isolated or shared
	NAD      string `json:"nad"`      // namespace/name of the NetworkAttachmentDefinition; empty while there is none
	Numbered bool   `json:"numbered"` // the Network is one whose NICs get an IPAddress each
	Claim    string `json:"claim"`    // the name of the NIC's IPAddress
	Asked    string `json:"asked"`    // the address that the NIC asks for; empty when any will do
}

// ExistingMachine is a VirtualMachine, as it is, that has the Instance's name.
type ExistingMachine struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid"`
	Labels map[string]string `json:"labels"`
	Owners []Owner           `json:"owners"`
}
