//go:build !full

package e2e

// The size of the spec of kills beside all other tests; make e2e-full has the
// whole of it.
const (
	kills        = 6
	tenantCount  = 4
	machineCount = 6
)
