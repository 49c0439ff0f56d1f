package controlplane

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// maximumNodes is bounded by the length of the names of network interfaces.
const maximumNodes = 9

// checkOptions tells what is wrong with the options before anything is built
// or started, and whether this machine can do what they ask for.
func checkOptions(o Options, sets []CRDSet) error {
	if o.Nodes < 0 || o.Nodes > maximumNodes {
		return fmt.Errorf("options: Nodes: %d is not from 0 to %d", o.Nodes, maximumNodes)
	}
	if o.KubeVirt && !slices.Contains(sets, KubeVirtCRDs) {
		return fmt.Errorf("options: KubeVirt needs the set %q in CRDs", KubeVirtCRDs)
	}
	if o.CDI && !slices.Contains(sets, CDICRDs) {
		return fmt.Errorf("options: CDI needs the set %q in CRDs", CDICRDs)
	}
	if o.Nodes == 0 {
		return nil
	}
	return checkMachine(o.CDI, os.Geteuid(), exec.LookPath)
}

// checkMachine tells in one line what this machine lacks for nodes.
func checkMachine(cdi bool, user int, lookPath func(string) (string, error)) error {
	if user != 0 {
		return errors.New("a test cluster with nodes needs root, for network namespaces and mounts: run it as root (make deps then installs qemu-utils, nbdkit and iproute2)")
	}
	packages := []struct{ program, name string }{{"ip", "iproute2"}, {"flock", "util-linux"}}
	if cdi {
		packages = append(packages, []struct{ program, name string }{{"qemu-img", "qemu-utils"}, {"nbdkit", "nbdkit"}}...)
	}
	var programs, missing []string
	for _, p := range packages {
		if _, err := lookPath(p.program); err != nil {
			programs, missing = append(programs, p.program), append(missing, p.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("a test cluster with nodes needs %s: make deps installs the packages %s",
			strings.Join(programs, ", "), strings.Join(missing, ", "))
	}
	return nil
}
