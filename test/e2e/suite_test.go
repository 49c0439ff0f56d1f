// Package e2e tests Cato as it is deployed: the operator is a process under
// its own ServiceAccount, on a real cluster with KubeVirt and CDI. Each process
// of the suite has one stack for all its specs; a spec has namespaces of its own
// and removes what it made.
package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/test/e2e/stack"
)

// How long things may take on a machine that does other work as well. What is
// measured is measured exactly; these only bound the wait for it.
const (
	buildTimeout  = 30 * time.Minute // a first build compiles the control plane as well
	settleTimeout = 6 * time.Minute  // an import takes CDI half a minute
	removeTimeout = 6 * time.Minute
	pollInterval  = 50 * time.Millisecond
)

// running is the stack of this suite; BeforeSuite sets it once.
var running *stack.Stack

// linuxImage is the file of the disk image of linuxMachine.
const linuxImage = "linux-9.img"

// image is the disk image of linuxMachine; BeforeSuite sets it once.
var image stack.Image

// broken tells that a spec failed, so that the logs are kept.
var broken bool

func TestE2E(t *testing.T) {
	RegisterFailHandler(Fail)
	log.SetLogger(GinkgoLogr)
	SetDefaultEventuallyPollingInterval(pollInterval)
	SetDefaultEventuallyTimeout(settleTimeout)
	EnforceDefaultTimeoutsWhenUsingContexts()
	RunSpecs(t, "Cato on a real cluster")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	root, err := filepath.Abs("../..")
	Expect(err).NotTo(HaveOccurred())
	binary := buildOperator(ctx, root)
	running, err = stack.Start(ctx, stack.Options{
		Root: root, Operator: binary, Progress: GinkgoWriter, Flags: []string{"--stand-in", stack.StandInSentence},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		if broken {
			running.ControlPlane.KeepLogs()
		}
		unwell := running.ControlPlane.Check(context.Background())
		said := running.Log()
		running.Stop()
		Expect(unwell).NotTo(HaveOccurred(), "a component of the cluster ended or is in a crash loop")
		Expect(said).NotTo(ContainSubstring("DATA RACE"), "the operator's race detector")
		Expect(said).NotTo(ContainSubstring("Observed a panic"), "a reconciler panicked")
	})
	images, err := running.ServeImages(linuxImage)
	Expect(err).NotTo(HaveOccurred())
	image = images[linuxImage]
}, NodeTimeout(buildTimeout))

// buildOperator builds the operator as this test is built: with the race
// detector when that is on, in the processes of the suite that it is for.
func buildOperator(ctx context.Context, root string) string {
	binary := filepath.Join(GinkgoT().TempDir(), "cato-operator")
	build(ctx, root, binary)
	return binary
}

func build(ctx context.Context, root, binary string, flags ...string) {
	GinkgoHelper()
	arguments := append([]string{"build", "-o", binary}, flags...)
	if raceDetector && GinkgoParallelProcess() <= racedOperators {
		arguments = append(arguments, "-race")
	}
	command := exec.CommandContext(ctx, "go", append(arguments, "./cmd/cato-operator")...)
	command.Dir = root
	output, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "go build ./cmd/cato-operator: %s", output)
}

var _ = AfterEach(func() {
	if CurrentSpecReport().Failed() {
		broken = true
		AddReportEntry("the end of the operator's log", running.LogTail(), ReportEntryVisibilityFailureOrVerbose)
	}
})

// say reports a result that is not a pass or a fail, such as a measured time.
func say(format string, arguments ...any) {
	AddReportEntry(fmt.Sprintf(format, arguments...), ReportEntryVisibilityAlways)
}

// k8s is an administrator's client.
func k8s() client.Client { return running.Client }
