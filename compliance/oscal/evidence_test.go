package oscal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

func TestAnAggregatedObservationNamesWhatFailsAndCountsTheRest(t *testing.T) {
	rows := but("vm-2", "NET-001", becomes(engine.Unknown))
	for i := range rows {
		if rows[i].subject.Name == "vm-1" && rows[i].entry.Rule == "NET-001" {
			rows[i].entry = verdict("NET-001", engine.Fail)
		}
	}
	observations := all(resultOf(t, document(t, byRule(input(t, rows...)))).Observations)
	net := observations[2]
	got := map[string]string{"result": propOf(net.Props, Ns, propResult)}
	for _, s := range all(net.Subjects) {
		got[s.Title] = propOf(s.Props, TrestleNs, propResult)
	}
	want := map[string]string{"result": "fail", "Namespace tenant-a": "fail", "tenant-a/vm-1": "fail", "tenant-a/vm-2": "error"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if count(&net, propFailCount) != 1 || count(&net, propUnknownCount) != 1 || count(&observations[0], propPassCount) != 2 || len(all(observations[0].Subjects)) != 1 {
		t.Error("counts", net.Props)
	}
}

func TestAListThatIsCutSaysSo(t *testing.T) {
	in := fleet(t, 300)
	in.Namespace, in.ListLimit = "", 3
	for _, seen := range all(resultOf(t, document(t, in)).Observations) {
		fails := count(&seen, propFailCount)
		named := len(all(seen.Subjects)) - 1
		if cut := strings.Contains(seen.Description, "The list is cut"); named != min(fails, 3) || cut != (fails > 3) {
			t.Errorf("%s: %d fails, %d named, cut %v", seen.Title, fails, named, cut)
		}
	}
}

func TestEvidenceIsAReferenceAndAFieldPath(t *testing.T) {
	seen := all(resultOf(t, document(t, input(t))).Observations)[1]
	evidence := all(seen.RelevantEvidence)[0]
	if propOf(evidence.Props, Ns, propPath) != "spec.networks[0]" || propOf(evidence.Props, Ns, propVersion) != "41" || !strings.HasPrefix(evidence.Href, "#") {
		t.Errorf("%+v", evidence)
	}
}

func TestTheListOfVerdictsHasTheHashThatTheDocumentNames(t *testing.T) {
	r, err := NewResults(input(t))
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	if err := r.WriteVerdicts(&lines); err != nil {
		t.Fatal(err)
	}
	hash := all(all(all(r.head.BackMatter.Resources)[1].Rlinks)[0].Hashes)[0]
	if n := bytes.Count(lines.Bytes(), []byte("\n")); n != len(passing()) || hash.Value != sha(lines.Bytes()) {
		t.Errorf("%d lines, hash %s", n, hash.Value)
	}
	var first line
	if err := json.Unmarshal(lines.Bytes()[:bytes.IndexByte(lines.Bytes(), '\n')], &first); err != nil || first.Subject.Kind != "Tenant" || first.Verdict != engine.Pass {
		t.Error(err, first)
	}
}

func TestAScopeWithoutVerdictsIsNoDocument(t *testing.T) {
	in := input(t)
	in.Each = walk(nil)
	if _, err := NewResults(in); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	in.Each = walk([]row{{vm("vm-1"), verdict("OLD-001", engine.Pass)}})
	if _, err := NewResults(in); !errors.Is(err, ErrNothing) {
		t.Error("a rule that is not in force makes a document:", err)
	}
}

func TestVerdictsOfRulesThatAreGoneAreLeftOutAndCounted(t *testing.T) {
	doc := string(document(t, input(t, append(passing(), row{vm("vm-2"), verdict("OLD-001", engine.Fail)})...)))
	if strings.Contains(doc, "OLD-001") || !strings.Contains(doc, "Left out: 1 verdicts") {
		t.Error("a rule that is gone is shown, or hidden")
	}
}

func TestWhatCannotBeWrittenIsRefusedWithTheSettingAndTheRemedy(t *testing.T) {
	for want, change := range map[string]func(*System){
		"cluster identity":          func(s *System) { s.Cluster = "" },
		"must be one of 1.1.3":      func(s *System) { s.OscalVersion = "1.2.0" },
		"rules: none":               func(s *System) { s.Rules = nil },
		"confirmation interval 1ms": func(s *System) { s.Interval = time.Millisecond },
		"catalog: missing":          func(s *System) { s.Catalog = nil },
		"href of the SSP":           func(s *System) { s.SSPHref = "http://[::1" },
	} {
		in := input(t)
		change(&in.System)
		_, errResults := NewResults(in)
		_, errPlan := AssessmentPlan(in.System, "", start)
		_, errComponent := ComponentDefinition(in.System, start)
		for _, err := range []error{errResults, errPlan, errComponent} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an error with %q", err, want)
			}
		}
	}
}

func TestASecretInAVerdictIsAnErrorAndNoByteIsWritten(t *testing.T) {
	leak := func(e *posture.Entry) { becomes(engine.Fail)(e); e.Why = "password: hunter22" }
	small, large := input(t, but("vm-1", "NET-001", leak)...), fleet(t, 150)
	walkAll := large.Each
	large.Each = func(f func(posture.Subject, posture.Entry) bool) {
		walkAll(func(s posture.Subject, e posture.Entry) bool {
			if s.Name == "vm-000149" {
				leak(&e)
			}
			return f(s, e)
		})
	}
	for name, in := range map[string]ResultsInput{"small": small, "large": large} {
		r, err := NewResults(in)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = r.WriteJSON(&out)
		if err == nil || !strings.Contains(err.Error(), "a password") || strings.Contains(err.Error(), "hunter22") || strings.Contains(out.String(), "hunter22") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "small" && out.Len() > 0 {
			t.Errorf("%d bytes were written", out.Len())
		}
	}
}

func TestTheSummaryShowsAControlSatisfiedOnlyWhole(t *testing.T) {
	in := input(t)
	in.System.Rules[0].Controls[1].Objectives = []string{"sc-7.5_obj-1", "sc-7.5_obj-2"}
	lines, err := Summary(document(t, in), in.System.Catalog)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := WriteSummary(&table, lines); err != nil {
		t.Fatal(err)
	}
	want := `Control ID   Status
AC-2(6)      not-satisfied
AC-6         not-satisfied
CM-7(5)      not-satisfied
SC-7         not-satisfied
SC-7(5)      satisfied
`
	if d := cmp.Diff(want, table.String()); d != "" {
		t.Error(d)
	}
	if _, err := Summary([]byte(`{"catalog":{}}`), in.System.Catalog); err == nil {
		t.Error("another model was summed up")
	}
}

func FuzzCheck(f *testing.F) {
	in := input(f)
	doc := document(f, in)
	f.Add(doc)
	f.Add(document(f, byRule(in)))
	f.Add([]byte(`{"assessment-results":{"metadata":{"oscal-version":"1.1.3"},"results":[{"findings":[{"target":null}],"observations":[{"subjects":[null]}]}]}}`))
	opts := options(f, in)
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := Check(text, opts); err == nil && !json.Valid(text) {
			t.Error("what is not JSON was accepted")
		}
	})
}

func sha(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}
