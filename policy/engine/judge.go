package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Judge returns exactly one verdict for each rule of the kind whose facts can exist at the moment, in the order
// of ids, and as later the rules of the kind that judge at other moments only. It cannot fail: what goes wrong
// in a rule, a deadline and a cancelled context are unknown verdicts that say so.
func (s *Set) Judge(ctx context.Context, kind, moment string, in Input) (verdicts []Verdict, later []*Rule) {
	key := selection{kind, moment}
	chosen := s.choices[key]
	for _, index := range chosen.later {
		later = append(later, s.rules[index])
	}
	if len(chosen.now) == 0 {
		return nil, later
	}
	started := time.Now()
	subject := s.subject(in)
	answers := s.answers(ctx, key, chosen.now, subject.value)
	for i, index := range chosen.now {
		verdicts = append(verdicts, s.verdict(s.rules[index], moment, answers[i], subject))
	}
	s.observer.Judged(moment, time.Since(started))
	return verdicts, later
}

// JudgeChanged is Judge for those rules only that read any of the groups of facts, which are dotted paths of the
// input, each rule by its own query.
func (s *Set) JudgeChanged(ctx context.Context, kind, moment string, in Input, groups []string) []Verdict {
	var verdicts []Verdict
	started := time.Now()
	subject := s.subject(in)
	for _, index := range s.choices[selection{kind, moment}].now {
		if r := s.rules[index]; r.NeedsFacts(groups) {
			verdicts = append(verdicts, s.verdict(r, moment, s.alone(ctx, moment, index, subject.value), subject))
		}
	}
	s.observer.Judged(moment, time.Since(started))
	return verdicts
}

// answer is what one rule said, or why it could not.
type answer struct {
	statement statement
	err       error
}

// answers asks all rules at once. A conflict or an error in one rule would take every answer with it, so then
// each is asked alone and the trouble is its own.
func (s *Set) answers(ctx context.Context, key selection, indexes []int, input ast.Value) []answer {
	answers := make([]answer, len(indexes))
	all, err := s.at(key.moment).together[key].ask(ctx, input)
	if err == nil {
		pairs, ok := all.Value.(*ast.Array)
		if ok && pairs.Len() == len(indexes) {
			for i := range indexes {
				answers[i].statement = decode(pairs.Elem(i))
			}
			return answers
		}
		err = errUndefined
	}
	s.observer.Fallback(key.kind, key.moment, err)
	for i, index := range indexes {
		answers[i] = s.alone(ctx, key.moment, index, input)
	}
	return answers
}

func (s *Set) alone(ctx context.Context, moment string, index int, input ast.Value) answer {
	return answerOf(s.at(moment).one[index].ask(ctx, input))
}

func answerOf(term *ast.Term, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	return answer{statement: decode(term)}
}

// subject is one Input made ready: no exceptions, gaps with paths that the schema knows.
type subject struct {
	value ast.Value
	gaps  []gap
}

func (s *Set) subject(in Input) subject {
	return subject{value: withoutExceptions(in.Value), gaps: s.gaps(in.Gaps)}
}

// withoutExceptions empties the exceptions: a grant that a rule asks must not see them either, or the exception
// would change the verdict instead of standing beside it.
func withoutExceptions(value ast.Value) ast.Value {
	document, ok := value.(ast.Object)
	exceptions := ast.InternedTerm("exceptions")
	if !ok || document.Get(exceptions) == nil {
		return value
	}
	bare := ast.NewObjectWithCapacity(document.Len())
	document.Foreach(func(key, value *ast.Term) {
		if !key.Equal(exceptions) {
			bare.Insert(key, value)
		}
	})
	bare.Insert(exceptions, ast.ArrayTerm())
	return bare
}

func (s *Set) verdict(r *Rule, moment string, a answer, on subject) Verdict {
	v := Verdict{Rule: r, Revision: s.Revision}
	missing, found := firstGap(r.Reads, on.gaps)
	if found {
		s.observer.Gap(missing.path)
	}
	if a.err != nil {
		v.Value, v.Why = Unknown, "the rule could not be evaluated: "+explain(a.err)
	} else {
		v.Value, v.Why = fold(a.statement, missing.reason)
		v.Findings = a.statement.findings
	}
	s.observer.Verdict(r, moment, v.Value)
	return v
}

func explain(err error) string {
	if errors.Is(err, errUndefined) {
		return "its documents are undefined"
	}
	return fmt.Sprint(err)
}
