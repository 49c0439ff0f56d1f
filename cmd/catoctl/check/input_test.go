package check_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"cato.dev/cato/cmd/catoctl/check"
	"cato.dev/cato/policy/engine"
)

func newChecker(t testing.TB) *check.Checker {
	t.Helper()
	checker, err := check.New(t.Context(), func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) })
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

func checked(t testing.TB, checker *check.Checker, input string) *check.Report {
	t.Helper()
	report, err := checker.Check(t.Context(), check.Source{Name: "stdin", Reader: strings.NewReader(input)})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// verdictOn returns the verdict of a rule on the one subject of a kind, and why.
func verdictOn(report *check.Report, kind, rule string) (engine.Value, string) {
	for i := range report.Verdicts {
		if v := &report.Verdicts[i]; v.Subject.Kind == kind && v.Rule == rule {
			return v.Verdict, v.Message
		}
	}
	return "", ""
}

const (
	tenantHead = "apiVersion: virtfoundry.io/v1alpha1\nkind: Tenant\nmetadata: {name: acme}\n"
	vmHead     = "apiVersion: uds.dev/v1alpha1\nkind: UDSVirtualMachine\nmetadata: {name: web-1, namespace: mission-a}\n"
	vmBase     = "sourceType: http, url: 'https://x/y.qcow2', diskSize: 10Gi, checksum: 'sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67'"
	goodVM     = vmHead + "spec: {memory: 1Gi, " + vmBase + "}\n"
)

func TestWhatCannotBeReadIsAnErrorThatNamesObjectFieldValueAndRemedy(t *testing.T) {
	checker := newChecker(t)
	long := strings.Repeat("a", 80)
	tests := []struct {
		name, input string
		want        []string // parts of the one error
	}{
		{"an empty input", "", []string{"the input is empty", "give it at least one Tenant"}},
		{"nothing but comments", "# nothing\n---\n", []string{"the input is empty"}},
		{"bad YAML", "apiVersion: v1\nkind: [Namespace\n", []string{"stdin: document 1: not YAML", "line 2"}},
		{"the same key twice", vmHead + "spec: {memory: 1Gi, memory: 2Gi, " + vmBase + "}\n", []string{"document 1", `"memory"`, "already"}},
		{"a binary document", "\x00\x01\x02\xff\xfe", []string{"stdin: document 1: not YAML"}},
		{"no object", "- a\n- b\n", []string{"document 1: not a Kubernetes object"}},
		{"no kind", "a: b\n", []string{"document 1: not a Kubernetes object", "add them, or leave the document out"}},
		{"an unknown field", vmHead + "spec: {memory: 1Gi, cpus: 4, " + vmBase + "}\n", []string{"UDSVirtualMachine mission-a/web-1", `unknown field "spec.cpus"`, "remove or correct it"}},
		{"an unknown value", vmHead + "spec: {memory: 1Gi, sourceType: ftp}\n", []string{"UDSVirtualMachine mission-a/web-1", "spec.sourceType", `"ftp"`, "use one of", "registry"}},
		{"a missing field", vmHead + "spec: {sourceType: blank}\n", []string{"UDSVirtualMachine mission-a/web-1", "spec.memory", "is missing: add it"}},
		{"a slug of 80 characters", tenantHead + "spec: {name: Acme, slug: " + long + "}\n", []string{"Tenant acme: spec.slug", long, "shorten it to at most 44"}},
		{"cores of 1e30", vmHead + "spec: {memory: 1Gi, cpu: {cores: 1e30}, " + vmBase + "}\n", []string{"UDSVirtualMachine mission-a/web-1", "spec.cpu.cores", "1e+30", "integer"}},
		{"a memory without quotes that is no integer", vmHead + "spec: {memory: 1e30, " + vmBase + "}\n", []string{"spec.memory", "1e+30", "must be of type integer,string"}},
		{"two objects of one name", goodVM + "---\n" + strings.Replace(goodVM, "1Gi", "2Gi", 1), []string{"stdin: document 2: UDSVirtualMachine mission-a/web-1", "is in the input twice", "leave one out"}},
		{"a name in capitals", strings.Replace(goodVM, "web-1", "Web_1", 1), []string{"metadata.name", `"Web_1"`, "lowercase"}},
		{"no name", strings.Replace(goodVM, "name: web-1, ", "", 1), []string{"UDSVirtualMachine", "metadata.name", "give the object a name"}},
		{"a Tenant in a namespace", strings.Replace(tenantHead, "acme}", "acme, namespace: x}", 1) + "spec: {name: Acme, slug: acme}\n", []string{"Tenant x/acme", "metadata.namespace", "not allowed"}},
		{"another version of a kind that is read", "apiVersion: cdi.kubevirt.io/v1alpha1\nkind: DataVolume\nmetadata: {name: a}\n", []string{"DataVolume a", `version "v1alpha1" is not read`, "cdi.kubevirt.io/v1beta1"}},
		{"a quota that is no quantity", "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: ns}\nspec: {hard: {pods: 1e1.5}}\n", []string{"ResourceQuota ns/q", "spec.hard.pods", `"1e1.5"`, "such as 10Gi"}},
		{"text where a number belongs", vmHead + "spec: {memory: 1Gi, cpu: {cores: many}, " + vmBase + "}\n", []string{"UDSVirtualMachine mission-a/web-1", "spec.cpu.cores", "many", "integer"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := checked(t, checker, tt.input)
			if report.ExitCode() != 2 || len(report.Errors) == 0 {
				t.Fatalf("exit code %d, errors %q", report.ExitCode(), report.Errors)
			}
			all := strings.Join(report.Errors, "\n")
			for _, part := range tt.want {
				if !strings.Contains(all, part) {
					t.Errorf("%q is missing in %q", part, all)
				}
			}
		})
	}
}

func TestWhatIsReadAndWrongIsAVerdictThatNamesFieldAndValue(t *testing.T) {
	checker := newChecker(t)
	secret := func(data []byte) string {
		return vmHead + "spec: {memory: 1Gi, guest: {userDataSecretRef: {name: mine}}, " + vmBase + "}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: mine, namespace: mission-a}\ndata: {userdata: " +
			base64.StdEncoding.EncodeToString(data) + "}\n"
	}
	memory := func(text string) string {
		return vmHead + fmt.Sprintf("spec: {memory: %s, %s}\n", text, vmBase)
	}
	checksum := func(text string) string {
		return vmHead + "spec: {memory: 1Gi, sourceType: http, url: 'https://x/y', diskSize: 1Gi, checksum: '" + text + "'}\n"
	}
	tests := []struct {
		name, input, rule string
		want              []engine.Value
		why               []string
	}{
		{"memory 1e30", memory("'1e30'"), "CRB-001", []engine.Value{engine.Fail}, []string{"memory", "1e30"}},
		{"memory -1", memory("-1"), "CRB-001", []engine.Value{engine.Fail}, []string{"memory", "-1"}},
		{"memory 9Ei", memory("9Ei"), "CRB-001", []engine.Value{engine.Fail}, []string{"memory", "9Ei"}},
		{"memory 1e1.5", memory("1e1.5"), "CRB-001", []engine.Value{engine.Fail}, []string{"memory", "1e1.5"}},
		{"a checksum of the wrong length", checksum("sha256:abcd"), "IMG-001", []engine.Value{engine.Fail}, []string{"checksum", "abcd"}},
		{"a checksum of another algorithm", checksum("md5:9e107d9d372bb6826bd81d3542a419d6"), "IMG-001", []engine.Value{engine.Fail}, []string{"md5"}},
		{"user data of 1 MiB", secret(append([]byte("#cloud-config\n#"), bytes.Repeat([]byte("x"), 1<<20)...)), "GST-001", []engine.Value{engine.Unknown, engine.Pass}, nil},
		{"user data of 1 MiB of commands", secret(append([]byte("#cloud-config\nruncmd:\n"), bytes.Repeat([]byte("- echo hello\n"), 80000)...)), "GST-004", []engine.Value{engine.Unknown, engine.Fail, engine.Pass}, nil},
		{"binary user data", secret(bytes.Repeat([]byte{0x7f, 'E', 'L', 'F', 0, 1, 0xff}, 1000)), "GST-001", []engine.Value{engine.Unknown, engine.Fail}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			report := checked(t, checker, tt.input)
			got, why := verdictOn(report, "UDSVirtualMachine", tt.rule)
			found := false
			for _, want := range tt.want {
				found = found || got == want
			}
			if !found || len(report.Errors) > 0 {
				t.Fatalf("%s is %q (%s), want one of %v; errors %q", tt.rule, got, why, tt.want, report.Errors)
			}
			for _, part := range tt.why {
				if !strings.Contains(why, part) {
					t.Errorf("%q is missing in %q", part, why)
				}
			}
		})
	}
}

