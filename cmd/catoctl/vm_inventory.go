package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

type inventoryOptions struct {
	namespace string // empty for all
	output    string

	now     func() time.Time
	streams genericiooptions.IOStreams
}

func (a app) inventoryCommand(called string) *cobra.Command {
	cluster := newCluster()
	o := &inventoryOptions{now: a.now, streams: a.streams}
	all := false
	command := &cobra.Command{
		Use: "inventory", Short: "List UDSVirtualMachines and their hardening", Args: cobra.NoArgs,
		Long: "List UDSVirtualMachines as the operator reports them: CHECKSUM-VERIFIED and ZERO-TRUST are true only on evidence.",
		Example: strings.ReplaceAll(`  # all namespaces, as a table
  NAME inventory -A

  # those whose disk nobody verified
  NAME inventory -o json | jq -r '.items[] | select(.status.checksumVerified | not) | .metadata.name'`, "NAME", called),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("-o", o.output, "table", "wide", "json", "yaml", "name"); err != nil {
				return err
			}
			reader, err := cluster.client()
			if err != nil {
				return err
			}
			if !all {
				if o.namespace, err = cluster.namespace(); err != nil {
					return err
				}
			}
			return o.run(cmd.Context(), reader)
		},
	}
	cluster.addFlags(command.Flags())
	command.Flags().BoolVarP(&all, "all-namespaces", "A", false, "those of all namespaces")
	command.Flags().StringVarP(&o.output, "output", "o", "table", "table, wide, json, yaml or name")
	return command
}

func (o *inventoryOptions) run(ctx context.Context, reader client.Reader) error {
	list := udsv1alpha1.UDSVirtualMachineList{}
	if err := reader.List(ctx, &list, client.InNamespace(o.namespace)); err != nil {
		if meta.IsNoMatchError(err) {
			return errors.New("the cluster does not serve udsvirtualmachines.uds.dev: install Cato's CRDs (make install)")
		}
		return fmt.Errorf("list UDSVirtualMachines: %w", err)
	}
	if o.output == "table" || o.output == "wide" {
		return o.table(list.Items)
	}
	list.TypeMeta = metav1.TypeMeta{APIVersion: udsv1alpha1.GroupVersion.String(), Kind: "UDSVirtualMachineList"}
	for i := range list.Items {
		list.Items[i].TypeMeta = metav1.TypeMeta{APIVersion: udsv1alpha1.GroupVersion.String(), Kind: "UDSVirtualMachine"}
		list.Items[i].ManagedFields = nil
	}
	switch o.output {
	case "json":
		return (&printers.JSONPrinter{}).PrintObj(&list, o.streams.Out)
	case "yaml":
		return (&printers.YAMLPrinter{}).PrintObj(&list, o.streams.Out)
	}
	for i := range list.Items {
		if err := (&printers.NamePrinter{}).PrintObj(&list.Items[i], o.streams.Out); err != nil {
			return err
		}
	}
	return nil
}

// table prints the columns that users know; the wide one adds why a machine is not ready.
func (o *inventoryOptions) table(machines []udsv1alpha1.UDSVirtualMachine) error {
	if len(machines) == 0 {
		where := "in any namespace"
		if o.namespace != "" {
			where = fmt.Sprintf("in namespace %s", o.namespace)
		}
		_, err := fmt.Fprintf(o.streams.ErrOut, "No UDSVirtualMachine %s.\n", where)
		return err
	}
	table := &metav1.Table{}
	for _, name := range []string{"Name", "Phase", "Source", "OS", "PVC-Size", "Checksum-Verified", "Zero-Trust", "Reconciler", "Age"} {
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string"})
	}
	table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: "Policy", Type: "string", Priority: 1},
		metav1.TableColumnDefinition{Name: "Why", Type: "string", Priority: 1})
	for i := range machines {
		m := &machines[i]
		table.Rows = append(table.Rows, metav1.TableRow{
			Cells: []any{
				m.Name, orDash(string(m.Status.Phase)), orDash(m.Status.Source), orDash(string(m.Spec.OSType)), orDash(m.Status.PVCSize),
				m.Status.ChecksumVerified, m.Status.ZeroTrust, orDash(m.Status.ReconciledBy), o.age(m), orDash(m.Status.PolicyRevision), orDash(why(m)),
			},
			Object: runtime.RawExtension{Object: m},
		})
	}
	printer := printers.NewTablePrinter(printers.PrintOptions{Wide: o.output == "wide", WithNamespace: o.namespace == ""})
	return printer.PrintObj(table, o.streams.Out)
}

func (o *inventoryOptions) age(m *udsv1alpha1.UDSVirtualMachine) string {
	if m.CreationTimestamp.IsZero() {
		return "-"
	}
	return duration.HumanDuration(o.now().Sub(m.CreationTimestamp.Time))
}

// why is what the Ready condition says of a machine that is not ready.
func why(m *udsv1alpha1.UDSVirtualMachine) string {
	ready := meta.FindStatusCondition(m.Status.Conditions, "Ready")
	if ready == nil || ready.Status == metav1.ConditionTrue {
		return ""
	}
	return ready.Reason
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
