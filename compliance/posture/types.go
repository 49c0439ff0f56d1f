// Package posture keeps what is known now: subject x rule -> verdict, since when, by which revision of the
// rules and on which evidence; the transitions that led there; and the counts that follow from them.
//
// What is in memory is the truth that others read; a small SQLite file behind it lets identity outlive the
// process: after a restart verdicts, their times and their sequence numbers are the same. The cost of a change
// is that of the subject that changed, never that of the fleet.
package posture

import (
	"cmp"
	"encoding/json"
	"time"

	"cato.dev/cato/policy/engine"
)

// Subject is what a verdict is about.
type Subject struct {
	APIVersion string // such as uds.dev/v1alpha1
	Kind       string // such as UDSVirtualMachine
	Namespace  string // empty for a cluster-scoped kind
	Name       string
	UID        string // an object that is created again has another one, and a history of its own
	// Owns is the namespace that a cluster-scoped subject stands for, a Tenant's; empty otherwise. Its verdicts
	// are counted and listed there.
	Owns string
}

// Scope is the namespace whose figures the subject is part of; empty for one that is part of the cluster's only.
func (s Subject) Scope() string {
	if s.Namespace != "" {
		return s.Namespace
	}
	return s.Owns
}

// key identifies a subject among those that exist at the same time.
type key struct{ namespace, kind, name, apiVersion string }

func (s Subject) key() key { return key{s.Namespace, s.Kind, s.Name, s.APIVersion} }

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.kind, b.kind),
		cmp.Compare(a.name, b.name), cmp.Compare(a.apiVersion, b.apiVersion))
}

// Entry is the present verdict of one rule on one subject.
type Entry struct {
	Rule     string // id, such as NET-001
	Value    engine.Value
	Why      string // one line for people; empty for a pass
	Moment   string // admission, plan or live: what was looked at
	Revision string // of the rules that gave it
	// Since is the time of the evidence on which the verdict first had this value, UTC, to the nanosecond.
	Since time.Time
	// Sequence is the number of the transition to this value; it is unique within one epoch (see Continuity).
	Sequence int64
	Findings []Finding
	// Cut says what was left out of the findings to keep the entry within its bound; empty when they are whole.
	Cut string
}

// Finding is what a rule says of one of its targets.
type Finding struct {
	Target   string          `json:"target,omitempty"`
	Verdict  engine.Value    `json:"verdict"`
	Message  string          `json:"message,omitempty"`
	Evidence json.RawMessage `json:"evidence,omitempty"` // the facts that decided
}

// Transition is one change of a verdict's value.
type Transition struct {
	Sequence int64 // grows by at least one from each transition to the next, within one epoch
	Time     time.Time
	Subject  Subject
	Rule     string
	From     engine.Value // empty: there was no verdict before
	To       engine.Value // empty: the subject or the rule is gone
	Why      string
	Moment   string
	Revision string
}

// Position tells how far the content of a scope has come. It changes with each change of content (verdicts,
// evidence, a finished sweep) and with nothing else, so that an unchanged posture gives unchanged documents.
type Position struct {
	Epoch    string    // uuid of the sequence: another one after the store was lost
	Sequence int64     // of the last change in the scope
	Changed  time.Time // of that change, UTC; Continuity.Started where there was none
	// Swept is the end of the last sweep that confirmed all verdicts, UTC; zero before the first.
	Swept time.Time
}

// Continuity says since when the record is unbroken, and why it does not go back further.
type Continuity struct {
	Epoch   string    // uuid, made when the sequence began
	Started time.Time // when the sequence began, UTC
	// Reason is one sentence for documents: first start, store lost or damaged, memory only.
	Reason string
}

// Counts holds how many subjects have which verdict.
type Counts struct{ Pass, Fail, Unknown, NotApplicable int }

// Total is the number of subjects that were judged.
func (c Counts) Total() int { return c.Pass + c.Fail + c.Unknown + c.NotApplicable }

// Plus returns the sum of both.
func (c Counts) Plus(d Counts) Counts {
	return Counts{c.Pass + d.Pass, c.Fail + d.Fail, c.Unknown + d.Unknown, c.NotApplicable + d.NotApplicable}
}

// Verdict is the worst that was found: any fail is fail, else any unknown is unknown, else any pass is pass, else
// not-applicable; empty when nothing was judged.
func (c Counts) Verdict() engine.Value {
	switch {
	case c.Fail > 0:
		return engine.Fail
	case c.Unknown > 0:
		return engine.Unknown
	case c.Pass > 0:
		return engine.Pass
	case c.NotApplicable > 0:
		return engine.NotApplicable
	default:
		return ""
	}
}

// add counts n more of the value; a word that is none of the four counts as unknown, never as a pass.
func (c *Counts) add(value engine.Value, n int) {
	switch value {
	case engine.Pass:
		c.Pass += n
	case engine.Fail:
		c.Fail += n
	case engine.NotApplicable:
		c.NotApplicable += n
	case engine.Unknown:
		c.Unknown += n
	default:
		c.Unknown += n
	}
}

// Tally is what control figures follow from: the counts of each rule and the number of subjects of each kind.
// A rule with fewer verdicts than its kinds have subjects was not evaluated everywhere.
type Tally struct {
	Rules map[string]Counts // by rule id
	Kinds map[string]int    // by kind
}
