package check_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cato.dev/cato/cmd/catoctl/check"
	"cato.dev/cato/policy/engine"
)

// The fuzzer's own build of the whole checker takes minutes, so that CI cannot afford it: here the same property
// is held over samples that are damaged as hands and templates damage them.
func TestDamagedSamplesGetAReport(t *testing.T) {
	samples := samples(t)
	checker := newChecker(t)
	rapid.Check(t, func(r *rapid.T) {
		input := damage(r, rapid.SampledFrom(samples).Draw(r, "sample"))
		report, err := checker.Check(t.Context(), check.Source{Name: "damaged", Reader: strings.NewReader(input)})
		if err != nil {
			r.Fatal(err)
		}
		for _, problem := range report.Errors {
			if strings.TrimSpace(problem) == "" {
				r.Error("an error without a message")
			}
		}
		for i := range report.Verdicts {
			if v := &report.Verdicts[i]; v.Subject.Kind == "" || v.Verdict != engine.Pass && v.Verdict != engine.NotApplicable && v.Message == "" {
				r.Errorf("a verdict that does not say of what, or why: %+v\n%s", v, input)
			}
		}
	})
}

// damage replaces values and lines, and cuts, doubles and inserts pieces.
func damage(r *rapid.T, text string) string {
	values := []string{
		"null", "{}", "[]", "-1", "1e30", "9Ei", "true", "~", "\"\"", "&a", "*a", "!!binary x", "\x00", "\u202e", ": :", "- -", "|", strings.Repeat("x", 300),
	}
	for range rapid.IntRange(1, 4).Draw(r, "damages") {
		lines := strings.Split(text, "\n")
		at := rapid.IntRange(0, len(lines)-1).Draw(r, "line")
		value := rapid.SampledFrom(values).Draw(r, "value")
		switch rapid.IntRange(0, 4).Draw(r, "damage") {
		case 0:
			if name, _, found := strings.Cut(lines[at], ":"); found {
				lines[at] = name + ": " + value
			}
		case 1:
			lines = append(lines[:at], lines[at+1:]...)
		case 2:
			lines[at] = lines[at] + "\n" + lines[at]
		case 3:
			lines[at] = "  " + lines[at]
		default:
			lines[at] = lines[at][:len(lines[at])/2] + value
		}
		text = strings.Join(lines, "\n")
	}
	return text
}
