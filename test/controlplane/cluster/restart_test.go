package cluster_test

import (
	"testing"

	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

func TestKubeVirtAndCDIWorkAfterARestart(t *testing.T) {
	for _, component := range []string{"virt-api", "virt-controller", "cdi-apiserver", "cdi-deployment", "kube-controller-manager"} {
		if err := the.cluster.RestartComponent(t.Context(), component); err != nil {
			t.Fatalf("restart %s: %v", component, err)
		}
	}
	ns := namespace(t)
	dv := dataVolume(ns, "disk", &cdiv1.DataVolumeSource{Blank: &cdiv1.DataVolumeBlankImage{}})
	create(t, dv)
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	vm := virtualMachine(ns, "vm", "disk")
	create(t, vm)
	eventually(t, "VirtualMachine Running and Ready", vm, vmStatus(kubevirtv1.VirtualMachineStatusRunning, true))
}
