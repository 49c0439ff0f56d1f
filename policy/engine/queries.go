package engine

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
)

// queries is everything that one Set can be asked of rules, prepared. Admission has its own, so that no audit
// slows it.
type queries struct {
	preparer preparer
	groups   map[selection]*atomic.Pointer[group]
	one      []query
}

// group is the rules of one selection that are asked by one query. A rule that went wrong is set apart: it is
// asked alone until the next bundle, or it would make every judgement of its neighbours slow.
type group struct {
	members []int
	query   query
}

func (p preparer) group(ctx context.Context, rules []*Rule, members []int) (*group, error) {
	asked := make([]*Rule, len(members))
	for i, member := range members {
		asked[i] = rules[member]
	}
	q, err := p.prepare(ctx, together(asked))
	if err != nil {
		return nil, err
	}
	return &group{members: members, query: q}, nil
}

func (p preparer) queries(ctx context.Context, s *Set, moments ...string) (queries, error) {
	q := queries{preparer: p, groups: map[selection]*atomic.Pointer[group]{}, one: make([]query, len(s.rules))}
	for i := range s.rules {
		prepared, err := p.prepare(ctx, "data.cato.engine."+one(i))
		if err != nil {
			return queries{}, err
		}
		q.one[i] = prepared
	}
	for key, chosen := range s.choices {
		if !slices.Contains(moments, key.moment) || len(chosen.now) == 0 {
			continue
		}
		g, err := p.group(ctx, s.rules, chosen.now)
		if err != nil {
			return queries{}, err
		}
		q.groups[key] = &atomic.Pointer[group]{}
		q.groups[key].Store(g)
	}
	return q, nil
}

// answer is what one rule said, or why it could not.
type answer struct {
	statement statement
	err       error
}

func answerOf(term *ast.Term, err error) answer {
	if err != nil {
		return answer{err: err}
	}
	return answer{statement: decode(term)}
}

// ask returns the members' answers by index, or the error that took all of them: a conflict in one rule does.
func (g *group) ask(ctx context.Context, input ast.Value) (map[int]answer, error) {
	all, err := g.query.ask(ctx, input)
	if err != nil {
		return nil, err
	}
	pairs, ok := all.Value.(*ast.Array)
	if !ok || pairs.Len() != len(g.members) {
		return nil, errUndefined
	}
	answers := make(map[int]answer, len(g.members))
	for i, member := range g.members {
		answers[member] = answer{statement: decode(pairs.Elem(i))}
	}
	return answers, nil
}

// answers asks the rules at once, and each alone where that goes wrong, so that the trouble of one is its own.
func (s *Set) answers(ctx context.Context, key selection, members []int, input ast.Value) []answer {
	q := s.at(key.moment)
	current := q.groups[key].Load()
	known, failed := current.ask(ctx, input)
	if failed != nil {
		s.observer.Fallback(key.kind, key.moment, failed)
	}
	answers := make([]answer, len(members))
	var wrong []int
	for i, member := range members {
		a, found := known[member]
		if !found {
			a = answerOf(q.one[member].ask(ctx, input))
		}
		if a.err != nil && slices.Contains(current.members, member) {
			wrong = append(wrong, member)
		}
		answers[i] = a
	}
	if len(wrong) > 0 && ctx.Err() == nil {
		s.setApart(ctx, key, current, wrong)
	}
	return answers
}

// setApart replaces a group by one without the rules that went wrong. Should that fail, or another goroutine be
// first, the old group stays and the next judgement comes here again.
func (s *Set) setApart(ctx context.Context, key selection, current *group, wrong []int) {
	q := s.at(key.moment)
	left := slices.DeleteFunc(slices.Clone(current.members), func(member int) bool { return slices.Contains(wrong, member) })
	smaller, err := q.preparer.group(ctx, s.rules, left)
	if err != nil || !q.groups[key].CompareAndSwap(current, smaller) {
		return
	}
	for _, member := range wrong {
		s.observer.SetApart(s.rules[member], key.moment)
	}
}
