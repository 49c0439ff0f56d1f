package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKubebuilderAssetsAreUsedOnlyIfTheyAreComplete(t *testing.T) {
	tests := map[string]struct {
		programs []string
		mode     os.FileMode
		report   string
	}{
		"complete":             {programs: components(), mode: 0o755},
		"as envtest brings it": {programs: []string{"etcd", "kube-apiserver", "kubectl"}, mode: 0o755, report: "it has no executable kube-controller-manager;"},
		"empty":                {report: "it has no executable etcd, kube-apiserver, kube-controller-manager, kubectl;"},
		"not executable":       {programs: components(), mode: 0o644, report: "it has no executable etcd,"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, program := range test.programs {
				if err := os.WriteFile(filepath.Join(dir, program), nil, test.mode); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv(assetsVariable, dir)
			var progress strings.Builder
			got, err := foreignAssets(&progress)
			if err != nil {
				t.Fatal(err)
			}
			if used := got == dir; used != (test.report == "") {
				t.Errorf("the folder is used: %v (%q)", used, got)
			}
			if !strings.Contains(progress.String(), test.report) || strings.Count(progress.String(), "\n") > 1 {
				t.Errorf("progress is %q, want one line with %q", progress.String(), test.report)
			}
		})
	}
}

func TestWithoutKubebuilderAssetsNothingIsReported(t *testing.T) {
	t.Setenv(assetsVariable, "")
	var progress strings.Builder
	if got, err := foreignAssets(&progress); got != "" || err != nil || progress.Len() > 0 {
		t.Errorf("got %q, %v, %q", got, err, progress.String())
	}
}

func TestTheVersionIsThatOfTheModule(t *testing.T) {
	data, err := os.ReadFile("kube/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\tk8s.io/kubernetes " + kubeVersion + "\n"; !strings.Contains(string(data), want) {
		t.Errorf("kube/go.mod does not require %s", strings.TrimSpace(want))
	}
	if flags := kubeModule("").LDFlags; !strings.Contains(flags, "version.gitMajor=1 ") || !strings.Contains(flags, "version.gitMinor=37 ") {
		t.Errorf("linker flags lack the numbers of the version: %s", flags)
	}
}

func TestOutsideOfACheckoutTheErrorSaysSo(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := checkout(); err == nil || !strings.Contains(err.Error(), "is not inside a checkout of cato.dev/cato") {
		t.Errorf("got %v", err)
	}
}

func TestDefinitionsAreReadFromAnyForm(t *testing.T) {
	const crd = `{"kind": "CustomResourceDefinition", "metadata": {"name": "%"}}`
	named := func(name string) string { return strings.ReplaceAll(crd, "%", name) }
	tests := map[string]struct {
		data string
		want []string
	}{
		"a list":             {`{"kind": "List", "items": [` + named("a") + "," + named("b") + `]}`, []string{"a", "b"}},
		"one object":         {named("a"), []string{"a"}},
		"documents":          {"---\nkind: Namespace\n---\n" + named("a") + "\n---\n\n---\n" + named("b") + "\n", []string{"a", "b"}},
		"other kinds":        {"kind: Kustomization\nresources: [a.yaml]\n", nil},
		"nothing":            {"# a comment\n", nil},
		"network attachment": {string(networkAttachment), []string{"network-attachment-definitions.k8s.cni.cncf.io"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := parseCRDs([]byte(test.data))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, d := range found {
				names = append(names, d.name)
			}
			if diff := cmp.Diff(test.want, names); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWrongOptionsAreNamed(t *testing.T) {
	empty, broken := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "a.yaml"), []byte("kind: [\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		sets    []CRDSet
		folders []string
		want    string
	}{
		"unknown set":       {sets: []CRDSet{"kubvirt"}, want: `there is no set "kubvirt"`},
		"no such folder":    {folders: []string{filepath.Join(empty, "absent")}, want: "options: CRDDirectories: open"},
		"folder of nothing": {folders: []string{empty}, want: "has no CustomResourceDefinition"},
		"broken file":       {folders: []string{broken}, want: "a.yaml"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := loadCRDs(Set{}, test.sets, test.folders)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
