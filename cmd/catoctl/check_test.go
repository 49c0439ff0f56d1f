package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/cmd/catoctl/check"
)

const (
	tenantSample = "../../config/samples/virtfoundry_v1alpha1_tenant.yaml"
	openMachine  = "../../test/conformance/cases/102-second-policy-allows-all/input.yaml"
)

func TestCheckPrintsATableAndASummaryByControl(t *testing.T) {
	for name, path := range map[string]string{"check_plan.txt": tenantSample, "check_dump.txt": openMachine} {
		t.Run(name, func(t *testing.T) {
			got := call(t, "catoctl", "", "check", "-f", path)
			golden(t, name, withoutRevision(t, got.out))
			if got.err != "" {
				t.Errorf("stderr: %s", got.err)
			}
		})
	}
}

func TestCheckExitsByItsVerdicts(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "deep", "bad.yml")
	if err := os.MkdirAll(filepath.Dir(bad), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("kind: ["), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("{{"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		stdin string
		args  []string
		code  int
		err   string
	}{
		{"all pass", "", []string{"-f", tenantSample}, 0, ""},
		{"one fails", "", []string{"-f", openMachine}, 1, ""},
		{"two paths", "", []string{"-f", tenantSample, "-f", openMachine}, 1, ""},
		{"a folder with bad YAML deep in it", "", []string{"-f", folder}, 2, "bad.yml: document 1: not YAML"},
		{"good and bad", "", []string{"-f", tenantSample, "-f", folder}, 2, "bad.yml"},
		{"stdin", "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n", []string{"-f", "-"}, 0, ""},
		{"an empty stdin", "", []string{"-f", "-"}, 2, "the input is empty"},
		{"no path", "", nil, 2, "-f is missing"},
		{"no such file", "", []string{"-f", "no/such"}, 2, "no/such"},
		{"a folder without manifests", "", []string{"-f", t.TempDir()}, 2, "has no *.yaml"},
		{"stdin twice", "", []string{"-f", "-", "-f", "-"}, 2, "stdin can be read once"},
		{"an unknown format", "", []string{"-f", tenantSample, "-o", "xml"}, 2, `-o "xml": use table, json or yaml`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, "catoctl", tt.stdin, append([]string{"check"}, tt.args...)...)
			if got.code != tt.code || !strings.Contains(got.err, tt.err) || (tt.err == "") != (got.err == "") {
				t.Errorf("exit code %d, want %d; stderr %q, want %q", got.code, tt.code, got.err, tt.err)
			}
		})
	}
}

func TestCheckWritesTheSameReportAsJSONAndYAML(t *testing.T) {
	var fromJSON, fromYAML map[string]any
	asJSON := call(t, "kubectl-cato", "", "check", "-f", openMachine, "-o", "json")
	if err := json.Unmarshal([]byte(asJSON.out), &fromJSON); err != nil {
		t.Fatal(err)
	}
	asYAML := call(t, "kubectl-cato", "", "check", "-f", openMachine, "-o", "yaml")
	if err := yaml.Unmarshal([]byte(asYAML.out), &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("(-json +yaml):\n%s", diff)
	}
	var report check.Report
	if err := yaml.UnmarshalStrict([]byte(asJSON.out), &report); err != nil {
		t.Fatal(err)
	}
	if report.APIVersion != check.APIVersion || report.Kind != check.Kind || report.Revision == "" || len(report.Verdicts) == 0 {
		t.Errorf("an incomplete report: %+v", report)
	}
	for _, key := range []string{"verdicts", "revision", "assumptions", "later", "skipped", "errors"} {
		if fromJSON[key] == nil {
			t.Errorf("%s is missing or null", key)
		}
	}
}
