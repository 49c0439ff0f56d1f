package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// addressChildren are the IPAddresses of the NICs. One that is being deleted stays as it is: it holds its address for
// as long as the guest has it.
func addressChildren(found *observed, p plan) []apply.Child {
	list := []apply.Child{}
	for _, claim := range p.Children.Addresses {
		child := apply.Child{Desired: claim}
		if at := slices.IndexFunc(found.Named.Addresses, func(a virtfoundryv1alpha1.IPAddress) bool { return a.Name == claim.Name }); at >= 0 {
			if child.Live = &found.Named.Addresses[at]; child.Live.GetDeletionTimestamp() != nil {
				continue
			}
		}
		list = append(list, child)
	}
	return list
}

// releaseAddresses lets the IPAddresses go that no NIC asks for any more: not before the guest has stopped with them,
// since the next one to get an address would share it.
func (r *Reconciler) releaseAddresses(ctx context.Context, found *observed) error {
	for i := range found.Named.Addresses {
		claim := &found.Named.Addresses[i]
		nic := claim.Labels[virtfoundryv1alpha1.LabelNIC]
		if !metav1.IsControlledBy(claim, found.Instance) || claim.DeletionTimestamp != nil || asked(found, claim) || usesNIC(found, nic) {
			continue
		}
		uid := claim.UID
		if err := r.deps.Client.Delete(ctx, claim, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("IPAddress %s/%s: %w", claim.Namespace, claim.Name, err)
		}
	}
	return nil
}

// asked tells whether a NIC still asks for what an IPAddress claims.
func asked(found *observed, claim *virtfoundryv1alpha1.IPAddress) bool {
	for i := range found.Instance.Spec.NICs {
		nic := &found.Instance.Spec.NICs[i]
		if facts.NICClaimName(found.Instance.Name, facts.NICName(i, nic.Name)) == claim.Name {
			return nic.NetworkRef.Name == claim.Spec.NetworkRef.Name && (nic.Address == "" || claim.Spec.Address == "" || nic.Address == claim.Spec.Address)
		}
	}
	return false
}

// usesNIC tells whether the guest has a NIC, or would be started with it.
func usesNIC(found *observed, label string) bool {
	has := func(spec *kubevirtv1.VirtualMachineInstanceSpec) bool {
		return slices.ContainsFunc(spec.Networks, func(n kubevirtv1.Network) bool { return facts.NICLabel(n.Name) == label })
	}
	if vmi := found.VirtualMachineInstance; vmi != nil && !vmi.IsFinal() && has(&vmi.Spec) {
		return true
	}
	vm := found.VirtualMachine
	return vm != nil && !isHalted(vm) && vm.Spec.Template != nil && has(&vm.Spec.Template.Spec)
}

// awaiting is the decision on an Instance whose addresses are still to be allocated.
func awaiting(found *observed, awaits []string) outcome.Decision {
	reasons := make([]string, 0, len(awaits))
	for _, name := range awaits {
		reasons = append(reasons, name+" has no address yet"+because(found, name))
	}
	return outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonPending, Message: strings.Join(reasons, "; ")}
}

// because is what the status of an IPAddress says of itself.
func because(found *observed, name string) string {
	for i := range found.Named.Addresses {
		claim := &found.Named.Addresses[i]
		ready := meta.FindStatusCondition(claim.Status.Conditions, virtfoundryv1alpha1.ConditionReady)
		if strings.HasSuffix(name, " "+claim.Namespace+"/"+claim.Name) && ready != nil && ready.Status == metav1.ConditionFalse {
			return ": " + ready.Message
		}
	}
	return ""
}

// waits ends a reconcile that has written the IPAddresses and no more.
func waits(found *observed, awaits []string) ending {
	end := ending{outcome.Failure{Decision: awaiting(found, awaits), Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}, virtfoundryv1alpha1.InstancePending}
	if owns(found) { // the guest that there is goes on
		end.phase, _ = guest(found)
	}
	return end
}

// ofAddress wakes the Instance that an IPAddress is of, and the one that needs its name.
func (r *Reconciler) ofAddress(ctx context.Context, object client.Object) []reconcile.Request {
	address, ok := object.(*virtfoundryv1alpha1.IPAddress)
	if !ok {
		return nil
	}
	return append(ofChild(ctx, object), r.requests(ctx, object.GetNamespace(), func(instance *virtfoundryv1alpha1.Instance) bool {
		return facts.NeedsAddress(instance, address)
	})...)
}
