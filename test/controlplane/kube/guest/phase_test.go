package guest

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestOnlyScheduledAndDeletedInstancesMove(t *testing.T) {
	tests := []struct {
		phase   string
		deleted bool
		want    string
	}{
		{"Scheduled", false, "Running"},
		{"Scheduled", true, "Succeeded"},
		{"Running", true, "Succeeded"},
		{"Running", false, ""},
		{"Scheduling", false, ""},
		{"Scheduling", true, ""},
		{"Succeeded", true, ""},
		{"", false, ""},
	}
	for _, test := range tests {
		if got := nextPhase(test.phase, test.deleted); got != test.want {
			t.Errorf("%q, deleted %v: got %q, want %q", test.phase, test.deleted, got, test.want)
		}
	}
}

func TestARunningInstanceSaysThatAStandInMadeItSo(t *testing.T) {
	instance := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"domain": map[string]any{"devices": map[string]any{"interfaces": []any{
			map[string]any{"name": "default", "macAddress": "02:00:00:00:00:01"}, map[string]any{"name": "second"},
		}}}},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": nil}}},
	}}
	if err := move(instance, running, "10.200.4.1", time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	conditions, _, err := unstructured.NestedSlice(instance.Object, "status", "conditions")
	if err != nil || len(conditions) != 3 {
		t.Fatalf("conditions: %v, %v", conditions, err)
	}
	// virt-controller's own condition stays as it was, null and all.
	if first, ok := conditions[0].(map[string]any); !ok || first["type"] != "Ready" || len(first) != 3 {
		t.Errorf("virt-controller's condition became %v", conditions[0])
	}
	for _, condition := range conditions[1:] {
		if fields, ok := condition.(map[string]any); !ok || fields["reason"] != reason {
			t.Errorf("condition %v does not name the stand-in", condition)
		}
	}
	reported, _, err := unstructured.NestedSlice(instance.Object, "status", "interfaces")
	if err != nil || len(reported) != 2 {
		t.Fatalf("interfaces: %v, %v", reported, err)
	}
	first, _ := reported[0].(map[string]any)
	second, _ := reported[1].(map[string]any)
	if first["ipAddress"] != "10.200.4.1" || first["mac"] != "02:00:00:00:00:01" || second["ipAddress"] != nil {
		t.Errorf("interfaces: %v", reported)
	}
}
