package buildcache

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeModule is a module that builds in a second.
func fakeModule(t *testing.T) Module {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/fake\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "go.sum"), "")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"one\") }\n")
	return Module{Name: "fake", Dir: dir, Package: ".", LDFlags: "-s -w", Output: "fake", Links: []string{"alias"}, CPUSeconds: 240}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func testCache(t *testing.T, progress *strings.Builder) Cache {
	t.Helper()
	return Cache{Root: t.TempDir(), Progress: progress, Heartbeat: time.Minute}
}

func get(t *testing.T, c Cache, m Module) string {
	t.Helper()
	dir, err := c.Get(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func output(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheHashChangesWithEachInputAndWithNothingElse(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, m *Module)
		same   bool
	}{
		"a source": {change: func(t *testing.T, m *Module) {
			write(t, filepath.Join(m.Dir, "main.go"), "package main\n\nfunc main() {}\n")
		}},
		"a new source":   {change: func(t *testing.T, m *Module) { write(t, filepath.Join(m.Dir, "more.go"), "package main\n") }},
		"a moved source": {change: func(t *testing.T, m *Module) { rename(t, m, "main.go", "other.go") }},
		"go.mod": {change: func(t *testing.T, m *Module) {
			write(t, filepath.Join(m.Dir, "go.mod"), "module example.com/fake\n\ngo 1.25\n")
		}},
		"go.sum":       {change: func(t *testing.T, m *Module) { write(t, filepath.Join(m.Dir, "go.sum"), "\n") }},
		"linker flags": {change: func(_ *testing.T, m *Module) { m.LDFlags = "-s" }},
		"tools":        {change: func(_ *testing.T, m *Module) { m.Tools = []string{"example.com/fake/cmd"} }},
		"tags":         {change: func(_ *testing.T, m *Module) { m.Tags = "netgo" }},
		"package":      {change: func(_ *testing.T, m *Module) { m.Package = "./cmd" }},
		"what is kept": {change: func(_ *testing.T, m *Module) { m.Print = []string{"crds"} }},
		"names":        {change: func(_ *testing.T, m *Module) { m.Links = nil }},
		"a test":       {change: func(t *testing.T, m *Module) { write(t, filepath.Join(m.Dir, "main_test.go"), "package main\n") }, same: true},
		"a text":       {change: func(t *testing.T, m *Module) { write(t, filepath.Join(m.Dir, "README.md"), "text") }, same: true},
		"the place": {change: func(t *testing.T, m *Module) {
			old := m.Dir
			m.Dir = filepath.Join(t.TempDir(), "elsewhere")
			if err := os.Rename(old, m.Dir); err != nil {
				t.Fatal(err)
			}
		}, same: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := fakeModule(t)
			before, err := hashInputs(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			test.change(t, &m)
			after, err := hashInputs(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if (before == after) != test.same {
				t.Errorf("hash before %s, after %s; want the same: %v", before, after, test.same)
			}
		})
	}
}

func rename(t *testing.T, m *Module, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(m.Dir, from), filepath.Join(m.Dir, to)); err != nil {
		t.Fatal(err)
	}
}

func TestABuildIsMadeOnceAndSaysWhy(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	dir := get(t, c, m)
	for _, name := range []string{"fake", "alias"} {
		if got := output(t, filepath.Join(dir, name)); got != "one" {
			t.Errorf("%s prints %q", name, got)
		}
	}
	if got := progress.String(); !strings.Contains(got, "building fake: there is no build yet") {
		t.Errorf("progress does not say why it builds: %q", got)
	}
	progress.Reset()
	if again := get(t, c, m); again != dir || progress.Len() > 0 {
		t.Errorf("a second call built again: %q", progress.String())
	}
	write(t, filepath.Join(m.Dir, "more.go"), "package main\n")
	if changed := get(t, c, m); changed == dir {
		t.Error("changed sources gave the same folder")
	}
	if got := progress.String(); !strings.Contains(got, "have changed since the last build") {
		t.Errorf("progress does not say why it builds again: %q", got)
	}
}

func TestADamagedOrForeignBuildIsSeen(t *testing.T) {
	tests := map[string]func(t *testing.T, dir string){
		"cut short":            func(t *testing.T, dir string) { write(t, filepath.Join(dir, "fake"), "\x7fELF") },
		"empty":                func(t *testing.T, dir string) { write(t, filepath.Join(dir, "fake"), "") },
		"output missing":       func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "fake")) },
		"record missing":       func(t *testing.T, dir string) { remove(t, filepath.Join(dir, recordName)) },
		"record broken":        func(t *testing.T, dir string) { write(t, filepath.Join(dir, recordName), "{") },
		"record of another":    func(t *testing.T, dir string) { write(t, filepath.Join(dir, recordName), `{"inputs":"00"}`) },
		"tool written to":      func(t *testing.T, dir string) { write(t, filepath.Join(dir, "tool"), "another program") },
		"tool missing":         func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "tool")) },
		"link missing":         func(t *testing.T, dir string) { remove(t, filepath.Join(dir, "alias")) },
		"link leads elsewhere": func(t *testing.T, dir string) { relink(t, filepath.Join(dir, "alias"), "/bin/sh") },
		"link became a program": func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "alias"))
			write(t, filepath.Join(dir, "alias"), "#!/bin/sh\n")
		},
	}
	m := Module{Output: "fake", Links: []string{"alias"}, Tools: []string{"example.com/fake/cmd/tool"}}
	for name, damage := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "fake"), "\x7fELF and more")
			write(t, filepath.Join(dir, "tool"), "\x7fELF")
			if err := seal(dir, m, "inputs"); err != nil {
				t.Fatal(err)
			}
			if err := verify(dir, m, "inputs"); err != nil {
				t.Fatalf("an undamaged build is refused: %v", err)
			}
			damage(t, dir)
			if err := verify(dir, m, "inputs"); err == nil {
				t.Error("the damage is not seen")
			}
		})
	}
}

