package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatOthersAddedToAnExactMapIsTakenAway(t *testing.T) {
	desired := map[string]any{"spec": map[string]any{"a": map[string]any{"x": "1"}, "list": []any{"own"}}, "data": map[string]any{"k": "v"}}
	live := map[string]any{
		"spec": map[string]any{"a": map[string]any{"x": "2", "y": "3"}, "b": "4", "list": []any{"own", "other"}},
		"data": map[string]any{"k": "v", "more": "w"},
	}
	for name, c := range map[string]struct {
		exact []string
		want  map[string]any
	}{
		"nothing is exact":   {nil, nil},
		"a list is replaced": {[]string{"spec.list"}, nil},
		"one level":          {[]string{"data"}, map[string]any{"data": map[string]any{"more": nil}}},
		"a part":             {[]string{"spec.a"}, map[string]any{"spec": map[string]any{"a": map[string]any{"y": nil}}}},
		"at every depth":     {[]string{"spec"}, map[string]any{"spec": map[string]any{"a": map[string]any{"y": nil}, "b": nil}}},
		"what is not there":  {[]string{"spec.c", "status"}, nil},
	} {
		if diff := cmp.Diff(c.want, removals(desired, live, c.exact)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
