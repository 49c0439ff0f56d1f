package engine

import (
	"sync/atomic"
	"time"
)

// Engine holds the Set in force, which can be replaced while others judge by it.
type Engine struct {
	set atomic.Pointer[Set]
}

// New returns an engine with its first Set.
func New(s *Set) *Engine {
	e := &Engine{}
	e.set.Store(s)
	return e
}

// Current returns the Set in force. Who judges one subject by several calls keeps it, so that all its verdicts
// are of one revision.
func (e *Engine) Current() *Set { return e.set.Load() }

// Swap puts another Set in force and returns the one before.
func (e *Engine) Swap(s *Set) *Set { return e.set.Swap(s) }

// Observer is told what the engine does, for metrics. Its functions are called by many goroutines; those left
// nil are not called.
type Observer struct {
	Verdict  func(r *Rule, moment string, v Value)   // one evaluation of one rule
	Fallback func(kind, moment string, cause error)  // the shared query failed, each rule is asked alone
	SetApart func(r *Rule, moment string)            // the rule went wrong and is asked alone until the next bundle
	Gap      func(path string)                       // a gap decided a rule or grant; empty is the whole document
	Judged   func(moment string, took time.Duration) // one call of Judge or JudgeChanged
}

func (o Observer) orSilent() Observer {
	if o.Verdict == nil {
		o.Verdict = func(*Rule, string, Value) {}
	}
	if o.Fallback == nil {
		o.Fallback = func(string, string, error) {}
	}
	if o.SetApart == nil {
		o.SetApart = func(*Rule, string) {}
	}
	if o.Gap == nil {
		o.Gap = func(string) {}
	}
	if o.Judged == nil {
		o.Judged = func(string, time.Duration) {}
	}
	return o
}
