package instance

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestKilledAtAnyWriteItConvergesAndLeavesNothing(t *testing.T) {
	judge := fixture.Judge(t, nil)
	w := start(t, judge)
	w.make(t, "k-0")
	if err := w.live(t, "k-0"); err != nil {
		t.Fatal(err)
	}
	total := w.writes.Count()
	if total < 4 {
		t.Fatalf("only %d writes make an Instance: %v", total, w.writes.Made())
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("k-%d-%t", at, before)
			w.make(t, name)
			killed := newWorld(judge, w.namespace, &fixture.Writes{At: at, Before: before})
			killed.writes.MustHaveKilled(t, killed.live(t, name))
			next := newWorld(judge, w.namespace, &fixture.Writes{})
			if err := next.live(t, name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			expect(t, next.instance(t, name), virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
			w.vm(t, name)
			dying := newWorld(judge, w.namespace, &fixture.Writes{At: 1 + at%3, Before: before})
			remove(t, dying.instance(t, name))
			dying.writes.MustHaveKilled(t, dying.live(t, name))
			newWorld(judge, w.namespace, &fixture.Writes{}).gone(t, name)
		}
	}
}
