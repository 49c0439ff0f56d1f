package main

import (
	"time"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/oscal"
)

// check validates a document as the operator does before it gives it away:
// OSCAL's schema, and the strict check of what the schema does not see.
func check(document []byte) error {
	controls, err := catalog.New()
	if err != nil {
		return err
	}
	return oscal.Check(document, oscal.CheckOptions{Catalog: controls, Now: time.Now()})
}
