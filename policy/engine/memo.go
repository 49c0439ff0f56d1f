package engine

import (
	"slices"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// memos lends the memory that one evaluation has of what its rules and functions answered. OPA's own is a tree of
// hash maps, one for each part of a reference, made anew for each query: an eighth of all that judging allocates.
type memos struct {
	pool sync.Pool
}

func newMemos() *memos {
	return &memos{pool: sync.Pool{New: func() any {
		m := &memo{}
		m.Push()
		return m
	}}}
}

func (m *memos) borrow() *memo {
	lent, _ := m.pool.Get().(*memo)
	return lent
}

// maxKept is how many answers the memory that is lent again had room for: one large subject must not cost for ever.
const maxKept = 4096

// giveBack forgets everything, so that nothing keeps a subject's facts alive.
func (m *memos) giveBack(lent *memo) {
	bottom := lent.frames[0]
	if len(lent.frames) != 1 || cap(bottom.answers) > maxKept {
		return
	}
	clear(bottom.first)
	clear(bottom.answers)
	clear(bottom.terms)
	bottom.answers, bottom.terms = bottom.answers[:0], bottom.terms[:0]
	m.pool.Put(lent)
}

// memo is a stack of frames, as `with` asks for: each sees its own answers only.
type memo struct {
	frames []*memoFrame
}

var _ topdown.VirtualCache = (*memo)(nil)

// memoFrame is a hash table from whole references (a function's is followed by its arguments) to answers.
type memoFrame struct {
	first   map[uint64]int // from a reference's hash to the place of its first answer
	answers []memoAnswer
	terms   []*ast.Term // the references, one after the other
}

type memoAnswer struct {
	from, to  int // of the reference in terms
	next      int // the place of the next answer of the same hash, or -1
	value     *ast.Term
	undefined bool
}

// Push begins a frame.
func (m *memo) Push() { m.frames = append(m.frames, &memoFrame{first: map[uint64]int{}}) }

// Pop forgets the frame that was begun last.
func (m *memo) Pop() { m.frames = m.frames[:len(m.frames)-1] }

func (m *memo) top() *memoFrame { return m.frames[len(m.frames)-1] }

// Get returns the value of a reference, or whether it is known to be undefined; neither where it was never put.
func (m *memo) Get(ref ast.Ref) (*ast.Term, bool) {
	frame := m.top()
	place := frame.find(hashOf(ref), ref)
	if place < 0 {
		return nil, false
	}
	known := &frame.answers[place]
	if known.undefined {
		return nil, true
	}
	return known.value, false
}

// Put notes the value of a reference; nil is undefined, which no later value takes back. The reference may be
// changed by its owner afterwards, its terms may not.
func (m *memo) Put(ref ast.Ref, value *ast.Term) {
	frame := m.top()
	hash := hashOf(ref)
	place := frame.find(hash, ref)
	if place < 0 {
		place = len(frame.answers)
		next, taken := frame.first[hash]
		if !taken {
			next = -1
		}
		frame.first[hash] = place
		from := len(frame.terms)
		frame.terms = append(frame.terms, ref...)
		frame.answers = append(frame.answers, memoAnswer{from: from, to: len(frame.terms), next: next})
	}
	if value == nil {
		frame.answers[place].undefined = true
	} else {
		frame.answers[place].value = value
	}
}

// Keys returns the references that have a value.
func (m *memo) Keys() []ast.Ref {
	frame := m.top()
	var keys []ast.Ref
	for _, known := range frame.answers {
		if known.value != nil {
			keys = append(keys, slices.Clone(frame.terms[known.from:known.to]))
		}
	}
	return keys
}

// find returns the place of a reference's answer, or -1.
func (f *memoFrame) find(hash uint64, ref ast.Ref) int {
	place, found := f.first[hash]
	if !found {
		return -1
	}
	for place >= 0 && !slices.EqualFunc(f.terms[f.answers[place].from:f.answers[place].to], ref, sameTerm) {
		place = f.answers[place].next
	}
	return place
}

func sameTerm(a, b *ast.Term) bool { return a == b || a.Equal(b) }

func hashOf(ref ast.Ref) uint64 {
	const prime = 1099511628211 // of FNV-1a
	hash := uint64(14695981039346656037)
	for _, term := range ref {
		hash = (hash ^ uint64(term.Hash())) * prime
	}
	return hash
}
