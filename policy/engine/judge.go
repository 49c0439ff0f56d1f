package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Judge returns exactly one verdict for each rule of the kind whose facts can exist at the moment, in the order
// of ids, and as later the rules of the kind that judge at other moments only. It cannot fail: what goes wrong
// in a rule, a deadline and a cancelled context are unknown verdicts that say so.
func (s *Set) Judge(ctx context.Context, kind, moment string, in Input) (verdicts []Verdict, later []*Rule) {
	if !isMoment(moment) {
		return s.noSuchMoment(kind, moment), nil
	}
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
	verdicts = make([]Verdict, 0, len(chosen.now))
	for i, index := range chosen.now {
		verdicts = append(verdicts, s.verdict(s.rules[index], moment, answers[i], subject))
	}
	s.observer.Judged(moment, time.Since(started))
	return verdicts, later
}

// JudgeChanged is Judge for those rules only that read any of the groups of facts, which are dotted paths of the
// input, each rule by its own query.
func (s *Set) JudgeChanged(ctx context.Context, kind, moment string, in Input, groups []string) []Verdict {
	if !isMoment(moment) {
		return s.noSuchMoment(kind, moment)
	}
	var verdicts []Verdict
	started := time.Now()
	subject := s.subject(in)
	for _, index := range s.choices[selection{kind, moment}].now {
		if r := s.rules[index]; r.NeedsFacts(groups) {
			a := answerOf(s.at(moment).one[index].ask(ctx, subject.value))
			verdicts = append(verdicts, s.verdict(r, moment, a, subject))
		}
	}
	s.observer.Judged(moment, time.Since(started))
	return verdicts
}

func isMoment(moment string) bool {
	return slices.Contains([]string{Admission, Plan, Live}, moment)
}

// noSuchMoment answers a misspelt moment: an empty list of verdicts would read as no objection.
func (s *Set) noSuchMoment(kind, moment string) []Verdict {
	var verdicts []Verdict
	for _, r := range s.RulesFor(kind) {
		why := fmt.Sprintf("moment %q is none of %s, %s, %s", moment, Admission, Plan, Live)
		verdicts = append(verdicts, Verdict{Rule: r, Value: Unknown, Why: why, Revision: s.Revision})
	}
	return verdicts
}

// subject is one Input made ready: no exceptions, gaps with paths that the schema knows.
type subject struct {
	value  ast.Value
	gaps   []gap
	unseen []gap
}

func (s *Set) subject(in Input) subject {
	return subject{value: withoutExceptions(in.Value), gaps: s.gaps(in.Gaps), unseen: s.gaps(in.Unseen)}
}

// withoutExceptions empties the exceptions: a grant that a rule asks must not see them either, or the exception
// would change the verdict instead of standing beside it.
func withoutExceptions(value ast.Value) ast.Value {
	document, ok := value.(ast.Object)
	exceptions := ast.InternedTerm("exceptions")
	if !ok {
		return value
	}
	given := document.Get(exceptions)
	if given == nil || given.Value.Compare(ast.InternedEmptyArrayValue) == 0 {
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
	unseen, blind := firstGap(r.Reads, on.unseen)
	switch {
	case a.err != nil:
		v.Value, v.Why = Unknown, "the rule could not be evaluated: "+explain(a.err)
	case blind:
		v.Value, v.Why, v.Gap = Unknown, unseen.reason, unseen.cause
	default:
		v.Value, v.Why = fold(a.statement, missing.reason)
		v.Findings = a.statement.findings
		if found && v.Value == Unknown {
			v.Gap = missing.cause
		}
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
