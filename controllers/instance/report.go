package instance

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// remedyFor says what lets the operator write in a tenant's namespace.
func remedyFor(namespace string) string {
	return fmt.Sprintf("the Tenant binds ClusterRole virtfoundry-operator-kubevirt-mutate and virtfoundry-operator-vm-namespace to the operator in namespace %s: see why it has not (condition Ready of the Tenant)", namespace)
}

// report computes the status once, writes it once, and says when to come back.
func (r *Reconciler) report(ctx context.Context, instance *virtfoundryv1alpha1.Instance, found *observed, p plan, w written) (reconcile.Result, error) {
	end := conclude(found, p, w)
	if end.Quiet {
		return end.Result, nil
	}
	before := instance.DeepCopy()
	status := &instance.Status
	status.ObservedGeneration = instance.Generation
	status.PolicyRevision = found.judged.Revision
	status.KubeVirtName = ""
	if owns(found) {
		status.KubeVirtName = found.VirtualMachine.Name
	}
	status.IP, status.Interfaces = addresses(found)
	set := func(kind string, d outcome.Decision) { outcome.Set(&status.Conditions, instance.Generation, kind, d) }
	set(virtfoundryv1alpha1.ConditionPolicyAllowed, p.decision)
	set(virtfoundryv1alpha1.ConditionIsolated, outcome.OfTopics(found.judged, "network-isolation", "egress", "secondary-network"))
	set(virtfoundryv1alpha1.ConditionCompliant, outcome.OfTopics(found.judged))
	set(virtfoundryv1alpha1.ConditionRestartRequired, restart(found))
	r.pinning(status, instance, p)
	set(virtfoundryv1alpha1.ConditionReady, end.Decision)
	outcome.SetStalled(&status.Conditions, instance.Generation, end.Terminal, end.Decision)
	status.Phase, status.ErrorMessage = end.phase, ""
	if end.phase == virtfoundryv1alpha1.InstanceFailed || end.phase == virtfoundryv1alpha1.InstanceError {
		status.ErrorMessage = end.Decision.Message
	}
	r.announce(before, instance)
	return end.Result, errors.Join(end.Err, r.patch(ctx, before, instance))
}

// pinning says what became of the wish for dedicated processors; without one
// there is no condition.
func (r *Reconciler) pinning(status *virtfoundryv1alpha1.InstanceStatus, instance *virtfoundryv1alpha1.Instance, p plan) {
	switch {
	case !p.Dedicated.Asked:
		meta.RemoveStatusCondition(&status.Conditions, virtfoundryv1alpha1.ConditionDedicatedCPU)
	case p.Dedicated.Given:
		outcome.Set(&status.Conditions, instance.Generation, virtfoundryv1alpha1.ConditionDedicatedCPU,
			outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonPolicyAllowed, Message: "each core has a processor of its own"})
	default:
		outcome.Set(&status.Conditions, instance.Generation, virtfoundryv1alpha1.ConditionDedicatedCPU,
			outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonPolicyDenied, Message: "the guest runs without dedicated processors: " + r.deps.Judge.Remedy("dedicated_cpu")})
	}
}

// ending is how a reconcile ended, with the phase that it shows.
type ending struct {
	outcome.Failure
	phase virtfoundryv1alpha1.InstancePhase
}

// conclude turns decision, writes and what was found into condition Ready, the
// phase and the time to come back.
func conclude(found *observed, p plan, w written) ending {
	phase, message := guest(found)
	switch {
	case w.err != nil:
		failure := outcome.OfWrite(w.err, remedyFor(found.Instance.Namespace))
		if failure.Terminal {
			phase = virtfoundryv1alpha1.InstanceFailed
		}
		return ending{failure, phase}
	case p.decision.Status == metav1.ConditionFalse:
		return ending{outcome.Failure{Decision: p.decision, Terminal: true}, virtfoundryv1alpha1.InstanceFailed}
	case p.decision.Status == metav1.ConditionUnknown:
		held := outcome.Decision{Status: metav1.ConditionFalse, Reason: p.decision.Reason, Message: p.decision.Message}
		if !owns(found) {
			phase = virtfoundryv1alpha1.InstancePending
		}
		return ending{outcome.Failure{Decision: held, Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}, phase}
	case len(p.Children.Awaits) > 0:
		return waits(found, p.Children.Awaits)
	}
	end := ending{outcome.Failure{Decision: ready(found, phase, message)}, phase}
	if len(w.changes) > 0 {
		end.Result.RequeueAfter = outcome.AfterWrite
	}
	return end
}

// announce emits an event when what went wrong, or what is said of it, is new.
func (r *Reconciler) announce(before, instance *virtfoundryv1alpha1.Instance) {
	for kind, reasons := range map[string]map[string]string{
		virtfoundryv1alpha1.ConditionReady: {
			virtfoundryv1alpha1.ReasonPolicyDenied: EventPolicyDenied,
			virtfoundryv1alpha1.ReasonOwnedByOther: EventOwnedByOther,
			virtfoundryv1alpha1.ReasonForbidden:    EventForbidden,
		},
		virtfoundryv1alpha1.ConditionDedicatedCPU:    {virtfoundryv1alpha1.ReasonPolicyDenied: EventUnpinned},
		virtfoundryv1alpha1.ConditionRestartRequired: {virtfoundryv1alpha1.ReasonRestartRequired: EventRestartRequired},
	} {
		now := meta.FindStatusCondition(instance.Status.Conditions, kind)
		last := meta.FindStatusCondition(before.Status.Conditions, kind)
		if now == nil || last != nil && last.Reason == now.Reason && last.Message == now.Message {
			continue
		}
		if reason, worth := reasons[now.Reason]; worth {
			r.warn(instance, reason, now.Message)
		}
	}
}

// patch writes the status if it changed.
func (r *Reconciler) patch(ctx context.Context, before, instance *virtfoundryv1alpha1.Instance) error {
	if equality.Semantic.DeepEqual(before.Status, instance.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.deps.Client.Status().Patch(ctx, instance, client.MergeFrom(before)))
}
