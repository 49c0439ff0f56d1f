package assessment

import (
	"testing"
	"time"

	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// A reconciler that looked into a cache from before its own repair hands over a
// fault that is no more, after the repaired object has been judged.
func TestWhatAReconcilerFoundIsJudgedOnceMore(t *testing.T) {
	s := newSweeping(t, time.Minute, vm("mission", "a"))
	s.sweep(t)
	key := client.ObjectKey{Namespace: "mission", Name: "a"}
	subject := machineNamed("a")
	var stale kubevirtv1.VirtualMachine
	if err := s.reads.Get(t.Context(), key, &stale); err != nil {
		t.Fatal(err)
	}
	stale.Spec.Template.Spec.Domain.CPU = &kubevirtv1.CPU{Cores: 1, DedicatedCPUPlacement: true}
	gathered, err := s.Gatherer.VirtualMachine(t.Context(), &stale, facts.Live)
	if err != nil {
		t.Fatal(err)
	}
	found := s.Judge.Verdicts(t.Context(), gathered)
	recorded := make(chan struct{})
	go func() {
		defer close(recorded)
		s.Record(t.Context(), found, time.Now())
	}()
	again := <-s.recorded
	<-recorded
	if held, _ := s.Posture.Verdicts(postureKey(subject)); valueOf(held, "CPU-001") != engine.Fail {
		t.Fatalf("what was found is not recorded: CPU-001 is %q", valueOf(held, "CPU-001"))
	}
	if again.Object != subject {
		t.Fatalf("%+v is to be judged again", again.Object)
	}
	if _, err := s.Reconcile(t.Context(), again.Object); err != nil {
		t.Fatal(err)
	}
	if held, _ := s.Posture.Verdicts(postureKey(subject)); valueOf(held, "CPU-001") == engine.Fail {
		t.Error("a fault that is no more stands")
	}
	if s.drifts != 0 {
		t.Error("no event asked for this judgement, and it counts as a drift")
	}
}
