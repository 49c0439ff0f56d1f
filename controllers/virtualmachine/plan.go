package virtualmachine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// The annotations of children that tell a later reconcile what an earlier one
// decided on.
const (
	// annotationSource, on the DataVolume, is the SHA-256 of the spec that it was
	// made with: a spec that the user changes since is not a drift to put right.
	annotationSource = "cato.dev/made-from"
	// annotationStarted, on the VirtualMachine, is the uid of the claim that the
	// guest was started from: a running guest is left alone when evidence for
	// that very claim is lost.
	annotationStarted = "cato.dev/started-from"
)

// plan is what is to be done for a machine, and by what decision.
type plan struct {
	decision outcome.Decision
	children *children.Machine // nil when none can be made
	start    outcome.Decision  // whether the guest may run
}

// plan asks the grants for what is wanted, makes the children, asks the rules
// about them and, for the guest, whether its disk may be started from.
func (r *Reconciler) plan(ctx context.Context, found *observed) plan {
	decisions := r.privileges(ctx, found)
	judgement, planned, err := r.deps.Judge.Machine(ctx, found.Gathered, found.userData, facts.Plan)
	if err != nil {
		return plan{decision: outcome.Together(append(decisions, outcome.Denied(err.Error()))...)}
	}
	decisions = append(decisions, outcome.OfRules(judgement), userData(found), sameSource(found, planned.DataVolume))
	p := plan{decision: outcome.Together(decisions...), children: planned, start: r.mayStart(ctx, found, planned)}
	if p.start.Status != metav1.ConditionTrue && !r.runs(found) {
		halted := kubevirtv1.RunStrategyHalted
		planned.VirtualMachine.Spec.RunStrategy = &halted
	} else {
		planned.VirtualMachine.Annotations = map[string]string{annotationStarted: claimUID(found)}
	}
	return p
}

// privileges asks for each privilege that the spec wants.
func (r *Reconciler) privileges(ctx context.Context, found *observed) []outcome.Decision {
	decisions, asked := []outcome.Decision{}, decide.AsAsked(found.Gathered)
	ask := func(wanted bool, grant string) {
		if wanted {
			decisions = append(decisions, outcome.OfGrant(ctx, r.deps.Judge, grant, asked))
		}
	}
	spec := &found.Machine.Spec
	ask(spec.CPU.Dedicated, "dedicated_cpu")
	ask(spec.Network != nil && len(spec.Network.Egress) > 0, "extra_egress")
	ask(spec.Network != nil && len(spec.Network.Networks) > 0, "secondary_network")
	ask(facts.AsksElsewhere(found.Machine), decide.CrossNamespaceSource)
	return decisions
}

// userData waits for a Secret that is not there yet, whatever the rules on
// guests are set to: an empty one must never stand in.
func userData(found *observed) outcome.Decision {
	if found.userData.Missing != "" {
		return outcome.Unknown(found.userData.Missing)
	}
	return outcome.Allowed()
}

func userDataRef(machine *udsv1alpha1.UDSVirtualMachine) *udsv1alpha1.SecretKeyRef {
	if machine.Spec.Guest == nil {
		return nil
	}
	return machine.Spec.Guest.UserDataSecretRef
}

// sameSource refuses a change of the disk's source, size or class once the disk
// exists: nothing is imported again behind a user's back.
func sameSource(found *observed, planned *cdiv1beta1.DataVolume) outcome.Decision {
	made := digest(planned.Spec)
	if planned.Annotations == nil {
		planned.Annotations = map[string]string{}
	}
	planned.Annotations[annotationSource] = made
	live := dataVolume(found)
	if live == nil || live.Annotations[annotationSource] == made {
		return outcome.Allowed()
	}
	difference, err := apply.Needed(apply.Child{Desired: planned, Live: live})
	if err != nil || !outcome.Touches(difference.Drifted, "spec") {
		return outcome.Allowed() // whose it is, and what else differs, is found when it is written
	}
	return outcome.Decision{
		Status: metav1.ConditionFalse, Reason: udsv1alpha1.ReasonSourceChanged,
		Message: fmt.Sprintf("DataVolume %s/%s was made from another source or size (%v differ): nothing is imported again. Set the spec back, or delete this UDSVirtualMachine and make a new one", live.Namespace, live.Name, difference.Drifted),
	}
}

func digest(spec cdiv1beta1.DataVolumeSpec) string {
	text, err := json.Marshal(spec)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// mayStart asks whether the guest may start from the disk that it will have:
// every rule on image integrity says so, live, or the grant for disks that
// nothing can verify is given (decision 3).
func (r *Reconciler) mayStart(ctx context.Context, found *observed, planned *children.Machine) outcome.Decision {
	next := decide.PlanMachine(found.Gathered, planned, facts.Live)
	integrity := outcome.OfTopics(r.deps.Judge.Verdicts(ctx, next), topicImage)
	if integrity.Status == metav1.ConditionTrue {
		return integrity
	}
	if unverified := outcome.OfGrant(ctx, r.deps.Judge, "unverified_disk", next); unverified.Status == metav1.ConditionTrue {
		return unverified
	}
	return integrity
}

// runs tells whether the guest runs from the very claim that it was started
// from: then it is left alone, whatever is said of its disk now.
func (r *Reconciler) runs(found *observed) bool {
	vm, vmi, uid := found.VirtualMachine, found.VirtualMachineInstance, claimUID(found)
	return vm != nil && vmi != nil && !vmi.IsFinal() && vmi.DeletionTimestamp == nil &&
		uid != unclaimed && vm.Annotations[annotationStarted] == uid
}

// unclaimed stands for the claim of a guest that started before it had one,
// from an empty disk.
const unclaimed = "none"

func claimUID(found *observed) string {
	name := found.Machine.Name + udsv1alpha1.DataVolumeSuffix
	for i := range found.Claims {
		if found.Claims[i].Name == name {
			return string(found.Claims[i].UID)
		}
	}
	return unclaimed
}

func dataVolume(found *observed) *cdiv1beta1.DataVolume {
	for i := range found.DataVolumes {
		if dv := &found.DataVolumes[i]; dv.Namespace == found.Machine.Namespace && dv.Name == found.Machine.Name+udsv1alpha1.DataVolumeSuffix {
			return dv
		}
	}
	return nil
}
