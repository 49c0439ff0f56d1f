package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALogHasWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	log := &criLog{file: file, stream: "stderr"}
	long := strings.Repeat("x", maximumRest)
	for _, part := range []string{"one\ntw", "o\n\nthree", "\n", long} {
		if n, err := log.Write([]byte(part)); err != nil || n != len(part) {
			t.Fatalf("wrote %d of %d bytes: %v", n, len(part), err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		_, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " stderr F ")
		if !ok {
			t.Fatalf("line %q has no stream", line)
		}
		got = append(got, text)
	}
	if want := "one|two||three|" + long; strings.Join(got, "|") != want {
		t.Errorf("got %d lines: %.80q", len(got), got)
	}
}
