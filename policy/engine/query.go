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

// preparer prepares queries on one compiled bundle.
type preparer struct {
	compiler *ast.Compiler
	store    storage.Store
	deadline time.Duration
	memos    *memos
}

// query is one prepared question. It serves many goroutines at once.
type query struct {
	prepared rego.PreparedEvalQuery
	deadline time.Duration
	memos    *memos
}

func (p preparer) prepare(ctx context.Context, text string) (query, error) {
	// Partial evaluation is left alone: it gains nothing and can leave the shared compiler in error.
	prepared, err := rego.New(
		rego.Query(text),
		rego.Compiler(p.compiler),
		rego.Store(p.store),
		rego.GenerateJSON(func(t *ast.Term, _ *rego.EvalContext) (any, error) { return t, nil }),
	).PrepareForEval(ctx)
	if err != nil {
		return query{}, fmt.Errorf("prepare %s: %w", text, err)
	}
	return query{prepared: prepared, deadline: p.deadline, memos: p.memos}, nil
}

// patient is the same question with the time of a test: on a busy machine a slow answer would look like another.
func (q query) patient() query {
	return query{prepared: q.prepared, deadline: testDeadline, memos: q.memos}
}

var errUndefined = errors.New("undefined")

// ask evaluates within the deadline. An error of a builtin is an error: without the list it would be invisible,
// and an undefined expression reads as silence.
func (q query) ask(ctx context.Context, input ast.Value) (*ast.Term, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, q.deadline)
	defer cancel()
	memo := q.memos.borrow()
	defer q.memos.giveBack(memo)
	var builtinErrors []topdown.Error
	answers, err := q.prepared.Eval(ctx, rego.EvalParsedInput(input), rego.EvalBuiltinErrorList(&builtinErrors), rego.EvalVirtualCache(memo))
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
