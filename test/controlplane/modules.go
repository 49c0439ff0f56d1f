package controlplane

import (
	"fmt"
	"path/filepath"
	"strings"

	"cato.dev/cato/test/controlplane/internal/buildcache"
)

// kubeVersion is the version of k8s.io/kubernetes in kube/go.mod. Without it
// the programs would call themselves v0.0.0-master, and checks of version skew
// would go wrong.
const kubeVersion = "v1.37.2"

func kubeModule(root string) buildcache.Module {
	major, minor, _ := strings.Cut(strings.TrimPrefix(kubeVersion, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	flags := "-s -w"
	for _, p := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags += fmt.Sprintf(" -X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean",
			p, kubeVersion, major, minor)
	}
	return buildcache.Module{
		Name:       "kube",
		Dir:        filepath.Join(root, "test", "controlplane", "kube"),
		Package:    ".",
		LDFlags:    flags,
		Output:     "controlplane",
		Links:      append(components(), "kube-scheduler", "node", "cluster"),
		CPUSeconds: 1400,
	}
}

func kubeVirtModule(root string) buildcache.Module { return crdModule(root, "kubevirt", 400) }

func cdiModule(root string) buildcache.Module { return crdModule(root, "cdi", 30) }

// crdModule prints the CustomResourceDefinitions of a product.
func crdModule(root, product string, cpuSeconds int) buildcache.Module {
	return buildcache.Module{
		Name:       product,
		Dir:        filepath.Join(root, "test", "controlplane", product),
		Package:    "./cmd/" + product + "-manifests",
		LDFlags:    "-s -w",
		Output:     crdFile,
		Print:      []string{"crds"},
		CPUSeconds: cpuSeconds,
	}
}

// kubeVirtPrograms are virt-api and virt-controller, unmodified, with what
// virt-operator would install.
func kubeVirtPrograms(root string) buildcache.Module {
	const commands = "kubevirt.io/kubevirt/cmd/"
	return buildcache.Module{
		Name:       "kubevirt-programs",
		Dir:        filepath.Join(root, "test", "controlplane", "kubevirt"),
		Package:    "./cmd/kubevirt-install",
		Tools:      []string{commands + "virt-api", commands + "virt-controller"},
		LDFlags:    "-s -w",
		Output:     installFile,
		Print:      []string{},
		CPUSeconds: 500,
	}
}

// cdiPrograms are CDI's programs, unmodified, with what cdi-operator would
// install.
func cdiPrograms(root string) buildcache.Module {
	const module = "kubevirt.io/containerized-data-importer/"
	m := buildcache.Module{
		Name:       "cdi-programs",
		Dir:        filepath.Join(root, "test", "controlplane", "cdi"),
		Package:    "./cmd/cdi-install",
		Tools:      []string{module + "tools/cdi-image-size-detection"},
		Tags:       "containers_image_openpgp,exclude_graphdriver_btrfs,exclude_graphdriver_devicemapper",
		LDFlags:    "-s -w",
		Output:     installFile,
		Print:      []string{},
		CPUSeconds: 500,
	}
	for _, command := range []string{"apiserver", "cloner", "controller", "importer", "uploadproxy", "uploadserver"} {
		m.Tools = append(m.Tools, module+"cmd/cdi-"+command)
	}
	return m
}
