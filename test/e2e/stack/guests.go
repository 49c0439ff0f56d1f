package stack

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// runAll gives each machine that is to run an instance, takes the instances of
// the others away, and reports both as KubeVirt does. A running instance keeps
// the template that it was started from.
func (s *Stack) runAll(ctx context.Context) {
	var machines kubevirtv1.VirtualMachineList
	if s.Client.List(ctx, &machines) != nil {
		return
	}
	for i := range machines.Items {
		vm := &machines.Items[i]
		running := vm.DeletionTimestamp == nil && runs(vm)
		status := kubevirtv1.VirtualMachineStatusStopped
		if running {
			status = kubevirtv1.VirtualMachineStatusRunning
		}
		if s.instance(ctx, vm, running) != nil || vm.DeletionTimestamp != nil || vm.Status.PrintableStatus == status {
			continue
		}
		before := vm.DeepCopy()
		vm.Status.PrintableStatus, vm.Status.Ready, vm.Status.Created = status, running, running
		_ = s.Client.Status().Patch(ctx, vm, client.MergeFrom(before), client.FieldOwner(standInOwner)) // met again at the next tick
	}
}

func runs(vm *kubevirtv1.VirtualMachine) bool {
	if vm.Spec.RunStrategy == nil || vm.Spec.Template == nil {
		return false
	}
	strategy := *vm.Spec.RunStrategy
	return strategy == kubevirtv1.RunStrategyAlways || strategy == kubevirtv1.RunStrategyRerunOnFailure
}

// instance makes the machine's instance, or deletes it.
func (s *Stack) instance(ctx context.Context, vm *kubevirtv1.VirtualMachine, running bool) error {
	var vmi kubevirtv1.VirtualMachineInstance
	err := s.Client.Get(ctx, client.ObjectKeyFromObject(vm), &vmi)
	switch {
	case err == nil && (!running || !metav1.IsControlledBy(&vmi, vm)):
		return client.IgnoreNotFound(s.Client.Delete(ctx, &vmi))
	case err == nil || !apierrors.IsNotFound(err) || !running:
		return client.IgnoreNotFound(err)
	}
	template := vm.Spec.Template
	made := &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: vm.Namespace, Name: vm.Name, Labels: template.ObjectMeta.Labels, Annotations: template.ObjectMeta.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(vm, kubevirtv1.VirtualMachineGroupVersionKind)},
		},
		Spec: *template.Spec.DeepCopy(),
		// The CRD has no status subresource.
		Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: kubevirtv1.Running},
	}
	return s.Client.Create(ctx, made, client.FieldOwner(standInOwner))
}
