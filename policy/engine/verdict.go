package engine

import (
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Value is the word of a rule on a subject.
type Value string

// The four words. Unknown counts as not satisfied, never as a pass.
const (
	Pass          Value = "pass"
	Fail          Value = "fail"
	Unknown       Value = "unknown"
	NotApplicable Value = "not-applicable"
)

// Input is the facts of one subject: the document that rules read, and what could not be determined.
type Input struct {
	Value ast.Value
	// Gaps names what could not be determined: dotted path of the document -> reason. A path that the schema
	// does not have counts as the whole document.
	Gaps map[string]string
	// Unseen names in the same way what may not be read at all. There a fail rests on absence as a pass does, so
	// that every rule which reads it is unknown.
	Unseen map[string]string
}

// Verdict is what one rule says of one subject. The evidence of its findings holds parts of the input: whoever keeps
// a verdict keeps the evidence's JSON in its place.
type Verdict struct {
	Rule     *Rule
	Value    Value
	Why      string // one line for people; empty for a pass
	Gap      string // what was missing, where the facts and not the rule make it unknown: then the rule's remediation mends nothing
	Findings []Finding
	Revision string // of the Set that gave it
}

// Finding is what a rule says of one of its targets.
type Finding struct {
	Target   string // empty for not-applicable
	Verdict  Value
	Message  string         // empty for a pass
	Evidence json.Marshaler // the facts that decided, nil where there are none
}

// EvidenceJSON is the evidence written down, nil where there is none. What cannot be written is no JSON either.
func (f Finding) EvidenceJSON() json.RawMessage {
	if f.Evidence == nil {
		return nil
	}
	text, err := f.Evidence.MarshalJSON()
	if err != nil {
		return json.RawMessage(err.Error())
	}
	return text
}

// evidence is facts as OPA has them. They are written as JSON where somebody asks: admission and plans never do.
type evidence struct {
	value ast.Value
}

// MarshalJSON never fails: sets become arrays, keys are in order, so that the same facts are the same bytes.
func (e evidence) MarshalJSON() ([]byte, error) { return asJSON(e.value), nil }
