package cluster_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

func virtualMachine(namespace, name, disk string) *kubevirtv1.VirtualMachine {
	always := kubevirtv1.RunStrategyAlways
	memory := resource.MustParse("128Mi")
	vm := &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: &always,
			Template:    &kubevirtv1.VirtualMachineInstanceTemplateSpec{},
		},
	}
	spec := &vm.Spec.Template.Spec
	spec.Domain.CPU = &kubevirtv1.CPU{Cores: 1}
	spec.Domain.Memory = &kubevirtv1.Memory{Guest: &memory}
	spec.Domain.Devices.Disks = []kubevirtv1.Disk{{
		Name: "root", DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}},
	}}
	spec.Domain.Devices.Interfaces = []kubevirtv1.Interface{*kubevirtv1.DefaultMasqueradeNetworkInterface()}
	spec.Networks = []kubevirtv1.Network{*kubevirtv1.DefaultPodNetwork()}
	spec.Volumes = []kubevirtv1.Volume{{
		Name: "root", VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: disk}},
	}}
	return vm
}

func vmStatus(want kubevirtv1.VirtualMachinePrintableStatus, ready bool) func(*kubevirtv1.VirtualMachine) bool {
	return func(vm *kubevirtv1.VirtualMachine) bool {
		return vm.Status.PrintableStatus == want && vm.Status.Ready == ready
	}
}

func TestAVirtualMachineRunsOnAnImportedDisk(t *testing.T) {
	ns := namespace(t)
	dv := dataVolume(ns, "disk", httpSource(imageSum(t)))
	create(t, dv)
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	vm := virtualMachine(ns, "vm", "disk")
	create(t, vm)
	eventually(t, "VirtualMachine Running and Ready", vm, vmStatus(kubevirtv1.VirtualMachineStatusRunning, true))
	if vm.Spec.Template.Spec.Domain.Machine == nil && vm.Spec.Template.Spec.Architecture == "" {
		t.Error("KubeVirt's own admission did not fill in defaults")
	}
}
