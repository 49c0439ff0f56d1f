package assessment

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/compliance/posture"
)

// SweepInterval is how often all subjects are judged anew although no event
// woke them, so that a lost event cannot keep a wrong verdict. It is also the
// longest time between two confirmations of a verdict.
const SweepInterval = 10 * time.Minute

// Sweeper judges all subjects at the start and at each interval.
type Sweeper struct {
	Controller *Controller
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

// sweep has every subject judged and, once all are, says so in the posture. A
// subject that cannot be judged withholds that, and holds up no later sweep.
func (s *Sweeper) sweep(ctx context.Context) error {
	subjects, err := s.Controller.Subjects(ctx)
	if err != nil {
		return err
	}
	if err := s.forgetGone(ctx, subjects); err != nil {
		return err
	}
	judged := s.Controller.pending.begin(subjects)
	if !s.send(ctx, subjects) {
		return nil
	}
	patience := time.NewTimer(s.Interval)
	defer patience.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-judged:
		return stateError(s.Controller.Posture.FinishSweep(s.Controller.Now()))
	case <-patience.C:
		log.FromContext(ctx).Info("a sweep did not end in time: some subjects could not be judged", "left", s.Controller.pending.unswept())
		return nil
	}
}

// Wake has the subjects judged whole; false when the context ended before.
func (s *Sweeper) Wake(ctx context.Context, subjects []Subject) bool {
	for _, subject := range subjects {
		s.Controller.pending.add(subject, time.Time{}, everything)
	}
	return s.send(ctx, subjects)
}

func (s *Sweeper) send(ctx context.Context, subjects []Subject) bool {
	for _, subject := range subjects {
		select {
		case s.Swept <- event.TypedGenericEvent[Subject]{Object: subject}:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// forgetGone drops the subjects that went while nobody watched. One that came
// after the list was made is looked up, so that its verdicts stay.
func (s *Sweeper) forgetGone(ctx context.Context, subjects []Subject) error {
	listed := make(map[posture.Subject]bool, len(subjects))
	for _, subject := range subjects {
		listed[postureKey(subject)] = true
	}
	var failure error
	_, err := s.Controller.Posture.RetainSubjects(func(held posture.Subject) bool {
		if listed[posture.Subject{APIVersion: held.APIVersion, Kind: held.Kind, Namespace: held.Namespace, Name: held.Name}] {
			return true
		}
		exists, err := s.Controller.exists(ctx, held)
		if err != nil {
			failure = err
		}
		return exists || err != nil
	}, s.Controller.Now())
	if failure != nil {
		return failure
	}
	return stateError(err)
}
