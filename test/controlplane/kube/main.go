// Command controlplane is etcd, kube-apiserver, kube-controller-manager and
// kubectl in one binary: the name it is called by, or its first argument,
// chooses the component. It exists so that tests run against the real
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
)

func main() {
	components := []string{"etcd", "kube-apiserver", "kube-controller-manager", "kubectl"}
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
	case "kubectl":
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			kubectlutil.CheckErr(err)
		}
	}
}
