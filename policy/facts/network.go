package facts

// Network is what the machine's launcher pods can reach and be reached by.
type Network struct {
	Launchers []Launcher `json:"launchers"`
	Policies  []Policy   `json:"policies"` // those of the namespace that select a launcher, or may; all of them where there is none
	NICs      []NIC      `json:"nics"`
}

// Launcher is a virt-launcher pod by the labels that policies select on: as the
// running instance and the template make it ("instance", "template"), and as it
// is ("pod" with its name), since policies select pods and labels can be changed.
type Launcher struct {
	Name   string            `json:"name"` // template, instance or pod <name>
	Path   string            `json:"path"`
	Labels map[string]string `json:"labels"`
}

// Policy is one NetworkPolicy with its defaults made explicit.
type Policy struct {
	Ref          PolicyRef     `json:"ref"`
	Name         string        `json:"name"`
	UID          string        `json:"uid"`
	Pods         []Requirement `json:"pods"`      // podSelector; none selects every pod of the namespace
	Selects      []string      `json:"selects"`   // launchers that it certainly selects
	MaySelect    []string      `json:"maySelect"` // launchers that it may select: the label is set by others at run time
	Ingress      bool          `json:"ingress"`   // isolates this direction (policyTypes, defaulted)
	Egress       bool          `json:"egress"`
	IngressRules []PolicyRule  `json:"ingressRules"`
	EgressRules  []PolicyRule  `json:"egressRules"`
}

// PolicyRef names a policy where the whole of it would be too long, as in the
// evidence of a pass.
type PolicyRef struct {
	Path            string `json:"path"` // NetworkPolicy/<name> spec
	Namespace       string `json:"namespace"`
	UID             string `json:"uid"` // empty for one that does not exist yet
	ResourceVersion string `json:"resourceVersion"`
}

// PolicyRule is one allowed peer set and port set of a NetworkPolicy.
type PolicyRule struct {
	Path    string `json:"path"`
	AnyPeer bool   `json:"anyPeer"` // no peers: everybody
	Peers   []Peer `json:"peers"`
	AnyPort bool   `json:"anyPort"` // no ports: every port
	Ports   []Port `json:"ports"`
}

// Peer is one entry of `from` or `to`. CIDR is empty unless it is an ipBlock.
type Peer struct {
	Path          string        `json:"path"`
	CIDR          string        `json:"cidr"`
	Except        []string      `json:"except"`
	OwnNamespace  bool          `json:"ownNamespace"`  // podSelector without namespaceSelector
	AnyNamespace  bool          `json:"anyNamespace"`  // an empty namespaceSelector
	Namespaces    []Requirement `json:"namespaces"`    // namespaceSelector
	AnyPod        bool          `json:"anyPod"`        // no or an empty podSelector
	Pods          []Requirement `json:"pods"`          // podSelector
	NamespaceOnly bool          `json:"namespaceOnly"` // namespaceSelector without podSelector
}

// Requirement is one condition of a label selector. matchLabels become
// requirements with operator In and one value; all of them must hold.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"` // In, NotIn, Exists, DoesNotExist
	Values   []string `json:"values"`
}

// Port is one port or range. Number is null for every port of the protocol
// and for a named port.
type Port struct {
	Protocol string `json:"protocol"` // TCP, UDP or SCTP
	Number   *int64 `json:"number"`
	End      *int64 `json:"end"`
	Name     string `json:"name"`
}

// NIC is one network interface of the machine.
type NIC struct {
	Name     string `json:"name"`
	Launcher string `json:"launcher"`
	Path     string `json:"path"`
	Binding  string `json:"binding"` // masquerade, bridge, sriov, macvtap, passt, slirp, plugin:<name>, default; annotation or unspecified for one that no spec describes
	Network  string `json:"network"` // pod, or namespace/name of the NetworkAttachmentDefinition, or absent, or other
}
