package main

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// endpoint serves as the operator does, for the token "good".
func endpoint(t *testing.T, body string) (server, caFile string, asked *http.Request) {
	t.Helper()
	asked = &http.Request{}
	https := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r.Clone(context.Background())
		switch {
		case r.Header.Get("Authorization") != "Bearer good":
			http.Error(w, "the API server does not accept this token", http.StatusUnauthorized)
		case r.URL.Query().Get("namespace") == "forbidden":
			http.Error(w, `user "eve" may not get compliancereports/oscal`, http.StatusForbidden)
		case r.URL.Query().Get("namespace") == "elsewhere":
			http.Redirect(w, r, "https://example.invalid/", http.StatusFound)
		default:
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(https.Close)
	caFile = filepath.Join(t.TempDir(), "ca.crt")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: https.Certificate().Raw})
	if err := os.WriteFile(caFile, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return https.URL, caFile, asked
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func kubeconfig(t *testing.T, user string) string {
	t.Helper()
	return file(t, `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u, namespace: mission-a}}]
clusters: [{name: c, cluster: {server: "https://localhost:1"}}]
users: [{name: u, user: `+user+`}]
`)
}

func TestOSCALReadsADocumentWithATokenFromAFileOrTheKubeconfig(t *testing.T) {
	server, ca, asked := endpoint(t, "{}")
	sources := map[string][]string{
		"a file":              {"--token-file", file(t, "good\n")},
		"the kubeconfig":      {"--kubeconfig", kubeconfig(t, "{token: good}")},
		"the kubeconfig file": {"--kubeconfig", kubeconfig(t, "{tokenFile: "+file(t, "good")+"}")},
		"a plugin":            {"--kubeconfig", kubeconfig(t, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: echo, interactiveMode: Never, args: ['{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"good"}}']}}`)},
	}
	for name, flags := range sources {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"oscal", "assessment-results", "--server", server, "--ca-file", ca, "--by-rule", "-n", "mission-a", "-o", "yaml"}, flags...)
			got := call(t, "catoctl", "", args...)
			if got.code != 0 || got.out != "{}" {
				t.Fatalf("exit code %d, out %q, stderr %q", got.code, got.out, got.err)
			}
			if asked.URL.Path != "/oscal/v1/assessment-results" || asked.URL.RawQuery != "format=yaml&namespace=mission-a&view=rules" {
				t.Errorf("asked %s", asked.URL)
			}
		})
	}
}

func TestOSCALPrintsTheTableOfControls(t *testing.T) {
	server, ca, _ := endpoint(t, `{"assessment-results": {"uuid": "", "metadata": {}, "import-ap": {}, "results": [{"findings": [
		{"target": {"type": "objective-id", "target-id": "sc-7.5_obj-1", "status": {"state": "not-satisfied"}}}]}]}}`)
	got := call(t, "catoctl", "", "oscal", "assessment-results", "--table", "--server", server, "--ca-file", ca, "--token-file", file(t, "good"))
	if want := "Control ID   Status\nSC-7(5)      not-satisfied\n"; got.out != want {
		t.Errorf("got %q, want %q; stderr %q", got.out, want, got.err)
	}
}

func TestOSCALSaysWhatIsWrong(t *testing.T) {
	server, ca, _ := endpoint(t, "{}")
	good := file(t, "good")
	tests := []struct {
		name string
		args []string
		err  string
	}{
		{"a document that there is not", []string{"poam"}, `document "poam": use one of component-definition`},
		{"a table of a plan", []string{"assessment-plan", "--table"}, "of assessment-results only"},
		{"a format that there is not", []string{"assessment-plan", "-o", "xml"}, `-o "xml": use json or yaml`},
		{"plain HTTP", []string{"assessment-plan", "--server", "http://x"}, "write it as https://host:port"},
		{"a namespace of the definition", []string{"component-definition", "-n", "a"}, "leave -n out"},
		{"a wrong token", []string{"assessment-plan", "--server", server, "--ca-file", ca, "--token-file", file(t, "bad")}, "401"},
		{"a namespace without the right", []string{"assessment-plan", "-n", "forbidden", "--server", server, "--ca-file", ca, "--token-file", good}, "may not get compliancereports/oscal"},
		{"a redirect, which is not followed", []string{"assessment-plan", "-n", "elsewhere", "--server", server, "--ca-file", ca, "--token-file", good}, "302"},
		{"an unknown certificate", []string{"assessment-plan", "--server", server, "--token-file", good}, "--ca-file"},
		{"no certificate", []string{"assessment-plan", "--server", server, "--ca-file", good, "--token-file", good}, "holds no certificate in PEM"},
		{"an empty token", []string{"assessment-plan", "--server", server, "--token-file", file(t, "\n")}, "must hold one token"},
		{"a certificate user", []string{"assessment-plan", "--server", server, "--kubeconfig", kubeconfig(t, "{}")}, "kubectl create token"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := call(t, "catoctl", "", append([]string{"oscal"}, tt.args...)...)
			if got.code != 2 || !strings.Contains(got.err, tt.err) || strings.Contains(got.err, "good\n") {
				t.Errorf("exit code %d, stderr %q, want %q", got.code, got.err, tt.err)
			}
		})
	}
}
