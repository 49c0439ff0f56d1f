package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// powerManager is the field manager of what the power commands write.
const powerManager = "uds-vmctl"

type powerOptions struct {
	action string // start, stop or restart
	name   types.NamespacedName

	streams genericiooptions.IOStreams
}

func (a app) powerCommand(called string) *cobra.Command {
	cluster := newCluster()
	o := &powerOptions{streams: a.streams}
	actions := []string{"start", "stop", "restart"}
	command := &cobra.Command{
		Use: "power start|stop|restart NAME", Short: "Start, stop or restart a UDSVirtualMachine", Args: cobra.ExactArgs(2),
		Long: "start and stop set spec.runStrategy of the UDSVirtualMachine to Always and Halted, so that the operator keeps it so. restart asks KubeVirt for a restart of the running guest and changes no spec.",
		Example: strings.ReplaceAll(`  NAME power stop web-1 -n mission-a
  NAME power restart web-1 -n mission-a`, "NAME", called),
		ValidArgsFunction: completeNames(cluster, actions),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf("power", args[0], actions...); err != nil {
				return err
			}
			namespace, err := cluster.namespace()
			if err != nil {
				return err
			}
			o.action, o.name = args[0], types.NamespacedName{Namespace: namespace, Name: args[1]}
			return o.ask(cmd.Context(), cluster)
		},
	}
	cluster.addFlags(command.Flags())
	return command
}

func (o *powerOptions) ask(ctx context.Context, cluster *cluster) error {
	writer, err := cluster.client()
	if err != nil {
		return err
	}
	if o.action != "restart" {
		return o.setRunStrategy(ctx, writer)
	}
	config, err := cluster.config()
	if err != nil {
		return err
	}
	restart, err := restarter(config)
	if err != nil {
		return err
	}
	return o.restart(ctx, writer, restart)
}

// setRunStrategy changes the wish; the operator does what follows from it.
func (o *powerOptions) setRunStrategy(ctx context.Context, c client.Client) error {
	want := udsv1alpha1.RunAlways
	if o.action == "stop" {
		want = udsv1alpha1.RunHalted
	}
	machine, err := o.machine(ctx, c)
	if err != nil {
		return err
	}
	if machine.Spec.RunStrategy == want {
		return o.say("is asked to be %s already", strings.ToLower(string(want)))
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"runStrategy": want}})
	if err != nil {
		return err
	}
	if err := c.Patch(ctx, machine, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(powerManager)); err != nil {
		return o.explain(err)
	}
	return o.say("%s asked (spec.runStrategy %s)", o.action, want)
}

// restart asks KubeVirt, for a machine that Cato knows.
func (o *powerOptions) restart(ctx context.Context, reader client.Reader, restart func(context.Context, types.NamespacedName) error) error {
	machine, err := o.machine(ctx, reader)
	if err != nil {
		return err
	}
	if machine.Spec.RunStrategy == udsv1alpha1.RunHalted {
		return fmt.Errorf("UDSVirtualMachine %s is halted, so there is no guest to restart: use power start", o.name)
	}
	if err := restart(ctx, o.name); err != nil {
		return o.explain(err)
	}
	return o.say("restart asked")
}

func (o *powerOptions) machine(ctx context.Context, reader client.Reader) (*udsv1alpha1.UDSVirtualMachine, error) {
	var machine udsv1alpha1.UDSVirtualMachine
	if err := reader.Get(ctx, o.name, &machine); err != nil {
		return nil, o.explain(err)
	}
	return &machine, nil
}

func (o *powerOptions) explain(err error) error {
	switch {
	case apierrors.IsNotFound(err) && o.action == "restart":
		return fmt.Errorf("UDSVirtualMachine %s or its VirtualMachine does not exist, or KubeVirt's API is not served: see `uds-vmctl inventory -n %s`: %w", o.name, o.name.Namespace, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("UDSVirtualMachine %s does not exist: see `uds-vmctl inventory -n %s`, or give another namespace by -n", o.name, o.name.Namespace)
	default:
		return fmt.Errorf("power %s of UDSVirtualMachine %s: %w", o.action, o.name, err)
	}
}

func (o *powerOptions) say(format string, args ...any) error {
	_, err := fmt.Fprintf(o.streams.Out, "udsvirtualmachine.uds.dev/%s: %s\n", o.name.Name, fmt.Sprintf(format, args...))
	return err
}
