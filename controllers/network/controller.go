// Package network brings the NetworkAttachmentDefinition of each isolated
// Network about, in a segment that no other attachment of the cluster has.
package network

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=vpcs;ipaddresses;instances;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=k8s.cni.cncf.io,resources=network-attachment-definitions,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles Networks.
type Reconciler struct {
	lifecycle.Deps
	kept *outcome.Kept[int] // the VLAN of each Network that was last Ready, by its uid
	// choosing is held from the look at all attachments to the write of the one
	// that was chosen by it, so that two Networks of one process never choose one segment.
	choosing sync.Mutex
}

// New returns a Reconciler.
func New(deps lifecycle.Deps) *Reconciler {
	return &Reconciler{Deps: deps, kept: outcome.NewKept[int]()}
}

func subjectOf(n *virtfoundryv1alpha1.Network) lifecycle.Subject {
	return lifecycle.Subject{Object: n, Phase: &n.Status.Phase, Observation: &n.Status.Observation}
}

// Reconcile brings one Network about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	network := &virtfoundryv1alpha1.Network{}
	if err := r.Client.Get(ctx, request.NamespacedName, network); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	found, err := r.Gatherer.Network(ctx, network, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	if network.DeletionTimestamp != nil {
		return r.remove(ctx, network, found)
	}
	if network.Spec.NetworkType != virtfoundryv1alpha1.NetworkIsolated {
		return r.shared(ctx, network, found)
	}
	return r.isolated(ctx, network, found)
}

// isolated brings the attachment about.
func (r *Reconciler) isolated(ctx context.Context, network *virtfoundryv1alpha1.Network, found *facts.Gathered) (reconcile.Result, error) {
	kept, _ := r.kept.Last(network.UID)
	s := subjectOf(network)
	judgement, planned, err := r.Judge.Network(ctx, found, kept, facts.Plan)
	if err != nil {
		return r.segmentless(ctx, network, found, err)
	}
	decision := outcome.OfRules(judgement)
	child := childOf(planned, found.Fabric.Attachments)
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	switch {
	case decision.Status == metav1.ConditionTrue && moves(child):
		w, child = r.choose(ctx, s, found, child, kept)
	case decision.Status == metav1.ConditionTrue:
		w = r.Write(ctx, s, w.Found, []apply.Child{child}, s.Stood(), true)
	case owned(child) && kept != 0:
		// A refusal must not be the way to keep a drift: what stands is kept as it was accepted.
		w = r.Write(ctx, s, w.Found, []apply.Child{child}, s.Stood(), false)
	}
	before := network.DeepCopy()
	end := lifecycle.Conclude(s, decision, w, "the NetworkAttachmentDefinition is as it should be")
	if end.Decision.Status == metav1.ConditionTrue && kept == 0 {
		alone, err := r.alone(ctx, network, facts.SegmentOf(planned))
		if err != nil {
			return reconcile.Result{}, err
		}
		if !alone {
			end = lifecycle.Pending("another Network was given the same segment in the same moment: choosing again")
		}
	}
	r.show(network, child, end)
	s.Set(virtfoundryv1alpha1.ConditionSeparated, outcome.OfTopics(w.Found, "network-separation"))
	return r.Report(ctx, before, s, decision, w, end)
}

// show fills in where the Network's attachment is. It is shown from when the
// segment is known to be the Network's own, and for as long as it stands.
func (r *Reconciler) show(network *virtfoundryv1alpha1.Network, child apply.Child, end outcome.Failure) {
	status := &network.Status
	ready := end.Decision.Status == metav1.ConditionTrue
	if !owned(child) || !ready && status.NADName == "" {
		status.NADNamespace, status.NADName, status.Bridge, status.VLAN = "", "", "", 0
		return
	}
	nad, isNAD := child.Desired.(*cniv1.NetworkAttachmentDefinition)
	if !isNAD {
		return
	}
	segment := facts.SegmentOf(nad)
	status.NADNamespace, status.NADName = nad.Namespace, nad.Name
	status.Bridge, status.VLAN = segment.Bridge, int32(segment.VLAN)
	if ready {
		r.kept.Accept(network.UID, int(segment.VLAN))
	}
}

// segmentless reports that there can be no attachment.
func (r *Reconciler) segmentless(ctx context.Context, network *virtfoundryv1alpha1.Network, found *facts.Gathered, cause error) (reconcile.Result, error) {
	before, s := network.DeepCopy(), subjectOf(network)
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	none := lifecycle.Failed(virtfoundryv1alpha1.ReasonNoSegment, cause.Error())
	s.Set(virtfoundryv1alpha1.ConditionSeparated, outcome.OfTopics(w.Found, "network-separation"))
	end := outcome.Failure{Decision: none, Terminal: true, Result: reconcile.Result{RequeueAfter: outcome.AfterForbidden}}
	return r.Report(ctx, before, s, outcome.Denied(cause.Error()), w, end)
}
