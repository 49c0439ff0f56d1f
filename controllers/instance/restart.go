package instance

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
)

// restart says whether the guest that runs differs from its VirtualMachine in
// what only a restart brings about.
func restart(found *observed) outcome.Decision {
	vm, vmi := found.VirtualMachine, found.VirtualMachineInstance
	if !owns(found) || vm.Spec.Template == nil || vmi == nil || vmi.IsFinal() {
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonNotRunning, Message: "no guest runs that a restart would change"}
	}
	stale := staleParts(&vm.Spec.Template.Spec, &vmi.Spec)
	stale = append(stale, children.StaleSeed(vm.Spec.Template.ObjectMeta.Annotations[virtfoundryv1alpha1.AnnotationSeed], vmi.Annotations[virtfoundryv1alpha1.AnnotationSeed])...)
	for _, c := range vm.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineRestartRequired && c.Status == corev1.ConditionTrue && len(stale) == 0 {
			stale = append(stale, "KubeVirt says: "+c.Message)
		}
	}
	if len(stale) == 0 {
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonUpToDate, Message: "the guest runs as its VirtualMachine says"}
	}
	return outcome.Decision{
		Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonRestartRequired,
		Message: fmt.Sprintf("the guest runs with another %s than it is to: restart it when that suits you (spec.powerState Halted, then Running). A guest of a containerDisk loses what it wrote", strings.Join(stale, ", ")),
	}
}

// staleParts names what of the specification the running guest does not have.
func staleParts(want, have *kubevirtv1.VirtualMachineInstanceSpec) []string {
	stale := []string{}
	differs := func(part string, different bool) {
		if different {
			stale = append(stale, part)
		}
	}
	differs("number of cores", cores(want) != cores(have))
	differs("memory", want.Domain.Resources.Requests.Memory().Cmp(*have.Domain.Resources.Requests.Memory()) != 0)
	differs("placement on processors", dedicated(want) != dedicated(have))
	differs("network", networksOf(want) != networksOf(have) || !hasAddressesOf(want, have))
	differs("image", image(want) != image(have))
	return stale
}

func cores(spec *kubevirtv1.VirtualMachineInstanceSpec) uint32 {
	if spec.Domain.CPU == nil {
		return 1
	}
	return max(spec.Domain.CPU.Cores, 1)
}

func dedicated(spec *kubevirtv1.VirtualMachineInstanceSpec) bool {
	return spec.Domain.CPU != nil && spec.Domain.CPU.DedicatedCPUPlacement
}

// networksOf writes the attachments down in the order that the guest sees.
func networksOf(spec *kubevirtv1.VirtualMachineInstanceSpec) string {
	text := strings.Builder{}
	for i := range spec.Networks {
		fmt.Fprintf(&text, "%s=", spec.Networks[i].Name)
		if multus := spec.Networks[i].Multus; multus != nil {
			text.WriteString(multus.NetworkName)
		}
		text.WriteString(";")
	}
	return text.String()
}

// hasAddressesOf tells whether the guest's interfaces have the hardware addresses that the machine gives them.
func hasAddressesOf(want, have *kubevirtv1.VirtualMachineInstanceSpec) bool {
	has := map[string]string{}
	for i := range have.Domain.Devices.Interfaces {
		has[have.Domain.Devices.Interfaces[i].Name] = have.Domain.Devices.Interfaces[i].MacAddress
	}
	for i := range want.Domain.Devices.Interfaces {
		if nic := &want.Domain.Devices.Interfaces[i]; nic.MacAddress != "" && !strings.EqualFold(nic.MacAddress, has[nic.Name]) {
			return false
		}
	}
	return true
}

func image(spec *kubevirtv1.VirtualMachineInstanceSpec) string {
	for i := range spec.Volumes {
		if disk := spec.Volumes[i].ContainerDisk; disk != nil {
			return disk.Image
		}
	}
	return ""
}
