package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/cmd/catoctl/check"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
)

// conformanceCase is expect.yaml: what an expert says of input.yaml beside it.
type conformanceCase struct {
	Title  string `json:"title"`
	Why    string `json:"why"`
	Source string `json:"source,omitempty"`
	// BadInput says that the input is also to be refused in part; a stored object is judged all the same.
	BadInput bool          `json:"badInput,omitempty"`
	Expect   []expectation `json:"expect"`
}

type expectation struct {
	Subject subject        `json:"subject"`
	Topic   string         `json:"topic"`
	Control string         `json:"control,omitempty"` // for people
	Verdict engine.Value   `json:"verdict"`
	Accept  []engine.Value `json:"accept,omitempty"` // further verdicts that an expert would take
}

type subject struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func (s subject) String() string { return s.Kind + "/" + s.Namespace + "/" + s.Name }

func readCase(t *testing.T, folder string) conformanceCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "expect.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var c conformanceCase
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	if c.Title == "" || c.Why == "" || len(c.Expect) == 0 {
		t.Fatalf("%s: a case needs title, why and expect", folder)
	}
	return c
}

// judge runs a case's input through what `catoctl check` runs.
func judge(t *testing.T, checker *check.Checker, folder string) *check.Report {
	t.Helper()
	input, err := os.Open(filepath.Join(folder, "input.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	report, err := checker.Check(t.Context(), check.Source{Name: "input.yaml", Reader: input})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// owned maps a custom resource to the VirtualMachine that it owns: a verdict
// on that counts for the resource.
func owned(t *testing.T, folder string) map[subject]subject {
	t.Helper()
	files, err := gather.NewFiles()
	if err != nil {
		t.Fatal(err)
	}
	input, err := os.Open(filepath.Join(folder, "input.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	_ = files.Add("input.yaml", input) // judge says what is wrong with the input
	owners := map[subject]subject{}
	for _, object := range files.Objects() {
		if _, isVM := object.(*kubevirtv1.VirtualMachine); isVM {
			for _, owner := range object.GetOwnerReferences() {
				owners[subject{owner.Kind, object.GetNamespace(), owner.Name}] = subjectOf(object)
			}
		}
	}
	return owners
}

func subjectOf(object client.Object) subject {
	return subject{"VirtualMachine", object.GetNamespace(), object.GetName()}
}

// nothing stands for a topic on which no rule said anything.
const nothing engine.Value = "nothing"

// fold is the verdict of a topic: any fail is a fail, else any unknown is
// unknown, else any pass is a pass, else not-applicable.
func fold(report *check.Report, topic string, subjects ...subject) (engine.Value, []string) {
	said := map[engine.Value][]string{}
	for i := range report.Verdicts {
		v := &report.Verdicts[i]
		of := subject{v.Subject.Kind, v.Subject.Namespace, v.Subject.Name}
		if v.Topic == topic && slices.Contains(subjects, of) {
			said[v.Verdict] = append(said[v.Verdict], fmt.Sprintf("%s: %s", v.Rule, v.Message))
		}
	}
	for _, value := range []engine.Value{engine.Fail, engine.Unknown, engine.Pass, engine.NotApplicable} {
		if len(said[value]) > 0 {
			return value, said[value]
		}
	}
	return nothing, nil
}

// outcome says how far a verdict is from the expected one.
type outcome string

const (
	right          outcome = ""
	falseSatisfied outcome = "FALSE SATISFIED"
	falseAlarm     outcome = "FALSE ALARM"
	inexact        outcome = "inexact" // fail for unknown, pass for not-applicable, or the other way round
)

func compare(e expectation, got engine.Value) outcome {
	bad := func(v engine.Value) bool { return v == engine.Fail || v == engine.Unknown }
	switch {
	case got == e.Verdict || slices.Contains(e.Accept, got):
		return right
	case bad(e.Verdict) && !bad(got):
		return falseSatisfied
	case !bad(e.Verdict) && bad(got):
		return falseAlarm
	default:
		return inexact
	}
}
