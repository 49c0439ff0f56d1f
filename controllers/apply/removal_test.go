package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

func TestWhatIsTakenAwayLeavesTheObjectMarkedAndOwned(t *testing.T) {
	yes := true
	ours := metav1.OwnerReference{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: "acme", UID: "1", Controller: &yes}
	theirs := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "2"}
	desired := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"virtfoundry.io/tenant": "acme"}, OwnerReferences: []metav1.OwnerReference{ours}}}
	for name, c := range map[string]struct{ live, want []metav1.OwnerReference }{
		"owned":                {[]metav1.OwnerReference{ours}, nil},
		"owned beside another": {[]metav1.OwnerReference{theirs, ours}, nil},
		"nobody's":             {nil, []metav1.OwnerReference{ours}},
		"another's":            {[]metav1.OwnerReference{theirs}, []metav1.OwnerReference{theirs, ours}},
	} {
		live := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{UID: "3", ResourceVersion: "4", OwnerReferences: c.live}}
		want := map[string]any{"uid": "3", "resourceVersion": "4", "labels": desired.Labels}
		if c.want != nil {
			want["ownerReferences"] = c.want
		}
		if diff := cmp.Diff(want, identity(Child{Desired: desired, Live: live})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
