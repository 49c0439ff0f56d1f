package posture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/policy/engine"
)

func TestIdentityOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, at(0))
	if err != nil {
		t.Fatal(err)
	}
	r := recorder{t, first}
	r.live(tenant("acme"), 1, pass("TEN-001"))
	r.live(machine("a", "web"), 2, pass("A-001"), fail("A-002"))
	r.live(machine("a", "web"), 3, fail("A-001"), fail("A-002"))
	r.live(machine("b", "gone"), 4, pass("A-001"))
	if _, err := first.Forget(machine("b", "gone"), at(5)); err != nil {
		t.Fatal(err)
	}
	first.ConfirmIn("secrets", "a", at(6))
	if err := first.FinishSweep(at(7)); err != nil {
		t.Fatal(err)
	}
	before := contentOf(first)
	closeStore(t, first)

	second := openIn(t, dir)
	if d := cmp.Diff(before, contentOf(second)); d != "" {
		t.Fatal(d)
	}
	r = recorder{t, second}
	if got := r.live(machine("a", "web"), 60, fail("A-001"), fail("A-002")); got != nil {
		t.Errorf("the same verdicts after a restart: %v", brief(got))
	}
	if got := r.live(machine("a", "web"), 61, pass("A-001"), fail("A-002")); len(got) != 1 || got[0].Sequence <= before.Positions[""].Sequence {
		t.Errorf("got %v, want one transition with a number above %d", got, before.Positions[""].Sequence)
	}
}

func TestWithoutAFileTheRecordBeginsWithTheProcess(t *testing.T) {
	one, two := openIn(t, "").Continuity(), openIn(t, "").Continuity()
	if one.Epoch == two.Epoch || one.Started != at(0) || !strings.Contains(one.Reason, "memory only") {
		t.Errorf("got %+v and %+v", one, two)
	}
}

// damagedFiles each spoil the file of a closed store in another way.
func damagedFiles() map[string]func(t *testing.T, path string) {
	write := func(t *testing.T, path string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	statement := func(query string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			t.Helper()
			f, err := openFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.db.Exec(query); err != nil {
				t.Fatal(err)
			}
			if err := f.close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return map[string]func(t *testing.T, path string){
		"text": func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("not a database\n", 500))) },
		"a torn page": func(t *testing.T, path string) {
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(whole[4096:], strings.Repeat("\xff", len(whole)-4096))
			write(t, path, whole)
		},
		"another schema":       statement("PRAGMA user_version = 99"),
		"an unknown word":      statement("UPDATE verdicts SET value = 'satisfied'"),
		"findings not JSON":    statement("UPDATE verdicts SET detail = '{'"),
		"an orphaned verdict":  statement("DELETE FROM subjects"),
		"a subject twice":      statement("INSERT INTO subjects SELECT id + 100, api_version, kind, namespace, name, uid, owns FROM subjects"),
		"no epoch":             statement("DELETE FROM meta WHERE name = 'epoch'"),
		"a sequence in words":  statement("UPDATE meta SET value = 'many' WHERE name = 'sequence'"),
		"a transition of none": statement("UPDATE transitions SET subject = 'web'"),
	}
}

func TestADamagedFileIsMovedAsideAndANewSequenceBegins(t *testing.T) {
	for name, spoil := range damagedFiles() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(dir, at(0))
			if err != nil {
				t.Fatal(err)
			}
			recorder{t, s}.live(machine("a", "web"), 1, pass("A-001"))
			epoch := s.Continuity().Epoch
			closeStore(t, s)
			spoil(t, filepath.Join(dir, FileName))

			again, err := Open(dir, at(60))
			if err != nil {
				t.Fatal(err)
			}
			got := again.Continuity()
			if got.Epoch == epoch || got.Started != at(60) || !strings.Contains(got.Reason, "moved to posture.db.damaged-") {
				t.Errorf("got %+v", got)
			}
			if subjects := again.Subjects(""); len(subjects) != 0 {
				t.Errorf("half a posture was kept: %v", subjects)
			}
			aside, err := filepath.Glob(filepath.Join(dir, "posture.db.damaged-*Z"))
			if err != nil || len(aside) != 1 {
				t.Errorf("moved aside: %v, %v", aside, err)
			}
			closeStore(t, again)
			if d := cmp.Diff(got, openIn(t, dir).Continuity()); d != "" {
				t.Errorf("the reason is told until the record is lost again: %s", d)
			}
		})
	}
}

func TestALostFileBeginsANewSequence(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, at(0))
	if err != nil {
		t.Fatal(err)
	}
	first := s.Continuity()
	closeStore(t, s)
	if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	second := openIn(t, dir).Continuity()
	if second.Epoch == first.Epoch || !strings.Contains(second.Reason, "no earlier record was found") {
		t.Errorf("got %+v after %+v", second, first)
	}
}

func TestADirectoryThatCannotBeUsedIsNamedWithTheRemedy(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T) string{
		"a file is in the way": func(t *testing.T) string {
			path := filepath.Join(t.TempDir(), "state")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		},
		"the store's name is a directory": func(t *testing.T) string {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"another process has it": func(t *testing.T) string {
			dir := t.TempDir()
			openIn(t, dir)
			return dir
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := prepare(t)
			s, err := Open(dir, at(0))
			if err == nil {
				closeStore(t, s)
				t.Fatal("opened")
			}
			for _, want := range []string{"--state-dir " + dir, "make the directory writable"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if aside, err := filepath.Glob(filepath.Join(dir, "*damaged*")); err != nil || len(aside) > 0 {
				t.Errorf("nothing was damaged, but moved: %v, %v", aside, err)
			}
		})
	}
}

// The disk is full, or read-only, by SQLite's own means: root may write anywhere, so file modes prove nothing.
func TestWhatCannotBeWrittenIsTrueInMemoryAndWrittenLater(t *testing.T) {
	for name, test := range map[string]struct{ breakIt, mendIt string }{
		"full disk":      {"PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1073741823"},
		"read-only disk": {"PRAGMA query_only = 1", "PRAGMA query_only = 0"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := Open(dir, at(0))
			if err != nil {
				t.Fatal(err)
			}
			run := func(query string) {
				t.Helper()
				if _, err := s.file.db.Exec(query); err != nil {
					t.Fatal(err)
				}
			}
			r := recorder{t, s}
			r.live(machine("a", "web"), 1, pass("A-001"), pass("A-002"))
			run(test.breakIt)
			long := verdict("A-001", engine.Fail, strings.Repeat("x", 500))
			for i := range 20 { // enough to need new pages
				transitions, err := s.Record(machine("a", "web"+strings.Repeat("x", i)), engine.Live, []engine.Verdict{long}, at(2))
				if err == nil && i == 19 {
					t.Fatal("written to a disk that takes nothing")
				}
				if err != nil && (!strings.Contains(err.Error(), "--state-dir "+dir) || s.Err() == nil) {
					t.Errorf("got %v, and Err() %v", err, s.Err())
				}
				if len(transitions) == 0 {
					t.Error("the transition is not told")
				}
			}
			if got := s.Tally("a").Rules["A-001"]; got != (Counts{Fail: 20}) {
				t.Errorf("memory says %+v, want 20 fails", got)
			}
			run(test.mendIt)
			r.live(machine("b", "web"), 3, pass("A-001"))
			if s.Err() != nil {
				t.Error(s.Err())
			}
			before := contentOf(s)
			closeStore(t, s)
			if d := cmp.Diff(before, contentOf(openIn(t, dir))); d != "" {
				t.Error(d)
			}
		})
	}
}
