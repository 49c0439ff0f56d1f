package fleet

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Break is a way in which a machine departs from the hardened defaults.
type Break string

// The ways; each makes one topic at least fail or unknown.
const (
	None         Break = ""
	NoPolicy     Break = "no-policy"     // its NetworkPolicy is gone
	AllowAll     Break = "allow-all"     // a second policy lets everyone in
	BridgedNIC   Break = "bridged-nic"   // the pod network is bridged, past every policy
	Password     Break = "password"      // the user data lets one log in by password
	NoCloudInit  Break = "no-cloud-init" // the Secret with the user data does not exist
	NoChecksum   Break = "no-checksum"   // the disk was imported without a digest
	DedicatedCPU Break = "dedicated-cpu" // processors of its own, which nobody granted
)

// Breaks lists all ways in the order in which a fleet has them.
func Breaks() []Break {
	return []Break{NoPolicy, AllowAll, BridgedNIC, Password, NoCloudInit, NoChecksum, DedicatedCPU}
}

func breakOf(i int) Break {
	if i%BrokenOneIn != BrokenOneIn-1 {
		return None
	}
	all := Breaks()
	return all[i/BrokenOneIn%len(all)]
}

type networkPolicy = networkingv1.NetworkPolicy

// parts are a machine's children while they are made; those that are nil do
// not exist.
type parts struct {
	policies  []*networkPolicy
	cloudInit *corev1.Secret
	volume    *cdiv1beta1.DataVolume
	claim     *corev1.PersistentVolumeClaim
	vm        *kubevirtv1.VirtualMachine
	instance  *kubevirtv1.VirtualMachineInstance
}

func (p *parts) objects() []client.Object {
	all := []client.Object{}
	for _, policy := range p.policies {
		all = append(all, policy)
	}
	if p.cloudInit != nil {
		all = append(all, p.cloudInit)
	}
	return append(all, p.volume, p.claim, p.vm, p.instance)
}

func (b Break) apply(p *parts) {
	template := &p.vm.Spec.Template.Spec
	switch b {
	case NoPolicy:
		p.policies = nil
	case AllowAll:
		open := p.policies[0].DeepCopy()
		open.Name = p.vm.Name + "-debug"
		open.OwnerReferences = nil
		open.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		open.Spec.Ingress, open.Spec.Egress = []networkingv1.NetworkPolicyIngressRule{{}}, nil
		p.policies = append(slices.Clone(p.policies), open)
	case BridgedNIC:
		template.Domain.Devices.Interfaces[0].InterfaceBindingMethod = kubevirtv1.InterfaceBindingMethod{Bridge: &kubevirtv1.InterfaceBridge{}}
	case Password:
		p.cloudInit.Data["userdata"] = []byte("#cloud-config\nssh_pwauth: true\ndisable_root: true\nusers:\n- name: ops\n  lock_passwd: false\n  plain_text_passwd: not-a-secret\n")
	case NoCloudInit:
		p.cloudInit = nil
	case NoChecksum:
		p.volume.Spec.Source.HTTP.Checksum = ""
	case DedicatedCPU:
		template.Domain.CPU.DedicatedCPUPlacement = true
	case None:
	}
}
