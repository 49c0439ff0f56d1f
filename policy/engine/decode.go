package engine

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// decode reads the pair [judged, report] of one rule. It copies all but evidence: terms keep parts of the input alive.
func decode(answer *ast.Term) statement {
	var s statement
	pair, ok := answer.Value.(*ast.Array)
	if !ok || pair.Len() != 2 {
		return statement{malformed: []string{"not the pair [judged, report]"}}
	}
	judged, isSet := pair.Elem(0).Value.(ast.Set)
	if !isSet {
		return statement{malformed: []string{"judged is not a set"}}
	}
	report, isSet := pair.Elem(1).Value.(ast.Set)
	if !isSet {
		return statement{malformed: []string{"report is not a set"}}
	}
	for _, t := range judged.Slice() {
		if target, ok := t.Value.(ast.String); ok {
			s.judged = append(s.judged, strings.Clone(string(target)))
		} else {
			s.malformed = append(s.malformed, "a target that is not a name")
		}
	}
	for _, t := range report.Slice() {
		if finding, err := decodeEntry(t); err == nil {
			s.findings = append(s.findings, finding)
		} else {
			s.malformed = append(s.malformed, err.Error())
		}
	}
	return s
}

// entryFields are the fields of an entry of a report, as they are, and how many there are.
type entryFields struct {
	verdict, target, message, evidence *ast.Term
	count                              int
}

// note is one callback for all entries: a look-up of each field would make a term of its name, each time.
func (e *entryFields) note(key, value *ast.Term) {
	e.count++
	switch key.Value {
	case ast.String("verdict"):
		e.verdict = value
	case ast.String("target"):
		e.target = value
	case ast.String("message"):
		e.message = value
	case ast.String("evidence"):
		e.evidence = value
	}
}

// decodeEntry is strict about everything but a fail, which counts whatever else is wrong with the entry.
func decodeEntry(t *ast.Term) (Finding, error) {
	object, ok := t.Value.(ast.Object)
	if !ok {
		return Finding{}, fmt.Errorf("an entry that is %s", ast.ValueName(t.Value))
	}
	var fields entryFields
	object.Foreach(fields.note)
	var f Finding
	var target, message bool
	f.Target, target = textOf(fields.target)
	f.Message, message = textOf(fields.message)
	if fields.evidence != nil {
		f.Evidence = evidence{fields.evidence.Value}
	}
	word, _ := textOf(fields.verdict)
	f.Verdict = Value(word)
	switch f.Verdict {
	case Fail:
		if !message {
			f.Message = "fails without a message"
		}
		return f, nil
	case Pass:
		ok = fields.count == 3 && target && fields.evidence != nil
	case Unknown:
		ok = fields.count == 3 && target && message
	case NotApplicable:
		ok = fields.count == 2 && message
	default:
		return Finding{}, fmt.Errorf("an entry with verdict %q", word)
	}
	if !ok {
		return Finding{}, fmt.Errorf("an entry of verdict %q with wrong or missing fields", word)
	}
	return f, nil
}

// textOf is a term's own copy of its text, and whether it is one.
func textOf(term *ast.Term) (string, bool) {
	if term == nil {
		return "", false
	}
	value, ok := term.Value.(ast.String)
	return strings.Clone(string(value)), ok
}

func text(object ast.Object, key string) (string, bool) {
	return textOf(object.Get(ast.InternedTerm(key)))
}
