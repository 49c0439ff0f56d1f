package instance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
)

// written is what one reconcile found and did.
type written struct {
	changes []outcome.Change
	err     error
}

// apply writes what differs. What was found is handed over before a repair, so
// that a drift is seen however short it was.
func (r *Reconciler) apply(ctx context.Context, instance *virtfoundryv1alpha1.Instance, found *observed, p plan) written {
	if err := r.releaseAddresses(ctx, found); err != nil {
		return written{err: err}
	}
	if p.decision.Status != metav1.ConditionTrue {
		return written{err: r.powerOff(ctx, found)}
	}
	w := written{}
	list, err := r.wanted(ctx, found, p)
	if err == nil && len(p.Children.Awaits) > 0 { // the rest of the machine waits, to be off does not
		err = r.powerOff(ctx, found)
	}
	if err != nil {
		return written{err: err}
	}
	if w.changes, w.err = outcome.Needed(list); w.err != nil {
		return w
	}
	accepted := digest(p.Children)
	if len(w.changes) == 0 {
		r.kept.Accept(instance.UID, accepted)
		return w
	}
	last, known := r.kept.Last(instance.UID)
	repairs := outcome.Repairs(w.changes, true)
	if !known || last != accepted { // it is the wish that has changed, not what was made of it
		repairs = nil
	}
	if len(repairs) > 0 {
		r.deps.Record(ctx, found.judged, r.deps.Now())
	}
	if w.err = r.finalize(ctx, instance); w.err != nil {
		return w
	}
	if w.err = outcome.Write(ctx, r.deps.Client, w.changes); w.err != nil {
		return w
	}
	r.kept.Accept(instance.UID, accepted)
	r.announceWrites(instance, p, repairs)
	return w
}

// digest tells one set of children from another, without keeping any.
func digest(planned *children.Instance) string {
	text, err := json.Marshal(planned)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// wanted lists what is to be brought about, in the order of writing.
func (r *Reconciler) wanted(ctx context.Context, found *observed, p plan) ([]apply.Child, error) {
	addresses := addressChildren(found, p)
	if len(p.Children.Awaits) > 0 {
		return addresses, nil
	}
	secret, err := r.secret(ctx, found)
	if err != nil {
		return nil, err
	}
	immutable := []string{"type"} // a Secret's type cannot be changed, nor an immutable one's content
	if secret != nil && secret.Immutable != nil && *secret.Immutable {
		immutable = append(immutable, "data")
	}
	vm := apply.Child{
		Desired: children.MergeInstance(p.Children.VirtualMachine, found.VirtualMachine),
		Exact:   []string{"spec.template.spec.volumes", "spec.template.spec.networks", "spec.template.spec.domain.resources"},
		Adopt:   p.adopts,
	}
	if found.VirtualMachine != nil {
		vm.Live = found.VirtualMachine
	}
	seed := apply.Child{Desired: p.Children.CloudInit, Exact: []string{"data"}, Immutable: immutable}
	if secret != nil {
		seed.Live = secret
	}
	return append(addresses, seed, vm), nil
}

// secret reads the cloud-init Secret itself: the cache holds decoded facts only.
func (r *Reconciler) secret(ctx context.Context, found *observed) (*corev1.Secret, error) {
	var secret corev1.Secret
	key := types.NamespacedName{Namespace: found.Instance.Namespace, Name: found.Instance.Name + virtfoundryv1alpha1.CloudInitSuffix}
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
// of the Instance is accepted: less is never refused.
func (r *Reconciler) powerOff(ctx context.Context, found *observed) error {
	vm := found.VirtualMachine
	if found.Instance.Spec.PowerState != virtfoundryv1alpha1.PowerHalted || !owns(found) || isHalted(vm) {
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

func (r *Reconciler) announceWrites(instance *virtfoundryv1alpha1.Instance, p plan, repairs []outcome.Change) {
	if p.adopts {
		r.tell(instance, EventAdopted, fmt.Sprintf("VirtualMachine %s/%s, which another made, is this Instance's from now on", instance.Namespace, instance.Name))
	}
	for _, repair := range repairs {
		_, isMachine := repair.Child.Desired.(*kubevirtv1.VirtualMachine)
		if isMachine && slices.Contains(repair.Result.Drifted, "spec.runStrategy") {
			r.warn(instance, EventPowerRestored, fmt.Sprintf("VirtualMachine %s was switched past its Instance and was put right: set spec.powerState to Running or Halted", instance.Name))
			continue
		}
		r.warn(instance, EventRepaired, repair.Describe())
	}
}
