package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/docs/markdown"
)

// Every line of an sh block is of a form that is checked here; those of catoctl and uds-vmctl are parsed by the
// test of cmd/catoctl.
func TestEveryCommandOfThePagesExists(t *testing.T) {
	kinds := servedKinds(t)
	for _, b := range blocksIn(t, "sh") {
		for _, command := range b.Commands() {
			for part := range strings.SplitSeq(command, " | ") {
				part, _, _ = strings.Cut(part, " > ")
				if err := known(strings.Fields(part), kinds, filesOf(t, b.Page)); err != nil {
					t.Errorf("%s:%d: %s: %v", b.Page, b.Line, command, err)
				}
			}
		}
	}
}

func TestTheExampleManifestsAreWhatTheApisTake(t *testing.T) {
	for _, b := range blocksIn(t, "yaml") {
		files, err := gather.NewFiles()
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Add(b.File, strings.NewReader(b.Text)); err != nil {
			t.Errorf("%s:%d: %v", b.Page, b.Line, err)
		}
	}
}

func TestEveryConditionAndReasonIsExplained(t *testing.T) {
	page, err := os.ReadFile("operating.md")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("../api/*/v1alpha1/conditions.go")
	if err != nil || len(sources) == 0 {
		t.Fatal("no conditions found", err)
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?:Condition|Reason)\w+ = "(\w+)"`).FindAllSubmatch(text, -1) {
			if !regexp.MustCompile(`\b` + string(found[1]) + `\b`).Match(page) {
				t.Errorf("operating.md does not explain %s of %s", found[1], source)
			}
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func pages(t *testing.T) []string {
	t.Helper()
	pages, err := markdown.Pages("..")
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func blocksIn(t *testing.T, language string) []markdown.Block {
	t.Helper()
	blocks, err := markdown.ReadAll(pages(t), language)
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) == 0 {
		t.Fatalf("no page has a block of %s", language)
	}
	return blocks
}

// filesOf are the files that a page tells to write.
func filesOf(t *testing.T, page string) []string {
	t.Helper()
	blocks, err := markdown.Read(page)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, b := range blocks {
		if b.File != "" {
			files = append(files, b.File)
		}
	}
	return files
}

// known is nil for a command that a reader can run.
func known(words []string, kinds map[string]bool, written []string) error {
	switch words[0] {
	case "make":
		dry := exec.Command("make", append([]string{"-n"}, words[1:]...)...)
		dry.Dir = ".."
		if out, err := dry.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	case "go":
		if len(words) < 3 || words[1] != "test" && words[1] != "run" {
			return fmt.Errorf("only go test and go run of a folder")
		}
		return exists(words[len(words)-1], nil)
	case ".ci/run":
		return exists(words[0], nil)
	case "kubectl":
		return kubectl(words[1:], kinds, written)
	case "bin/catoctl", "catoctl", "uds-vmctl":
		for i, word := range words[:len(words)-1] {
			if word == "-f" && words[i+1] != "-" {
				return exists(words[i+1], written)
			}
		}
		return nil
	case "base64":
		return nil
	default:
		return fmt.Errorf("no test knows the command %s", words[0])
	}
}

func exists(path string, written []string) error {
	if slices.Contains(written, path) {
		return nil
	}
	_, err := os.Stat(filepath.Join("..", strings.TrimSuffix(path, "...")))
	return err
}

// kubectl checks what can be checked without a cluster: the verb, and the kinds or files that are named.
func kubectl(words []string, kinds map[string]bool, written []string) error {
	if len(words) < 2 {
		return fmt.Errorf("kubectl needs a verb and what it is about")
	}
	switch words[0] {
	case "apply":
		for i, word := range words[:len(words)-1] {
			if word == "-f" || word == "-k" {
				return exists(words[i+1], written)
			}
		}
		return fmt.Errorf("apply without a file")
	case "port-forward":
		return nil
	case "get", "describe", "label", "explain", "create":
		for name := range strings.SplitSeq(words[1], ",") {
			name, _, _ = strings.Cut(name, ".")
			if !kinds[name] {
				return fmt.Errorf("no kind or short name %q is known", name)
			}
		}
		return nil
	default:
		return fmt.Errorf("no test knows kubectl %s", words[0])
	}
}

// servedKinds are the names of our kinds by their CRDs, and those of others that the pages use.
func servedKinds(t *testing.T) map[string]bool {
	t.Helper()
	kinds := map[string]bool{}
	for _, name := range []string{
		"namespace", "pods", "rolebinding", "serviceaccount", "token", "validatingwebhookconfiguration", "vm", "vmi", "dv", "netpol", "secret", "pvc",
	} {
		kinds[name] = true
	}
	files, err := filepath.Glob("../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no CRDs found", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var crd apiextensionsv1.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &crd); err != nil {
			t.Fatal(err)
		}
		names := crd.Spec.Names
		for _, name := range append(names.ShortNames, names.Singular, names.Plural) {
			kinds[name] = true
		}
	}
	return kinds
}
