package address

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// lockOf tells whether an object was made to hold an address for the claim.
func lockOf(other, claim *virtfoundryv1alpha1.IPAddress) bool {
	owner := metav1.GetControllerOf(other)
	return owner != nil && owner.UID == claim.UID
}

// locks are all that hold an address for the claim, as the API server has them:
// the cache may not have seen yet what was made a moment ago.
func (r *Reconciler) locks(ctx context.Context, claim *virtfoundryv1alpha1.IPAddress) ([]virtfoundryv1alpha1.IPAddress, error) {
	var all virtfoundryv1alpha1.IPAddressList
	err := r.Uncached.List(ctx, &all, client.InNamespace(claim.Namespace), client.MatchingLabels{virtfoundryv1alpha1.LabelClaim: string(claim.UID)})
	if err != nil {
		return nil, err
	}
	own := []virtfoundryv1alpha1.IPAddress{}
	for i := range all.Items {
		if lockOf(&all.Items[i], claim) {
			own = append(own, all.Items[i])
		}
	}
	return own, nil
}

// stray tells whether an object holds an address for a claim that is gone, or
// that has another address by now.
func (r *Reconciler) stray(ctx context.Context, lock *virtfoundryv1alpha1.IPAddress) (bool, error) {
	owner := metav1.GetControllerOf(lock)
	if owner == nil || owner.Kind != facts.KindIPAddress || lock.Labels[virtfoundryv1alpha1.LabelClaim] != string(owner.UID) {
		return false, nil
	}
	var claim virtfoundryv1alpha1.IPAddress
	err := r.Uncached.Get(ctx, client.ObjectKey{Namespace: lock.Namespace, Name: owner.Name}, &claim)
	switch {
	case apierrors.IsNotFound(err):
		return true, nil
	case err != nil:
		return false, err
	}
	return claim.UID != owner.UID || claim.Spec.Address != "" && claim.Spec.Address != lock.Spec.Address, nil
}
