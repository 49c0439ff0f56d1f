package e2e

import (
	"context"
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
)

// expectSafe holds at every moment, while the operator is dead too: no guest
// without the policy that isolates it, and none started from an unverified disk.
func expectSafe(ctx context.Context, namespaces []string) {
	GinkgoHelper()
	for _, namespace := range namespaces {
		var machines kubevirtv1.VirtualMachineList
		Expect(k8s().List(ctx, &machines, client.InNamespace(namespace))).To(Succeed())
		for i := range machines.Items {
			vm := &machines.Items[i]
			if problem := unsafe(ctx, vm); problem != "" && still(ctx, vm) {
				Fail(problem)
			}
		}
	}
}

func unsafe(ctx context.Context, vm *kubevirtv1.VirtualMachine) string {
	GinkgoHelper()
	key := client.ObjectKey{Namespace: vm.Namespace, Name: vm.Name + udsv1alpha1.NetworkPolicySuffix}
	err := k8s().Get(ctx, key, &networkingv1.NetworkPolicy{})
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("VirtualMachine %s/%s stands without NetworkPolicy %s", vm.Namespace, vm.Name, key.Name)
	}
	Expect(err).NotTo(HaveOccurred())
	if vm.Spec.RunStrategy == nil || *vm.Spec.RunStrategy == kubevirtv1.RunStrategyHalted {
		return ""
	}
	volume := &cdiv1beta1.DataVolume{}
	err = k8s().Get(ctx, client.ObjectKey{Namespace: vm.Namespace, Name: vm.Name + udsv1alpha1.DataVolumeSuffix}, volume)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil || volume.Status.Phase != cdiv1beta1.Succeeded {
		return fmt.Sprintf("VirtualMachine %s/%s was started from a disk that is %q", vm.Namespace, vm.Name, volume.Status.Phase)
	}
	return ""
}

// still tells that the very machine is there as it was listed: the lists were
// not of one instant.
func still(ctx context.Context, vm *kubevirtv1.VirtualMachine) bool {
	now := &kubevirtv1.VirtualMachine{}
	err := k8s().Get(ctx, client.ObjectKeyFromObject(vm), now)
	return err == nil && now.UID == vm.UID && now.DeletionTimestamp == nil && now.Generation == vm.Generation
}

// settle waits until every resource is as its spec wants, with its children
// exactly as rendered, and what was deleted is gone.
func (f *fleet) settle(ctx context.Context) {
	GinkgoHelper()
	for i, exists := range f.tenants {
		name := f.tenantName(i)
		if !exists {
			expectGone(ctx, tenantNamed(name))
			expectGone(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: virtfoundryv1alpha1.NamespacePrefix + name}})
			continue
		}
		tenantChildren(ctx, readyTenant(ctx, name))
	}
	for i, exists := range f.machines {
		key := f.machineKey(i)
		machine := &udsv1alpha1.UDSVirtualMachine{}
		if err := k8s().Get(ctx, key, machine); !exists {
			expectGone(ctx, linuxMachine(key.Namespace, key.Name))
			continue
		} else {
			Expect(err).NotTo(HaveOccurred())
		}
		f.settled(ctx, machine)
	}
}

func (f *fleet) settled(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) {
	GinkgoHelper()
	switch {
	case machine.Spec.CPU.Dedicated:
		machineIn(ctx, machine.Namespace, machine.Name, udsv1alpha1.PhaseFailed)
	case machine.Spec.RunStrategy == udsv1alpha1.RunHalted:
		machineChildren(ctx, machineIn(ctx, machine.Namespace, machine.Name, udsv1alpha1.PhaseStopped))
	default:
		machineChildren(ctx, machineIn(ctx, machine.Namespace, machine.Name, udsv1alpha1.PhaseReady))
	}
}

func expectGone(ctx context.Context, object client.Object) {
	GinkgoHelper()
	key := client.ObjectKeyFromObject(object)
	Eventually(func() bool { return apierrors.IsNotFound(k8s().Get(ctx, key, object)) }).
		WithContext(ctx).WithTimeout(removeTimeout).Should(BeTrue(), "%T %s is left", object, key)
}

