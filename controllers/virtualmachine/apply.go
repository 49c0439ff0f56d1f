package virtualmachine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
)

// written is what one reconcile found and did.
type written struct {
	changes []outcome.Change
	refused string // why an edited DataVolume could not be put right
	err     error
}

// apply writes what differs. What was found is handed over before a repair, so
// that a drift is seen however short it was.
func (r *Reconciler) apply(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine, found *observed, p plan) written {
	allowed := p.decision.Status == metav1.ConditionTrue
	list, err := r.wanted(ctx, found, p)
	if err != nil {
		return written{err: err}
	}
	w := written{}
	w.changes, w.err = outcome.Needed(list)
	if w.err != nil {
		return w
	}
	if len(w.changes) == 0 {
		if allowed {
			r.kept.Accept(machine.UID, p.children.NetworkPolicy)
			return w
		}
		w.err = r.powerOff(ctx, found)
		return w
	}
	repairs := r.repairs(machine, found, w.changes)
	if len(repairs) > 0 {
		r.deps.Record(ctx, found.judged, r.deps.Now())
	}
	if allowed {
		if w.err = r.finalize(ctx, machine); w.err != nil {
			return w
		}
	}
	if w.refused, w.err = outcome.WriteVolumes(ctx, r.deps.Client, w.changes); w.err != nil {
		return w
	}
	r.announceWrites(machine, found, w, repairs)
	if !allowed {
		w.err = r.powerOff(ctx, found)
	}
	return w
}

// wanted lists what is to be brought about, in the order of writing. While the
// machine is refused, the policy of one that exists is kept as last accepted.
func (r *Reconciler) wanted(ctx context.Context, found *observed, p plan) ([]apply.Child, error) {
	if p.decision.Status != metav1.ConditionTrue {
		return r.protection(found, p), nil
	}
	secret, err := r.secret(ctx, found)
	if err != nil {
		return nil, err
	}
	vm := children.MergeVirtualMachine(p.children.VirtualMachine, found.VirtualMachine)
	data := []string{"type"} // a Secret's type cannot be changed, nor an immutable one's content
	if secret != nil && secret.Immutable != nil && *secret.Immutable {
		data = append(data, "data")
	}
	return []apply.Child{
		policyChild(found, p.children.NetworkPolicy),
		{Desired: p.children.CloudInit, Live: secret, Immutable: data},
		{Desired: p.children.DataVolume, Live: dataVolume(found)},
		{Desired: vm, Live: found.VirtualMachine, Exact: []string{"spec.template.spec.volumes", "spec.template.spec.networks"}},
	}, nil
}

func policyChild(found *observed, desired *networkingv1.NetworkPolicy) apply.Child {
	child := apply.Child{Desired: desired, Exact: []string{"spec"}}
	for i := range found.NetworkPolicies {
		if found.NetworkPolicies[i].Name == desired.Name {
			child.Live = &found.NetworkPolicies[i]
		}
	}
	return child
}

// protection is the policy of a guest that exists: as last accepted, else, when
// that is forgotten and none is there, cluster DNS alone.
func (r *Reconciler) protection(found *observed, p plan) []apply.Child {
	if found.VirtualMachine == nil && found.VirtualMachineInstance == nil {
		return nil
	}
	if last, known := r.kept.Last(found.Machine.UID); known {
		return []apply.Child{policyChild(found, last)}
	}
	if p.children == nil {
		return nil
	}
	strict := p.children.NetworkPolicy.DeepCopy()
	strict.Spec.Egress = strict.Spec.Egress[:1]
	if child := policyChild(found, strict); child.Live == nil {
		return []apply.Child{child}
	}
	return nil
}

// secret reads the cloud-init Secret itself: the cache holds decoded facts only.
func (r *Reconciler) secret(ctx context.Context, found *observed) (*corev1.Secret, error) {
	var secret corev1.Secret
	key := types.NamespacedName{Namespace: found.Machine.Namespace, Name: found.Machine.Name + udsv1alpha1.CloudInitSuffix}
	err := r.deps.Uncached.Get(ctx, key, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read Secret %s: %w", key, err)
	}
	return &secret, nil
}

// powerOff switches a guest off that its owner wants off, although nothing else
// of the machine is accepted: less is never refused.
func (r *Reconciler) powerOff(ctx context.Context, found *observed) error {
	vm := found.VirtualMachine
	wanted := found.Machine.Spec.RunStrategy == udsv1alpha1.RunHalted
	if !wanted || vm == nil || !metav1.IsControlledBy(vm, found.Machine) || isHalted(vm) {
		return nil
	}
	halted := kubevirtv1.RunStrategyHalted
	after := vm.DeepCopy()
	after.Spec.RunStrategy = &halted
	return r.deps.Client.Patch(ctx, after, client.MergeFromWithOptions(vm, client.MergeFromWithOptimisticLock{}), client.FieldOwner(apply.FieldManager))
}

func isHalted(vm *kubevirtv1.VirtualMachine) bool {
	return vm.Spec.RunStrategy != nil && *vm.Spec.RunStrategy == kubevirtv1.RunStrategyHalted
}

// repairs are the changes that put right what others did: not what a new spec
// asks for, and not the start that the reconciler decided on.
func (r *Reconciler) repairs(machine *udsv1alpha1.UDSVirtualMachine, found *observed, changes []outcome.Change) []outcome.Change {
	if machine.Status.ObservedGeneration != machine.Generation {
		return nil
	}
	_, accepted := r.kept.Last(machine.UID)
	stood := accepted || meta.IsStatusConditionTrue(machine.Status.Conditions, udsv1alpha1.ConditionReady)
	return slices.DeleteFunc(outcome.Repairs(changes, stood), func(c outcome.Change) bool { return starts(found, c) })
}

// starts tells that a change does nothing but start a guest that was held back.
func starts(found *observed, c outcome.Change) bool {
	vm, isMachine := c.Child.Desired.(*kubevirtv1.VirtualMachine)
	return isMachine && found.VirtualMachine != nil && c.Result.Outcome == apply.Updated && !isHalted(vm) &&
		found.VirtualMachine.Annotations[annotationStarted] != vm.Annotations[annotationStarted] &&
		!slices.ContainsFunc(c.Result.Drifted, func(path string) bool {
			return path != "spec.runStrategy" && !strings.HasPrefix(path, "metadata.annotations")
		})
}

func (r *Reconciler) announceWrites(machine *udsv1alpha1.UDSVirtualMachine, found *observed, w written, repairs []outcome.Change) {
	for _, change := range w.changes {
		if starts(found, change) && isHalted(found.VirtualMachine) {
			r.tell(machine, EventStarted, "the disk may be started from, and the guest was started")
		}
	}
	for _, repair := range repairs {
		if _, disk := repair.Child.Desired.(*cdiv1beta1.DataVolume); disk && w.refused != "" {
			continue // condition Ready tells
		}
		_, isMachine := repair.Child.Desired.(*kubevirtv1.VirtualMachine)
		if isMachine && slices.Contains(repair.Result.Drifted, "spec.runStrategy") {
			r.warn(machine, EventPowerRestored, fmt.Sprintf("VirtualMachine %[1]s was switched past its UDSVirtualMachine and was put right: use uds-vmctl power stop %[1]s (or start)", machine.Name))
			continue
		}
		r.warn(machine, EventRepaired, repair.Describe())
	}
}
