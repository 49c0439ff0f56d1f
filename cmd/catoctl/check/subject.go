package check

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/api/platform"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// subject judges one object: planned when no cluster gave it a uid, else live.
func (c *Checker) subject(ctx context.Context, gatherer *gather.Gatherer, object client.Object) (decide.Judgement, error) {
	moment := facts.Plan
	if object.GetUID() != "" {
		moment = facts.Live
	}
	var judgement decide.Judgement
	var err error
	switch o := object.(type) {
	case *virtfoundryv1alpha1.Tenant:
		judgement, err = c.tenant(ctx, gatherer, o, moment)
	case *udsv1alpha1.UDSVirtualMachine:
		judgement, err = c.machine(ctx, gatherer, o, moment)
	case *virtfoundryv1alpha1.Instance:
		judgement, err = c.instance(ctx, gatherer, o, moment)
	case *virtfoundryv1alpha1.Template:
		judgement, err = c.asIs(ctx, moment, func() (*facts.Gathered, error) { return gatherer.Template(ctx, o, moment) })
	case *virtfoundryv1alpha1.Offering:
		judgement, err = c.asIs(ctx, moment, func() (*facts.Gathered, error) { return gatherer.Offering(ctx, o, moment) })
	case *virtfoundryv1alpha1.Network:
		judgement, err = c.network(ctx, gatherer, o, moment)
	case *virtfoundryv1alpha1.VPC:
		judgement, err = asPlanned(ctx, c.judge, o, moment, gatherer.VPC)
	case *virtfoundryv1alpha1.IPAddress:
		judgement, err = asPlanned(ctx, c.judge, o, moment, gatherer.IPAddress)
	case *virtfoundryv1alpha1.SecurityGroup:
		judgement, err = c.securityGroup(ctx, gatherer, o, moment)
	case *corev1.ConfigMap:
		judgement, err = c.hostBridges(ctx, gatherer, o, moment)
	case *kubevirtv1.VirtualMachine:
		var gathered *facts.Gathered
		if gathered, err = gatherer.VirtualMachine(ctx, o, moment); err == nil {
			judgement = c.judge.Verdicts(ctx, gathered)
		}
	default:
		judgement, err = c.holding(ctx, gatherer, object, moment)
	}
	if err != nil {
		return decide.Judgement{}, fmt.Errorf("%s %s: %w", object.GetObjectKind().GroupVersionKind().Kind, client.ObjectKeyFromObject(object), err)
	}
	return judgement, nil
}

func (c *Checker) tenant(ctx context.Context, gatherer *gather.Gatherer, tenant *virtfoundryv1alpha1.Tenant, moment facts.Moment) (decide.Judgement, error) {
	gathered, err := gatherer.Tenant(ctx, tenant, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	judgement, _, err := c.judge.Tenant(ctx, gathered, moment)
	if err != nil {
		return c.withoutChildren(ctx, gathered, err, "namespace", "network.policies", "quotas", "limits"), nil
	}
	return judgement, nil
}

func (c *Checker) machine(ctx context.Context, gatherer *gather.Gatherer, machine *udsv1alpha1.UDSVirtualMachine, moment facts.Moment) (decide.Judgement, error) {
	if moment == facts.Plan { // a stored object has its defaults, or was stored without
		machine = machine.DeepCopy()
		machine.Spec.SetDefaults()
	}
	gathered, err := gatherer.UDSVirtualMachine(ctx, machine, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	userData, err := c.judge.UserData(ctx, gatherer.Reader, gathered)
	if err != nil {
		return decide.Judgement{}, err
	}
	judgement, _, err := c.judge.Machine(ctx, gathered, userData, moment)
	if err != nil {
		return c.withoutChildren(ctx, gathered, err,
			"network.policies", "network.launchers", "network.nics", "guest", "disks", "images", "compute"), nil
	}
	return judgement, nil
}

// withoutChildren judges a custom resource that no children can be made for:
// its own fields are judged, and what its children would tell is unknown.
func (c *Checker) withoutChildren(ctx context.Context, gathered *facts.Gathered, cause error, paths ...string) decide.Judgement {
	gathered.Gaps = maps.Clone(gathered.Gaps)
	for _, path := range paths {
		gathered.Gaps[path] = cause.Error()
	}
	return c.judge.Verdicts(ctx, gathered)
}

// broken is unknown by every rule of its kind: an error alone would leave its
// topics without a verdict. It returns false for a kind that is no subject.
func (c *Checker) broken(b gather.Broken) (decide.Judgement, bool) {
	if !slices.Contains(facts.Kinds(), b.Kind.Kind) || b.Kind.Kind == facts.KindPlatform && b.Key.Name != platform.ConfigMapName {
		return decide.Judgement{}, false
	}
	moment := facts.Plan
	if b.Stored {
		moment = facts.Live
	}
	subject := facts.Subject{APIVersion: b.Kind.GroupVersion().String(), Kind: b.Kind.Kind, Namespace: b.Key.Namespace, Name: b.Key.Name}
	return c.judge.Undetermined(subject, moment, "the object could not be read: "+b.Reason), true
}
