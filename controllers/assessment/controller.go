// Package assessment judges the live objects continuously: each event wakes the
// subjects that it touches, and only the rules that read what changed are asked.
package assessment

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// Subject names what is judged: the key of the work queue.
type Subject struct {
	Kind string // one of facts.Kinds
	types.NamespacedName
}

// Deps are what the controller works with.
type Deps struct {
	Reader   client.Reader // the manager's cache
	Gatherer *gather.Gatherer
	Judge    *decide.Judge
	Posture  *posture.Store
	// Attachments tells that the cluster serves NetworkAttachmentDefinitions, so that they are watched.
	Attachments bool
	// Observe is told how long after the event of a drift its verdict stood.
	Observe func(time.Duration)
	Now     func() time.Time
}

// Controller judges one subject at a time.
type Controller struct {
	Deps
	pending *pending
	// recorded brings the subjects whose verdicts a reconciler replaced.
	recorded chan event.TypedGenericEvent[Subject]
}

// New returns a controller; SetupWithManager starts it.
func New(deps Deps) *Controller {
	return &Controller{Deps: deps, pending: newPending(), recorded: make(chan event.TypedGenericEvent[Subject])}
}

// Reconcile judges a subject by the rules that read what its events changed.
func (c *Controller) Reconcile(ctx context.Context, subject Subject) (reconcile.Result, error) {
	touched := c.pending.take(subject)
	if err := c.assess(ctx, subject, touched); err != nil {
		c.pending.put(subject, touched)
		return reconcile.Result{}, err
	}
	c.pending.judged(subject, touched)
	return reconcile.Result{}, nil
}

func (c *Controller) assess(ctx context.Context, subject Subject, touched touched) error {
	evidence := c.Now() // what is read from here on is at least as new
	gathered, err := c.gather(ctx, subject)
	if err != nil {
		return fmt.Errorf("gather %s %s: %w", subject.Kind, subject.NamespacedName, err)
	}
	if gathered == nil {
		_, err := c.Posture.Forget(postureKey(subject), c.Now())
		return stateError(err)
	}
	var transitions []posture.Transition
	if touched.whole() || !c.known(subject, gathered) {
		judgement := c.Judge.Verdicts(ctx, gathered)
		transitions, err = c.Posture.Record(subjectOf(&judgement), string(facts.Live), judgement.Verdicts, evidence)
	} else {
		judgement := c.Judge.Changed(ctx, gathered, touched.groups)
		transitions, err = c.Posture.RecordPartial(subjectOf(&judgement), string(facts.Live), judgement.Verdicts, evidence)
	}
	if len(transitions) > 0 && !touched.since.IsZero() {
		c.Observe(c.Now().Sub(touched.since))
	}
	return stateError(err)
}

// Record hands a judgement of what a reconciler found before it repaired it to
// the posture, so that a drift of milliseconds is two transitions. The repair's
// own events may have been judged already, or the reconciler may have looked
// into a cache from before it: the subject is judged once more after this, else
// what was found would stand until the next sweep.
func (c *Controller) Record(ctx context.Context, found decide.Judgement, at time.Time) {
	if _, err := c.Posture.Record(subjectOf(&found), string(facts.Live), found.Verdicts, at); stateError(err) != nil {
		log.FromContext(ctx).Error(err, "record what was found", "subject", found.Subject)
	}
	subject := Subject{found.Subject.Kind, types.NamespacedName{Namespace: found.Subject.Namespace, Name: found.Subject.Name}}
	c.pending.add(subject, time.Time{}, everything)
	select {
	case c.recorded <- event.TypedGenericEvent[Subject]{Object: subject}:
	case <-ctx.Done():
	}
}

// stateError lets a store that cannot write its file be a matter of its own
// metric: the posture in memory is right, and trying again would not mend it.
func stateError(err error) error {
	var unwritable *posture.StateError
	if errors.As(err, &unwritable) {
		return nil
	}
	return err
}

// known tells whether the posture holds verdicts of this very object, so that
// some of them can be renewed and the others stand.
func (c *Controller) known(subject Subject, g *facts.Gathered) bool {
	held, found := c.Posture.Subject(postureKey(subject))
	return found && held.UID == facts.SubjectOf(g).UID
}

