package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// vmCommand is the whole of uds-vmctl, and vm of catoctl.
func (a app) vmCommand(use string) *cobra.Command {
	command := &cobra.Command{
		Use: use, Short: "Operate UDSVirtualMachines",
		Long: "List UDSVirtualMachines with what is known of their hardening, and start and stop them.",
	}
	called := "catoctl vm"
	if use == "uds-vmctl" {
		called = use
	}
	command.AddCommand(a.inventoryCommand(called), a.powerCommand(called))
	return command
}

// completeNames completes the names of UDSVirtualMachines after an action, if any.
func completeNames(c *cluster, action []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return action, cobra.ShellCompDirectiveNoFileComp
		case 1:
			return c.names(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
		default:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

func machineNames(ctx context.Context, reader client.Reader, namespace string) []string {
	var list udsv1alpha1.UDSVirtualMachineList
	if err := reader.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil // completion has nobody to tell
	}
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

func oneOf(what, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s %q: use %s", what, value, strings.Join(allowed, ", "))
}
