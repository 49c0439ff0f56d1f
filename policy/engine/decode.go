package engine

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// decode reads the pair [judged, report] of one rule. It copies: terms keep parts of the input alive.
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

// decodeEntry is strict about everything but a fail, which counts whatever else is wrong with the entry.
func decodeEntry(t *ast.Term) (Finding, error) {
	object, ok := t.Value.(ast.Object)
	if !ok {
		return Finding{}, fmt.Errorf("an entry that is %s", ast.ValueName(t.Value))
	}
	word, _ := text(object, "verdict")
	f := Finding{Verdict: Value(word)}
	var target, message bool
	f.Target, target = text(object, "target")
	f.Message, message = text(object, "message")
	evidence := object.Get(ast.InternedTerm("evidence"))
	if evidence != nil {
		f.Evidence = appendJSON(nil, evidence.Value)
	}
	keys := object.Len()
	switch f.Verdict {
	case Fail:
		if !message {
			f.Message = "fails without a message"
		}
		return f, nil
	case Pass:
		ok = keys == 3 && target && evidence != nil
	case Unknown:
		ok = keys == 3 && target && message
	case NotApplicable:
		ok = keys == 2 && message
	default:
		return Finding{}, fmt.Errorf("an entry with verdict %q", word)
	}
	if !ok {
		return Finding{}, fmt.Errorf("an entry of verdict %q with wrong or missing fields", word)
	}
	return f, nil
}

func text(object ast.Object, key string) (string, bool) {
	term := object.Get(ast.InternedTerm(key))
	if term == nil {
		return "", false
	}
	value, ok := term.Value.(ast.String)
	return strings.Clone(string(value)), ok
}
