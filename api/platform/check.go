package platform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/distribution/reference"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	apivalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// defaultImage is what makes the bridges: a shell and ip, by digest.
const defaultImage = "docker.io/library/alpine:3.22.1@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1"

// maxInterface is the longest name that Linux takes for an interface (IFNAMSIZ less the end).
const maxInterface = 15

// maxRepairSeconds bounds how long a bridge may stay gone.
const maxRepairSeconds = 3600

// problems collects what is wrong, each with its key and a remedy.
type problems struct{ found []error }

func (p *problems) add(key, format string, args ...any) {
	p.found = append(p.found, fmt.Errorf("%s: "+format, append([]any{key}, args...)...))
}

// check finds what is wrong whatever the cluster is.
func (c *Config) check() []error {
	p := &problems{}
	if c.Storage.DefaultClass != ClassAuto {
		p.name("storage.defaultClass", c.Storage.DefaultClass, "auto, or the name of a StorageClass (kubectl get storageclasses)")
	}
	if c.Storage.SnapshotClass != "" {
		p.name("storage.snapshotClass", c.Storage.SnapshotClass, "the name of a VolumeSnapshotClass, or nothing to choose by driver")
	}
	for i, prefix := range c.ImageAllowlist.Prefixes {
		if strings.TrimSpace(prefix) != prefix || prefix == "" || strings.Contains(prefix, "://") || strings.ContainsAny(prefix, " \t\n,") {
			p.add(fmt.Sprintf("imageAllowlist.prefixes[%d]", i), "%.128q is no prefix: write registry and path, such as quay.io/containerdisks/", prefix)
		}
	}
	n := &c.Networking
	p.device("networking.public.bridge.name", n.Public.Bridge.Name)
	p.device("networking.isolated.bridge.name", n.Isolated.Bridge.Name)
	if n.Public.Bridge.Name == n.Isolated.Bridge.Name {
		p.add("networking.isolated.bridge.name", "%q is the public network's too: give each a bridge of its own, or tenants share one segment", n.Isolated.Bridge.Name)
	}
	if n.Public.Bridge.Uplink != "" {
		p.device("networking.public.bridge.uplink", n.Public.Bridge.Uplink)
	}
	p.name("networking.public.nad.name", n.Public.NAD.Name, "a name such as virtfoundry-public")
	p.label("networking.public.nad.namespace", n.Public.NAD.Namespace)
	p.bridge(&n.Bridge)
	p.hostAddress("networking.isolated.bridge.address", n.Isolated.Bridge.Address)
	if n.Public.Enabled && !n.Public.Auto() {
		_, err := n.Public.resolve(nil)
		p.found = append(p.found, err...)
	}
	p.dhcp(&n.Public)
	return p.found
}

func (p *problems) name(key, name, remedy string) {
	if found := apivalidation.IsDNS1123Subdomain(name); len(found) > 0 {
		p.add(key, "%.128q is no name of an object: write %s", name, remedy)
	}
}

func (p *problems) label(key, name string) {
	if found := apivalidation.IsDNS1123Label(name); len(found) > 0 {
		p.add(key, "%.128q is no name of a namespace: write one such as kube-system", name)
	}
}

// device checks the name of an interface: what Linux takes and what a shell does not read otherwise.
func (p *problems) device(key, name string) {
	switch {
	case len(name) > maxInterface:
		p.add(key, "%.64q has %d characters, and Linux takes %d: shorten it, for example to %s", name, len(name), maxInterface, defaultPublicBridge)
	case !regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]*$`).MatchString(name):
		p.add(key, "%q is no name of an interface: use letters, digits, '-', '_' and '.', such as %s", name, defaultPublicBridge)
	}
}

func (p *problems) bridge(b *Bridge) {
	p.label("networking.bridge.namespace", b.Namespace)
	// Whether it is by digest is for a rule to judge (HST-002).
	if _, err := reference.ParseNormalizedNamed(b.Image); err != nil {
		p.add("networking.bridge.image", "%.256q is no reference of an image: write it as registry/path@sha256:<64 hexadecimal digits>", b.Image)
	}
	if b.RepairIntervalSeconds < 1 || b.RepairIntervalSeconds > maxRepairSeconds {
		p.add("networking.bridge.repairIntervalSeconds", "%d is out of bounds: use 1 to %d", b.RepairIntervalSeconds, maxRepairSeconds)
	}
	for _, err := range validation.ValidateLabels(b.NodeSelector, field.NewPath("networking", "bridge", "nodeSelector")) {
		p.found = append(p.found, fmt.Errorf("%w: write labels of Nodes", err))
	}
	for i := range b.Tolerations {
		t := &b.Tolerations[i]
		operators := []corev1.TolerationOperator{"", corev1.TolerationOpExists, corev1.TolerationOpEqual}
		effects := []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
		key := fmt.Sprintf("networking.bridge.tolerations[%d]", i)
		if !slices.Contains(operators, t.Operator) {
			p.add(key+".operator", "%.64q is none: use Exists or Equal", t.Operator)
		}
		if !slices.Contains(effects, t.Effect) {
			p.add(key+".effect", "%.64q is none: use NoSchedule, PreferNoSchedule or NoExecute, or leave it out", t.Effect)
		}
		if t.Operator == corev1.TolerationOpExists && t.Value != "" {
			p.add(key+".value", "%.64q beside operator Exists: leave it out", t.Value)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			p.add(key+".key", "is empty: name a taint, or use operator Exists to tolerate all")
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			p.add(key+".tolerationSeconds", "is for effect NoExecute alone: leave it out")
		}
		if t.Key != "" {
			for _, err := range validation.ValidateLabelName(t.Key, field.NewPath(key+".key")) {
				p.found = append(p.found, fmt.Errorf("%w: write the key of a taint", err))
			}
		}
	}
}

// dhcp refuses a server that would give one address to two guests, or that has none of its own.
func (p *problems) dhcp(n *Public) {
	const key = "networking.public.dhcp.enabled"
	if !n.ServesDHCP() {
		return
	}
	if n.Bridge.Uplink != "" {
		p.add(key, "with an uplink the servers of all nodes would give out the same addresses: set it to false, or remove networking.public.bridge.uplink")
	}
	if n.Bridge.Address == "" {
		p.add(key, "a DHCP server needs an address of its own: set networking.public.bridge.address, or set it to false")
	}
}

// ServesDHCP tells whether addresses are served on the bridge.
func (p *Public) ServesDHCP() bool { return p.Enabled && p.DHCP.Enabled }
