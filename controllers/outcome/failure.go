package outcome

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/apply"
)

// The times to come back where no event is certain to wake the reconciler.
const (
	// AfterForbidden: an administrator has to act; events on namespaces and
	// RoleBindings come first as a rule.
	AfterForbidden = time.Minute
	// AfterUnknown: a fact is awaited whose arrival may cause no event, such as
	// a user's Secret in a namespace where Secrets are not watched.
	AfterUnknown = 10 * time.Second
	// AfterWrite: what was written is to be seen before it is reported.
	AfterWrite = time.Second
	// AfterConflict: an object was read too early; the cache catches up.
	AfterConflict = 200 * time.Millisecond
	// AfterDelete: how often a deletion under way is looked at.
	AfterDelete = 5 * time.Second
)

// Failure is what an error of a write means.
type Failure struct {
	Decision Decision // of condition Ready
	Result   reconcile.Result
	Err      error // to be returned, so that the queue backs off
	Terminal bool  // nothing changes until the input does
	Quiet    bool  // nothing happened that anybody needs to be told
}

// OfWrite classifies an error of a write. The remedy is what to do when a
// right is missing.
func OfWrite(err error, remedy string) Failure {
	failed := func(reason, message string) Decision {
		return Decision{metav1.ConditionFalse, reason, message}
	}
	switch {
	case errors.Is(err, apply.ErrOwnedByOther):
		return Failure{Decision: failed(udsv1alpha1.ReasonOwnedByOther, err.Error()), Terminal: true}
	case apierrors.IsForbidden(err) && apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return Failure{Decision: failed(udsv1alpha1.ReasonApplyFailed, err.Error()), Result: reconcile.Result{RequeueAfter: AfterDelete}}
	case apierrors.IsForbidden(err):
		return Failure{
			Decision: failed(udsv1alpha1.ReasonForbidden, remedy+": "+err.Error()),
			Result:   reconcile.Result{RequeueAfter: AfterForbidden},
		}
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return Failure{Result: reconcile.Result{RequeueAfter: AfterConflict}, Quiet: true}
	default:
		return Failure{Decision: failed(udsv1alpha1.ReasonApplyFailed, err.Error()), Err: err}
	}
}
