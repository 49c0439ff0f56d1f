package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the page says is shown by a test is shown by one that exists.
func TestWhatIsShownByATestOfThePageForVirtFoundryExists(t *testing.T) {
	page, err := os.ReadFile("virtfoundry.md")
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile("rules.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOfTheTree(t)
	for name := range distinct(regexp.MustCompile("`(Test[A-Za-z0-9]+)`"), page) {
		if !strings.Contains(tests, "func "+name+"(") {
			t.Errorf("there is no test %s", name)
		}
	}
	for text := range distinct(regexp.MustCompile(`"([^"]+)"`), page) {
		if !strings.Contains(tests, `It("`+text+`"`) {
			t.Errorf("there is no spec %q", text)
		}
	}
	for anchor := range distinct(regexp.MustCompile(`\(rules\.md#([a-z0-9_-]+)\)`), page) {
		if !strings.Contains(strings.ToLower(string(rules)), "\n### "+anchor+"\n") {
			t.Errorf("there is no rule or grant %s", anchor)
		}
	}
}

func distinct(pattern *regexp.Regexp, text []byte) map[string]bool {
	found := map[string]bool{}
	for _, match := range pattern.FindAllSubmatch(text, -1) {
		found[string(match[1])] = true
	}
	return found
}

// testsOfTheTree is the text of all tests of the repository.
func testsOfTheTree(t *testing.T) string {
	t.Helper()
	text := strings.Builder{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		text.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}
