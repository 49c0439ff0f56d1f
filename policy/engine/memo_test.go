package engine

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"pgregory.net/rapid"
)

func drawReference(t *rapid.T) ast.Ref {
	terms := rapid.SampledFrom([]string{`"a"`, `"b"`, `1`, `1.0`, `{"a": 1}`, `[]`, `x`})
	ref := ast.Ref{ast.DefaultRootDocument}
	for _, text := range rapid.SliceOfN(terms, 0, 3).Draw(t, "reference") {
		ref = append(ref, ast.MustParseTerm(text))
	}
	return ref
}

// What is lent once more must have forgotten all, so that every round of the property begins with what the last gave back.
func TestTheMemoryOfAnswersIsThatOfOPA(t *testing.T) {
	lender := newMemos()
	rapid.Check(t, func(t *rapid.T) {
		ours, theirs := lender.borrow(), topdown.NewVirtualCache()
		depth := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			ref := drawReference(t)
			switch what := rapid.IntRange(0, 9).Draw(t, "step"); {
			case what == 0:
				ours.Push()
				theirs.Push()
				depth++
			case what == 1 && depth > 0:
				ours.Pop()
				theirs.Pop()
				depth--
			case what < 6:
				value := rapid.SampledFrom([]*ast.Term{nil, ast.InternedTerm(true), ast.InternedTerm(false)}).Draw(t, "value")
				ours.Put(ref, value)
				theirs.Put(ref, value)
				ref[0] = ast.InputRootDocument // the owner uses it again
			default:
				value, undefined := ours.Get(ref)
				wantValue, wantUndefined := theirs.Get(ref)
				if value != wantValue || undefined != wantUndefined {
					t.Fatalf("%s: %v %t, want %v %t", ref, value, undefined, wantValue, wantUndefined)
				}
			}
			if got, want := references(ours.Keys()), references(theirs.Keys()); got.Compare(want) != 0 {
				t.Fatalf("keys %s, want %s", got, want)
			}
		}
		for range depth {
			ours.Pop()
		}
		lender.giveBack(ours)
	})
}

func references(refs []ast.Ref) ast.Set {
	all := ast.NewSet()
	for _, ref := range refs {
		all.Add(ast.NewTerm(ref))
	}
	return all
}

func TestAMemoryThatWasLentIsEmptyWhenItIsLentAgain(t *testing.T) {
	lender := newMemos()
	ref := ast.MustParseRef("data.a.b")
	for range 100 { // a pool may drop what it was given
		lent := lender.borrow()
		if value, undefined := lent.Get(ref); value != nil || undefined {
			t.Fatal("it knows what another evaluation answered")
		}
		lent.Put(ref, ast.InternedTerm(true))
		bottom := lent.frames[0]
		lender.giveBack(lent)
		for _, term := range bottom.terms[:cap(bottom.terms)] {
			if term != nil {
				t.Fatal("it keeps terms alive")
			}
		}
	}
}
