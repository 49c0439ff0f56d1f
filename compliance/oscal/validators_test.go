package oscal

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/defenseunicorns/go-oscal/src/pkg/validation"
	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/policy/engine"
)

// documents are one of each kind and shape, in one version of OSCAL.
func documents(t *testing.T, version string) map[string][]byte {
	t.Helper()
	in := input(t, but("vm-1", "NET-001", becomes(engine.Fail))...)
	in.System.OscalVersion = version
	docs := map[string][]byte{"results": document(t, in), "results-rules": document(t, byRule(in))}
	cluster := in
	cluster.Namespace = ""
	docs["results-cluster"] = document(t, cluster)
	for name, make := range map[string]func() (*o.OscalModels, error){
		"component-definition": func() (*o.OscalModels, error) { return ComponentDefinition(in.System, start) },
		"plan":                 func() (*o.OscalModels, error) { return AssessmentPlan(in.System, "tenant-a", start) },
		"plan-cluster":         func() (*o.OscalModels, error) { return AssessmentPlan(in.System, "", start) },
	} {
		model, err := make()
		if err != nil {
			t.Fatal(err)
		}
		if docs[name], err = Encode(model, options(t, in)); err != nil {
			t.Fatal(name, err)
		}
	}
	return docs
}

func TestGoOscalAcceptsEveryDocumentAsJSONAndYAML(t *testing.T) {
	for _, version := range Versions() {
		for name, doc := range documents(t, version) {
			text, err := YAML(doc)
			if err != nil {
				t.Fatal(name, err)
			}
			for form, doc := range map[string][]byte{"json": doc, "yaml": text} {
				validator, err := validation.NewValidator(doc)
				if err != nil {
					t.Fatal(name, form, err)
				}
				if got := validator.GetSchemaVersion(); got != version {
					t.Errorf("%s %s: is of version %s, want %s", name, form, got, version)
				}
				if err := validator.Validate(); err != nil {
					t.Errorf("%s %s %s: %v", name, form, version, err)
				}
			}
		}
	}
}

// ajv shares no code with go-oscal and santhosh-tekuri's engine.
func TestAjvAcceptsEveryDocumentAndRefusesABrokenOne(t *testing.T) {
	const remedy = "run: make deps"
	script := filepath.Join("..", "..", "test", "ajv", "validate.mjs")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("node: %v; %s", err, remedy)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(script), "node_modules", "ajv")); err != nil {
		t.Fatalf("ajv is not installed in test/ajv; %s", remedy)
	}
	for _, version := range Versions() {
		dir := t.TempDir()
		write := func(name string, content []byte) string {
			path := filepath.Join(dir, name+".json")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		data, err := Schema(version)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		schema := write("schema", text)
		// One run for good and bad: compiling the schema is what takes seconds.
		docs := documents(t, version)
		args := []string{script, schema, write("broken", []byte(`{"assessment-results":{"uuid":"x"}}`))}
		for name, doc := range docs {
			args = append(args, write(name, doc))
		}
		out, err := exec.Command(node, args...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("OSCAL %s: a broken document among valid ones must give exit 1, got %v", version, err)
		}
		for name := range docs {
			if !strings.Contains(string(out), filepath.Join(dir, name+".json")+": valid\n") {
				t.Errorf("OSCAL %s: %s was refused\n%s", version, name, out)
			}
		}
		if strings.Contains(string(out), "broken.json: valid") {
			t.Errorf("OSCAL %s: the broken document was accepted", version)
		}
	}
}
