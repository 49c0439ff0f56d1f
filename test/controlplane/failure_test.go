package controlplane_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cato.dev/cato/test/controlplane"
)

// fakeAssets makes KUBEBUILDER_ASSETS a folder whose kube-apiserver is the
// given shell script; etcd only waits.
func fakeAssets(t *testing.T, apiserver string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range map[string]string{
		"etcd": "exec sleep 300", "kube-apiserver": apiserver, "kube-controller-manager": "exit 1", "kubectl": "exit 1",
	} {
		write(t, filepath.Join(dir, name), "#!/bin/sh\n"+script+"\n")
	}
	t.Setenv("KUBEBUILDER_ASSETS", dir)
}

func TestAFailedStartKeepsItsLogsAndLeavesNoProcess(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	fakeAssets(t, "echo 'flag provided but not defined: -nonsense' >&2; exit 7")
	var progress strings.Builder
	_, err := controlplane.Start(t.Context(), controlplane.Options{CRDs: []controlplane.CRDSet{}, Progress: &progress})
	if err == nil || !strings.Contains(err.Error(), "kube-apiserver ended: exit status 7") || !strings.Contains(err.Error(), "-nonsense") {
		t.Errorf("got %v, want the component, how it ended and the end of its log", err)
	}
	if pids := children(os.Getpid()); len(pids) > 0 {
		t.Errorf("still running: %v", pids)
	}
	place := regexp.MustCompile(`the logs are kept in (\S+)`).FindStringSubmatch(progress.String())
	if place == nil {
		t.Fatalf("progress does not say where the logs are: %q", progress.String())
	}
	if log, err := os.ReadFile(filepath.Join(place[1], "kube-apiserver.log")); err != nil || !strings.Contains(string(log), "-nonsense") {
		t.Errorf("the kept log is %q, %v", log, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(place[1]), "run-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left beside the logs: %v, %v", left, err)
	}
}

func TestATakenPortIsTriedAgainWithOthers(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ports := filepath.Join(t.TempDir(), "ports")
	t.Setenv("PORTS", ports)
	fakeAssets(t, `for a; do case $a in --secure-port=*) echo "${a#*=}" >> "$PORTS";; esac; done
if [ "$(wc -l < "$PORTS")" = 3 ]; then echo 'third time' >&2; exit 1; fi
echo "listen tcp 127.0.0.1: bind: address already in use" >&2; exit 1`)
	var progress strings.Builder
	_, err := controlplane.Start(t.Context(), controlplane.Options{CRDs: []controlplane.CRDSet{}, Progress: &progress})
	if err == nil || !strings.Contains(err.Error(), "third time") {
		t.Errorf("got %v, want the error of the third attempt", err)
	}
	data, err := os.ReadFile(ports)
	if err != nil {
		t.Fatal(err)
	}
	used := strings.Fields(string(data))
	if len(used) != 3 || used[0] == used[1] || used[1] == used[2] {
		t.Errorf("ports of the attempts: %v, want three different ones", used)
	}
}
