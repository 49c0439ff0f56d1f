// Package oscal writes the OSCAL documents of Cato and refuses to write a wrong one.
//
// Documents are built from go-oscal's types for OSCAL 1.2.2 and are valid for 1.1.3 as well. Everything that a
// document depends on is passed in: cluster identity, sequence, times, rules and verdicts. The same inputs give
// the same bytes. Uuids are version 5 of names, so the same thing keeps its uuid in every revision.
//
// The worst fault is a false "satisfied". A finding says it only where rules cover the whole objective, every
// subject passes, there is at least one, and nothing has expired. Check refuses a document that says more.
package oscal
