package guest

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// watchInterface is what a watch returns.
type watchInterface = watch.Interface

// Phases of a VirtualMachineInstance.
const (
	scheduled = "Scheduled"
	running   = "Running"
	succeeded = "Succeeded"
)

// nextPhase is the phase that virt-handler would move an instance to, or
// nothing: virt-controller handed a scheduled one over, and a deleted one ends.
func nextPhase(phase string, deleted bool) string {
	switch {
	case deleted && (phase == scheduled || phase == running):
		return succeeded
	case !deleted && phase == scheduled:
		return running
	}
	return ""
}

// move writes the next phase into an instance's status, and with Running what
// a guest agent would report.
func move(instance *unstructured.Unstructured, phase, address string, at time.Time) error {
	now := at.UTC().Format(time.RFC3339)
	transitions, _, err := unstructured.NestedSlice(instance.Object, "status", "phaseTransitionTimestamps")
	if err != nil {
		return err
	}
	status := map[string]any{
		"phase":                     phase,
		"phaseTransitionTimestamps": append(transitions, map[string]any{"phase": phase, "phaseTransitionTimestamp": now}),
	}
	if phase == running {
		conditions, _, err := unstructured.NestedSlice(instance.Object, "status", "conditions")
		if err != nil {
			return err
		}
		condition := func(kind, value string) map[string]any {
			return map[string]any{
				"type": kind, "status": value, "reason": reason, "message": "no guest runs: virt-handler's stand-in says so",
				"lastProbeTime": now, "lastTransitionTime": now,
			}
		}
		status["conditions"] = append(conditions, condition("LiveMigratable", "False"), condition("AgentConnected", "True"))
		status["guestOSInfo"] = map[string]any{"id": "stand-in", "name": "virt-handler stand-in", "prettyName": "virt-handler stand-in (no guest runs)"}
		status["interfaces"] = interfaces(instance, address)
	}
	for field, value := range status {
		if err := unstructured.SetNestedField(instance.Object, value, "status", field); err != nil {
			return err
		}
	}
	return nil
}

// interfaces reports each interface of the specification as connected, the
// first with the pod's address.
func interfaces(instance *unstructured.Unstructured, address string) []any {
	specified, _, err := unstructured.NestedSlice(instance.Object, "spec", "domain", "devices", "interfaces")
	if err != nil {
		return nil
	}
	var reported []any
	for _, one := range specified {
		fields, ok := one.(map[string]any)
		if !ok {
			continue
		}
		status := map[string]any{"name": fields["name"], "infoSource": "domain, guest-agent", "queueCount": int64(1)}
		if mac, ok := fields["macAddress"]; ok {
			status["mac"] = mac
		}
		if len(reported) == 0 && address != "" {
			status["ipAddress"], status["ipAddresses"] = address, []any{address}
		}
		reported = append(reported, status)
	}
	return reported
}
