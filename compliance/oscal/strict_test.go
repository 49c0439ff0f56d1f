package oscal

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
)

func TestTheStrictCheckRefusesWhatASchemaLetsPass(t *testing.T) {
	in := input(t)
	docs := map[string][]byte{"results": document(t, in), "rules": document(t, byRule(in))}
	for name, make := range map[string]func() (*o.OscalModels, error){
		"component": func() (*o.OscalModels, error) { return ComponentDefinition(in.System, start) },
		"plan":      func() (*o.OscalModels, error) { return AssessmentPlan(in.System, "tenant-a", start) },
	} {
		model, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if docs[name], err = Encode(model, options(t, in)); err != nil {
			t.Fatal(err)
		}
	}
	docs["poam"] = []byte(`{"plan-of-action-and-milestones":{"uuid":"` + unused + `","metadata":{"title":"t","last-modified":"2026-12-01T10:00:00Z","version":"1","oscal-version":"1.2.2"},"poam-items":[{"title":"t","description":"d"}]}}`)
	for name, m := range mutations() {
		t.Run(name, func(t *testing.T) {
			var tree any
			if err := json.Unmarshal(docs[m.doc], &tree); err != nil {
				t.Fatal(err)
			}
			m.change(t, tree)
			text, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			var found Problems
			if !errors.As(Check(text, options(t, in)), &found) {
				t.Fatal("accepted")
			}
			for _, p := range found {
				if p.Pointer == m.at && strings.Contains(p.Message, m.want) {
					return
				}
			}
			t.Errorf("want %s: …%s…; %v", m.at, m.want, found)
		})
	}
}

func TestASecretIsNotRepeatedInTheProblem(t *testing.T) {
	var tree any
	if err := json.Unmarshal(document(t, input(t)), &tree); err != nil {
		t.Fatal(err)
	}
	put(obs+"/description", "password: hunter22")(t, tree)
	text, _ := json.Marshal(tree)
	err := Check(text, options(t, input(t)))
	if err == nil || strings.Contains(err.Error(), "hunter22") {
		t.Error(err)
	}
}

func TestWhatIsNoDocumentIsAnErrorAndNoPanic(t *testing.T) {
	for _, text := range []string{"", "{", "null", "[]", "1", `"x"`, "{}", `{"a":1}{"b":2}`, `{"assessment-results":null}`, `{"assessment-results":[]}`, `{"assessment-results":{"metadata":{"oscal-version":"1.2.2"},"results":[null,1,{}]}}`} {
		if err := Check([]byte(text), options(t, input(t))); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestAnExternalReferenceIsAccepted(t *testing.T) {
	var tree any
	if err := json.Unmarshal(document(t, input(t)), &tree); err != nil {
		t.Fatal(err)
	}
	put(res+"/findings/0/implementation-statement-uuid", unused)(t, tree)
	text, _ := json.Marshal(tree)
	opts := options(t, input(t))
	if err := Check(text, opts); err == nil {
		t.Error("a reference to nothing was accepted")
	}
	opts.External = []string{unused}
	if err := Check(text, opts); err != nil {
		t.Error(err)
	}
}

func TestWithoutATimeTheEndOfTheResultDecidesWhatHasExpired(t *testing.T) {
	in := input(t)
	doc := document(t, in)
	opts := options(t, in)
	opts.Now = time.Time{}
	if err := Check(doc, opts); err != nil {
		t.Error(err)
	}
	opts.Now = start.Add(24 * time.Hour)
	if err := Check(doc, opts); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Error("passes of yesterday still satisfy:", err)
	}
}
