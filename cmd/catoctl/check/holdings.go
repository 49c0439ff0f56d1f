package check

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// holding judges a key, an account, a Disk or a snapshot.
func (c *Checker) holding(ctx context.Context, gatherer *gather.Gatherer, object client.Object, moment facts.Moment) (decide.Judgement, error) {
	switch o := object.(type) {
	case *virtfoundryv1alpha1.SSHKey:
		return childless(ctx, c.judge, o, moment, gatherer.SSHKey)
	case *virtfoundryv1alpha1.User:
		return childless(ctx, c.judge, o, moment, gatherer.User)
	case *virtfoundryv1alpha1.Role:
		return childless(ctx, c.judge, o, moment, gatherer.Role)
	case *virtfoundryv1alpha1.APIKey:
		return childless(ctx, c.judge, o, moment, gatherer.APIKey)
	case *virtfoundryv1alpha1.Disk:
		return withChild(ctx, c.judge, o, moment, gatherer.Disk, c.judge.Disk)
	case *virtfoundryv1alpha1.DiskSnapshot:
		return withChild(ctx, c.judge, o, moment, gatherer.DiskSnapshot, c.judge.DiskSnapshot)
	case *virtfoundryv1alpha1.InstanceSnapshot:
		return withChild(ctx, c.judge, o, moment, gatherer.InstanceSnapshot, c.judge.InstanceSnapshot)
	default:
		return decide.Judgement{}, nil
	}
}

// childless judges an object that nothing is made from.
func childless[T any](ctx context.Context, judge *decide.Judge, object T, moment facts.Moment, gathering func(context.Context, T, facts.Moment) (*facts.Gathered, error)) (decide.Judgement, error) {
	gathered, err := gathering(ctx, object, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	return judge.Verdicts(ctx, gathered), nil
}

// withChild judges an object with the child that would be made for it, or live
// with the one that there is.
func withChild[T, C any](ctx context.Context, judge *decide.Judge, object T, moment facts.Moment,
	gathering func(context.Context, T, facts.Moment) (*facts.Gathered, error), planning func(context.Context, *facts.Gathered, facts.Moment) (decide.Judgement, C),
) (decide.Judgement, error) {
	gathered, err := gathering(ctx, object, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return judge.Verdicts(ctx, gathered), nil
	}
	judgement, _ := planning(ctx, gathered, moment)
	return judgement, nil
}