// expectNoOrphans tells that every child has its resource, and that a machine
// that is refused has no child.
func (f *fleet) expectNoOrphans(ctx context.Context) {
	GinkgoHelper()
	Eventually(func() []string { return orphans(ctx, f.namespaces) }).WithContext(ctx).WithTimeout(removeTimeout).Should(BeEmpty())
	for i := range f.tenants {
		var left corev1.NamespaceList
		Expect(k8s().List(ctx, &left, client.MatchingLabels{virtfoundryv1alpha1.LabelTenant: f.tenantName(i)})).To(Succeed())
		Expect(left.Items).To(HaveLen(map[bool]int{true: 1, false: 0}[f.tenants[i]]), "namespaces of Tenant %s", f.tenantName(i))
	}
}

func orphans(ctx context.Context, namespaces []string) []string {
	GinkgoHelper()
	left := []string{}
	for _, namespace := range namespaces {
		var machines udsv1alpha1.UDSVirtualMachineList
		Expect(k8s().List(ctx, &machines, client.InNamespace(namespace))).To(Succeed())
		owners := []types.UID{}
		for i := range machines.Items {
			if !machines.Items[i].Spec.CPU.Dedicated {
				owners = append(owners, machines.Items[i].UID)
			}
		}
		for _, list := range []client.ObjectList{&networkingv1.NetworkPolicyList{}, &corev1.SecretList{}, &cdiv1beta1.DataVolumeList{}, &kubevirtv1.VirtualMachineList{}} {
			Expect(k8s().List(ctx, list, client.InNamespace(namespace))).To(Succeed())
			Expect(meta.EachListItem(list, func(item runtime.Object) error {
				object, _ := item.(client.Object)
				owner := metav1.GetControllerOf(object)
				if owner == nil || !slices.Contains(owners, owner.UID) {
					left = append(left, fmt.Sprintf("%T %s/%s", object, namespace, object.GetName()))
				}
				return nil
			})).To(Succeed())
		}
	}
	return left
}

// lookalikes are objects of somebody else that look as if they were Cato's: a
// namespace named and labelled as a tenant's, and children of machines in a
// namespace that nobody opened to machines.
func lookalikes(ctx context.Context, prefix string) *foreign {
	GinkgoHelper()
	tenant := stored(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:   virtfoundryv1alpha1.NamespacePrefix + prefix + "-0-x",
		Labels: map[string]string{virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf, virtfoundryv1alpha1.LabelTenant: prefix + "-0-x"},
	}})
	closed := stored(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: prefix + "-closed"}})
	f := foreignTo(ctx, tenant.Name)
	inClosed := foreignTo(ctx, closed.Name)
	f.objects = append(f.objects, inClosed.objects...)
	rendered, err := children.ForMachine(children.MachineInput{Machine: linuxMachine(closed.Name, "vm-1"), Start: true})
	Expect(err).NotTo(HaveOccurred())
	for _, object := range []client.Object{rendered.NetworkPolicy, rendered.CloudInit, rendered.VirtualMachine} {
		object.SetOwnerReferences(nil)
		if vm, ok := object.(*kubevirtv1.VirtualMachine); ok {
			halted := kubevirtv1.RunStrategyHalted
			vm.Spec.RunStrategy = &halted
		}
		Expect(k8s().Create(ctx, object, somebody)).To(Succeed())
		f.objects = append(f.objects, object)
	}
	// Kubernetes and the stand-in finish what is theirs before it is looked at.
	Eventually(func() string {
		vm := rendered.VirtualMachine
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(vm), vm)).To(Succeed())
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(closed), closed)).To(Succeed())
		return string(vm.Status.PrintableStatus)
	}).WithContext(ctx).WithTimeout(settleTimeout).Should(Equal(string(kubevirtv1.VirtualMachineStatusStopped)))
	f.objects = append(f.objects, tenant, closed)
	return f
}
