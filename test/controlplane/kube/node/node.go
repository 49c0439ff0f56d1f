// Package node is a node: the real kubelet with a container runtime that runs
// each container as a process of this machine, and a stand-in for virt-handler.
package node

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"

	"cato.dev/cato/test/controlplane/kube/guest"
	"cato.dev/cato/test/controlplane/kube/network"
	"cato.dev/cato/test/controlplane/kube/process"
)

// settings are the flags of a node.
type settings struct {
	kubeconfig        string
	handlerKubeconfig string
	name              string
	number            int
	dir               string
	podLogs           string
	address           string
	bridge            string
	gateway           string
	images            string
}

// Main runs a node until SIGTERM or SIGINT, and then kills its containers.
func Main(args []string) error {
	var s settings
	flags := flag.NewFlagSet("node", flag.ContinueOnError)
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "kubeconfig of the user system:node:NAME")
	flags.StringVar(&s.handlerKubeconfig, "handler-kubeconfig", "", "kubeconfig of virt-handler's ServiceAccount; without it no stand-in for virt-handler runs")
	flags.StringVar(&s.name, "name", "", "name of the node")
	flags.IntVar(&s.number, "number", 1, "number of the node in its cluster, from 1 to 60")
	flags.StringVar(&s.dir, "dir", "", "folder for the node's state")
	flags.StringVar(&s.podLogs, "pod-logs", "", "folder for the logs of pods")
	flags.StringVar(&s.address, "address", "", "the node's address, which the bridge must have")
	flags.StringVar(&s.bridge, "bridge", "", "bridge that pods are connected to")
	flags.StringVar(&s.gateway, "gateway", "", "the bridge's address with its length, such as 10.200.0.1/16")
	flags.StringVar(&s.images, "images", "", "JSON file that says what containers run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return run(ctx, s)
}

func run(ctx context.Context, s settings) error {
	data, err := os.ReadFile(s.images)
	if err != nil {
		return fmt.Errorf("read --images: %w", err)
	}
	var images process.Images
	if err := json.Unmarshal(data, &images); err != nil {
		return fmt.Errorf("read --images: %s: %w", s.images, err)
	}
	gateway, err := netip.ParsePrefix(s.gateway)
	if err != nil {
		return fmt.Errorf("read --gateway: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return fmt.Errorf("read --kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	for _, folder := range []string{"static", "containers", "root"} {
		if err := os.MkdirAll(filepath.Join(s.dir, folder), 0o755); err != nil {
			return fmt.Errorf("make the node's folders: %w", err)
		}
	}
	pods, err := network.NewPods(ctx, s.bridge, gateway, s.number)
	if err != nil {
		return err
	}
	containers := process.New(filepath.Join(s.dir, "containers"), images, pods)
	defer containers.Stop()
	if s.handlerKubeconfig != "" {
		handler, err := clientcmd.BuildConfigFromFlags("", s.handlerKubeconfig)
		if err != nil {
			return fmt.Errorf("read --handler-kubeconfig: %w", err)
		}
		standIn := guest.StandIn{Node: s.name, Handler: handler, Kubelet: client}
		go func() { _ = standIn.Run(ctx) }()
	}
	flags := kubeletFlags(s)
	configuration, err := kubeletConfiguration(s, gateway)
	if err != nil {
		return err
	}
	dependencies, err := dependencies(ctx, s.name, client, containers, flags, configuration)
	if err != nil {
		return err
	}
	server := &options.KubeletServer{KubeletFlags: *flags, KubeletConfiguration: *configuration}
	if err := kubeletapp.RunKubelet(ctx, server, dependencies); err != nil {
		return fmt.Errorf("run the kubelet: %w", err)
	}
	<-ctx.Done()
	return nil
}
