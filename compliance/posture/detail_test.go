package posture

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cato.dev/cato/policy/engine"
)

func TestSmallFindingsAreKeptWhole(t *testing.T) {
	findings := []engine.Finding{
		{Target: "b", Verdict: engine.Pass, Evidence: json.RawMessage(`{"nic": {"name": "b"}}`)},
		{Target: "a", Verdict: engine.Fail, Message: "NIC a is <bridged>", Evidence: json.RawMessage(`{"nic":{"name":"a"}}`)},
	}
	why, got, cut := decodeDetail(encodeDetail("NIC a is <bridged>", findings))
	want := []Finding{
		{Target: "b", Verdict: engine.Pass, Evidence: json.RawMessage(`{"nic":{"name":"b"}}`)},
		{Target: "a", Verdict: engine.Fail, Message: "NIC a is <bridged>", Evidence: json.RawMessage(`{"nic":{"name":"a"}}`)},
	}
	if d := cmp.Diff(want, got); d != "" || why != "NIC a is <bridged>" || cut != "" {
		t.Errorf("why %q, cut %q: %s", why, cut, d)
	}
}

func TestWhatDoesNotFitIsCutWithANoteAndFailsAreKeptFirst(t *testing.T) {
	var many []engine.Finding
	for i := range 200 {
		many = append(many, engine.Finding{Target: fmt.Sprintf("nic%d", i), Verdict: engine.Pass})
	}
	many = append(many, engine.Finding{Target: "bad", Verdict: engine.Fail, Message: "bridged"})
	large := json.RawMessage(`{"text":"` + strings.Repeat("x", maxDetail) + `"}`)
	for name, test := range map[string]struct {
		why      string
		findings []engine.Finding
		cut      string
		last     Finding
	}{
		"many":     {"", many, " of 201 findings left out: an entry holds at most 4096 bytes", Finding{Target: "bad", Verdict: engine.Fail, Message: "bridged"}},
		"large":    {"", []engine.Finding{{Target: "a", Verdict: engine.Fail, Evidence: large}}, "evidence of 1 findings left out", Finding{Target: "a", Verdict: engine.Fail}},
		"not JSON": {"", []engine.Finding{{Target: "a", Verdict: engine.Fail, Evidence: json.RawMessage(`{`)}}, "evidence of 1 findings left out", Finding{Target: "a", Verdict: engine.Fail}},
		"long why": {strings.Repeat("é", 300), []engine.Finding{{Target: "a", Verdict: engine.Fail}}, "long texts shortened", Finding{Target: "a", Verdict: engine.Fail}},
	} {
		t.Run(name, func(t *testing.T) {
			why, got, cut := decodeDetail(encodeDetail(test.why, test.findings))
			if !strings.Contains(cut, test.cut) {
				t.Errorf("the note %q does not say %q", cut, test.cut)
			}
			if len(got) == 0 {
				t.Fatal("nothing was kept")
			}
			if d := cmp.Diff(test.last, got[len(got)-1]); d != "" {
				t.Error(d)
			}
			if len(why) > maxLine || !utf8.ValidString(why) {
				t.Errorf("why has %d bytes", len(why))
			}
		})
	}
}

func TestAnEntryIsBoundedWhateverARuleSays(t *testing.T) {
	// why, findings and the note: nothing that a rule says can make one entry larger
	const most = maxDetail + 6*maxLine + 300 // a control character takes six bytes in JSON
	rapid.Check(t, func(t *rapid.T) {
		var findings []engine.Finding
		for range rapid.IntRange(0, 30).Draw(t, "findings") {
			f := engine.Finding{
				Target:  rapid.StringN(0, 100, 2000).Draw(t, "target"),
				Verdict: engine.Value(rapid.SampledFrom([]string{"pass", "fail", "unknown", "what"}).Draw(t, "verdict")),
				Message: rapid.StringN(0, 400, 2000).Draw(t, "message"),
			}
			if rapid.Bool().Draw(t, "with evidence") {
				f.Evidence = json.RawMessage(rapid.SampledFrom([]string{`{"a":1}`, `[`, `"` + strings.Repeat("x", 3000) + `"`}).Draw(t, "evidence"))
			}
			findings = append(findings, f)
		}
		text := encodeDetail(rapid.StringN(0, 400, 2000).Draw(t, "why"), findings)
		_, got, cut := decodeDetail(text)
		if len(text) > most {
			t.Fatalf("%d bytes", len(text))
		}
		if len(got) < len(findings) && cut == "" {
			t.Fatalf("%d of %d findings are kept, and nothing says so", len(got), len(findings))
		}
	})
}

func TestStoredFindingsThatCannotBeReadSaySo(t *testing.T) {
	if _, _, cut := decodeDetail("{"); !strings.Contains(cut, "cannot be read") {
		t.Errorf("got %q", cut)
	}
}
