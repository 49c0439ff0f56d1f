package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// grant is a Grant with the question that asks for it.
type grant struct {
	Grant
	query query
}

// Permission is the answer of a grant on one subject.
type Permission struct {
	Given    bool
	Because  []string          // the reasons of the grant, at least one when it is given
	Evidence []json.RawMessage // the facts behind each reason, in the same order
	Revision string
}

// Grant asks whether a privilege is given. Only grants that the bundle describes can be. An error means that it
// could not be determined (no such grant, a gap among the facts that it reads, an evaluation that failed or
// took too long); the privilege is then not given.
func (s *Set) Grant(ctx context.Context, name string, in Input) (Permission, error) {
	refused := Permission{Revision: s.Revision}
	g, known := s.grants[name]
	if !known {
		return refused, fmt.Errorf("grant %q: the bundle has none of that name", name)
	}
	if missing, found := firstGap(g.Reads, s.gaps(in.Gaps)); found {
		s.observer.Gap(missing.path)
		return refused, fmt.Errorf("grant %s: not determined: %s", name, missing.reason)
	}
	permission, err := permissionOf(g.query.ask(ctx, in.Value))
	if err != nil {
		return refused, fmt.Errorf("grant %s: %w", name, err)
	}
	permission.Revision = s.Revision
	return permission, nil
}

// permissionOf reads the set of reasons; one that cannot be read puts all in doubt.
func permissionOf(answer *ast.Term, err error) (Permission, error) {
	if err != nil {
		return Permission{}, err
	}
	given, ok := answer.Value.(ast.Set)
	if !ok {
		return Permission{}, errors.New("given is not a set")
	}
	permission := Permission{Given: given.Len() > 0}
	for _, t := range given.Slice() {
		because, evidence, err := decodeReason(t)
		if err != nil {
			return Permission{}, err
		}
		permission.Because = append(permission.Because, because)
		permission.Evidence = append(permission.Evidence, evidence)
	}
	return permission, nil
}

func decodeReason(t *ast.Term) (string, json.RawMessage, error) {
	object, ok := t.Value.(ast.Object)
	if !ok || object.Len() != 2 {
		return "", nil, errors.New(`an entry of given must be {"because": ..., "evidence": ...}`)
	}
	because, ok := text(object, "because")
	evidence := object.Get(ast.InternedTerm("evidence"))
	if !ok || strings.TrimSpace(because) == "" || evidence == nil {
		return "", nil, errors.New("an entry of given needs a reason and its evidence")
	}
	return because, asJSON(evidence.Value), nil
}
