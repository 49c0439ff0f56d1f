package engine

import (
	"bytes"
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
	var scratch []byte
	for _, t := range report.Slice() {
		var finding Finding
		var err error
		if finding, scratch, err = decodeEntry(t, scratch); err == nil {
			s.findings = append(s.findings, finding)
		} else {
			s.malformed = append(s.malformed, err.Error())
		}
	}
	return s
}

// decodeEntry is strict about everything but a fail, which counts whatever else is wrong with the entry.
// The evidence is written to scratch first, so that what is kept has its very size.
func decodeEntry(t *ast.Term, scratch []byte) (Finding, []byte, error) {
	object, ok := t.Value.(ast.Object)
	if !ok {
		return Finding{}, scratch, fmt.Errorf("an entry that is %s", ast.ValueName(t.Value))
	}
	word, _ := text(object, "verdict")
	f := Finding{Verdict: Value(word)}
	var target, message bool
	f.Target, target = text(object, "target")
	f.Message, message = text(object, "message")
	evidence := object.Get(ast.InternedTerm("evidence"))
	if evidence != nil {
		scratch = appendJSON(scratch[:0], evidence.Value)
		f.Evidence = bytes.Clone(scratch)
	}
	keys := object.Len()
	switch f.Verdict {
	case Fail:
		if !message {
			f.Message = "fails without a message"
		}
		return f, scratch, nil
	case Pass:
		ok = keys == 3 && target && evidence != nil
	case Unknown:
		ok = keys == 3 && target && message
	case NotApplicable:
		ok = keys == 2 && message
	default:
		return Finding{}, scratch, fmt.Errorf("an entry with verdict %q", word)
	}
	if !ok {
		return Finding{}, scratch, fmt.Errorf("an entry of verdict %q with wrong or missing fields", word)
	}
	return f, scratch, nil
}

func text(object ast.Object, key string) (string, bool) {
	term := object.Get(ast.InternedTerm(key))
	if term == nil {
		return "", false
	}
	value, ok := term.Value.(ast.String)
	return strings.Clone(string(value)), ok
}
