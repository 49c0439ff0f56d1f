// Command cdi-install prints what CDI's operator would install besides the
// CustomResourceDefinitions, as one JSON List, made by CDI's own code: RBAC,
// the Deployments of apiserver, controller and upload proxy with Services,
// webhooks and APIServices, and empty Secrets and ConfigMaps for the
// certificates, which are those of the cluster.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"kubevirt.io/containerized-data-importer/pkg/operator/resources/cert"
	"kubevirt.io/containerized-data-importer/pkg/operator/resources/cluster"
	"kubevirt.io/containerized-data-importer/pkg/operator/resources/namespaced"
)

const (
	namespace = "cdi"
	// registry is where the images would come from, if there were any: the
	// node of the test cluster only looks at the last part of an image's name.
	registry = "registry.invalid/kubevirt/"
	tag      = ":v1.65.0"
)

func main() {
	if len(os.Args) != 1 {
		fmt.Fprintln(os.Stderr, "usage: cdi-install")
		os.Exit(2)
	}
	items, err := objects()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cdi-install:", err)
		os.Exit(1)
	}
}

func objects() ([]client.Object, error) {
	var items []client.Object
	ofCluster := &cluster.FactoryArgs{Namespace: namespace, Logger: logr.Discard()}
	for _, group := range []string{"apiserver-rbac", "controller-rbac", "uploadproxy-rbac", "cronjob-rbac", "aggregate-roles"} {
		some, err := cluster.CreateStaticResourceGroup(group, ofCluster)
		if err != nil {
			return nil, fmt.Errorf("resources of %s: %w", group, err)
		}
		items = append(items, some...)
	}
	some, err := cluster.CreateAllDynamicResources(ofCluster)
	if err != nil {
		return nil, fmt.Errorf("webhooks and APIServices: %w", err)
	}
	items = append(items, some...)

	image := func(name string) string { return registry + name + tag }
	ofNamespace := &namespaced.FactoryArgs{
		Namespace: namespace, Verbosity: "1", PullPolicy: "IfNotPresent",
		ImporterImage: image("cdi-importer"), ClonerImage: image("cdi-cloner"), OvirtPopulatorImage: image("ovirt-populator"),
		UploadServerImage: image("cdi-uploadserver"), ControllerImage: image("cdi-controller"),
		APIServerImage: image("cdi-apiserver"), UploadProxyImage: image("cdi-uploadproxy"),
	}
	if some, err = namespaced.CreateAllResources(ofNamespace); err != nil {
		return nil, fmt.Errorf("resources of the namespace: %w", err)
	}
	for _, object := range some {
		if deployment, ok := object.(*appsv1.Deployment); ok {
			quick(deployment)
		}
		items = append(items, object)
	}
	for _, d := range cert.CreateCertificateDefinitions(&cert.FactoryArgs{Namespace: namespace}) {
		if d.SignerSecret != nil {
			items = append(items, typed(d.SignerSecret, "Secret"))
		}
		if d.TargetSecret != nil {
			items = append(items, typed(d.TargetSecret, "Secret"))
		}
		if d.CertBundleConfigmap != nil {
			items = append(items, typed(d.CertBundleConfigmap, "ConfigMap"))
		}
	}
	return items, nil
}

// typed names the kind of an object of the core group, which CDI's code leaves
// out where it knows it.
func typed(object client.Object, kind string) client.Object {
	gvk := object.GetObjectKind().GroupVersionKind()
	gvk.Version, gvk.Kind = "v1", kind
	object.GetObjectKind().SetGroupVersionKind(gvk)
	return object
}

// quick makes the probes ask at once and often, so that a start waits for
// nothing else than the program.
func quick(deployment *appsv1.Deployment) {
	for i := range deployment.Spec.Template.Spec.Containers {
		if probe := deployment.Spec.Template.Spec.Containers[i].ReadinessProbe; probe != nil {
			probe.InitialDelaySeconds, probe.PeriodSeconds = 0, 1
		}
	}
}
