package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// app is what every command is given.
type app struct {
	name    string // what the program was called by
	version string
	streams genericiooptions.IOStreams
	now     func() time.Time
}

const exitCodes = `
Exit codes: 0 all is well; 1 the answer is no (a rule fails or cannot be determined); 2 the question or its input is wrong, or could not be asked.`

// root is the program by the name that it was called by.
func (a app) root() *cobra.Command {
	if a.name == "uds-vmctl" {
		command := a.vmCommand("uds-vmctl")
		command.Long += "\n" + exitCodes
		command.SilenceUsage, command.SilenceErrors = true, true
		command.AddCommand(a.versionCommand())
		return command
	}
	command := &cobra.Command{
		Use: "catoctl", Short: "Judge, read and operate what Cato manages",
		Long:         "catoctl judges manifests and dumps by the rules that judge the cluster, and reads the evidence as OSCAL." + "\n" + exitCodes,
		SilenceUsage: true, SilenceErrors: true,
	}
	if a.name == "kubectl-cato" {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl cato"}
	}
	command.AddCommand(a.checkCommand(), a.oscalCommand(), a.policyCommand(), a.vmCommand("vm"), a.versionCommand())
	return command
}

func (a app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Example: "  " + a.name + " version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.streams.Out, a.version)
			return err
		},
	}
}
