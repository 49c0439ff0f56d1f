package engine

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeSaysOneWordForEachRule(t *testing.T) {
	s := load(t, rules(map[string]string{"NET-001": closedBody}))
	for _, c := range []struct {
		name  string
		edits map[string]string
		want  Value
	}{
		{"closed passes", nil, Pass},
		{"open fails", map[string]string{"network.open": "true"}, Fail},
		{"a missing fact is unknown", map[string]string{"network.open": ""}, Unknown},
		{"a fact of another type is unknown", map[string]string{"network.open": `"no"`}, Unknown},
		{"no network at all is unknown", map[string]string{"network": ""}, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, later := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, c.edits)})
			if diff := cmp.Diff(map[string]Value{"NET-001": c.want}, words(got)); diff != "" || len(later) > 0 {
				t.Errorf("later %v, words (-want +got):\n%s", later, diff)
			}
		})
	}
}
