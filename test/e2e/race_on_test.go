//go:build race

package e2e

// raceDetector is on in this build.
const raceDetector = true
