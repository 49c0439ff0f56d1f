package account

import (
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
)

// SetupWithManager has the manager run the four reconcilers, each with so many
// objects at a time.
func SetupWithManager(mgr ctrl.Manager, deps lifecycle.Deps, concurrent int) error {
	keys := func() *virtfoundryv1alpha1.SSHKeyList { return &virtfoundryv1alpha1.SSHKeyList{} }
	users := func() *virtfoundryv1alpha1.UserList { return &virtfoundryv1alpha1.UserList{} }
	roles := func() *virtfoundryv1alpha1.RoleList { return &virtfoundryv1alpha1.RoleList{} }
	apiKeys := func() *virtfoundryv1alpha1.APIKeyList { return &virtfoundryv1alpha1.APIKeyList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	onKeys := begin(mgr, &virtfoundryv1alpha1.SSHKey{}, concurrent, lifecycle.All(deps.Client, keys))
	onUsers := begin(mgr, &virtfoundryv1alpha1.User{}, concurrent, lifecycle.All(deps.Client, users)).
		Watches(&virtfoundryv1alpha1.Role{}, lifecycle.All(deps.Client, users), changed).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.All(deps.Client, users), changed)
	onRoles := begin(mgr, &virtfoundryv1alpha1.Role{}, concurrent, lifecycle.All(deps.Client, roles))
	onAPIKeys := begin(mgr, &virtfoundryv1alpha1.APIKey{}, concurrent, lifecycle.All(deps.Client, apiKeys)).
		Watches(&virtfoundryv1alpha1.User{}, lifecycle.All(deps.Client, apiKeys), changed)
	return errors.Join(onKeys.Complete(NewSSHKeys(deps)), onUsers.Complete(NewUsers(deps)), onRoles.Complete(NewRoles(deps)), onAPIKeys.Complete(NewAPIKeys(deps)))
}

// begin watches a kind, of which a status changes no verdict, and the profiles.
func begin(mgr ctrl.Manager, kind client.Object, concurrent int, all handler.EventHandler) *builder.Builder {
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(kind, changed).
		Watches(&catov1alpha1.ComplianceProfile{}, all, changed).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent})
}
