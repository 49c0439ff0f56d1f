// Command kubevirt-manifests prints the CustomResourceDefinitions that
// KubeVirt's operator would install, as one JSON List, made by KubeVirt's own
// code: what tests see is what a cluster with this version of KubeVirt has.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"kubevirt.io/kubevirt/pkg/virt-operator/resource/generate/components"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "crds" {
		fmt.Fprintln(os.Stderr, "usage: kubevirt-manifests crds")
		os.Exit(2)
	}
	if err := printCRDs(); err != nil {
		fmt.Fprintln(os.Stderr, "kubevirt-manifests:", err)
		os.Exit(1)
	}
}

func printCRDs() error {
	var items []*apiextensionsv1.CustomResourceDefinition
	for _, generate := range []func() (*apiextensionsv1.CustomResourceDefinition, error){
		components.NewVirtualMachineInstanceCrd,
		components.NewVirtualMachineCrd,
		components.NewPresetCrd,
		components.NewReplicaSetCrd,
		components.NewVirtualMachineInstanceMigrationCrd,
		components.NewKubeVirtCrd,
		components.NewVirtualMachinePoolCrd,
		components.NewVirtualMachineSnapshotCrd,
		components.NewVirtualMachineSnapshotContentCrd,
		components.NewVirtualMachineRestoreCrd,
		components.NewVirtualMachineExportCrd,
		components.NewVirtualMachineBackupCrd,
		components.NewVirtualMachineBackupTrackerCrd,
		components.NewVirtualMachineInstancetypeCrd,
		components.NewVirtualMachineClusterInstancetypeCrd,
		components.NewVirtualMachinePreferenceCrd,
		components.NewVirtualMachineClusterPreferenceCrd,
		components.NewMigrationPolicyCrd,
		components.NewVirtualMachineCloneCrd,
	} {
		crd, err := generate()
		if err != nil {
			return fmt.Errorf("generate a CustomResourceDefinition: %w", err)
		}
		// The generators fill in a status, which only an API server may write.
		crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
		items = append(items, crd)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}
