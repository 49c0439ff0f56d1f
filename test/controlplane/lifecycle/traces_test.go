package lifecycle_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// traces is what clusters of this user leave on the machine while they run.
func traces(t *testing.T) []string {
	t.Helper()
	var found []string
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if strings.HasPrefix(link.Name, "cato") {
			found = append(found, "link "+link.Name)
		}
	}
	for _, pattern := range []string{"/run/netns/cato*", filepath.Join(os.TempDir(), "cato-controlplane-*", "run-*")} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, paths...)
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, "cato-controlplane-") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	slices.Sort(found)
	return found
}

// networkOf is the bridge of the cluster whose run has this folder.
func networkOf(t *testing.T, folder string) string {
	t.Helper()
	aliases, err := filepath.Glob("/sys/class/net/cato*/ifalias")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range aliases {
		if owner, err := os.ReadFile(path); err == nil && strings.TrimSpace(string(owner)) == folder {
			return filepath.Base(filepath.Dir(path))
		}
	}
	t.Fatalf("no network of %s, so this test shows nothing", folder)
	return ""
}

// tracesOf are those of one cluster: others may run at the same time.
func tracesOf(t *testing.T, folder, network string) []string {
	t.Helper()
	return slices.DeleteFunc(traces(t), func(trace string) bool {
		link, isLink := strings.CutPrefix(trace, "link ")
		own := strings.Contains(trace, folder) || strings.HasPrefix(trace, "/run/netns/"+network+"-") ||
			isLink && (link == network || strings.HasPrefix(link, network+"v"))
		return !own
	})
}

// processesOf are the processes whose command line names a run's folder.
func processesOf(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), folder) {
			found = append(found, strings.ReplaceAll(string(data), "\x00", " "))
		}
	}
	return found
}
