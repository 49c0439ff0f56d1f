package instance

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// guest is the phase of an accepted Instance and why, from its guest where one
// is there and else from its VirtualMachine (VirtFoundry sheet, section 3.6).
func guest(found *observed) (virtfoundryv1alpha1.InstancePhase, string) {
	vm, vmi := found.VirtualMachine, found.VirtualMachineInstance
	if !owns(found) {
		return virtfoundryv1alpha1.InstancePending, "the VirtualMachine is written and has still to be seen"
	}
	if vmi != nil && vmi.Labels[virtfoundryv1alpha1.LabelVM] == found.Instance.Name {
		if phase, message := ofGuest(vmi); phase != "" {
			return phase, message
		}
	}
	return ofMachine(vm)
}

func ofGuest(vmi *kubevirtv1.VirtualMachineInstance) (virtfoundryv1alpha1.InstancePhase, string) {
	for _, c := range vmi.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineInstanceConditionType(corev1.PodScheduled) && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return virtfoundryv1alpha1.InstanceError, "no node can run the guest: " + c.Message
		}
	}
	if vmi.DeletionTimestamp != nil {
		return virtfoundryv1alpha1.InstanceStopping, "the guest is being stopped"
	}
	switch vmi.Status.Phase {
	case kubevirtv1.Running:
		return virtfoundryv1alpha1.InstanceRunning, "the guest runs"
	case kubevirtv1.VmPhaseUnset, kubevirtv1.Pending, kubevirtv1.Scheduling, kubevirtv1.Scheduled:
		return virtfoundryv1alpha1.InstanceStarting, "the guest is being started"
	case kubevirtv1.Succeeded:
		return virtfoundryv1alpha1.InstanceStopped, "the guest has shut down"
	case kubevirtv1.Failed:
		return virtfoundryv1alpha1.InstanceError, "the guest has failed"
	default:
		return "", ""
	}
}

func ofMachine(vm *kubevirtv1.VirtualMachine) (virtfoundryv1alpha1.InstancePhase, string) {
	printed := vm.Status.PrintableStatus
	broken := []kubevirtv1.VirtualMachinePrintableStatus{
		kubevirtv1.VirtualMachineStatusCrashLoopBackOff, kubevirtv1.VirtualMachineStatusUnknown, kubevirtv1.VirtualMachineStatusUnschedulable,
		kubevirtv1.VirtualMachineStatusErrImagePull, kubevirtv1.VirtualMachineStatusImagePullBackOff,
		kubevirtv1.VirtualMachineStatusPvcNotFound, kubevirtv1.VirtualMachineStatusDataVolumeError,
	}
	switch {
	case slices.Contains(broken, printed):
		return virtfoundryv1alpha1.InstanceError, "KubeVirt reports " + string(printed) + trouble(vm)
	case printed == kubevirtv1.VirtualMachineStatusRunning:
		return virtfoundryv1alpha1.InstanceRunning, "the guest runs"
	case printed == kubevirtv1.VirtualMachineStatusStarting, printed == kubevirtv1.VirtualMachineStatusProvisioning:
		return virtfoundryv1alpha1.InstanceStarting, "KubeVirt reports " + string(printed)
	case printed == kubevirtv1.VirtualMachineStatusStopping, printed == kubevirtv1.VirtualMachineStatusTerminating:
		return virtfoundryv1alpha1.InstanceStopping, "KubeVirt reports " + string(printed)
	case printed == kubevirtv1.VirtualMachineStatusStopped && !wantsUp(vm), isHalted(vm):
		return virtfoundryv1alpha1.InstanceStopped, "the guest is off"
	default:
		return virtfoundryv1alpha1.InstanceStarting, "the guest is to start"
	}
}

func wantsUp(vm *kubevirtv1.VirtualMachine) bool {
	return vm.Spec.RunStrategy != nil && *vm.Spec.RunStrategy == kubevirtv1.RunStrategyAlways
}

// trouble is the message of the VirtualMachine's failing condition.
func trouble(vm *kubevirtv1.VirtualMachine) string {
	for _, c := range vm.Status.Conditions {
		if (c.Type == kubevirtv1.VirtualMachineFailure && c.Status == corev1.ConditionTrue || c.Type == kubevirtv1.VirtualMachineReady && c.Status == corev1.ConditionFalse) && c.Message != "" {
			return ": " + c.Message
		}
	}
	return ""
}

// ready compares the guest with what spec.powerState asks for.
func ready(found *observed, phase virtfoundryv1alpha1.InstancePhase, message string) outcome.Decision {
	off := found.Instance.Spec.PowerState == virtfoundryv1alpha1.PowerHalted
	switch {
	case off && phase == virtfoundryv1alpha1.InstanceStopped, !off && phase == virtfoundryv1alpha1.InstanceRunning:
		return outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonReconciled, Message: message + " as asked"}
	case phase == virtfoundryv1alpha1.InstanceError:
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonGuestFailed, Message: message}
	default:
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonPending, Message: message}
	}
}
