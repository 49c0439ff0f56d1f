package platform

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

var (
	// errUnresolved tells that the public network cannot be told from the cluster.
	errUnresolved = errors.New("the public network cannot be told")
	// errHeldBack tells that the rules or the grant hold the write back.
	errHeldBack = errors.New("nothing was written")
)

// bridges brings the DaemonSet and the public network's attachment about, or
// takes them away.
func (r *Reconciler) bridges(ctx context.Context) error {
	found, err := r.Gatherer.HostBridges(ctx, r.file(ctx), facts.Live)
	if err != nil {
		return err
	}
	switch config := found.Host.Config; {
	case config == nil:
		return nil
	case config.Networking.Public.Enabled && found.Host.Problem != "":
		return fmt.Errorf("%w: %s", errUnresolved, found.Host.Problem)
	default:
		if err := r.attachment(ctx, &config.Networking.Public); err != nil {
			return err
		}
	}
	asked := *found
	asked.Moment, asked.Host.Sets = facts.Plan, nil // what stands elsewhere is no part of what is written
	judgement, desired := r.Judge.HostBridges(ctx, &asked, facts.Plan)
	for i := range found.Host.Sets {
		live := &found.Host.Sets[i]
		if !gather.Written(live) || desired != nil && live.Namespace == desired.Namespace {
			continue
		}
		if err := remove(ctx, r.Client, live); err != nil {
			return err
		}
	}
	if desired == nil {
		return nil
	}
	decision := outcome.Together(outcome.OfGrant(ctx, r.Judge, decide.HostBridges, &asked), outcome.OfRules(judgement))
	if decision.Status != metav1.ConditionTrue {
		return fmt.Errorf("%w: %s", errHeldBack, decision.Message)
	}
	before, err := bring(ctx, r.Client, desired, func(live, wanted *appsv1.DaemonSet) { live.Spec = wanted.Spec })
	if before != nil {
		found.Host.Sets = []appsv1.DaemonSet{*before} // the cache may have become newer since
		r.Record(ctx, r.Judge.Verdicts(ctx, found), r.Now())
		r.Events.Eventf(desired, nil, corev1.EventTypeWarning, EventRepaired, actionReconcile, "DaemonSet %s/%s was put right", desired.Namespace, desired.Name)
	}
	return err
}
