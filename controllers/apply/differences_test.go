package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func meta(kind string) (metav1.TypeMeta, metav1.ObjectMeta) {
	yes := true
	owner := metav1.OwnerReference{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: "acme", UID: "1", Controller: &yes}
	return metav1.TypeMeta{APIVersion: "v1", Kind: kind}, metav1.ObjectMeta{Name: "x", Namespace: "n", OwnerReferences: []metav1.OwnerReference{owner}}
}

func needs(t *testing.T, child Child) Result {
	t.Helper()
	result, err := Needed(child)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A list from a cache or from the API server has items that do not say their kind.
func TestAPolicyWithoutRulesIsNoDriftWhateverKindItSays(t *testing.T) {
	policy := &networkingv1.NetworkPolicy{}
	policy.TypeMeta, policy.ObjectMeta = meta("NetworkPolicy")
	live := policy.DeepCopy()
	live.TypeMeta = metav1.TypeMeta{}
	if got := needs(t, Child{Desired: policy, Live: live, Exact: []string{"spec"}}); got.Outcome != Unchanged {
		t.Errorf("%+v", got)
	}
	live.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
	want := Result{Outcome: Updated, Drifted: []string{"spec"}}
	if diff := cmp.Diff(want, needs(t, Child{Desired: policy, Live: live, Exact: []string{"spec"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFieldThatIsNotDesiredIsSeenWhereItIsOurs(t *testing.T) {
	quota := &corev1.ResourceQuota{}
	quota.TypeMeta, quota.ObjectMeta = meta("ResourceQuota")
	live := quota.DeepCopy()
	live.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	scopes := []string{"spec.scopes", "spec.scopeSelector"}
	want := Result{Outcome: Recreated, Drifted: []string{"spec.scopes"}}
	if diff := cmp.Diff(want, needs(t, Child{Desired: quota, Live: live, Exact: scopes, Immutable: scopes})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := needs(t, Child{Desired: quota, Live: live}); got.Outcome != Unchanged {
		t.Errorf("a field of another is taken: %+v", got)
	}
}

func TestAnotherRoleIsMadeAnewAndAnotherSubjectIsNot(t *testing.T) {
	binding := &rbacv1.RoleBinding{RoleRef: rbacv1.RoleRef{Name: "a"}, Subjects: []rbacv1.Subject{{Name: "operator"}}}
	binding.TypeMeta, binding.ObjectMeta = meta("RoleBinding")
	child := Child{Desired: binding, Exact: []string{"subjects", "roleRef"}, Immutable: []string{"roleRef"}}
	role, subject := binding.DeepCopy(), binding.DeepCopy()
	role.RoleRef.Name = "cluster-admin"
	subject.Subjects = append(subject.Subjects, rbacv1.Subject{Name: "mallory"})
	for _, row := range []struct {
		live *rbacv1.RoleBinding
		want Result
	}{
		{role, Result{Recreated, []string{"roleRef"}}},
		{subject, Result{Updated, []string{"subjects"}}},
	} {
		child.Live = row.live
		if diff := cmp.Diff(row.want, needs(t, child)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// A binding of a NIC is an object without fields: who exchanges masquerade for
// bridge puts the guest past every NetworkPolicy.
func TestAnEmptyObjectThatIsGoneIsDrift(t *testing.T) {
	vm := &kubevirtv1.VirtualMachine{Spec: kubevirtv1.VirtualMachineSpec{Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}}}
	vm.TypeMeta, vm.ObjectMeta = meta("VirtualMachine")
	nic := kubevirtv1.Interface{Name: "default", InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Masquerade: &kubevirtv1.InterfaceMasquerade{}}}
	vm.Spec.Template.Spec.Domain.Devices.Interfaces = []kubevirtv1.Interface{nic}
	if got := needs(t, Child{Desired: vm, Live: vm.DeepCopy()}); got.Outcome != Unchanged {
		t.Errorf("%+v", got)
	}
	live := vm.DeepCopy()
	live.Spec.Template.Spec.Domain.Devices.Interfaces[0].InterfaceBindingMethod = kubevirtv1.InterfaceBindingMethod{Bridge: &kubevirtv1.InterfaceBridge{}}
	want := Result{Outcome: Updated, Drifted: []string{"spec.template.spec.domain.devices.interfaces[0].masquerade"}}
	if diff := cmp.Diff(want, needs(t, Child{Desired: vm, Live: live})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
