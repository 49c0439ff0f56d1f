package posture

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unique"

	"cato.dev/cato/policy/engine"
)

// record is an Entry as it is kept: 64 bytes, and the texts that subjects share are held once.
type record struct {
	rule     unique.Handle[string]
	value    engine.Value
	moment   unique.Handle[string]
	revision unique.Handle[string]
	detail   unique.Handle[string] // see encodeDetail
	since    int64                 // nanoseconds since 1970
	sequence int64
}

func compareRecords(a, b record) int { return cmp.Compare(a.rule.Value(), b.rule.Value()) }

func (r *record) entry() Entry {
	why, findings, left := decodeDetail(r.detail.Value())
	return Entry{
		Rule: r.rule.Value(), Value: r.value, Why: why, Moment: r.moment.Value(), Revision: r.revision.Value(),
		Since: time.Unix(0, r.since).UTC(), Sequence: r.sequence, Findings: findings, Cut: left,
	}
}

func (h *held) entries() []Entry {
	entries := make([]Entry, len(h.records))
	for i := range h.records {
		entries[i] = h.records[i].entry()
	}
	return entries
}

// find returns the record of the rule, or nil. It serves a nil receiver: an unknown subject has no records.
func (h *held) find(rule unique.Handle[string]) *record {
	if h == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(h.records, record{rule: rule}, compareRecords)
	if !ok {
		return nil
	}
	return &h.records[i]
}

// recordsOf checks what a caller hands over and turns it into records, sorted by rule id.
func recordsOf(subject Subject, moment string, verdicts []engine.Verdict, evidence time.Time) ([]record, error) {
	switch {
	case subject.Kind == "" || subject.Name == "":
		return nil, fmt.Errorf("posture: subject %+v: kind and name are required", subject)
	case moment != engine.Admission && moment != engine.Plan && moment != engine.Live:
		return nil, fmt.Errorf("posture: %s: moment %q: must be admission, plan or live", subject.describe(), moment)
	}
	records := make([]record, 0, len(verdicts))
	for _, v := range verdicts {
		if v.Rule == nil || v.Rule.ID == "" {
			return nil, fmt.Errorf("posture: %s: a verdict without the id of its rule", subject.describe())
		}
		records = append(records, record{
			rule: unique.Make(v.Rule.ID), value: known(v.Value), moment: unique.Make(moment),
			revision: unique.Make(v.Revision), detail: unique.Make(encodeDetail(v.Why, v.Findings)),
			since: evidence.UnixNano(),
		})
	}
	slices.SortFunc(records, compareRecords)
	for i := range records {
		if i > 0 && records[i].rule == records[i-1].rule {
			return nil, fmt.Errorf("posture: %s: rule %s has two verdicts", subject.describe(), records[i].rule.Value())
		}
	}
	return records, nil
}

// known keeps a word that is none of the four from being taken for anything but unknown.
func known(value engine.Value) engine.Value {
	switch value {
	case engine.Pass:
		return engine.Pass
	case engine.Fail:
		return engine.Fail
	case engine.NotApplicable:
		return engine.NotApplicable
	case engine.Unknown:
		return engine.Unknown
	default:
		return engine.Unknown
	}
}

func (s Subject) describe() string {
	if s.Namespace == "" {
		return s.Kind + " " + s.Name
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}

// merge puts new records over old ones. The result says what is kept, which rules' rows changed, and which
// changes are transitions; whole says that old records of the same moment which are not new are gone.
type merged struct {
	records     []record
	changed     []unique.Handle[string] // rows to write or delete
	transitions []Transition            // without sequence number
}

func merge(subject Subject, old *held, fresh []record, moment string, whole bool) merged {
	var m merged
	moved := func(before, after *record) {
		t := Transition{Subject: subject}
		if before != nil {
			t.Rule, t.From, t.Time = before.rule.Value(), before.value, time.Unix(0, before.since).UTC()
			t.Moment, t.Revision = before.moment.Value(), before.revision.Value()
		}
		if after != nil {
			t.Rule, t.To, t.Time = after.rule.Value(), after.value, time.Unix(0, after.since).UTC()
			t.Moment, t.Revision = after.moment.Value(), after.revision.Value()
			t.Why, _, _ = decodeDetail(after.detail.Value())
		}
		m.transitions = append(m.transitions, t)
	}
	seen := make(map[unique.Handle[string]]bool, len(fresh))
	for _, after := range fresh {
		seen[after.rule] = true
		before := old.find(after.rule)
		// What was planned or asked for is no proof of what is: it never takes the place of what was seen live.
		if before != nil && before.moment.Value() == engine.Live && moment != engine.Live {
			m.records = append(m.records, *before)
			continue
		}
		if before != nil && before.value == after.value && before.moment == after.moment {
			after.since, after.sequence = before.since, before.sequence
			if after != *before {
				m.changed = append(m.changed, after.rule)
			}
			m.records = append(m.records, after)
			continue
		}
		if before != nil {
			after.since = max(after.since, before.since) // the history of one verdict never runs backwards
		}
		m.changed = append(m.changed, after.rule)
		m.records = append(m.records, after)
		moved(before, &after)
	}
	if old == nil {
		return m
	}
	for i := range old.records {
		before := &old.records[i]
		switch {
		case seen[before.rule]:
		case whole && before.moment.Value() == moment:
			m.changed = append(m.changed, before.rule)
			moved(before, nil)
		default:
			m.records = append(m.records, *before)
		}
	}
	slices.SortFunc(m.records, compareRecords)
	return m
}
