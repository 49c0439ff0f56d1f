package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// unreadable is a date-time to the API server and an error to metav1.Time: one stored object with it would
// blind the watch of its kind.
const unreadable = "2026-01-01t00:00:00z"

func TestATimeThatGoCannotReadIsInNoStatus(t *testing.T) {
	var read metav1.Time
	if err := json.Unmarshal([]byte(`"`+unreadable+`"`), &read); err == nil {
		t.Fatal("Go reads the time: nothing needs to be refused")
	}
	condition := "conditions: [{type: Ready, status: 'True', reason: A, message: '', lastTransitionTime: '%s'}]"
	tenant := "{apiVersion: virtfoundry.io/v1alpha1, kind: Tenant, metadata: {name: a}, spec: {name: A, slug: a}, status: {%}}"
	vm := "{apiVersion: uds.dev/v1alpha1, kind: UDSVirtualMachine, metadata: {name: a, namespace: n}, spec: {memory: 1Gi, diskSize: 1Gi, sourceType: blank}, status: {%}}"
	report := "{apiVersion: cato.dev/v1alpha1, kind: ComplianceReport, metadata: {name: a, namespace: n}, status: {%}}"
	for name, tt := range map[string]struct{ file, object, status string }{
		"Tenant":                    {tenants, tenant, condition},
		"UDSVirtualMachine":         {vms, vm, condition},
		"ComplianceProfile":         {profiles, "{apiVersion: cato.dev/v1alpha1, kind: ComplianceProfile, metadata: {name: a}, spec: {}, status: {%}}", condition},
		"ComplianceReport":          {reports, report, condition},
		"ComplianceReport evidence": {reports, report, "evidenceTime: '%s'"},
		"ComplianceReport failure":  {reports, report, "failing: [{rule: NET-001, kind: Tenant, name: a, verdict: fail, since: '%s'}]"},
		"image verification":        {vms, vm, "imageVerification: {method: cdi-http, digest: 'sha256:x', claimUID: u, time: '%s'}"},
	} {
		t.Run(name, func(t *testing.T) {
			at := func(time string) []string {
				status := strings.ReplaceAll(tt.status, "%s", time)
				_, errs := admit(t, tt.file, object(t, strings.Replace(tt.object, "%", status, 1)), nil)
				return errs
			}
			good := at("2026-01-01T00:00:00Z")
			bad := at(unreadable)
			if len(bad) != len(good)+1 || !strings.Contains(strings.Join(bad, " "), "RFC 3339") {
				t.Errorf("with a good time: %v\nwith one that Go cannot read: %v", good, bad)
			}
			if len(good) > 0 {
				t.Errorf("the object itself is refused: %v", good)
			}
		})
	}
}
