package assessment

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func loaded(t *testing.T) (*engine.Engine, *catalog.Catalog) {
	t.Helper()
	e, _, controls, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return e, controls
}

// record gives a machine a verdict of every rule of its kind.
func record(t *testing.T, store *posture.Store, set *engine.Set, namespace, name string, verdict func(rule string) (engine.Value, string)) {
	t.Helper()
	var verdicts []engine.Verdict
	for _, rule := range set.Rules() {
		value, why := verdict(rule.ID)
		verdicts = append(verdicts, engine.Verdict{Rule: rule, Value: value, Why: why, Revision: set.Revision})
	}
	subject := posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: facts.KindUDSVirtualMachine, Namespace: namespace, Name: name, UID: namespace + name}
	if _, err := store.Record(subject, engine.Live, verdicts, noon); err != nil {
		t.Fatal(err)
	}
}

func TestAReportOfAThousandMachinesThatFailEverythingStaysBelow32KiB(t *testing.T) {
	e, controls := loaded(t)
	set, store := e.Current(), memory(t)
	long := strings.Repeat("ü", 2000)
	const machines = 1000
	for i := range machines {
		record(t, store, set, "mission", fmt.Sprintf("%04d-%s", i, strings.Repeat("n", 248)), func(string) (engine.Value, string) {
			return engine.Fail, long
		})
	}
	status := ReportStatus(store.View("mission"), set, controls)
	report := catov1alpha1.ComplianceReport{
		TypeMeta:   metav1.TypeMeta{APIVersion: catov1alpha1.GroupVersion.String(), Kind: "ComplianceReport"},
		ObjectMeta: metav1.ObjectMeta{Namespace: strings.Repeat("m", 63), Name: catov1alpha1.ReportName, UID: "00000000-0000-0000-0000-000000000000", ResourceVersion: "18446744073709551615"},
		Status:     status,
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(text))
	const managedFields = 1024 // two managers of an object whose lists are atomic
	if len(text)+managedFields >= 32<<10 {
		t.Errorf("%d bytes", len(text))
	}
	if !utf8.Valid(text) {
		t.Error("a text was cut within a character")
	}
	total := machines * len(set.Rules())
	if status.Subjects != machines || int(status.Summary.Fail) != total || len(status.Failing) != catov1alpha1.MaxFailing || int(status.OmittedFailures) != total-catov1alpha1.MaxFailing {
		t.Errorf("subjects %d, failures %d, shown %d, left out %d", status.Subjects, status.Summary.Fail, len(status.Failing), status.OmittedFailures)
	}
	if d := cmp.Diff(status, ReportStatus(store.View("mission"), set, controls)); d != "" {
		t.Errorf("two reports of one posture differ: %s", d)
	}
}

func TestAReportShowsTheGravestFirstAndFailsBeforeUnknowns(t *testing.T) {
	e, controls := loaded(t)
	set, store := e.Current(), memory(t)
	verdicts := map[string]engine.Value{"GST-001": engine.Fail, "NET-001": engine.Unknown, "RES-002": engine.Fail, "CPU-001": engine.NotApplicable}
	record(t, store, set, "mission", "vm", func(rule string) (engine.Value, string) {
		if v, set := verdicts[rule]; set {
			return v, "because of " + rule
		}
		return engine.Pass, ""
	})
	record(t, store, set, "elsewhere", "vm", func(string) (engine.Value, string) { return engine.Fail, "not of this namespace" })
	if ReportStatus(store.View("mission"), set, controls).EvidenceTime != nil {
		t.Error("evidence has a time before all was judged")
	}
	if err := store.FinishSweep(noon); err != nil {
		t.Fatal(err)
	}
	status := ReportStatus(store.View("mission"), set, controls)
	var shown []string
	order := map[string]int{"critical": 0, "high": 1, "medium": 2, "low": 3}
	last := -1
	for _, f := range status.Failing {
		shown = append(shown, f.Rule)
		rule, _ := set.Rule(f.Rule)
		rank := order[rule.Severity]
		if f.Verdict == catov1alpha1.VerdictUnknown {
			rank += len(order)
		}
		if rank < last {
			t.Errorf("%s is shown after what is less grave", f.Rule)
		}
		last = rank
		if f.Message != "because of "+f.Rule || !f.Since.Time.Equal(noon) || f.Name != "vm" {
			t.Errorf("%+v", f)
		}
	}
	if len(shown) != 3 || shown[2] != "NET-001" {
		t.Errorf("shown: %v", shown)
	}
	want := catov1alpha1.VerdictCounts{Pass: int32(len(set.Rules()) - 4), Fail: 2, Unknown: 1, NotApplicable: 1}
	if d := cmp.Diff(want, status.Summary); d != "" {
		t.Error(d)
	}
	for _, control := range status.Controls {
		if control.Verdict != catov1alpha1.VerdictPass && control.Satisfied != nil && *control.Satisfied {
			t.Errorf("%s is %s and satisfied", control.Control, control.Verdict)
		}
	}
	if len(status.Controls) == 0 || status.PolicyRevision != set.Revision || !status.EvidenceTime.Time.Equal(noon) {
		t.Errorf("%+v", status)
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	for text, want := range map[string]string{
		"short": "short", "exactly10.": "exactly10.", "elevenchars": "elevenc…", "äääääää": "äää…", strings.Repeat("€", 4): "€€…",
	} {
		if got := cut(text, 10); got != want || len(got) > 10 {
			t.Errorf("cut(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestReportsAreTheSameWhateverTheZoneOfTheirTimes(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	at := metav1.NewTime(noon)
	a := catov1alpha1.ComplianceReportStatus{EvidenceTime: &at, Failing: []catov1alpha1.Failure{{Rule: "NET-001", Since: at}}}
	b := *a.DeepCopy()
	b.EvidenceTime.Time, b.Failing[0].Since.Time = noon.In(zone), noon.In(zone)
	if !same(&a, &b) {
		t.Error("the zone makes a difference")
	}
	b.Failing[0].Since.Time = noon.Add(time.Second)
	if same(&a, &b) {
		t.Error("another time makes none")
	}
}
