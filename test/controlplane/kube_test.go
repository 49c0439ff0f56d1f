package controlplane

import (
	"os"
	"os/exec"
	"testing"
)

// TestThePackagesOfTheNodePass runs the tests of the module kube, which no
// other run reaches. Its flags are those of the build, since others would
// compile all of Kubernetes again; go vet would do so too.
func TestThePackagesOfTheNodePass(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "nice", "go", "test", "-vet=off", "./guest", "./network", "./process", "./services")
	cmd.Dir = "kube"
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
