package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// query is one prepared question. It serves many goroutines at once.
type query struct {
	prepared rego.PreparedEvalQuery
	deadline time.Duration
}

func prepare(ctx context.Context, compiler *ast.Compiler, store storage.Store, text string, deadline time.Duration) (query, error) {
	// Partial evaluation is left alone: it gains nothing and can leave the shared compiler in error.
	prepared, err := rego.New(
		rego.Query(text),
		rego.Compiler(compiler),
		rego.Store(store),
		rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t, nil }),
	).PrepareForEval(ctx)
	if err != nil {
		return query{}, fmt.Errorf("prepare %s: %w", text, err)
	}
	return query{prepared: prepared, deadline: deadline}, nil
}

// patient is the same question with the time of a test: on a busy machine a slow answer would look like another.
func (q query) patient() query { return query{prepared: q.prepared, deadline: testDeadline} }

var errUndefined = errors.New("undefined")

// ask evaluates within the deadline. An error of a builtin is an error: without the list it would be invisible,
// and an undefined expression reads as silence.
func (q query) ask(ctx context.Context, input ast.Value) (*ast.Term, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, q.deadline)
	defer cancel()
	var builtinErrors []topdown.Error
	answers, err := q.prepared.Eval(ctx, rego.EvalParsedInput(input), rego.EvalBuiltinErrorList(&builtinErrors))
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("stopped after %s: %w", q.deadline, ctx.Err())
		}
		return nil, err
	}
	if len(builtinErrors) > 0 {
		return nil, &builtinErrors[0]
	}
	if len(answers) != 1 || len(answers[0].Expressions) != 1 {
		return nil, errUndefined
	}
	term, ok := answers[0].Expressions[0].Value.(*ast.Term)
	if !ok {
		return nil, errUndefined
	}
	return term, nil
}

// queries is everything that one Set can be asked, prepared. Admission has its own, so that no audit slows it.
type queries struct {
	together map[selection]query
	one      []query
}

func prepareAll(ctx context.Context, compiler *ast.Compiler, store storage.Store, s *Set, moments []string, deadline time.Duration) (queries, error) {
	q := queries{together: map[selection]query{}, one: make([]query, len(s.rules))}
	for i := range s.rules {
		prepared, err := prepare(ctx, compiler, store, "data.cato.engine."+one(i), deadline)
		if err != nil {
			return queries{}, err
		}
		q.one[i] = prepared
	}
	for _, moment := range moments {
		for key, chosen := range s.choices {
			if key.moment != moment || len(chosen.now) == 0 {
				continue
			}
			prepared, err := prepare(ctx, compiler, store, together(chosen.now), deadline)
			if err != nil {
				return queries{}, err
			}
			q.together[key] = prepared
		}
	}
	return q, nil
}
