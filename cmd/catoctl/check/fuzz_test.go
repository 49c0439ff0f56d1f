package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cato.dev/cato/cmd/catoctl/check"
)

// Whatever comes in, the answer is a report: a panic, an error without a
// message or a subject without a verdict is a defect.
func FuzzCheck(f *testing.F) {
	for _, sample := range samples(f) {
		f.Add(sample)
	}
	for _, seed := range []string{
		"", "---\n", "a: &a [*a]\n", "kind: List\napiVersion: v1\nitems: [null, 1, {}]\n", "{\"kind\": \"Tenant\"}", "\x00\xff",
		goodVM, tenantHead + "spec: {name: Acme, slug: acme}\n", vmHead + "spec: null\n", vmHead + "spec: {memory: 9Ei, diskSize: -1, " + "sourceType: pvc, pvcRef: {name: x}}\n",
		"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a, uid: u}\nspec: {template: null}\n",
		"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec: {template: {spec: {volumes: [{name: v, cloudInitNoCloud: {userData: '#cloud-config'}}], domain: {devices: {disks: [{name: v}], interfaces: [{name: n}]}}, networks: [{name: n}]}}}\n",
	} {
		f.Add(seed)
	}
	checker := newChecker(f)
	f.Fuzz(func(t *testing.T, input string) {
		report, err := checker.Check(t.Context(), check.Source{Name: "fuzz", Reader: strings.NewReader(input)})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range report.Errors {
			if strings.TrimSpace(problem) == "" {
				t.Error("an error without a message")
			}
		}
		for i := range report.Verdicts {
			if v := &report.Verdicts[i]; v.Verdict == "" || v.Subject.Kind == "" {
				t.Errorf("an incomplete verdict: %+v", v)
			}
		}
		if err := report.WriteTable(&strings.Builder{}); err != nil {
			t.Error(err)
		}
	})
}

// samples are the texts of config/samples.
func samples(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("../../../config/samples/*.yaml")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no sample: %v", err)
	}
	texts := make([]string, len(paths))
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		texts[i] = string(text)
	}
	return texts
}
