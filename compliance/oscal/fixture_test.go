package oscal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

var (
	start = time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	all3  = []string{engine.Admission, engine.Plan, engine.Live}
)

// testRules: NET-001 covers one objective whole and one in part, NET-002 the same one whole as well, IMG-001 a part.
func testRules() []*engine.Rule {
	vm := []string{"UDSVirtualMachine"}
	return []*engine.Rule{
		{
			ID: "NET-001", Package: "cato.rules.network.default_deny", Title: "Traffic is denied unless allowed",
			Description: "The union of policies\nselects the machine.", Topic: "network-isolation", Severity: "high", Subjects: vm,
			Judges: all3, Enforces: []string{engine.Plan}, Method: "TEST", Parameters: []string{"egress"},
			Controls: []engine.Control{
				{ID: "sc-7", Statements: []string{"sc-7_smt.a"}, Objectives: []string{"sc-7_obj.a-4"}, Coverage: "partial"},
				{ID: "sc-7.5", Statements: []string{"sc-7.5_smt"}, Objectives: []string{"sc-7.5_obj-1"}, Coverage: "full", Remarks: "the parameter names the machines in scope"},
			},
		},
		{
			ID: "IMG-001", Package: "cato.rules.image.allowed", Title: "Only listed images", Description: "The source is on the list.",
			Topic: "image-allowlist", Severity: "medium", Subjects: vm, Judges: all3, Method: "EXAMINE",
			Controls: []engine.Control{{ID: "cm-7.5", Statements: []string{"cm-7.5_smt.b"}, Objectives: []string{"cm-7.5_obj.b"}, Coverage: "full", Remarks: "an allow-list"}},
		},
		{
			ID: "TEN-001", Package: "cato.rules.tenant.quota", Title: "A tenant has a quota", Description: "It exists.",
			Topic: "quota", Severity: "low", Subjects: []string{"Tenant"}, Judges: all3, Method: "TEST",
			Controls: []engine.Control{{ID: "ac-6", Statements: []string{"ac-6_smt"}, Objectives: []string{"ac-6_obj"}, Coverage: "partial"}},
		},
		{
			ID: "AC-001", Package: "cato.rules.access.root", Title: "No root login", Description: "It is off.",
			Topic: "cloud-init-root", Severity: "high", Subjects: vm, Judges: all3, Method: "TEST",
			Controls: []engine.Control{{ID: "ac-2.6", Statements: []string{"ac-2.6_smt"}, Coverage: "partial"}},
		},
	}
}

type row struct {
	subject posture.Subject
	entry   posture.Entry
}

func vm(name string) posture.Subject {
	return posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: "UDSVirtualMachine", Namespace: "tenant-a", Name: name, UID: "uid-" + name}
}

func tenant() posture.Subject {
	return posture.Subject{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: "a", UID: "uid-tenant-a", Owns: "tenant-a"}
}

func verdict(rule string, value engine.Value) posture.Entry {
	e := posture.Entry{
		Rule: rule, Value: value, Moment: engine.Live, Revision: "rev1", Since: start, Sequence: 7,
		Findings: []posture.Finding{{Target: "all", Verdict: value, Evidence: json.RawMessage(`{"nic":{"name":"lan","path":"spec.networks[0]","resourceVersion":"41"}}`)}},
	}
	if value != engine.Pass {
		e.Why = "because of <that> & more"
	}
	return e
}

// input is a namespace with a tenant and two machines on which everything passes.
func input(t testing.TB, rows ...row) ResultsInput {
	t.Helper()
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	if rows == nil {
		rows = passing()
	}
	return ResultsInput{
		System: System{
			Cluster: "4ac43c2b-9a1d-4b39-8d0c-8a54dfb3a6d1", Version: "v0.1.0", Interval: time.Hour, Catalog: c, Rules: testRules(), Revision: "rev1",
			Parameters:  map[string][]string{"egress": {"443"}, "images": {}, "sc-07.05_odp.01": {"all machines of a tenant"}},
			Assumptions: []string{"The network enforces NetworkPolicy (networkPolicyEnforcement: assumed)"},
			StandIns:    []string{"No guest ran behind virt-handler"},
		},
		Namespace:  "tenant-a",
		Each:       walk(rows),
		Position:   posture.Position{Epoch: "e1", Sequence: 17, Changed: start, Swept: start.Add(time.Minute)},
		Continuity: posture.Continuity{Epoch: "e1", Started: start, Reason: "the earlier record could not be read"},
		Now:        start.Add(10 * time.Minute),
	}
}

func passing() []row {
	rows := []row{{tenant(), verdict("TEN-001", engine.Pass)}}
	for _, name := range []string{"vm-1", "vm-2"} {
		for _, rule := range []string{"AC-001", "IMG-001", "NET-001"} {
			rows = append(rows, row{vm(name), verdict(rule, engine.Pass)})
		}
	}
	return rows
}

// but replaces the verdict of one rule on one machine.
func but(name, rule string, change func(*posture.Entry)) []row {
	rows := passing()
	for i := range rows {
		if rows[i].subject.Name == name && rows[i].entry.Rule == rule {
			change(&rows[i].entry)
		}
	}
	return rows
}

func becomes(value engine.Value) func(*posture.Entry) {
	return func(e *posture.Entry) { *e = verdict(e.Rule, value) }
}

func walk(rows []row) func(func(posture.Subject, posture.Entry) bool) {
	return func(f func(posture.Subject, posture.Entry) bool) {
		for _, r := range rows {
			if !f(r.subject, r.entry) {
				return
			}
		}
	}
}

// fleet is n machines with 15 rules, one verdict in 50 a fail, made as it is walked.
func fleet(t testing.TB, n int) ResultsInput {
	in := input(t)
	base := testRules()[0]
	in.System.Rules = nil
	for i := range 15 {
		rule := *base
		rule.ID = fmt.Sprintf("NET-%03d", i+1)
		in.System.Rules = append(in.System.Rules, &rule)
	}
	in.Each = func(f func(posture.Subject, posture.Entry) bool) {
		for i := range n {
			s := vm(fmt.Sprintf("vm-%06d", i))
			for j, rule := range in.System.Rules {
				e := verdict(rule.ID, engine.Pass)
				if (i*15+j)%50 == 0 {
					e = verdict(rule.ID, engine.Fail)
				}
				if !f(s, e) {
					return
				}
			}
		}
	}
	return in
}

func document(t testing.TB, in ResultsInput) []byte {
	t.Helper()
	r, err := NewResults(in)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func byRule(in ResultsInput) ResultsInput {
	in.ByRule = true
	return in
}

func options(t testing.TB, in ResultsInput) CheckOptions {
	t.Helper()
	return CheckOptions{Catalog: in.System.Catalog, Rules: in.System.Rules, Now: in.Now}
}
