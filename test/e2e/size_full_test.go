//go:build full

package e2e

// The size of the spec of kills in make e2e-full.
const (
	kills        = 50
	tenantCount  = 20
	machineCount = 40
)
