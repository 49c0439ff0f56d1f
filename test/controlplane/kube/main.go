// Command controlplane is a whole Kubernetes cluster in one binary: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler, kubectl, a node and
// what a cluster needs besides. The name it is called by, or its first
// argument, chooses the component. It exists so that tests run against the real
// components on machines that reach nothing but the Go module proxy.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	_ "time/tzdata"

	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	kcm "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"cato.dev/cato/test/controlplane/kube/cluster"
	"cato.dev/cato/test/controlplane/kube/node"
	"cato.dev/cato/test/controlplane/kube/process"
)

func main() {
	components := []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl",
		"node", "cluster", process.InitArgument,
	}
	name := filepath.Base(os.Args[0])
	if !slices.Contains(components, name) {
		if len(os.Args) < 2 || !slices.Contains(components, os.Args[1]) {
			fmt.Fprintln(os.Stderr, "usage: controlplane "+strings.Join(components, "|")+" [ARGUMENT...]")
			os.Exit(2)
		}
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(kcm.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	case "node":
		exit(name, node.Main(os.Args[1:]))
	case "cluster":
		exit(name, cluster.Main(os.Args[1:]))
	case process.InitArgument:
		exit(name, process.Init(strings.Join(os.Args[1:], " ")))
	}
}

// exit ends the process; a container's first process ends with the code of a
// program that cannot be found.
func exit(name string, err error) {
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
	if name == process.InitArgument {
		os.Exit(127)
	}
	os.Exit(1)
}
