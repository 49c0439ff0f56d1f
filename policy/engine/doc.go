// Package engine loads bundles of Rego, judges subjects by their rules and asks their grants.
//
// Silence is the danger it guards against: a missing fact, a failing builtin or a misspelt name must never
// read as a pass. So a rule says which targets it must decide and reports on each; the two documents are
// folded in Go, outside of any bundle; what was not gathered (a gap), what failed and what is malformed makes
// the verdict unknown. A grant is given only by a grant package that says so without any error.
//
// A loaded Set never changes and serves many goroutines; an Engine holds the one in force.
package engine
