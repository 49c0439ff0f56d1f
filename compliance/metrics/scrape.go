package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// scrape is one reading: all gauges come from one view of the posture, so that they agree with each other.
type scrape struct {
	out   chan<- prometheus.Metric
	descs map[string]*prometheus.Desc
	from  Sources
	view  posture.View
	rules []*engine.Rule
}

func (s *scrape) gauge(name string, value float64, labels ...string) {
	m, err := prometheus.NewConstMetric(s.descs[name], prometheus.GaugeValue, value, labels...)
	if err != nil { // the scrape then says which metric it is, instead of leaving it out
		m = prometheus.NewInvalidMetric(s.descs[name], err)
	}
	s.out <- m
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func words() []engine.Value {
	return []engine.Value{engine.Pass, engine.Fail, engine.Unknown, engine.NotApplicable}
}

func (s *scrape) controls() {
	tally := s.view.Tally()
	objectives := posture.ObjectiveStates(tally, s.rules, s.from.Expired)
	for _, c := range posture.ControlStates(tally, s.rules, s.from.Expired) {
		for _, word := range words() {
			s.gauge(ControlVerdict, truth(c.Verdict == word), catalog.Framework, c.Control, string(word))
		}
		if satisfied, found := posture.ControlSatisfied(s.from.Catalog, c.Control, objectives); found {
			s.gauge(ControlSatisfied, truth(satisfied), catalog.Framework, c.Control)
		}
	}
}

func (s *scrape) ruleVerdicts() {
	tally := s.view.Tally()
	for _, r := range s.rules {
		c := tally.Rules[r.ID]
		s.gauge(RuleVerdicts, float64(c.Pass), r.ID, string(engine.Pass))
		s.gauge(RuleVerdicts, float64(c.Fail), r.ID, string(engine.Fail))
		s.gauge(RuleVerdicts, float64(c.Unknown), r.ID, string(engine.Unknown))
		s.gauge(RuleVerdicts, float64(c.NotApplicable), r.ID, string(engine.NotApplicable))
	}
}

func (s *scrape) policy() {
	if revision := s.from.Revision(); revision != "" {
		s.gauge(PolicyRevision, 1, revision)
	}
}

func (s *scrape) freshness() {
	now := s.from.Now()
	for kind, at := range s.from.Posture.OldestEvidence() {
		s.gauge(OldestEvidence, max(0, now.Sub(at).Seconds()), kind)
	}
}

func (s *scrape) machines() {
	seen := map[[2]string]bool{}
	for _, vm := range s.from.Machines() {
		id := [2]string{vm.Namespace, vm.Name}
		if seen[id] { // a series that is given twice would lose the whole scrape
			continue
		}
		seen[id] = true
		if vm.Phase != "" {
			s.gauge(VMPhase, 1, vm.Namespace, vm.Name, vm.Phase)
		}
		if vm.StorageOverhead > 0 {
			s.gauge(VMStorageOverhead, vm.StorageOverhead, vm.Namespace, vm.Name)
		}
	}
}

// vmControl is one series of uds_vm_compliance_verified. A VM that is known by its custom resource and by its
// VirtualMachine is one VM: it is verified if both are.
type vmControl struct{ namespace, vm, control string }

type proof struct{ passes, others int }

// verified walks the verdicts once. A rule that applies to the kind and has no verdict, or one on expired
// evidence, is not passed; not-applicable says nothing for or against.
func (s *scrape) verified() {
	proofs := map[vmControl]*proof{}
	byKind := map[string][]*engine.Rule{}
	s.view.EachValues(func(subject posture.Subject, value func(rule string) engine.Value) bool {
		if !isMachine(subject.Kind) {
			return true
		}
		rules, ok := byKind[subject.Kind]
		if !ok {
			rules = s.rulesOf(subject.Kind)
			byKind[subject.Kind] = rules
		}
		for _, r := range rules {
			word := value(r.ID)
			if s.from.Expired != nil && s.from.Expired(r) {
				word = engine.Unknown
			}
			if word == engine.NotApplicable {
				continue
			}
			for _, c := range r.Controls {
				id := vmControl{subject.Namespace, subject.Name, c.ID}
				if proofs[id] == nil {
					proofs[id] = &proof{}
				}
				if word == engine.Pass {
					proofs[id].passes++
				} else {
					proofs[id].others++
				}
			}
		}
		return true
	})
	for id, p := range proofs {
		s.gauge(VMVerified, truth(p.others == 0), id.namespace, id.vm, catalog.Display(id.control))
	}
}

func (s *scrape) rulesOf(kind string) []*engine.Rule {
	return slices.DeleteFunc(slices.Clone(s.rules), func(r *engine.Rule) bool {
		return !r.JudgesAt(engine.Live) || !slices.Contains(r.Subjects, kind)
	})
}

// isMachine says which kinds are VMs to the users of the uds_vm metrics: the custom resources that stand for one
// and a VirtualMachine that none describes.
func isMachine(kind string) bool {
	return kind == "UDSVirtualMachine" || kind == "Instance" || kind == "VirtualMachine"
}