func TestAPolicyThatCannotBeReadLeavesIsolationUnknown(t *testing.T) {
	checker := newChecker(t)
	for name, broken := range map[string]string{
		"its type is wrong":   "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: open, namespace: mission-a}\nspec: {podSelector: [], ingress: [{}]}\n",
		"it is not YAML":      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: open\nspec: {}\n",
		"its version is old":  "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: open, namespace: mission-a}\n",
		"its name is missing": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {namespace: mission-a}\nspec: {podSelector: {}}\n",
		"another has its name": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: mission-a}\nspec: {podSelector: {matchLabels: {a: b}}}\n---\n" +
			"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: mission-a}\nspec: {podSelector: {}, ingress: [{}]}\n",
		"it has a key doubled": "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a, namespace: mission-a}\nspec: {podSelector: {}, podSelector: {matchLabels: {a: b}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			report := checked(t, checker, goodVM+"---\n"+broken)
			if got, why := verdictOn(report, "UDSVirtualMachine", "NET-001"); got != engine.Unknown {
				t.Errorf("NET-001 is %q (%s), want unknown; errors %q", got, why, report.Errors)
			}
			if got, _ := verdictOn(report, "UDSVirtualMachine", "CRB-001"); got != engine.Pass {
				t.Errorf("CRB-001, which needs no policy, is %q, want pass", got)
			}
			if report.ExitCode() != 2 {
				t.Errorf("exit code %d, want 2", report.ExitCode())
			}
		})
	}
}

