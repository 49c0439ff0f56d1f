package virtualmachine

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// topicImage is the topic of the rules that say whether a disk is verified.
const topicImage = "image-integrity"

// remedyFor says how an administrator lets machines into a namespace.
func remedyFor(namespace string) string {
	return fmt.Sprintf("label namespace %s cato.dev/vm-namespace=true and bind ClusterRole virtfoundry-operator-kubevirt-mutate and virtfoundry-operator-vm-namespace to ServiceAccount virtfoundry-system/virtfoundry-operator there", namespace)
}

// report computes the status once, writes it once, and says when to come back.
func (r *Reconciler) report(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine, found *observed, p plan, w written) (reconcile.Result, error) {
	end := conclude(found, p, w)
	if end.Quiet {
		return end.Result, nil
	}
	before := machine.DeepCopy()
	status := &machine.Status
	status.ObservedGeneration = machine.Generation
	status.PolicyRevision = found.judged.Revision
	status.ReconciledBy = udsv1alpha1.ReconciledBy
	r.disk(machine, found)
	set := func(kind string, d outcome.Decision) { outcome.Set(&status.Conditions, machine.Generation, kind, d) }
	set(udsv1alpha1.ConditionPolicyAllowed, p.decision)
	isolated := outcome.OfTopics(found.judged, "network-isolation", "egress", "secondary-network")
	set(udsv1alpha1.ConditionIsolated, isolated)
	set(udsv1alpha1.ConditionGuestHardened, outcome.OfTopics(found.judged, "cloud-init-auth", "cloud-init-root"))
	set(udsv1alpha1.ConditionCompliant, outcome.OfTopics(found.judged))
	set(udsv1alpha1.ConditionImageVerified, verification(machine, found))
	set(udsv1alpha1.ConditionReady, end.Decision)
	outcome.SetStalled(&status.Conditions, machine.Generation, end.Terminal, end.Decision)
	status.ZeroTrust = isolated.Status == metav1.ConditionTrue
	status.Phase = end.phase
	r.announce(before, machine)
	return end.Result, errors.Join(end.Err, r.patch(ctx, before, machine))
}

// ending is how a reconcile ended, with the phase that it shows.
type ending struct {
	outcome.Failure
	phase udsv1alpha1.Phase
}

// conclude turns decision, writes and what was found into condition Ready, the
// phase and the time to come back.
func conclude(found *observed, p plan, w written) ending {
	no := func(reason, message string) outcome.Decision {
		return outcome.Decision{Status: metav1.ConditionFalse, Reason: reason, Message: message}
	}
	switch {
	case w.err != nil:
		failure := outcome.OfWrite(w.err, remedyFor(found.Machine.Namespace))
		if failure.Terminal {
			return ending{failure, udsv1alpha1.PhaseFailed}
		}
		return ending{failure, udsv1alpha1.PhasePending}
	case p.decision.Status == metav1.ConditionFalse:
		return ending{outcome.Failure{Decision: p.decision, Terminal: true}, udsv1alpha1.PhaseFailed}
	case p.decision.Status == metav1.ConditionUnknown:
		waits := outcome.Failure{Decision: no(p.decision.Reason, p.decision.Message), Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}
		return ending{waits, udsv1alpha1.PhasePending}
	case w.refused != "":
		return ending{outcome.Failure{Decision: no(udsv1alpha1.ReasonSourceChanged, w.refused), Terminal: true}, udsv1alpha1.PhaseFailed}
	}
	end := progress(found, p)
	if len(w.changes) > 0 {
		end.Result.RequeueAfter = outcome.AfterWrite
	}
	return end
}

// announce emits an event when what went wrong, or what is said of it, is new.
func (r *Reconciler) announce(before, machine *udsv1alpha1.UDSVirtualMachine) {
	ready := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionReady)
	last := meta.FindStatusCondition(before.Status.Conditions, udsv1alpha1.ConditionReady)
	if last != nil && last.Reason == ready.Reason && last.Message == ready.Message {
		return
	}
	reasons := map[string]string{
		udsv1alpha1.ReasonPolicyDenied:     EventPolicyDenied,
		udsv1alpha1.ReasonOwnedByOther:     EventOwnedByOther,
		udsv1alpha1.ReasonForbidden:        EventForbidden,
		udsv1alpha1.ReasonSourceChanged:    EventSourceChanged,
		udsv1alpha1.ReasonChecksumMismatch: EventChecksumMismatch,
		udsv1alpha1.ReasonImportFailed:     EventImportFailed,
	}
	if reason, worth := reasons[ready.Reason]; worth {
		r.warn(machine, reason, ready.Message)
	}
}

// patch writes the status if it changed.
func (r *Reconciler) patch(ctx context.Context, before, machine *udsv1alpha1.UDSVirtualMachine) error {
	if equality.Semantic.DeepEqual(before.Status, machine.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.deps.Client.Status().Patch(ctx, machine, client.MergeFrom(before)))
}
