package address

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/ipam"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// hold makes sure that the claim has an address and that the address is held for
// it: the finalizer first, then the lock, then the address in the claim, so that
// a process that ends anywhere between leaves nothing that the next does not
// find. None says why the network has no address for it.
func (r *Reconciler) hold(ctx context.Context, claim *virtfoundryv1alpha1.IPAddress, found *facts.Gathered) (decision outcome.Decision, none string, err error) {
	if err := r.Finalize(ctx, claim); err != nil {
		return outcome.Allowed(), "", err
	}
	if claim.Spec.Address == "" {
		address, decision, none, err := r.allocate(ctx, claim, found)
		if err != nil || none != "" || decision.Status != metav1.ConditionTrue {
			return decision, none, err
		}
		return decision, "", r.write(ctx, claim, address)
	}
	address, err := netip.ParseAddr(claim.Spec.Address)
	if err != nil {
		return outcome.Denied(err.Error()), "", nil // the rules have said so
	}
	if ipam.ObjectName(address) == claim.Name {
		return outcome.Allowed(), "", nil
	}
	for i := range found.Fabric.Addresses {
		if other := &found.Fabric.Addresses[i]; other.Name == ipam.ObjectName(address) && lockOf(other, claim) {
			return outcome.Allowed(), "", nil
		}
	}
	taken, err := r.lock(ctx, claim, address)
	if err != nil || !taken {
		return outcome.Allowed(), "", err
	}
	return outcome.Denied(fmt.Sprintf("address %s is held by IPAddress %s: delete this one and ask for another address", address, ipam.ObjectName(address))), "", nil
}

// allocate locks the address that the claim has locked already, else the one
// that its name is of, else the smallest that is free. What was taken meanwhile
// is passed over.
func (r *Reconciler) allocate(ctx context.Context, claim *virtfoundryv1alpha1.IPAddress, found *facts.Gathered) (address netip.Addr, decision outcome.Decision, none string, err error) {
	plan, err := planOf(found)
	if err != nil {
		return address, outcome.Denied(err.Error()), "", nil
	}
	locks, err := r.locks(ctx, claim)
	if err != nil {
		return address, outcome.Allowed(), "", err
	}
	for i := range locks {
		if address, err := plan.Check(locks[i].Spec.Address); err == nil {
			return address, outcome.Allowed(), "", nil
		}
	}
	if own, named := addressOf(claim.Name); named {
		if address, err := plan.Check(own.String()); err == nil {
			return address, r.judge(ctx, found, address), "", nil
		}
	}
	taken := map[netip.Addr]bool{}
	for i := range found.Fabric.Addresses {
		other := &found.Fabric.Addresses[i]
		if held, locks := addressOf(other.Name); locks {
			taken[held] = true
		}
		// What another asks for is left to it, unless it was refused.
		if asked, err := netip.ParseAddr(other.Spec.Address); err == nil && other.Status.Phase != virtfoundryv1alpha1.PhaseFailed {
			taken[asked] = true
		}
	}
	for {
		address, err := plan.Next(taken)
		if err != nil {
			return address, outcome.Allowed(), err.Error(), nil
		}
		if decision := r.judge(ctx, found, address); decision.Status != metav1.ConditionTrue {
			return address, decision, "", nil
		}
		other, err := r.lock(ctx, claim, address)
		if err != nil || !other {
			return address, outcome.Allowed(), "", err
		}
		taken[address] = true
	}
}

// judge asks the rules about the claim with the address.
func (r *Reconciler) judge(ctx context.Context, found *facts.Gathered, address netip.Addr) outcome.Decision {
	asked := *found
	asked.Fabric.Address = found.Fabric.Address.DeepCopy()
	asked.Fabric.Address.Spec.Address = address.String()
	return outcome.OfRules(r.Judge.AsPlanned(ctx, &asked, facts.Plan))
}

// lock makes the object that holds an address for a claim. It tells whether
// another holds the address.
func (r *Reconciler) lock(ctx context.Context, claim *virtfoundryv1alpha1.IPAddress, address netip.Addr) (taken bool, err error) {
	lock := &virtfoundryv1alpha1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: claim.Namespace, Name: ipam.ObjectName(address), Finalizers: []string{virtfoundryv1alpha1.Finalizer},
			Labels: map[string]string{
				virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy,
				virtfoundryv1alpha1.LabelClaim:     string(claim.UID),
			},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(claim, virtfoundryv1alpha1.GroupVersion.WithKind("IPAddress"))},
		},
		Spec: virtfoundryv1alpha1.IPAddressSpec{NetworkRef: claim.Spec.NetworkRef, Address: address.String()},
	}
	err = r.Client.Create(ctx, lock, client.FieldOwner(apply.FieldManager))
	if !apierrors.IsAlreadyExists(err) {
		return false, err
	}
	var other virtfoundryv1alpha1.IPAddress
	if err := r.Uncached.Get(ctx, client.ObjectKeyFromObject(lock), &other); err != nil {
		return !apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	}
	return !lockOf(&other, claim), nil
}

// write fills the address in.
func (r *Reconciler) write(ctx context.Context, claim *virtfoundryv1alpha1.IPAddress, address netip.Addr) error {
	before := claim.DeepCopy()
	claim.Spec.Address = address.String()
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return r.Client.Patch(ctx, claim, patch, client.FieldOwner(apply.FieldManager))
}

// planOf is what guests may have of the Network that a claim names.
func planOf(found *facts.Gathered) (ipam.Plan, error) {
	claim := found.Fabric.Address
	for i := range found.Fabric.Networks {
		network := &found.Fabric.Networks[i]
		if network.Name != claim.Spec.NetworkRef.Name {
			continue
		}
		pool := facts.AddressPoolOf(&found.Profile.Parameters, network.Namespace, network.Name)
		config := ipam.Config{CIDR: string(network.Spec.CIDR), Gateway: network.Spec.Gateway, PoolStart: pool.Start, PoolEnd: pool.End}
		for _, reserved := range pool.Reserved {
			config.Reserved = append(config.Reserved, ipam.ReservedRange{Start: reserved.Start, End: reserved.End, Reason: reserved.Reason})
		}
		return ipam.New(config)
	}
	return ipam.Plan{}, fmt.Errorf("no Network %s exists in namespace %s", claim.Spec.NetworkRef.Name, claim.Namespace)
}

// addressOf is the address that an object is named after.
func addressOf(name string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(textOf(name))
	return address, err == nil && ipam.ObjectName(address) == name
}

func textOf(name string) string {
	const ofIPv4 = 3
	if strings.Count(name, "-") == ofIPv4 {
		return strings.ReplaceAll(name, "-", ".")
	}
	return strings.ReplaceAll(name, "-", ":")
}
