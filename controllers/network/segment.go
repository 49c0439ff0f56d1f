package network

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/controllers/segment"
	"cato.dev/cato/policy/facts"
)

// childOf pairs the planned attachment with the one that stands.
func childOf(planned *cniv1.NetworkAttachmentDefinition, all []cniv1.NetworkAttachmentDefinition) apply.Child {
	child := apply.Child{Desired: planned, Exact: []string{"spec"}}
	for i := range all {
		if all[i].Namespace == planned.Namespace && all[i].Name == planned.Name {
			child.Live = &all[i]
		}
	}
	return child
}

// owned tells whether the attachment stands and is the Network's.
func owned(child apply.Child) bool { return child.Live != nil && apply.Ours(child.Desired, child.Live) }

// moves tells whether a segment is to be taken that no attachment records yet:
// then all attachments must be looked at as the API server has them.
func moves(child apply.Child) bool {
	return child.Live == nil || child.Live.GetAnnotations()[virtfoundryv1alpha1.AnnotationSegment] != child.Desired.GetAnnotations()[virtfoundryv1alpha1.AnnotationSegment]
}

// choose takes a segment and writes it down before another Network of this
// process looks, and returns the attachment as it was found and is wanted.
// Those of other processes are met by alone.
func (r *Reconciler) choose(ctx context.Context, s lifecycle.Subject, found *facts.Gathered, stale apply.Child, kept int) (lifecycle.Written, apply.Child) {
	r.choosing.Lock()
	defer r.choosing.Unlock()
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	var all cniv1.NetworkAttachmentDefinitionList
	if w.Err = r.Uncached.List(ctx, &all); w.Err != nil {
		return w, stale
	}
	now := *found
	now.Fabric.Attachments = all.Items
	judgement, planned, err := r.Judge.Network(ctx, &now, kept, facts.Plan)
	if err != nil {
		w.Err = err
		return w, stale
	}
	if decision := outcome.OfRules(judgement); decision.Status != metav1.ConditionTrue {
		return w, stale // the next reconcile has the same in its cache, and says so
	}
	child := childOf(planned, all.Items)
	return r.Write(ctx, s, w.Found, []apply.Child{child}, s.Stood(), true), child
}

// alone tells whether, of all attachments that the API server has, the one of
// this Network keeps the segment: of two that took one, the older keeps it.
func (r *Reconciler) alone(ctx context.Context, network *virtfoundryv1alpha1.Network, has facts.Attachment) (bool, error) {
	var all cniv1.NetworkAttachmentDefinitionList
	if err := r.Uncached.List(ctx, &all); err != nil {
		return false, err
	}
	chosen, err := segment.Choose(network, all.Items, has.Bridge, 0)
	return err == nil && int64(chosen.VLAN) == has.VLAN, nil
}
