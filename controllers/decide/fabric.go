package decide

import (
	"context"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/segment"
	"cato.dev/cato/policy/facts"
)

// Network judges the attachment that would be written for a gathered Network,
// in a segment chosen by what was gathered; kept is the VLAN that it is known
// to have, or 0. A shared Network has no child. An error names why there can be none.
func (j *Judge) Network(ctx context.Context, g *facts.Gathered, kept int, moment facts.Moment) (Judgement, *cniv1.NetworkAttachmentDefinition, error) {
	network := g.Fabric.Network
	p := *g
	p.Moment = moment
	if network.Spec.NetworkType != virtfoundryv1alpha1.NetworkIsolated {
		return j.Verdicts(ctx, &p), nil, nil
	}
	bridge := g.Platform.IsolatedBridge
	if bridge == "" {
		bridge = virtfoundryv1alpha1.IsolatedBridge
	}
	chosen, err := segment.Choose(network, g.Fabric.Attachments, bridge, kept)
	if err != nil {
		return Judgement{}, nil, err
	}
	planned, err := children.ForNetwork(network, chosen)
	if err != nil {
		return Judgement{}, nil, err
	}
	standing := planned.DeepCopy()
	for i := range g.Fabric.Attachments {
		if live := &g.Fabric.Attachments[i]; live.Namespace == planned.Namespace && live.Name == planned.Name {
			standing.UID = live.UID // the write changes it and makes no other
		}
	}
	p.Fabric.Attachments = replaced(g.Fabric.Attachments, *standing, func(n cniv1.NetworkAttachmentDefinition) string { return n.Namespace + "/" + n.Name })
	return j.Verdicts(ctx, &p), planned, nil
}

// SecurityGroup judges the policy that would be written for a gathered SecurityGroup.
func (j *Judge) SecurityGroup(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *networkingv1.NetworkPolicy, error) {
	planned, err := children.ForSecurityGroup(g.Fabric.SecurityGroup)
	if err != nil {
		return Judgement{}, nil, err
	}
	p := *g
	p.Moment = moment
	p.NetworkPolicies = replaced(slices.Clone(g.NetworkPolicies), *planned, func(n networkingv1.NetworkPolicy) string { return n.Name })
	return j.Verdicts(ctx, &p), planned, nil
}

// Deletion judges the request to delete a gathered object, whose deletionTimestamp tells of it: by the rules that read
// that, since what else may be wrong with the object is no reason to keep it.
func (j *Judge) Deletion(ctx context.Context, g *facts.Gathered) Judgement {
	return j.Changed(ctx, g, []string{"object.deleting"})
}

// AsPlanned judges a gathered subject that has no children, as it would be stored.
func (j *Judge) AsPlanned(ctx context.Context, g *facts.Gathered, moment facts.Moment) Judgement {
	p := *g
	p.Moment = moment
	return j.Verdicts(ctx, &p)
}
