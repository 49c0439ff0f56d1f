package chartgen_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/config/chartgen"
)

func TestTheChartHoldsWhatTheManifestsGive(t *testing.T) {
	want, err := chartgen.Templates(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../chart/templates/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range files {
		if !chartgen.Generated(filepath.Base(file)) {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(file)] = string(data)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Fatalf("files: make manifests (-want +got):\n%s", diff)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is out of date: make manifests", name)
		}
	}
}

func TestAManifestThatChangedWhereAValueGoesIsAnError(t *testing.T) {
	config := fstest.MapFS{}
	for _, folder := range []string{"crd", "manager", "rbac", "webhook", "admission", "prometheus"} {
		config[folder+"/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: []\n")}
	}
	if _, err := chartgen.Templates(config); err != nil {
		t.Fatal(err)
	}
	for file, test := range map[string]struct{ text, want string }{
		"manager/state.yaml":     {"metadata:\n  name: another\n", `config/manager/state.yaml has "  name: cato-state\n" 0 times`},
		"admission/new.yaml":     {"kind: ValidatingAdmissionPolicy\n", "config/admission/new.yaml: label cato.dev/guard names none"},
		"rbac/missing.yaml":      {"", "rbac/missing.yaml"},
		"crd/bases/without.yaml": {"metadata:\n  name: x\n", "config/crd/bases/without.yaml"},
	} {
		folder, base, _ := strings.Cut(file, "/")
		changed := maps.Clone(config)
		changed[folder+"/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: [" + base + "]\n")}
		if test.text != "" {
			changed[file] = &fstest.MapFile{Data: []byte(test.text)}
		}
		if _, err := chartgen.Templates(changed); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", file, err, test.want)
		}
	}
}