func TestWhatIsGoodIsJudgedBesideWhatIsBad(t *testing.T) {
	report := checked(t, newChecker(t), goodVM+"---\nkind: [\n---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n"+tenantHead+"spec: {name: Acme, slug: acme}\n")
	if got, why := verdictOn(report, "Tenant", "NS-001"); got != engine.Pass {
		t.Errorf("NS-001 is %q (%s)", got, why)
	}
	if got, why := verdictOn(report, "UDSVirtualMachine", "NET-001"); got != engine.Pass {
		t.Errorf("NET-001 is %q (%s)", got, why)
	}
	if len(report.Errors) != 1 || report.Skipped["Service"] != 0 && len(report.Skipped) != 1 {
		t.Errorf("errors %q, skipped %v", report.Errors, report.Skipped)
	}
	if len(report.Assumptions) == 0 || len(report.Later) == 0 {
		t.Errorf("a plan has assumptions and later rules: %q, %v", report.Assumptions, report.Later)
	}
}

func TestTheSameObjectTwiceCountsOnce(t *testing.T) {
	report := checked(t, newChecker(t), goodVM+"---\n"+goodVM)
	seen := map[string]int{}
	for i := range report.Verdicts {
		seen[report.Verdicts[i].Rule]++
	}
	if len(report.Errors) > 0 || seen["NET-001"] != 1 {
		t.Errorf("errors %q, verdicts %v", report.Errors, seen)
	}
}
