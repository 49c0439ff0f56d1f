package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"cato.dev/cato/test/e2e/stack"
)

func TestAFewTenantsAndInstancesAreMeasured(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "cato-operator")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/cato-operator")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/cato-operator: %v\n%s", err, output)
	}
	var out bytes.Buffer
	few := size{tenants: 3, instances: 7, quiet: 3 * time.Second, idle: 12 * time.Second}
	if err := run(t.Context(), &out, few, stack.Options{Root: root, Operator: binary, Progress: t.Output()}); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`tenants: 3 in [0-9.]+ s, \d+ a second; operator's memory afterwards [1-9]\d* MiB`,
		`instances: 7 in [0-9.]+ s`,
		`[1-9]\d* calls for [1-9]\d* objects written: [0-9.]+ an object`,
		`[1-9]\d* create namespaces`,
		`idle for 12s: 0 calls besides watches, leases and [1-9]\d* of the probe`,
	} {
		if !regexp.MustCompile(line).MatchString(out.String()) {
			t.Errorf("no line like %q in\n%s", line, out.String())
		}
	}
}

func TestWhatOnlyWaitsOrProbesIsNoCallOfAnObject(t *testing.T) {
	made := newCalls()
	for _, event := range []*auditv1.Event{
		{Verb: "watch", ObjectRef: &auditv1.ObjectReference{Resource: "tenants"}},
		{Verb: "update", ObjectRef: &auditv1.ObjectReference{Resource: "leases"}},
		{Verb: "patch", ObjectRef: &auditv1.ObjectReference{Resource: "tenants", Name: "acme"}},
		{Verb: "patch", ObjectRef: &auditv1.ObjectReference{Resource: "tenants", Subresource: "status", Name: "acme"}},
		{Verb: "list", ObjectRef: &auditv1.ObjectReference{Resource: "pods"}, RequestURI: "/api/v1/pods?limit=1"},
		{Verb: "list", ObjectRef: &auditv1.ObjectReference{Resource: "pods"}, RequestURI: "/api/v1/pods?limit=100"},
		{Verb: "create", ObjectRef: &auditv1.ObjectReference{Resource: "selfsubjectaccessreviews"}},
	} {
		made.add(event)
	}
	var names []string
	for _, kind := range made.frequent() {
		names = append(names, kind.verb+" "+kind.resource)
	}
	if got, want := strings.Join(names, ", "), "list pods, patch tenants, patch tenants/status"; got != want || len(made.written) != 1 {
		t.Errorf("calls %s, objects %d; want %s, one object", got, len(made.written), want)
	}
	if made.probes != 2 {
		t.Errorf("%d probes, want 2", made.probes)
	}
}
