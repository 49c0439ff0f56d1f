//go:build !full

package e2e

// The size of the spec of kills beside all other tests; make e2e-full has the
// whole of it.
const (
	kills        = 6
	tenantCount  = 4
	machineCount = 6
)

// racedOperators is how many processes of the suite have an operator with the
// race detector, which makes it several times as slow. The others take the more
// specs; which ones differs from run to run.
const racedOperators = 1
