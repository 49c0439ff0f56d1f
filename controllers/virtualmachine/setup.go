package virtualmachine

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// SetupWithManager has the manager run the reconciler, with so many machines
// at a time. Secrets are no kind of the manager's cache: their events come from
// the given source, mapped by ForSecret.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int, secrets source.TypedSource[reconcile.Request]) error {
	child := handler.EnqueueRequestsFromMapFunc(ofChild)
	inNamespace := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return r.requests(ctx, client.InNamespace(object.GetNamespace()))
	})
	return ctrl.NewControllerManagedBy(mgr).
		For(&udsv1alpha1.UDSVirtualMachine{}).
		Watches(&kubevirtv1.VirtualMachine{}, child).
		Watches(&kubevirtv1.VirtualMachineInstance{}, child).
		Watches(&cdiv1beta1.DataVolume{}, child).
		Watches(&corev1.PersistentVolumeClaim{}, child).
		Watches(&networkingv1.NetworkPolicy{}, handler.EnqueueRequestsFromMapFunc(r.ofPolicy)).
		Watches(&rbacv1.RoleBinding{}, inNamespace, builder.WithPredicates(predicate.NewPredicateFuncs(enables))).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
			return append(r.requests(ctx, client.InNamespace(object.GetName())), r.takingFrom(ctx, object.GetName())...)
		})).
		Watches(&catov1alpha1.ComplianceProfile{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
			return r.requests(ctx)
		}), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.ConfigMap{}, handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request { // the platform's configuration
			return r.requests(ctx)
		})).
		WatchesRawSource(secrets).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

// enables tells whether an object is a RoleBinding that lets the operator write
// machines in its namespace.
func enables(object client.Object) bool {
	binding, ok := object.(*rbacv1.RoleBinding)
	return ok && slices.Contains([]string{virtfoundryv1alpha1.MutateRoleName, children.VMNamespaceRoleName}, binding.RoleRef.Name)
}

// ForSecret maps a Secret to the machines that it may matter to: its owner, and
// those that name it as their user data.
func (r *Reconciler) ForSecret(ctx context.Context, object client.Object) []reconcile.Request {
	requests := ofChild(ctx, object)
	var machines udsv1alpha1.UDSVirtualMachineList
	if err := r.deps.Client.List(ctx, &machines, client.InNamespace(object.GetNamespace())); err != nil {
		log.FromContext(ctx).Error(err, "list UDSVirtualMachines for a Secret")
		return requests
	}
	for i := range machines.Items {
		if ref := userDataRef(&machines.Items[i]); ref != nil && ref.Name == object.GetName() {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
		}
	}
	return requests
}

// ofChild maps a child to its machine: by owner, by label and by name, since
// somebody may have taken away any of them.
func ofChild(_ context.Context, object client.Object) []reconcile.Request {
	names := map[string]bool{object.GetLabels()[udsv1alpha1.LabelVM]: true}
	for _, ref := range object.GetOwnerReferences() {
		if ref.Kind == "UDSVirtualMachine" && strings.HasPrefix(ref.APIVersion, udsv1alpha1.GroupVersion.Group+"/") {
			names[ref.Name] = true
		}
	}
	switch object.(type) {
	case *kubevirtv1.VirtualMachine, *kubevirtv1.VirtualMachineInstance:
		names[object.GetName()] = true
	}
	for _, suffix := range []string{udsv1alpha1.DataVolumeSuffix, udsv1alpha1.NetworkPolicySuffix, udsv1alpha1.CloudInitSuffix} {
		if name, found := strings.CutSuffix(object.GetName(), suffix); found {
			names[name] = true
		}
	}
	requests := []reconcile.Request{}
	for name := range names {
		if name != "" {
			requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: name}})
		}
	}
	return requests
}

// ofPolicy maps a NetworkPolicy that names one machine to that, and any other
// to all machines of its namespace, which it may open.
func (r *Reconciler) ofPolicy(ctx context.Context, object client.Object) []reconcile.Request {
	policy, ok := object.(*networkingv1.NetworkPolicy)
	if ok && policy.Spec.PodSelector.MatchLabels[udsv1alpha1.LabelVM] != "" {
		requests := ofChild(ctx, object)
		name := types.NamespacedName{Namespace: policy.Namespace, Name: policy.Spec.PodSelector.MatchLabels[udsv1alpha1.LabelVM]}
		return append(requests, reconcile.Request{NamespacedName: name})
	}
	return r.requests(ctx, client.InNamespace(object.GetNamespace()))
}

// takingFrom are the machines of other namespaces that take content from one:
// its labels say whether it is a golden catalogue.
func (r *Reconciler) takingFrom(ctx context.Context, namespace string) []reconcile.Request {
	var machines udsv1alpha1.UDSVirtualMachineList
	if err := r.deps.Client.List(ctx, &machines, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "list UDSVirtualMachines for a Namespace")
		return nil
	}
	requests := []reconcile.Request{}
	for i := range machines.Items {
		if facts.TakesFrom(&machines.Items[i], namespace) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
		}
	}
	return requests
}

func (r *Reconciler) requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	var machines udsv1alpha1.UDSVirtualMachineList
	if err := r.deps.Client.List(ctx, &machines, options...); err != nil {
		// The cache answers; it fails only while the manager ends.
		log.FromContext(ctx).Error(err, "list UDSVirtualMachines for an event")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(machines.Items))
	for i := range machines.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
	}
	return requests
}
