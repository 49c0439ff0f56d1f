package network

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// shared makes nothing: the platform's attachment is the installation's. It is
// looked up, so that an Instance that is granted the Network finds it, and what
// was made when the Network was isolated goes.
func (r *Reconciler) shared(ctx context.Context, network *virtfoundryv1alpha1.Network, found *facts.Gathered) (reconcile.Result, error) {
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	judgement, _, err := r.Judge.Network(ctx, found, 0, facts.Plan)
	if err != nil {
		return reconcile.Result{}, err
	}
	decision := outcome.OfRules(judgement)
	if own := controlled(network, found.Fabric.Attachments); own != nil {
		w.Err = r.delete(ctx, own)
	}
	if w.Err == nil && decision.Status == metav1.ConditionTrue {
		w.Err = r.Finalize(ctx, network)
	}
	before, s := network.DeepCopy(), subjectOf(network)
	status := &network.Status
	status.NADNamespace, status.NADName, status.Bridge, status.VLAN = "", "", "", 0
	end := lifecycle.Conclude(s, decision, w, "the platform's NetworkAttachmentDefinition is there")
	if end.Decision.Status == metav1.ConditionTrue {
		if platform := platformAttachment(network, found.Fabric.Attachments); platform != nil {
			segment := facts.SegmentOf(platform)
			status.NADNamespace, status.NADName, status.Bridge = platform.Namespace, platform.Name, shortBridge(segment.Bridge)
		} else {
			end = lifecycle.Pending("there is no NetworkAttachmentDefinition " + network.Name + " or virtfoundry-" + network.Name + " in namespace " + network.Namespace + ": switch the platform's public network on, or create one")
			end.Result.RequeueAfter = 0 // its event wakes the reconciler
		}
	}
	meta.RemoveStatusCondition(&status.Conditions, virtfoundryv1alpha1.ConditionSeparated)
	return r.Report(ctx, before, s, decision, w, end)
}

// longestBridge is the longest name that Linux takes for an interface.
const longestBridge = 15

func shortBridge(name string) string {
	if len(name) > longestBridge {
		return ""
	}
	return name
}

// controlled is the attachment that was made for a Network, by uid.
func controlled(network *virtfoundryv1alpha1.Network, all []cniv1.NetworkAttachmentDefinition) *cniv1.NetworkAttachmentDefinition {
	for i := range all {
		if owner := metav1.GetControllerOf(&all[i]); owner != nil && owner.UID == network.UID && all[i].Namespace == network.Namespace {
			return &all[i]
		}
	}
	return nil
}

// platformAttachment is the one that the installation makes for a shared Network (sheet, section 6: virtfoundry-public
// for Network public).
func platformAttachment(network *virtfoundryv1alpha1.Network, all []cniv1.NetworkAttachmentDefinition) *cniv1.NetworkAttachmentDefinition {
	for _, name := range []string{network.Name, "virtfoundry-" + network.Name} {
		for i := range all {
			if all[i].Namespace == network.Namespace && all[i].Name == name && metav1.GetControllerOf(&all[i]) == nil {
				return &all[i]
			}
		}
	}
	return nil
}

// remove deletes the attachment once nothing uses the Network, and then lets
// the Network go.
func (r *Reconciler) remove(ctx context.Context, network *virtfoundryv1alpha1.Network, found *facts.Gathered) (reconcile.Result, error) {
	if !lifecycle.Held(network) {
		r.kept.Forget(network.UID)
		return reconcile.Result{}, nil
	}
	before, s := network.DeepCopy(), subjectOf(network)
	if unused := r.Unused(ctx, found); unused.Status != metav1.ConditionTrue {
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, unused)
	}
	own, err := r.standing(ctx, network)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case own != nil:
		if err := r.delete(ctx, own); err != nil {
			return reconcile.Result{}, err
		}
		going := lifecycle.Failed(virtfoundryv1alpha1.ReasonTerminating, "NetworkAttachmentDefinition "+own.Name+" is being deleted")
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, r.Terminating(ctx, before, s, going)
	}
	r.kept.Forget(network.UID)
	return lifecycle.Quietly(r.Release(ctx, network))
}

// standing reads the Network's own attachment from the API server: the cache
// may not have seen yet what was made a moment ago.
func (r *Reconciler) standing(ctx context.Context, network *virtfoundryv1alpha1.Network) (*cniv1.NetworkAttachmentDefinition, error) {
	var nad cniv1.NetworkAttachmentDefinition
	err := r.Uncached.Get(ctx, client.ObjectKeyFromObject(network), &nad)
	switch {
	case apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return controlled(network, []cniv1.NetworkAttachmentDefinition{nad}), nil
}

// delete deletes the very attachment that was read.
func (r *Reconciler) delete(ctx context.Context, nad *cniv1.NetworkAttachmentDefinition) error {
	if nad.DeletionTimestamp != nil {
		return nil
	}
	uid := nad.UID
	err := r.Client.Delete(ctx, nad, client.Preconditions{UID: &uid})
	if apierrors.IsConflict(err) {
		return nil // it is another one by now
	}
	return client.IgnoreNotFound(err)
}
