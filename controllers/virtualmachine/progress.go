package virtualmachine

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// progress says how far an accepted machine has come: disk, verification, guest.
func progress(found *observed, p plan) ending {
	volume := dataVolume(found)
	switch {
	case volume == nil:
		return at(udsv1alpha1.PhaseImporting, metav1.ConditionFalse, udsv1alpha1.ReasonPending, "the children are written and have still to be seen")
	case mismatched(volume):
		end := at(udsv1alpha1.PhaseFailed, metav1.ConditionFalse, udsv1alpha1.ReasonChecksumMismatch, "the disk is not what its checksum says, so the guest never starts: "+words(volume))
		end.Terminal = true
		return end
	case volume.Status.Phase == cdiv1beta1.Failed:
		end := at(udsv1alpha1.PhaseFailed, metav1.ConditionFalse, udsv1alpha1.ReasonImportFailed, "CDI gave up: "+words(volume))
		end.Terminal = true
		return end
	case held(found):
		return at(udsv1alpha1.PhaseImporting, metav1.ConditionFalse, udsv1alpha1.ReasonPending, fmt.Sprintf(
			"PersistentVolumeClaim %s was deleted and the guest still runs from it: stop it (uds-vmctl power stop %s), and the disk is made again", volume.Name, found.Machine.Name))
	case volume.Status.Phase == cdiv1beta1.UploadReady, volume.Status.Phase == cdiv1beta1.UploadScheduled:
		return at(udsv1alpha1.PhaseWaitingForUpload, metav1.ConditionFalse, udsv1alpha1.ReasonWaitingForUpload, "CDI waits for the disk to be uploaded to DataVolume "+volume.Name)
	case volume.Status.Phase != cdiv1beta1.Succeeded:
		return at(udsv1alpha1.PhaseImporting, metav1.ConditionFalse, udsv1alpha1.ReasonImporting, "the root disk is being made: "+words(volume))
	}
	return power(found, p)
}

// power compares the guest with what spec.runStrategy asks for.
func power(found *observed, p plan) ending {
	vmi := found.VirtualMachineInstance
	up := vmi != nil && vmi.Status.Phase == kubevirtv1.Running
	ended := vmi == nil || vmi.IsFinal()
	strategy := found.Machine.Spec.RunStrategy
	heldBack := *p.children.VirtualMachine.Spec.RunStrategy == kubevirtv1.RunStrategyHalted && strategy != udsv1alpha1.RunHalted
	switch {
	case heldBack && ended:
		reason := verification(found.Machine, found)
		return at(udsv1alpha1.PhaseStopped, metav1.ConditionFalse, reason.Reason, "the guest is not started: "+reason.Message)
	case strategy == udsv1alpha1.RunHalted && ended:
		return at(udsv1alpha1.PhaseStopped, metav1.ConditionTrue, udsv1alpha1.ReasonStopped, "the guest is off as asked")
	case strategy == udsv1alpha1.RunManual && ended, strategy == udsv1alpha1.RunRerunOnFailure && vmi != nil && vmi.Status.Phase == kubevirtv1.Succeeded:
		return at(udsv1alpha1.PhaseStopped, metav1.ConditionTrue, udsv1alpha1.ReasonStopped, "the guest is off, which spec.runStrategy "+string(strategy)+" allows")
	case up && strategy != udsv1alpha1.RunHalted && !heldBack:
		return at(udsv1alpha1.PhaseReady, metav1.ConditionTrue, udsv1alpha1.ReasonReconciled, "the guest runs as asked")
	case ended:
		return at(udsv1alpha1.PhaseProvisioning, metav1.ConditionFalse, udsv1alpha1.ReasonPending, "the disk is there, and the guest is to start")
	default:
		return at(udsv1alpha1.PhaseProvisioning, metav1.ConditionFalse, udsv1alpha1.ReasonPending, "the guest is "+string(vmi.Status.Phase))
	}
}

// held tells that the disk that is being deleted has to wait for the guest: the
// API server keeps a claim as long as a pod uses it.
func held(found *observed) bool {
	name := found.Machine.Name + udsv1alpha1.DataVolumeSuffix
	for i := range found.Claims {
		if found.Claims[i].Name == name {
			return found.Claims[i].DeletionTimestamp != nil && found.VirtualMachineInstance != nil
		}
	}
	return false
}

func at(phase udsv1alpha1.Phase, ready metav1.ConditionStatus, reason, message string) ending {
	return ending{outcome.Failure{Decision: outcome.Decision{Status: ready, Reason: reason, Message: message}}, phase}
}

// mismatched tells that CDI compared the content and found another.
func mismatched(volume *cdiv1beta1.DataVolume) bool {
	running := runningCondition(volume)
	return running != nil && running.Reason == "ChecksumError"
}

func runningCondition(volume *cdiv1beta1.DataVolume) *cdiv1beta1.DataVolumeCondition {
	for i := range volume.Status.Conditions {
		if volume.Status.Conditions[i].Type == cdiv1beta1.DataVolumeRunning {
			return &volume.Status.Conditions[i]
		}
	}
	return nil
}

// words are CDI's own on a DataVolume.
func words(volume *cdiv1beta1.DataVolume) string {
	text := "DataVolume " + volume.Name + " is " + string(volume.Status.Phase)
	if volume.Status.Phase == "" {
		text = "DataVolume " + volume.Name + " has not been taken up by CDI yet"
	}
	if running := runningCondition(volume); running != nil && running.Message != "" {
		text += " (" + running.Reason + ": " + running.Message + ")"
	}
	return text
}
