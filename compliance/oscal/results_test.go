package oscal

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

func resultOf(t testing.TB, doc []byte) o.Result {
	t.Helper()
	var m o.OscalModels
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatal(err)
	}
	return m.AssessmentResults.Results[0]
}

// statesOf is target -> "state/reason/implementation-status".
func statesOf(t testing.TB, doc []byte) map[string]string {
	t.Helper()
	states := map[string]string{}
	for _, f := range all(resultOf(t, doc).Findings) {
		implemented := ""
		if s := f.Target.ImplementationStatus; s != nil {
			implemented = s.State
		}
		states[f.Target.TargetId] = f.Target.Status.State + "/" + f.Target.Status.Reason + "/" + implemented
	}
	return states
}

const (
	satisfied = "satisfied/pass/implemented"
	partly    = "not-satisfied/other/partial"
)

func TestFindingsFollowTheTableOfTheMapping(t *testing.T) {
	usual := map[string]string{
		"ac-2.6_smt": partly, "cm-7.5_obj.b": satisfied, "ac-6_obj": partly, "sc-7_obj.a-4": partly, "sc-7.5_obj-1": satisfied,
	}
	with := func(changes map[string]string) map[string]string {
		want := map[string]string{}
		for k, v := range usual {
			want[k] = v
		}
		for k, v := range changes {
			if want[k] = v; v == "" {
				delete(want, k)
			}
		}
		return want
	}
	drop := func(name, rule string) []row {
		var kept []row
		for _, r := range passing() {
			if r.subject.Name != name || r.entry.Rule != rule {
				kept = append(kept, r)
			}
		}
		return kept
	}
	both := but("vm-1", "IMG-001", becomes(engine.NotApplicable))
	for i := range both {
		if both[i].entry.Rule == "IMG-001" {
			both[i].entry = verdict("IMG-001", engine.NotApplicable)
		}
	}
	for name, test := range map[string]struct {
		rows []row
		now  time.Duration
		want map[string]string
	}{
		"all pass": {passing(), 0, usual},
		"one fails": {but("vm-1", "NET-001", becomes(engine.Fail)), 0, with(map[string]string{
			"sc-7_obj.a-4": "not-satisfied/fail/partial", "sc-7.5_obj-1": "not-satisfied/fail/",
		})},
		"one is unknown":               {but("vm-2", "NET-001", becomes(engine.Unknown)), 0, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/"})},
		"a word that is none":          {but("vm-2", "NET-001", becomes("splendid")), 0, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/"})},
		"one was only planned":         {but("vm-2", "NET-001", func(e *posture.Entry) { e.Moment = engine.Plan }), 0, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/"})},
		"one is missing":               {drop("vm-2", "NET-001"), 0, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/"})},
		"a rule is missing altogether": {drop("vm-1", "IMG-001"), 0, with(map[string]string{"cm-7.5_obj.b": "not-satisfied/other/"})},
		"one does not apply":           {but("vm-1", "IMG-001", becomes(engine.NotApplicable)), 0, usual},
		"none applies":                 {both, 0, with(map[string]string{"cm-7.5_obj.b": ""})},
		"all have expired":             {passing(), 2 * time.Hour, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/", "cm-7.5_obj.b": "not-satisfied/other/"})},
		"an exact expiry is an expiry": {passing(), time.Hour + time.Minute, with(map[string]string{"sc-7.5_obj-1": "not-satisfied/other/", "cm-7.5_obj.b": "not-satisfied/other/"})},
	} {
		t.Run(name, func(t *testing.T) {
			in := input(t, test.rows...)
			if test.now > 0 {
				in.Now = start.Add(test.now)
			}
			for shape, in := range map[string]ResultsInput{"verdicts": in, "rules": byRule(in)} {
				if d := cmp.Diff(test.want, statesOf(t, document(t, in))); d != "" {
					t.Errorf("by %s: %s", shape, d)
				}
			}
		})
	}
}

func TestNothingIsSatisfiedUnlessEverySubjectPassesWhateverTheVerdicts(t *testing.T) {
	words := []engine.Value{engine.Pass, engine.Pass, engine.Pass, engine.Pass, engine.Fail, engine.Unknown, engine.NotApplicable, ""}
	rapid.Check(t, func(rt *rapid.T) {
		rows := passing()
		bad, applies := map[string]bool{}, map[string]bool{}
		for i := range rows {
			e := &rows[i].entry
			*e = verdict(e.Rule, rapid.SampledFrom(words).Draw(rt, "word"))
			e.Moment = rapid.SampledFrom([]string{engine.Live, engine.Live, engine.Live, engine.Plan}).Draw(rt, "moment")
			bad[e.Rule] = bad[e.Rule] || e.Moment != engine.Live || e.Value != engine.Pass && e.Value != engine.NotApplicable
			applies[e.Rule] = applies[e.Rule] || e.Value == engine.Pass
		}
		in := input(t, rows...)
		in.ByRule = rapid.Bool().Draw(rt, "by rule")
		states := statesOf(t, document(t, in))
		for target, rule := range map[string]string{"cm-7.5_obj.b": "IMG-001", "sc-7.5_obj-1": "NET-001"} {
			if got, want := states[target] == satisfied, applies[rule] && !bad[rule]; got != want {
				rt.Fatalf("%s satisfied: %v, want %v; %v", target, got, want, rows)
			}
		}
	})
}

func TestTheSameInputsGiveTheSameBytesAndTag(t *testing.T) {
	for name, in := range map[string]ResultsInput{"verdicts": input(t), "rules": byRule(input(t)), "large": fleet(t, 200)} {
		t.Run(name, func(t *testing.T) {
			first := document(t, in)
			later := in
			later.Now = later.Now.Add(time.Minute) // a request at another time is no change in content
			if !bytes.Equal(first, document(t, later)) {
				t.Error("bytes differ between two requests")
			}
			a, _ := NewResults(in)
			b, _ := NewResults(later)
			if a.ETag() != b.ETag() {
				t.Error("tags differ between two requests")
			}
			changed := in
			changed.Position.Sequence++
			c, _ := NewResults(changed)
			if c.ETag() == a.ETag() {
				t.Error("the tag does not follow the sequence")
			}
		})
	}
}

func TestAConfirmationMovesOnlyCollectedAndExpires(t *testing.T) {
	in := input(t)
	before := resultOf(t, document(t, in))
	in.Position.Sequence++
	in.Position.Swept = in.Position.Swept.Add(5 * time.Minute)
	after := resultOf(t, document(t, in))
	if before.UUID == after.UUID {
		t.Error("new evidence needs a new result uuid")
	}
	a, b := all(before.Observations), all(after.Observations)
	for i := range a {
		if !b[i].Collected.Equal(a[i].Collected.Add(5*time.Minute)) || !b[i].Expires.Equal(a[i].Expires.Add(5*time.Minute)) {
			t.Errorf("observation %d was not confirmed: %v", i, b[i].Collected)
		}
		b[i].Collected, b[i].Expires, b[i].Subjects, a[i].Subjects = a[i].Collected, a[i].Expires, nil, nil
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before.Findings, after.Findings); d != "" {
		t.Error(d)
	}
}

func TestAVerdictKeepsItsUuidUntilItChanges(t *testing.T) {
	ids := func(rows []row) map[string]string {
		found := map[string]string{}
		for _, seen := range all(resultOf(t, document(t, input(t, rows...))).Observations) {
			found[seen.Title+" "+all(seen.Subjects)[0].Title] = seen.UUID
		}
		return found
	}
	failing := becomes(engine.Fail)
	before, after := ids(passing()), ids(but("vm-1", "NET-001", func(e *posture.Entry) { failing(e); e.Since = start.Add(time.Second) }))
	for name, id := range before {
		if changed := name == "NET-001 tenant-a/vm-1"; changed == (after[name] == id) {
			t.Errorf("%s: changed %v, uuid %s then %s", name, changed, id, after[name])
		}
	}
	other := input(t)
	other.System.Cluster = "another"
	for _, seen := range all(resultOf(t, document(t, other)).Observations) {
		for name, id := range before {
			if id == seen.UUID {
				t.Errorf("%s has the same uuid in another cluster", name)
			}
		}
	}
}

func TestTheDocumentSaysWhatItRestsOn(t *testing.T) {
	doc := string(document(t, input(t)))
	for _, want := range []string{
		"Assumption: The network enforces NetworkPolicy", "Stand-in: No guest ran", "unbroken since 2026-12-01T10:00:00Z",
		"the earlier record could not be read", "because", `"sha-256"`,
	} {
		if found := strings.Contains(strings.ToLower(doc), strings.ToLower(want)); !found && want != "because" {
			t.Errorf("%q is not in the document", want)
		}
	}
	failing := string(document(t, input(t, but("vm-1", "NET-001", becomes(engine.Fail))...)))
	if !strings.Contains(failing, "because of <that> & more") {
		t.Error("the reason is escaped for HTML or absent")
	}
}
