package assessment

import (
	"context"
	"errors"
	"testing"
	"time"

	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// sweeping is a controller over objects whose queue is a channel.
type sweeping struct {
	*Controller
	sweeper *Sweeper
	queue   chan event.TypedGenericEvent[Subject]
	reads   client.WithWatch
	fails   map[string]bool // names of machines that cannot be read
	drifts  int
}

func newSweeping(t *testing.T, interval time.Duration, objects ...client.Object) *sweeping {
	t.Helper()
	s := &sweeping{fails: map[string]bool{}, queue: make(chan event.TypedGenericEvent[Subject])}
	held, ok := over(t, objects...).Reader.(client.WithWatch)
	if !ok {
		t.Fatal("the fake client does not watch")
	}
	s.reads = held
	reader := interceptor.NewClient(held, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
			if _, machine := into.(*kubevirtv1.VirtualMachine); machine && s.fails[key.Name] {
				return errors.New("the cache is not there")
			}
			return c.Get(ctx, key, into, opts...)
		},
	})
	_, judge, _, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	s.Controller = New(Deps{
		Reader: reader, Gatherer: gather.FromReader(reader, time.Now), Judge: judge, Posture: memory(t), Now: time.Now,
		Observe: func(time.Duration) { s.drifts++ },
	})
	s.sweeper = &Sweeper{Controller: s.Controller, Swept: s.queue, Interval: interval}
	return s
}

// sweep runs one sweep with a worker that judges what it is sent.
func (s *sweeping) sweep(t *testing.T) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.sweeper.sweep(t.Context()) }()
	for {
		select {
		case e := <-s.queue:
			if _, err := s.Reconcile(t.Context(), e.Object); err != nil && !s.fails[e.Object.Name] {
				t.Error(err)
			}
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}

func TestASweepIsFinishedOnlyWhenAllWereJudgedAndOneFailureHoldsUpNoLaterSweep(t *testing.T) {
	s := newSweeping(t, 200*time.Millisecond, vm("mission", "a"), vm("mission", "b"), tenant("acme", "acme"))
	s.fails["b"] = true
	s.sweep(t)
	if !s.Posture.Position("").Swept.IsZero() {
		t.Error("a sweep in which one subject could not be judged is finished")
	}
	if len(s.Posture.Subjects("")) != 2 {
		t.Errorf("judged: %v", s.Posture.Subjects(""))
	}
	s.fails["b"] = false
	s.sweep(t)
	swept := s.Posture.Position("").Swept
	if swept.IsZero() || len(s.Posture.Subjects("")) != 3 {
		t.Errorf("swept at %s: %v", swept, s.Posture.Subjects(""))
	}
	if s.drifts != 0 {
		t.Errorf("%d first verdicts of a sweep count as drifts", s.drifts)
	}
}

func TestASweepForgetsWhatWentUnseenAndKeepsWhatCameMeanwhile(t *testing.T) {
	gone, stays := vm("mission", "gone"), vm("mission", "stays")
	s := newSweeping(t, time.Minute, gone, stays)
	s.sweep(t)
	if err := s.reads.Delete(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	listed, err := s.Subjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	came := vm("mission", "came") // after the sweep has listed
	if err := s.reads.Create(t.Context(), came); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reconcile(t.Context(), machineNamed("came")); err != nil {
		t.Fatal(err)
	}
	if err := s.sweeper.forgetGone(t.Context(), listed); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, subject := range s.Posture.Subjects("") {
		names[subject.Name] = true
	}
	if names["gone"] || !names["stays"] || !names["came"] {
		t.Errorf("held: %v", names)
	}
}

func TestOnlyTheRulesThatReadWhatChangedAreAskedAndADriftIsTimedFromItsEvent(t *testing.T) {
	s := newSweeping(t, time.Minute, vm("mission", "a"))
	s.sweep(t)
	subject := machineNamed("a")
	key := postureKey(subject)
	before, _ := s.Posture.Verdicts(key)
	var changed kubevirtv1.VirtualMachine
	if err := s.reads.Get(t.Context(), client.ObjectKey{Namespace: "mission", Name: "a"}, &changed); err != nil {
		t.Fatal(err)
	}
	changed.Spec.Template.Spec.Domain.CPU = &kubevirtv1.CPU{Cores: 1, DedicatedCPUPlacement: true}
	if err := s.reads.Update(t.Context(), &changed); err != nil {
		t.Fatal(err)
	}
	s.pending.add(subject, time.Now(), "network.policies") // an event of something else
	if _, err := s.Reconcile(t.Context(), subject); err != nil {
		t.Fatal(err)
	}
	after, _ := s.Posture.Verdicts(key)
	if got, want := valueOf(after, "CPU-001"), valueOf(before, "CPU-001"); got != want || got == engine.Fail {
		t.Errorf("CPU-001 reads no policies, and became %s of %s", got, want)
	}
	if s.drifts != 0 {
		t.Error("a judgement that moved nothing counts as a drift")
	}
	s.pending.add(subject, time.Now(), everything)
	if _, err := s.Reconcile(t.Context(), subject); err != nil {
		t.Fatal(err)
	}
	after, _ = s.Posture.Verdicts(key)
	if got := valueOf(after, "CPU-001"); got != engine.Fail {
		t.Errorf("CPU-001 is %s", got)
	}
	if s.drifts != 1 {
		t.Errorf("%d drifts, want 1", s.drifts)
	}
}

func TestAMachineIsJudgedWithoutACustomResourceAndAsThatOnceOneStands(t *testing.T) {
	managed := world()
	s := newSweeping(t, time.Minute, managed...)
	s.sweep(t)
	kinds := map[string]string{}
	for _, subject := range s.Posture.Subjects("mission") {
		if kinds[subject.Name] != "" {
			t.Errorf("%s is judged as %s and as %s", subject.Name, kinds[subject.Name], subject.Kind)
		}
		kinds[subject.Name] = subject.Kind
	}
	for name, kind := range map[string]string{"a": facts.KindUDSVirtualMachine, "planned": facts.KindUDSVirtualMachine, "b": facts.KindVirtualMachine} {
		if kinds[name] != kind {
			t.Errorf("%s is judged as %q, want %s", name, kinds[name], kind)
		}
	}
}

// valueOf is the verdict of a rule, empty without one.
func valueOf(entries []posture.Entry, rule string) engine.Value {
	for i := range entries {
		if entries[i].Rule == rule {
			return entries[i].Value
		}
	}
	return ""
}
