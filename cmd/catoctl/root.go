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

func (a app) root() *cobra.Command {
	command := &cobra.Command{
		Use: "catoctl", Short: "Judge, read and operate what Cato manages",
		Long:         "catoctl judges manifests and dumps by the rules that judge the cluster, and reads the evidence as OSCAL." + "\n" + exitCodes,
		SilenceUsage: true, SilenceErrors: true,
	}
	command.AddCommand(a.checkCommand(), a.versionCommand())
	if a.name == "kubectl-cato" {
		command.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl cato"}
	}
	return command
}

func (a app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		Example: "  catoctl version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.streams.Out, a.version)
			return err
		},
	}
}
