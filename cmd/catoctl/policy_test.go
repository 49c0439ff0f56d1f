package main

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestPolicyListNamesEveryRuleAndGrant(t *testing.T) {
	table := call(t, "catoctl", "", "policy", "list")
	var list policyList
	if err := yaml.UnmarshalStrict([]byte(call(t, "catoctl", "", "policy", "list", "-o", "yaml").out), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Rules) == 0 || len(list.Grants) == 0 || table.code != 0 {
		t.Fatalf("%d rules, %d grants, exit code %d", len(list.Rules), len(list.Grants), table.code)
	}
	for _, name := range list.names() {
		if !strings.Contains(table.out, "\n"+name) {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func TestPolicyShowTellsWhatToDo(t *testing.T) {
	rule := call(t, "catoctl", "", "policy", "show", "net-001")
	for _, part := range []string{"NET-001", "SC-7(5)", "network-isolation", "What to do"} {
		if !strings.Contains(rule.out, part) {
			t.Errorf("%q is missing in\n%s", part, rule.out)
		}
	}
	if grant := call(t, "catoctl", "", "policy", "show", "dedicated_cpu"); !strings.Contains(grant.out, "Given by") {
		t.Errorf("the grant does not say who gives it:\n%s", grant.out)
	}
	if none := call(t, "catoctl", "", "policy", "show", "XYZ-999"); none.code != 2 || !strings.Contains(none.err, "NET-001") {
		t.Errorf("exit code %d, stderr %q", none.code, none.err)
	}
}

func TestTheProgramIsChosenByItsName(t *testing.T) {
	if got := call(t, "uds-vmctl", "", "--help"); !strings.Contains(got.out, "inventory") || strings.Contains(got.out, "check") {
		t.Errorf("uds-vmctl --help:\n%s", got.out)
	}
	if got := call(t, "kubectl-cato", "", "--help"); !strings.Contains(got.out, "kubectl cato") || !strings.Contains(got.out, "check") {
		t.Errorf("kubectl-cato --help:\n%s", got.out)
	}
	if got := call(t, "catoctl", "", "version"); got.out != "test\n" {
		t.Errorf("version: %q", got.out)
	}
	for path, want := range map[string]string{"/usr/bin/uds-vmctl": "uds-vmctl", "catoctl.exe": "catoctl"} {
		if got := nameOf(path); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}
