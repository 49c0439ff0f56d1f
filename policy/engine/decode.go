package engine

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// decode reads the pair [judged, report] of one rule.
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
	s.judged = make([]string, 0, judged.Len())
	for _, t := range judged.Slice() {
		if target, ok := t.Value.(ast.String); ok {
			s.judged = append(s.judged, string(target))
		} else {
			s.malformed = append(s.malformed, "a target that is not a name")
		}
	}
	s.findings = make([]Finding, 0, report.Len())
	reader := newEntryReader()
	for _, t := range report.Slice() {
		if finding, err := reader.decode(t); err == nil {
			s.findings = append(s.findings, finding)
		} else {
			s.malformed = append(s.malformed, err.Error())
		}
	}
	return s
}

// entryReader reads entries of a report with one callback for all of them: a look-up of each field would make a term
// of its name, each time.
type entryReader struct {
	entryFields
	each func(key, value *ast.Term)
}

// entryFields are the fields of an entry, as they are, and how many there are.
type entryFields struct {
	verdict, target, message, evidence *ast.Term
	count                              int
}

func newEntryReader() *entryReader {
	r := &entryReader{}
	r.each = r.note
	return r
}

func (r *entryReader) note(key, value *ast.Term) {
	r.count++
	switch key.Value {
	case ast.String("verdict"):
		r.verdict = value
	case ast.String("target"):
		r.target = value
	case ast.String("message"):
		r.message = value
	case ast.String("evidence"):
		r.evidence = value
	}
}

// decode is strict about everything but a fail, which counts whatever else is wrong with the entry.
func (r *entryReader) decode(t *ast.Term) (Finding, error) {
	object, ok := t.Value.(ast.Object)
	if !ok {
		return Finding{}, fmt.Errorf("an entry that is %s", ast.ValueName(t.Value))
	}
	r.entryFields = entryFields{}
	object.Foreach(r.each)
	var f Finding
	var target, message bool
	f.Target, target = textOf(r.target)
	f.Message, message = textOf(r.message)
	if r.evidence != nil {
		f.Evidence = evidence{r.evidence.Value}
	}
	word, _ := textOf(r.verdict)
	f.Verdict = Value(word)
	switch f.Verdict {
	case Fail:
		if !message {
			f.Message = "fails without a message"
		}
		return f, nil
	case Pass:
		ok = r.count == 3 && target && r.evidence != nil
	case Unknown:
		ok = r.count == 3 && target && message
	case NotApplicable:
		ok = r.count == 2 && message
	default:
		return Finding{}, fmt.Errorf("an entry with verdict %q", word)
	}
	if !ok {
		return Finding{}, fmt.Errorf("an entry of verdict %q with wrong or missing fields", word)
	}
	return f, nil
}

// textOf is a term's text, and whether it is one. A string keeps nothing alive but itself.
func textOf(term *ast.Term) (string, bool) {
	if term == nil {
		return "", false
	}
	value, ok := term.Value.(ast.String)
	return string(value), ok
}

func text(object ast.Object, key string) (string, bool) {
	return textOf(object.Get(ast.InternedTerm(key)))
}
