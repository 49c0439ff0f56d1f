package buildcache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestToolsAreKeptUnderTheirNames(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	if err := os.MkdirAll(filepath.Join(m.Dir, "cmd", "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(m.Dir, "cmd", "tool", "main.go"), "//go:build special\n\npackage main\n\nfunc main() { print() }\n")
	m.Tools, m.Tags = []string{"example.com/fake/cmd/tool"}, "special"
	if got := output(t, filepath.Join(get(t, c, m), "tool")); got != "" {
		t.Errorf("the tool prints %q", got)
	}
}
