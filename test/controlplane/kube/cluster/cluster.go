// Package cluster is what a cluster has besides its control plane and nodes:
// addresses of Services, names of Services, and volumes. One process is enough
// for all of them.
package cluster

import (
	"context"
	"flag"
	"fmt"
	"net/netip"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"cato.dev/cato/test/controlplane/kube/provisioner"
	"cato.dev/cato/test/controlplane/kube/services"
)

// Main runs until SIGTERM or SIGINT.
func Main(args []string) error {
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "kubeconfig of an administrator")
	gateway := flags.String("gateway", "", "address of the bridge of pods, where names of Services are answered")
	apiServer := flags.String("apiserver", "", "host:port of the API server, which becomes Service default/kubernetes")
	volumes := flags.String("volumes", "", "folder for volumes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	address, err := netip.ParseAddr(*gateway)
	if err != nil {
		return fmt.Errorf("read --gateway: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return fmt.Errorf("read --kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	factory := informers.NewSharedInformerFactory(client, 0)
	view, err := services.NewView(factory, *apiServer)
	if err != nil {
		return err
	}
	volumeControl, err := provisioner.New(client, factory, *volumes)
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)

	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return services.ServeNames(ctx, netip.AddrPortFrom(address, 53), view) })
	group.Go(func() error { return services.Forward(ctx, view) })
	group.Go(func() error { return volumeControl.Run(ctx) })
	return group.Wait()
}
