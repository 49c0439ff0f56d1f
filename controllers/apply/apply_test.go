package apply_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
)

var whole = []string{"spec"}

func TestWhatWasWrittenIsReadAsItWasWritten(t *testing.T) {
	tenant := tenantChildren(t, "settled")
	machine := machineChildren(t, "settled")
	for _, c := range []struct {
		child apply.Child
		live  client.Object
	}{
		{apply.Child{Desired: tenant.NetworkPolicies[0], Exact: whole}, &networkingv1.NetworkPolicy{}},
		{apply.Child{Desired: tenant.NetworkPolicies[1], Exact: whole}, &networkingv1.NetworkPolicy{}},
		{apply.Child{Desired: tenant.ResourceQuota, Exact: whole}, &corev1.ResourceQuota{}},
		{apply.Child{Desired: tenant.LimitRange, Exact: whole}, &corev1.LimitRange{}},
		{apply.Child{Desired: tenant.RoleBindings[0], Exact: []string{"subjects", "roleRef"}}, &rbacv1.RoleBinding{}},
		{apply.Child{Desired: machine.NetworkPolicy, Exact: whole}, &networkingv1.NetworkPolicy{}},
		{apply.Child{Desired: machine.CloudInit, Exact: []string{"data"}}, &corev1.Secret{}},
		{apply.Child{Desired: machine.DataVolume, Exact: whole}, &cdiv1beta1.DataVolume{}},
		{apply.Child{Desired: machine.VirtualMachine, Exact: []string{"spec.template.spec.volumes", "spec.template.spec.networks"}}, &kubevirtv1.VirtualMachine{}},
	} {
		mustApply(t, c.child, apply.Created)
		c.child.Live = read(t, c.child.Desired, c.live)
		mustApply(t, c.child, apply.Unchanged)
		c.live.SetLabels(map[string]string{"theirs": "stays"})
		change(t, c.live)
		mustApply(t, c.child, apply.Updated)
		live := read(t, c.child.Desired, c.live)
		want := map[string]string{"theirs": "stays"}
		for key, value := range c.child.Desired.GetLabels() {
			want[key] = value
		}
		if diff := cmp.Diff(want, live.GetLabels()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.child.Desired.GetName(), diff)
		}
		c.child.Live = live
		mustApply(t, c.child, apply.Unchanged)
	}
}

func TestARuleThatAnotherAddsIsTakenAway(t *testing.T) {
	desired := machineChildren(t, "opened").NetworkPolicy
	mustApply(t, apply.Child{Desired: desired}, apply.Created)
	for name, open := range map[string]func(*networkingv1.NetworkPolicySpec){
		"ingress from everybody": func(s *networkingv1.NetworkPolicySpec) {
			s.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
		},
		"egress to everybody": func(s *networkingv1.NetworkPolicySpec) {
			s.Egress = append(s.Egress, networkingv1.NetworkPolicyEgressRule{})
		},
		"a selector of fewer pods": func(s *networkingv1.NetworkPolicySpec) {
			s.PodSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "x", Operator: "Exists"}}
		},
		"one direction": func(s *networkingv1.NetworkPolicySpec) { s.PolicyTypes = s.PolicyTypes[:1] },
	} {
		live := read(t, desired, &networkingv1.NetworkPolicy{})
		open(&live.Spec)
		change(t, live)
		mustApply(t, apply.Child{Desired: desired, Live: live, Exact: whole}, apply.Updated)
		if diff := cmp.Diff(desired.Spec, read(t, desired, &networkingv1.NetworkPolicy{}).Spec, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s stays (-want +got):\n%s", name, diff)
		}
	}
}

func TestDedicatedProcessorsThatAnotherAddsAreTakenAway(t *testing.T) {
	desired := machineChildren(t, "pinned").VirtualMachine
	mustApply(t, apply.Child{Desired: desired}, apply.Created)
	live := read(t, desired, &kubevirtv1.VirtualMachine{})
	live.Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement = true
	change(t, live)
	result := mustApply(t, apply.Child{Desired: children.MergeVirtualMachine(desired, live), Live: live}, apply.Updated)
	if diff := cmp.Diff([]string{"spec.template.spec.domain.cpu.dedicatedCpuPlacement"}, result.Drifted); diff != "" {
		t.Error(diff)
	}
	if live = read(t, desired, &kubevirtv1.VirtualMachine{}); live.Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement {
		t.Error("the machine keeps its dedicated processors")
	}
	mustApply(t, apply.Child{Desired: children.MergeVirtualMachine(desired, live), Live: live}, apply.Unchanged)
}

