package disk

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

type kubevirtInstance = kubevirtv1.VirtualMachineInstance

// remove lets a Disk go when no machine has its volume; the garbage collector
// takes the claim. To detach it, instanceRef is removed, also while it is being
// deleted.
func (r *Reconciler) remove(ctx context.Context, before *virtfoundryv1alpha1.Disk, s lifecycle.Subject, found *facts.Gathered) (reconcile.Result, error) {
	if !lifecycle.Held(s.Object) {
		return reconcile.Result{}, nil
	}
	disk := found.Volume.Disk
	if own(disk, decide.LiveClaim(found)) && len(found.Volume.Instances) == 0 {
		if err := r.unplug(ctx, disk.Namespace, usesOf(disk, found), ""); err != nil {
			failed := outcome.OfWrite(err, "give the operator the right to update virtualmachines/removevolume again")
			if failed.Quiet {
				return failed.Result, nil
			}
			return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, failed.Decision)
		}
	}
	decision := outcome.OfGrant(ctx, r.Judge, "delete_detached", found)
	switch {
	case decision.Status == metav1.ConditionTrue, !own(disk, decide.LiveClaim(found)) && decision.Status == metav1.ConditionFalse:
		return lifecycle.Quietly(r.Release(ctx, s.Object)) // a claim that is not the Disk's stays, whoever has it
	case decision.Status == metav1.ConditionUnknown:
		why := lifecycle.Failed(virtfoundryv1alpha1.ReasonPolicyUnknown, "whether a machine has the volume is not known: "+decision.Message)
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, why)
	default:
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, lifecycle.Failed(virtfoundryv1alpha1.ReasonInUse, holders(disk, found)))
	}
}

// holders names who has the volume, and what to do.
func holders(disk *virtfoundryv1alpha1.Disk, found *facts.Gathered) string {
	names := []string{}
	for i := range found.Volume.Instances {
		names = append(names, "Instance "+found.Volume.Instances[i].Name)
	}
	for _, use := range usesOf(disk, found) {
		names = append(names, use.Kind+" "+use.Name)
	}
	return fmt.Sprintf("it is deleted when no machine has it any more: %s; remove spec.instanceRef to detach it, which keeps the data until then", strings.Join(names, ", "))
}
