package proc

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const rest = " 42 42 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"

func TestAStatusIsReadWhateverTheName(t *testing.T) {
	for _, name := range []string{"sh", "a b", "(a) Z 7 (b)"} {
		p, err := parse("42 (" + name + ") S 17" + rest)
		if want := (Process{Identity{42, "4711"}, 17, "S"}); p != want || err != nil {
			t.Errorf("%s: read %+v: %v", name, p, err)
		}
	}
	if p, err := parse("42 (sh) Z 17" + rest); p.Running() || err != nil {
		t.Errorf("what has ended runs: %v", err)
	}
	for _, bad := range []string{"", "42", "42 (sh", "42 (sh) S", "x (sh) S 17" + rest, "42 (sh) S x" + rest} {
		if p, err := parse(bad); err == nil {
			t.Errorf("%q is %+v", bad, p)
		}
	}
}

func TestThisProcessIsAmongAll(t *testing.T) {
	self, err := Read(os.Getpid())
	if err != nil || self.PID != os.Getpid() || self.Parent != os.Getppid() || !Running(os.Getpid()) {
		t.Errorf("read %+v: %v", self, err)
	}
	if !slices.ContainsFunc(All(), func(p Process) bool { return p.Identity == self.Identity }) {
		t.Errorf("%s is not among all", self)
	}
	if _, err := Read(0); err == nil || !strings.Contains(err.Error(), "read the status") {
		t.Errorf("there is a process 0: %v", err)
	}
}
