//go:build !race

package e2e

// raceDetector is off in this build.
const raceDetector = false
