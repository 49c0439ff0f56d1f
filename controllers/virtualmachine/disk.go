package virtualmachine

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

const mebibyte = 1 << 20

// disk fills what the status says of the root disk.
func (r *Reconciler) disk(machine *udsv1alpha1.UDSVirtualMachine, found *observed) {
	status := &machine.Status
	status.Source = string(machine.Spec.SourceType)
	status.PVCSize, status.Import = "", nil
	if claim := claimOf(found); claim != nil {
		status.PVCSize = mebibytes(claim.Spec.Resources.Requests[corev1.ResourceStorage])
	}
	if volume := dataVolume(found); volume != nil && (volume.Status.Progress != "" || volume.Status.RestartCount > 0) {
		status.Import = &udsv1alpha1.ImportStatus{Progress: string(volume.Status.Progress), Restarts: volume.Status.RestartCount}
	}
	status.ImageVerification = r.evidence(status.ImageVerification, found)
	status.ChecksumVerified = status.ImageVerification != nil
}

func claimOf(found *observed) *corev1.PersistentVolumeClaim {
	for i := range found.Claims {
		if found.Claims[i].Name == found.Machine.Name+udsv1alpha1.DataVolumeSuffix {
			return &found.Claims[i]
		}
	}
	return nil
}

// mebibytes writes a size in whole Mi, rounded up.
func mebibytes(size resource.Quantity) string {
	whole := size.Value() / mebibyte
	if size.Value()%mebibyte != 0 {
		whole++
	}
	return fmt.Sprintf("%dMi", whole)
}

// evidence is the verification of the claim that the machine boots, when the
// rules on image integrity pass on it as it is. Its time is kept while it
// stays the same.
func (r *Reconciler) evidence(last *udsv1alpha1.ImageVerification, found *observed) *udsv1alpha1.ImageVerification {
	claim, volume := claimOf(found), dataVolume(found)
	if claim == nil || volume == nil || integrity(found) != engine.Pass {
		return nil
	}
	evidence := &udsv1alpha1.ImageVerification{ClaimUID: claim.UID}
	switch source := volume.Spec.Source; {
	case source == nil:
		return nil
	case source.HTTP != nil:
		evidence.Method, evidence.Digest = udsv1alpha1.VerifiedByCDIHTTP, source.HTTP.Checksum
	case source.Registry != nil && source.Registry.URL != nil:
		_, digest, _ := strings.Cut(*source.Registry.URL, "@")
		evidence.Method, evidence.Digest = udsv1alpha1.VerifiedByRegistryDigest, digest
	default:
		return nil
	}
	if evidence.Digest == "" {
		return nil
	}
	if last != nil && last.Method == evidence.Method && last.Digest == evidence.Digest && last.ClaimUID == evidence.ClaimUID {
		return last
	}
	evidence.Time = metav1.NewTime(r.deps.Now())
	return evidence
}

// integrity is the word of the rules on image integrity, live: the worst of
// theirs, and unknown when none judged.
func integrity(found *observed) engine.Value {
	rank := map[engine.Value]int{engine.NotApplicable: 1, engine.Pass: 2, engine.Unknown: 3, engine.Fail: 4}
	worst := engine.Value("")
	for _, v := range found.judged.Verdicts {
		if v.Rule.Topic == topicImage && rank[v.Value] > rank[worst] {
			worst = v.Value
		}
	}
	if worst == "" {
		return engine.Unknown
	}
	return worst
}

// verification is condition ImageVerified. The rules decide; the reason names,
// in the words of the API, what stands in the way.
func verification(machine *udsv1alpha1.UDSVirtualMachine, found *observed) outcome.Decision {
	word := outcome.OfTopics(found.judged, topicImage)
	not := func(reason string) outcome.Decision {
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: reason, Message: word.Message}
	}
	volume := dataVolume(found)
	switch value := integrity(found); {
	case value == engine.Pass:
		return outcome.Decision{Status: metav1.ConditionTrue, Reason: udsv1alpha1.ReasonVerified, Message: "the content of the disk was compared with what the spec asks for"}
	case value == engine.NotApplicable:
		word.Message = "an empty disk has no content to verify"
		return not(udsv1alpha1.ReasonNotApplicable)
	case volume == nil:
		return not(udsv1alpha1.ReasonPending)
	case mismatched(volume):
		return not(udsv1alpha1.ReasonChecksumMismatch)
	case volume.Generation > 1:
		return not(udsv1alpha1.ReasonSourceChanged)
	case machine.Spec.SourceType == udsv1alpha1.SourceUpload:
		return not(udsv1alpha1.ReasonUploadChecksumUnsupported)
	default:
		return not(shortcoming(volume))
	}
}

// shortcoming names what an import lacks as evidence.
func shortcoming(volume *cdiv1beta1.DataVolume) string {
	source := volume.Spec.Source
	switch {
	case volume.Status.Phase != cdiv1beta1.Succeeded:
		return udsv1alpha1.ReasonPending
	case source != nil && source.HTTP != nil && source.HTTP.Checksum != "",
		source != nil && source.Registry != nil && source.Registry.URL != nil && strings.Contains(*source.Registry.URL, "@"):
		return udsv1alpha1.ReasonWeakAlgorithm
	default:
		return udsv1alpha1.ReasonChecksumMissing
	}
}

// StorageOverhead is the size of the root disk's claim divided by the size of
// the disk in it, or 0 where one of them is not known.
func StorageOverhead(machine *udsv1alpha1.UDSVirtualMachine) float64 {
	disk, problem := facts.Bytes(string(machine.Spec.DiskSize))
	claim, err := resource.ParseQuantity(machine.Status.PVCSize)
	if problem != "" || err != nil || disk <= 0 {
		return 0
	}
	return float64(claim.Value()) / float64(disk)
}