func TestADamagedBuildIsMadeAgain(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	dir := get(t, c, m)
	progress.Reset()
	write(t, filepath.Join(dir, "fake"), "\x7fELF of another machine")
	if again := get(t, c, m); again != dir {
		t.Errorf("got %s, want %s", again, dir)
	}
	if want := "fake does not have the checksum it was built with"; !strings.Contains(progress.String(), want) {
		t.Errorf("progress is %q, want it to say %q", progress.String(), want)
	}
	if got := output(t, filepath.Join(dir, "alias")); got != "one" {
		t.Errorf("the new build prints %q", got)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func relink(t *testing.T, path, target string) {
	t.Helper()
	remove(t, path)
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestWhatTheProgramPrintsIsKeptInItsPlace(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	m.Output, m.Links, m.Print = "printed.json", nil, []string{"crds"}
	data, err := os.ReadFile(filepath.Join(get(t, c, m), "printed.json"))
	if err != nil || string(data) != "one" {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestAFailingProgramIsNoBuild(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	m.Print = []string{"crds"}
	for name, body := range map[string]string{
		"exits with an error": "func main() { println(\"out of luck\"); os.Exit(3) }",
		"prints nothing":      "func main() { _ = os.Args }",
	} {
		t.Run(name, func(t *testing.T) {
			write(t, filepath.Join(m.Dir, "main.go"), "package main\n\nimport \"os\"\n\n"+body+"\n")
			if _, err := c.Get(t.Context(), m); err == nil {
				t.Fatal("no error")
			}
			assertNoBuild(t, c)
		})
	}
}

func TestTheTwoBuildsUsedLastAreKept(t *testing.T) {
	var progress strings.Builder
	c, m := testCache(t, &progress), fakeModule(t)
	first := get(t, c, m)
	// Times on disk are coarse: make the order of use plain.
	age(t, first, 2*time.Hour)
	m.LDFlags = "-s"
	second := get(t, c, m)
	age(t, second, time.Hour)
	m.LDFlags = "-s -w"
	get(t, c, m) // the first is now the one used last
	m.LDFlags = "-w"
	third := get(t, c, m)
	for dir, want := range map[string]bool{first: true, second: false, third: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: kept %v, want %v", dir, err == nil, want)
		}
	}
}

func age(t *testing.T, dir string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	if err := os.Chtimes(dir, then, then); err != nil {
		t.Fatal(err)
	}
}

func assertNoBuild(t *testing.T, c Cache) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(c.Root, "fake"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range left {
		t.Errorf("left in the cache: %s", e.Name())
	}
}

// cancelOnWrite cancels a context as soon as a build reports that it begins.
type cancelOnWrite struct{ cancel context.CancelFunc }

func (w cancelOnWrite) Write(p []byte) (int, error) {
	w.cancel()
	return len(p), nil
}

func TestACancelledBuildLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Cache{Root: t.TempDir(), Progress: cancelOnWrite{cancel}, Heartbeat: time.Minute}
	if _, err := c.Get(ctx, fakeModule(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	assertNoBuild(t, c)
}
