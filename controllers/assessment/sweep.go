package assessment

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"cato.dev/cato/compliance/posture"
)

// SweepInterval is how often all subjects are judged anew although no event
// woke them, so that a lost event cannot keep a wrong verdict. It is also the
// longest time between two confirmations of a verdict.
const SweepInterval = 10 * time.Minute

// Sweeper judges all subjects at the start and at each interval.
type Sweeper struct {
	Controller *Controller
	Freshness  *Freshness
	Swept      chan<- event.TypedGenericEvent[Subject]
	Interval   time.Duration
}

// Start implements manager.Runnable.
func (s *Sweeper) Start(ctx context.Context) error {
	ticker := time.NewTicker(s.Interval)
	defer ticker.Stop()
	for {
		if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// NeedLeaderElection tells the manager that only the leader judges.
func (s *Sweeper) NeedLeaderElection() bool { return true }

func (s *Sweeper) sweep(ctx context.Context) error {
	subjects, err := s.Controller.Subjects(ctx)
	if err != nil {
		return err
	}
	if err := s.forgetGone(ctx, subjects); err != nil {
		return err
	}
	if !s.Wake(ctx, subjects) || !s.Controller.pending.settled(ctx, subjects) {
		return nil
	}
	return stateError(s.Controller.Posture.FinishSweep(s.Controller.Now()))
}

// Wake has the subjects judged whole; false when the context ended before.
func (s *Sweeper) Wake(ctx context.Context, subjects []Subject) bool {
	now := s.Controller.Now()
	for _, subject := range subjects {
		s.Controller.pending.add(subject, now, everything)
		select {
		case s.Swept <- event.TypedGenericEvent[Subject]{Object: subject}:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// forgetGone drops subjects and namespaces that went while nobody watched.
func (s *Sweeper) forgetGone(ctx context.Context, subjects []Subject) error {
	exists := map[posture.Subject]bool{}
	for _, subject := range subjects {
		exists[postureKey(subject)] = true
	}
	_, err := s.Controller.Posture.RetainSubjects(func(held posture.Subject) bool {
		return exists[posture.Subject{APIVersion: held.APIVersion, Kind: held.Kind, Namespace: held.Namespace, Name: held.Name}]
	}, s.Controller.Now())
	if err := stateError(err); err != nil {
		return err
	}
	for _, name := range s.Freshness.Secrets.Namespaces() {
		var namespace corev1.Namespace
		err := s.Controller.Reader.Get(ctx, client.ObjectKey{Name: name}, &namespace)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if err != nil {
			s.Freshness.Forget(name)
		}
	}
	return nil
}
