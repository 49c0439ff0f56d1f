// Command cato-operator reconciles tenants and virtual machines by policy,
// judges what lives, and offers the posture as OSCAL and as metrics.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/spf13/cobra"

	"cato.dev/cato/cmd/cato-operator/operator"
)

// version is set by the linker.
var version = "unknown"

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "cato-operator:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	options := operator.Defaults()
	options.Version = version
	var kubeconfig string
	cmd := &cobra.Command{
		Use:           "cato-operator",
		Short:         "Operator for tenants and virtual machines in which every decision is a Rego rule and every rule is evidence",
		Example:       "  cato-operator --state-dir /var/lib/cato --leader-elect",
		Args:          cobra.NoArgs,
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			collectSeldom()
			ctrl.SetLogger(zap.New())
			config, err := operator.RESTConfig(kubeconfig)
			if err != nil {
				return err
			}
			return operator.Run(ctrl.SetupSignalHandler(), config, options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&kubeconfig, "kubeconfig", "", "Path of a kubeconfig; in a pod, and where KUBECONFIG is set, it is not needed")
	options.AddFlags(flags)
	return cmd
}

// collectSeldom lets the heap grow to five times what lives before garbage is collected: judging makes much garbage
// and keeps little, and about a fifth of its time was measured to be the collector. Whoever sets GOGC has decided otherwise, and
// GOMEMLIMIT bounds the memory either way.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
