package apply

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// everyChild are the documents of all children of a Tenant and of a machine.
func everyChild(t *testing.T) map[string]map[string]any {
	t.Helper()
	parameters := &catov1alpha1.ComplianceProfileParameters{}
	tenant, err := children.ForTenant(&virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme", UID: "t"}, Spec: virtfoundryv1alpha1.TenantSpec{Slug: "acme"}}, parameters)
	if err != nil {
		t.Fatal(err)
	}
	machine, err := children.ForMachine(children.MachineInput{Start: true, DNS: facts.DNSOf(parameters), Machine: &udsv1alpha1.UDSVirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "u"},
		Spec:       udsv1alpha1.UDSVirtualMachineSpec{Memory: "4Gi", DiskSize: "10Gi", SourceType: "http", URL: "https://images.example/a"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]map[string]any{}
	for _, child := range []client.Object{
		tenant.Namespace, tenant.NetworkPolicies[0], tenant.NetworkPolicies[1], tenant.ResourceQuota, tenant.LimitRange, tenant.RoleBindings[0],
		machine.NetworkPolicy, machine.CloudInit, machine.DataVolume, machine.VirtualMachine,
	} {
		content, err := Document(child)
		if err != nil {
			t.Fatal(err)
		}
		documents[describe(child)] = content
	}
	return documents
}

// walk calls leaf with the way to each leaf of a document that is compared, an
// empty object being one, and place with the way to each object and list.
func walk(value any, way []any, leaf, place func(way []any)) {
	switch v := value.(type) {
	case map[string]any:
		place(way)
		if len(v) == 0 {
			leaf(way)
		}
		for key, inner := range v {
			if len(way) == 0 && (key == "apiVersion" || key == "kind") || len(way) == 1 && way[0] == "metadata" && (key == "name" || key == "namespace") {
				continue
			}
			walk(inner, append(slices.Clone(way), key), leaf, place)
		}
	case []any:
		place(way)
		for i, inner := range v {
			walk(inner, append(slices.Clone(way), i), leaf, place)
		}
	default:
		leaf(way)
	}
}

// changed returns a copy of the document with what is at the way replaced; nil
// takes it away.
func changed(document map[string]any, way []any, change func(any) any) map[string]any {
	var at func(value any, rest []any) any
	at = func(value any, rest []any) any {
		if len(rest) == 0 {
			return change(value)
		}
		switch key := rest[0].(type) {
		case string:
			fields := value.(map[string]any)
			if inner := at(fields[key], rest[1:]); inner == nil {
				delete(fields, key)
			} else {
				fields[key] = inner
			}
		case int:
			list := value.([]any)
			list[key] = at(list[key], rest[1:])
		}
		return value
	}
	return at(runtime.DeepCopyJSON(document), way).(map[string]any)
}

func TestEveryFieldThatIsNotAsDesiredIsFound(t *testing.T) {
	for name, desired := range everyChild(t) {
		if paths := Differences(desired, runtime.DeepCopyJSON(desired), []string{"spec"}); len(paths) != 0 {
			t.Errorf("%s differs from itself at %v", name, paths)
		}
		tried := 0
		walk(desired, nil, func(way []any) {
			for what, change := range map[string]func(any) any{"another value": func(any) any { return "another" }, "gone": func(any) any { return nil }} {
				tried++
				live := changed(desired, way, change)
				for _, exact := range [][]string{nil, {"spec"}} {
					if len(Differences(desired, live, exact)) == 0 {
						t.Errorf("%s: %v is %s, exact %v, and that is not found", name, way, what, exact)
					}
				}
			}
		}, func([]any) {})
		if tried < 10 {
			t.Errorf("%s: only %d changes were tried", name, tried)
		}
	}
}

func TestWhatOthersAddIsDriftOnlyWhereAllIsOurs(t *testing.T) {
	for name, desired := range everyChild(t) {
		walk(desired, nil, func([]any) {}, func(way []any) {
			if len(way) > 1 && way[0] == "metadata" && way[1] == "ownerReferences" {
				return // a reference is compared as a whole
			}
			list := false
			live := changed(desired, way, func(value any) any {
				if entries, ok := value.([]any); ok {
					list = true
					return append(entries, map[string]any{"theirs": "added"})
				}
				value.(map[string]any)["theirs"] = "added"
				return value
			})
			if found := len(Differences(desired, live, nil)) > 0; found != list {
				t.Errorf("%s: an addition at %v (list %t): found is %t", name, way, list, found)
			}
			within := len(way) > 0 && way[0] == "spec"
			if found := len(Differences(desired, live, []string{"spec"})) > 0; found != (within || list) {
				t.Errorf("%s: an addition at %v, all of spec being ours: found is %t", name, way, found)
			}
		})
	}
}

func TestAnEmptyListAndNoneAreOneToTheAPI(t *testing.T) {
	desired := map[string]any{"spec": map[string]any{"ingress": []any{}}}
	if paths := Differences(desired, map[string]any{"spec": map[string]any{}}, []string{"spec.ingress"}); len(paths) != 0 {
		t.Errorf("%v", paths)
	}
	if diff := cmp.Diff([]string{"subjects"}, Differences(map[string]any{}, map[string]any{"subjects": []any{"x"}}, []string{"subjects"})); diff != "" {
		t.Error(diff)
	}
}
