package admission_test

import (
	"os"
	"strings"
	"testing"
)

func TestTheTableOfGuardsNamesEveryCase(t *testing.T) {
	data, err := os.ReadFile("../../docs/guards.md")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(line, " | ")
		if len(cells) == 3 && strings.HasPrefix(cells[1], "`") {
			told[strings.TrimSuffix(strings.TrimSpace(cells[2]), " |")] = strings.Trim(cells[1], "`")
		}
	}
	for _, c := range cases(t) {
		if told[c.Name] != c.Policy {
			t.Errorf("%s: %s: docs/guards.md has it under %q, not %s", c.file, c.Name, told[c.Name], c.Policy)
		}
		delete(told, c.Name)
	}
	for name := range told {
		t.Errorf("docs/guards.md names %q, which is no case", name)
	}
}
