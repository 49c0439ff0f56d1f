package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

type result struct {
	out, err string
	code     int
}

func testClock() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

// call runs one command line of the program of that name.
func call(t *testing.T, name, stdin string, args ...string) result {
	t.Helper()
	streams, in, out, errOut := genericiooptions.NewTestIOStreams()
	in.WriteString(stdin)
	code := app{name: name, version: "test", streams: streams, now: testClock}.execute(t.Context(), args)
	return result{out.String(), errOut.String(), code}
}

// golden compares with testdata/<name>, where the revision of the bundle is left out.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: make it by go test ./cmd/catoctl -update", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), written anew by -update:\n%s", path, diff)
	}
}

// withoutRevision keeps golden files from changing with every rule.
func withoutRevision(t *testing.T, text string) string {
	t.Helper()
	list, err := loadPolicy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, list.Revision) {
		t.Errorf("the output does not name the policy revision %s", list.Revision)
	}
	return string(bytes.ReplaceAll([]byte(text), []byte(list.Revision), []byte("REVISION")))
}
