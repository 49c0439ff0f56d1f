package controlplane

import (
	"fmt"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// AuditLog is where the API server writes the requests of Options.AuditedUser:
// one audit.k8s.io/v1 Event in JSON a line, when the request has been answered.
func (cp *ControlPlane) AuditLog() string { return cp.run.path("audit.log") }

// auditFlags has the API server record what one user asks for: who, what and
// with which result, but no content.
func (cp *ControlPlane) auditFlags(user string) ([]string, error) {
	policy, err := yaml.Marshal(auditv1.Policy{
		TypeMeta:   metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		OmitStages: []auditv1.Stage{auditv1.StageRequestReceived, auditv1.StageResponseStarted},
		Rules:      []auditv1.PolicyRule{{Level: auditv1.LevelMetadata, Users: []string{user}}, {Level: auditv1.LevelNone}},
	})
	if err != nil {
		return nil, fmt.Errorf("write the audit policy: %w", err)
	}
	file := cp.run.path("audit-policy.yaml")
	if err := os.WriteFile(file, policy, 0o600); err != nil {
		return nil, fmt.Errorf("write the audit policy: %w", err)
	}
	// A blocking log has each request in it before its answer is read.
	return []string{
		"--audit-policy-file=" + file, "--audit-log-path=" + cp.AuditLog(), "--audit-log-mode=blocking-strict",
		"--audit-log-maxsize=1000000", // MB: by default it is renamed at 100, and begun anew
	}, nil
}
