package metrics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestGaugesFollowThePosture(t *testing.T) {
	web, db, foreign := vm("UDSVirtualMachine", "web"), vm("UDSVirtualMachine", "db"), vm("VirtualMachine", "foreign")
	twin := vm("VirtualMachine", "web") // the VirtualMachine that web's custom resource made
	type want struct {
		Satisfied, Verified map[string]float64
		SC75, SI7           string // the word that is 1
	}
	for name, test := range map[string]struct {
		arrange func(*fixture)
		want    want
	}{
		"all pass": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(twin, "NET-001=pass")
			},
			want{map[string]float64{"sc-7.5": 1, "si-7": 0}, map[string]float64{"web SC-7(5)": 1, "web SI-7": 1}, "pass", "pass"},
		},
		"one of two VMs fails": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(db, "NET-001=fail", "IMG-001=unknown")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0},
				map[string]float64{"web SC-7(5)": 1, "web SI-7": 1, "db SC-7(5)": 0, "db SI-7": 0}, "fail", "unknown"},
		},
		"its VirtualMachine fails": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(twin, "NET-001=fail")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 1}, "fail", "pass"},
		},
		"not applicable says nothing against": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=not-applicable")
				f.judge(foreign, "NET-001=not-applicable")
			},
			want{map[string]float64{"sc-7.5": 1}, map[string]float64{"web SC-7(5)": 1}, "pass", "not-applicable"},
		},
		"a rule was not evaluated": {
			func(f *fixture) { f.judge(web, "IMG-001=pass") },
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 1}, "unknown", "pass"},
		},
		"evidence expired": {
			func(f *fixture) {
				f.expired = true
				f.judge(web, "NET-001=pass", "IMG-001=pass")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 0}, "unknown", "unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			test.arrange(f)
			got := want{Satisfied: map[string]float64{}, Verified: map[string]float64{}}
			for labels, v := range f.series(ControlSatisfied) {
				got.Satisfied[strings.TrimSuffix(labels, " nist-800-53r5")] = v
			}
			for labels, v := range f.series(VMVerified) { // control namespace vm
				parts := strings.Fields(labels)
				got.Verified[parts[2]+" "+parts[0]] = v
			}
			for labels, v := range f.series(ControlVerdict) { // control framework verdict
				parts := strings.Fields(labels)
				switch {
				case v == 1 && parts[0] == "sc-7.5":
					got.SC75 += parts[2]
				case v == 1 && parts[0] == "si-7":
					got.SI7 += parts[2]
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTheOtherSeriesAreExact(t *testing.T) {
	f := newFixture(t)
	f.everything()
	f.machines = append(f.machines, Machine{Namespace: "mission-a", Name: "new"}, f.machines[0])
	f.metrics.Reconciled("surprise")
	f.metrics.ObserveEvaluation("check", time.Second)
	want := fmt.Sprintf(`# HELP %[1]s Age of the oldest evidence of a watched kind: the time since its watch last proved to be whole.
# TYPE %[1]s gauge
cato_oldest_evidence_seconds{kind="networkpolicies"} 60
# HELP %[2]s 1 for the revision of the policy bundle in force.
# TYPE %[2]s gauge
cato_policy_revision_info{revision="abc123"} 1
# HELP %[3]s Subjects by the present verdict of each rule.
# TYPE %[3]s gauge
cato_rule_verdicts{rule="IMG-001",verdict="fail"} 1
cato_rule_verdicts{rule="IMG-001",verdict="not-applicable"} 0
cato_rule_verdicts{rule="IMG-001",verdict="pass"} 0
cato_rule_verdicts{rule="IMG-001",verdict="unknown"} 0
cato_rule_verdicts{rule="IMG-002",verdict="fail"} 0
cato_rule_verdicts{rule="IMG-002",verdict="not-applicable"} 0
cato_rule_verdicts{rule="IMG-002",verdict="pass"} 0
cato_rule_verdicts{rule="IMG-002",verdict="unknown"} 0
cato_rule_verdicts{rule="NET-001",verdict="fail"} 0
cato_rule_verdicts{rule="NET-001",verdict="not-applicable"} 0
cato_rule_verdicts{rule="NET-001",verdict="pass"} 1
cato_rule_verdicts{rule="NET-001",verdict="unknown"} 0
# HELP %[4]s 1 for the present phase of the VM.
# TYPE %[4]s gauge
uds_vm_phase_status{namespace="mission-a",phase="Ready",vm="web"} 1
# HELP %[5]s Reconciliations of VMs by their outcome.
# TYPE %[5]s counter
uds_vm_reconcile_total{status="denied"} 0
uds_vm_reconcile_total{status="error"} 1
uds_vm_reconcile_total{status="success"} 1
uds_vm_reconcile_total{status="waiting"} 0
# HELP %[6]s Size of the VM's volume claim divided by the size of the disk in it.
# TYPE %[6]s gauge
uds_vm_storage_overhead_ratio{namespace="mission-a",vm="web"} 1.06
`, OldestEvidence, PolicyRevision, RuleVerdicts, VMPhase, VMReconciles, VMStorageOverhead)
	err := testutil.GatherAndCompare(f.registry, strings.NewReader(want),
		OldestEvidence, PolicyRevision, RuleVerdicts, VMPhase, VMReconciles, VMStorageOverhead)
	if err != nil {
		t.Error(err)
	}
	families := f.families()
	if got := len(families[EvaluationDuration].GetMetric()); got != 3 {
		t.Errorf("%d moments, want 3", got)
	}
	if got := families[DriftToVerdict].GetMetric()[0].GetHistogram().GetSampleSum(); got != 0.05 {
		t.Errorf("drift of 50 ms is shown as %v s", got)
	}
}

func TestAMetricThatCannotBeWrittenIsNamedNotAPanic(t *testing.T) {
	f := newFixture(t)
	f.machines = []Machine{{Namespace: "mission-a", Name: "\xff", Phase: "Ready"}}
	if _, err := f.registry.Gather(); err == nil || !strings.Contains(err.Error(), VMPhase) {
		t.Errorf("got %v, want an error that names %s", err, VMPhase)
	}
}
