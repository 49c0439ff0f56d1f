// Command kubevirt-install prints what KubeVirt's operator would install
// besides the CustomResourceDefinitions, as one JSON List, made by KubeVirt's
// own code: RBAC, virt-api and virt-controller with webhooks and APIServices.
// Certificates are not in it; they are those of the cluster.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/rbac"
	"kubevirt.io/kubevirt/pkg/virt-operator/util"
)

const (
	namespace = "kubevirt"
	// registry is where the images would come from, if there were any: the
	// node of the test cluster only looks at the last part of an image's name.
	registry = "registry.invalid/kubevirt"
	version  = "v1.8.2"
)

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: kubevirt-install")
		os.Exit(2)
	}
	list := map[string]any{"apiVersion": "v1", "kind": "List", "items": objects()}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		fmt.Fprintln(os.Stderr, "kubevirt-install:", err)
		os.Exit(1)
	}
}

func objects() []any {
	items := []any{components.NewKubeVirtPriorityClassCR()}
	for _, some := range [][]runtime.Object{
		rbac.GetAllApiServer(namespace), rbac.GetAllController(namespace, true), rbac.GetAllHandler(namespace), rbac.GetAllCluster(),
	} {
		for _, object := range some {
			items = append(items, object)
		}
	}
	for _, bundle := range components.NewCAConfigMaps(namespace) {
		items = append(items, bundle)
	}
	config := &util.KubeVirtDeploymentConfig{Namespace: namespace, Registry: registry, KubeVirtVersion: version}
	for _, deployment := range []*appsv1.Deployment{
		components.NewApiServerDeployment(config, "", "", ""),
		components.NewControllerDeployment(config, "", "", ""),
	} {
		items = append(items, small(deployment))
	}
	items = append(items,
		components.NewApiServerService(namespace),
		components.NewVirtAPIValidatingWebhookConfiguration(namespace),
		components.NewVirtAPIMutatingWebhookConfiguration(namespace),
		components.NewVirtLauncherPodMutatingWebhookConfiguration(namespace),
	)
	for _, service := range components.NewVirtAPIAPIServices(namespace) {
		items = append(items, service)
	}
	return items
}

// small fits a Deployment to a test: one replica, and probes that ask at once
// and often, so that a start waits for nothing else than the program.
func small(deployment *appsv1.Deployment) *appsv1.Deployment {
	one := int32(1)
	deployment.Spec.Replicas = &one
	for i := range deployment.Spec.Template.Spec.Containers {
		if probe := deployment.Spec.Template.Spec.Containers[i].ReadinessProbe; probe != nil {
			probe.InitialDelaySeconds, probe.PeriodSeconds = 0, 1
		}
	}
	return deployment
}
