//go:build full

package e2e

import "math"

// The size of the spec of kills in make e2e-full.
const (
	kills        = 50
	tenantCount  = 20
	machineCount = 40
)

// racedOperators is how many processes of the suite have an operator with the
// race detector: all.
const racedOperators = math.MaxInt