// gather collects the subject; nil when it is gone or is another's to judge.
func (c *Controller) gather(ctx context.Context, subject Subject) (*facts.Gathered, error) {
	if h := holdingOf(subject.Kind); h != nil {
		return c.gatherHolding(ctx, h, subject)
	}
	switch subject.Kind {
	case facts.KindTenant:
		var tenant virtfoundryv1alpha1.Tenant
		if err := c.Reader.Get(ctx, subject.NamespacedName, &tenant); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return c.Gatherer.Tenant(ctx, &tenant, facts.Live)
	case facts.KindUDSVirtualMachine:
		var machine udsv1alpha1.UDSVirtualMachine
		if err := c.Reader.Get(ctx, subject.NamespacedName, &machine); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return c.Gatherer.UDSVirtualMachine(ctx, &machine, facts.Live)
	case facts.KindInstance:
		var instance virtfoundryv1alpha1.Instance
		if err := c.Reader.Get(ctx, subject.NamespacedName, &instance); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return c.Gatherer.Instance(ctx, &instance, facts.Live)
	case facts.KindTemplate:
		var template virtfoundryv1alpha1.Template
		if err := c.Reader.Get(ctx, subject.NamespacedName, &template); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return c.Gatherer.Template(ctx, &template, facts.Live)
	case facts.KindOffering:
		var offering virtfoundryv1alpha1.Offering
		if err := c.Reader.Get(ctx, subject.NamespacedName, &offering); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return c.Gatherer.Offering(ctx, &offering, facts.Live)
	case facts.KindNetwork, facts.KindVPC, facts.KindIPAddress, facts.KindSecurityGroup:
		return c.fabric(ctx, subject)
	default:
		return c.unmanaged(ctx, subject)
	}
}

// unmanaged gathers a VirtualMachine for which no custom resource stands.
func (c *Controller) unmanaged(ctx context.Context, subject Subject) (*facts.Gathered, error) {
	for _, custom := range []client.Object{&udsv1alpha1.UDSVirtualMachine{}, &virtfoundryv1alpha1.Instance{}} {
		err := c.Reader.Get(ctx, subject.NamespacedName, custom)
		if err == nil {
			return nil, nil
		}
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	var vm kubevirtv1.VirtualMachine
	if err := c.Reader.Get(ctx, subject.NamespacedName, &vm); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return c.Gatherer.VirtualMachine(ctx, &vm, facts.Live)
}

// exists tells whether a subject of the posture is still one to judge.
func (c *Controller) exists(ctx context.Context, held posture.Subject) (bool, error) {
	g, err := c.gather(ctx, Subject{held.Kind, types.NamespacedName{Namespace: held.Namespace, Name: held.Name}})
	return g != nil, err
}

// subjectOf is a judgement's subject as the posture keeps it: a Tenant's
// verdicts are shown in the namespace that it stands for.
func subjectOf(j *decide.Judgement) posture.Subject {
	s := j.Subject
	return posture.Subject{APIVersion: s.APIVersion, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, UID: s.UID, Owns: j.Owns}
}

func postureKey(s Subject) posture.Subject {
	versions := map[string]string{
		facts.KindTenant:            virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindUDSVirtualMachine: udsv1alpha1.GroupVersion.String(),
		facts.KindInstance:          virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindTemplate:          virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindOffering:          virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindVirtualMachine:    kubevirtv1.GroupVersion.String(),
		facts.KindNetwork:           virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindVPC:               virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindIPAddress:         virtfoundryv1alpha1.GroupVersion.String(),
		facts.KindSecurityGroup:     virtfoundryv1alpha1.GroupVersion.String(),
	}
	if holdingOf(s.Kind) != nil {
		versions[s.Kind] = virtfoundryv1alpha1.GroupVersion.String()
	}
	return posture.Subject{APIVersion: versions[s.Kind], Kind: s.Kind, Namespace: s.Namespace, Name: s.Name}
}