func TestARoleThatCannotBeChangedIsBoundAnew(t *testing.T) {
	desired := tenantChildren(t, "rebound").RoleBindings[0]
	other := desired.DeepCopy()
	other.RoleRef.Name = "cluster-admin"
	mustApply(t, apply.Child{Desired: other}, apply.Created)
	live := read(t, desired, &rbacv1.RoleBinding{})
	child := apply.Child{Desired: desired, Live: live, Exact: []string{"subjects", "roleRef"}, Immutable: []string{"roleRef"}}
	mustApply(t, child, apply.Recreated)
	got := read(t, desired, &rbacv1.RoleBinding{})
	if got.RoleRef != desired.RoleRef || got.UID == live.UID {
		t.Errorf("bound to %v with uid %s, was %s", got.RoleRef, got.UID, live.UID)
	}
	if _, err := apply.Apply(t.Context(), cluster.Client, child); !apierrors.IsConflict(err) {
		t.Errorf("a stale read deletes the new binding: %v", err)
	}
}

func TestAnObjectThatAnotherMadeMeanwhileIsNotTakenOver(t *testing.T) {
	desired := tenantChildren(t, "raced").ResourceQuota
	theirs := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: desired.Namespace, Name: desired.Name}}
	if err := cluster.Client.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	if _, err := apply.Apply(t.Context(), cluster.Client, apply.Child{Desired: desired}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("made over another's: %v", err)
	}
	for _, adopt := range []bool{false, true} {
		controlled := read(t, desired, &corev1.ResourceQuota{})
		yes := true
		controlled.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x", UID: "x", Controller: &yes}}
		if _, err := apply.Apply(t.Context(), cluster.Client, apply.Child{Desired: desired, Live: controlled, Adopt: adopt}); !errors.Is(err, apply.ErrOwnedByOther) {
			t.Errorf("adopt %t: what another controls is taken: %v", adopt, err)
		}
	}
	if got := read(t, desired, &corev1.ResourceQuota{}); len(got.Spec.Hard) != 0 || len(got.OwnerReferences) != 0 {
		t.Errorf("another's object was written to: %+v", got)
	}
	child := apply.Child{Desired: desired, Live: read(t, desired, &corev1.ResourceQuota{})}
	if _, err := apply.Apply(t.Context(), cluster.Client, child); !errors.Is(err, apply.ErrOwnedByOther) {
		t.Errorf("an object without controller is taken without a grant: %v", err)
	}
	child.Adopt = true
	mustApply(t, child, apply.Updated)
}

func TestAnObjectThatWasMadeAnewIsNotWrittenTo(t *testing.T) {
	desired := tenantChildren(t, "anew").ResourceQuota
	mustApply(t, apply.Child{Desired: desired}, apply.Created)
	stale := read(t, desired, &corev1.ResourceQuota{})
	stale.Spec.Hard = nil
	if err := cluster.Client.Delete(t.Context(), stale.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	theirs := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: desired.Namespace, Name: desired.Name}}
	if err := cluster.Client.Create(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	for name, owners := range map[string][]metav1.OwnerReference{"as read": stale.OwnerReferences, "with a damaged reference": damaged(stale.OwnerReferences, func(r *metav1.OwnerReference) { r.Controller = nil })} {
		live := stale.DeepCopy()
		live.OwnerReferences = owners
		if _, err := apply.Apply(t.Context(), cluster.Client, apply.Child{Desired: desired, Live: live}); !apierrors.IsConflict(err) {
			t.Errorf("%s: %v, want a conflict", name, err)
		}
	}
	if got := read(t, desired, &corev1.ResourceQuota{}); len(got.Spec.Hard) != 0 || len(got.OwnerReferences) != 0 {
		t.Errorf("another's object was written to: %+v", got)
	}
}

func damaged(refs []metav1.OwnerReference, damage func(*metav1.OwnerReference)) []metav1.OwnerReference {
	refs = append([]metav1.OwnerReference{}, refs...)
	damage(&refs[0])
	return refs
}

// A reference of another uid or name is not tried here: the garbage collector
// deletes the object before long, which puts it right in its own way.
func TestADamagedOwnerReferenceIsPutRight(t *testing.T) {
	desired := tenantChildren(t, "owned").NetworkPolicies[0]
	mustApply(t, apply.Child{Desired: desired}, apply.Created)
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: desired.Namespace, Name: "other"}}
	if err := cluster.Client.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	no := false
	theirs := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "other", UID: other.UID}
	for name, owners := range map[string][]metav1.OwnerReference{
		"removed":          nil,
		"not a controller": damaged(desired.OwnerReferences, func(r *metav1.OwnerReference) { r.Controller = &no }),
		"without blocking": damaged(desired.OwnerReferences, func(r *metav1.OwnerReference) { r.BlockOwnerDeletion = nil }),
		"beside another":   append([]metav1.OwnerReference{theirs}, damaged(desired.OwnerReferences, func(r *metav1.OwnerReference) { r.Controller = nil })...),
	} {
		live := read(t, desired, &networkingv1.NetworkPolicy{})
		live.OwnerReferences = owners
		change(t, live)
		mustApply(t, apply.Child{Desired: desired, Live: live, Exact: whole}, apply.Updated)
		got := read(t, desired, &networkingv1.NetworkPolicy{})
		if diff := cmp.Diff(desired.OwnerReferences, got.OwnerReferences); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		mustApply(t, apply.Child{Desired: desired, Live: got, Exact: whole}, apply.Unchanged)
	}
}
