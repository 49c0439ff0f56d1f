package cluster_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// power asks virt-api to start, stop or restart a VirtualMachine.
func power(t *testing.T, vm *kubevirtv1.VirtualMachine, action string) {
	t.Helper()
	api, err := kubernetes.NewForConfig(the.cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	err = api.RESTClient().Put().
		AbsPath("/apis/subresources.kubevirt.io/v1/namespaces", vm.Namespace, "virtualmachines", vm.Name, action).
		Body([]byte("{}")).Do(t.Context()).Error()
	if err != nil {
		t.Fatalf("%s: %v", action, err)
	}
}

func TestVirtAPIStopsStartsAndRestarts(t *testing.T) {
	ns := golden(t)
	vm := virtualMachine(ns, "vm", "golden")
	create(t, vm)
	runs := vmStatus(kubevirtv1.VirtualMachineStatusRunning, true)
	eventually(t, "VirtualMachine Running", vm, runs)

	power(t, vm, "stop")
	eventually(t, "VirtualMachine Stopped", vm, vmStatus(kubevirtv1.VirtualMachineStatusStopped, false))
	gone(t, &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "vm"}})

	power(t, vm, "start")
	eventually(t, "VirtualMachine Running again", vm, runs)
	instance := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "vm"}}
	eventually(t, "the instance Running", instance, func(i *kubevirtv1.VirtualMachineInstance) bool { return i.Status.Phase == kubevirtv1.Running })
	before := instance.UID

	power(t, vm, "restart")
	eventually(t, "a new instance Running", instance, func(i *kubevirtv1.VirtualMachineInstance) bool {
		return i.UID != before && i.Status.Phase == kubevirtv1.Running
	})
}
