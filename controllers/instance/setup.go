package instance

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
)

// SetupWithManager has the manager run the reconciler, with so many Instances
// at a time. Secrets are no kind of the manager's cache: their events come from
// the given source, mapped by ForSecret.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int, secrets source.TypedSource[reconcile.Request]) error {
	mapped := handler.EnqueueRequestsFromMapFunc
	inNamespace := mapped(func(ctx context.Context, object client.Object) []reconcile.Request {
		return r.requests(ctx, object.GetNamespace(), everyOne)
	})
	changed := builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{}, predicate.AnnotationChangedPredicate{}))
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.Instance{}).
		Watches(&kubevirtv1.VirtualMachine{}, mapped(ofChild)).
		Watches(&kubevirtv1.VirtualMachineInstance{}, mapped(ofChild)).
		Watches(&cdiv1beta1.DataVolume{}, mapped(ofChild)).
		Watches(&storagev1.StorageClass{}, mapped(func(ctx context.Context, _ client.Object) []reconcile.Request {
			return r.requests(ctx, "", everyOne)
		}), changed).
		Watches(&virtfoundryv1alpha1.Offering{}, mapped(r.ofOffering), changed).
		Watches(&virtfoundryv1alpha1.Template{}, mapped(r.ofTemplate), changed).
		Watches(&virtfoundryv1alpha1.SSHKey{}, mapped(r.ofSSHKey), changed).
		Watches(&virtfoundryv1alpha1.Network{}, mapped(r.ofNetwork)).
		Watches(&virtfoundryv1alpha1.IPAddress{}, mapped(r.ofAddress)).
		Watches(&virtfoundryv1alpha1.Tenant{}, mapped(r.ofTenant), changed).
		Watches(&corev1.Namespace{}, mapped(func(ctx context.Context, object client.Object) []reconcile.Request {
			return r.requests(ctx, object.GetName(), everyOne)
		})).
		Watches(&networkingv1.NetworkPolicy{}, inNamespace).
		Watches(&corev1.LimitRange{}, inNamespace).
		Watches(&corev1.ResourceQuota{}, inNamespace, builder.WithPredicates(notUsage())).
		Watches(&rbacv1.RoleBinding{}, inNamespace, builder.WithPredicates(predicate.NewPredicateFuncs(enables))).
		Watches(&catov1alpha1.ComplianceProfile{}, mapped(func(ctx context.Context, _ client.Object) []reconcile.Request {
			return r.requests(ctx, "", everyOne)
		}), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.ConfigMap{}, mapped(func(ctx context.Context, _ client.Object) []reconcile.Request { // the platform's configuration
			return r.requests(ctx, "", everyOne)
		})).
		WatchesRawSource(secrets).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

func everyOne(*virtfoundryv1alpha1.Instance) bool { return true }

// enables tells whether an object is a RoleBinding that lets the operator write
// machines in its namespace.
func enables(object client.Object) bool {
	binding, ok := object.(*rbacv1.RoleBinding)
	return ok && slices.Contains([]string{virtfoundryv1alpha1.MutateRoleName, children.VMNamespaceRoleName}, binding.RoleRef.Name)
}

// notUsage leaves out the updates that only count what a quota's namespace uses.
func notUsage() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(*corev1.ResourceQuota)
		after, also := e.ObjectNew.(*corev1.ResourceQuota)
		return !ok || !also || !equality.Semantic.DeepEqual(before.Spec, after.Spec)
	}}
}

// ForSecret maps a Secret to the Instances that it may matter to: its owner, and
// those that take their user data from one of its name, by themselves or by
// their Template. A Secret of the platform may be any tenant's.
func (r *Reconciler) ForSecret(ctx context.Context, object client.Object) []reconcile.Request {
	requests := ofChild(ctx, object)
	namespace := object.GetNamespace()
	if namespace == virtfoundryv1alpha1.SystemNamespace {
		namespace = ""
	}
	return append(requests, r.requests(ctx, namespace, func(instance *virtfoundryv1alpha1.Instance) bool {
		own := instance.Spec.CloudInitSecretRef
		if own != nil {
			return own.Name == object.GetName() && instance.Namespace == object.GetNamespace()
		}
		return instance.Spec.TemplateRef != nil && instance.Spec.CloudInitUserData == ""
	})...)
}

// ofChild maps a child to its Instance: by owner, by label and by name, since
// somebody may have taken away any of them.
func ofChild(_ context.Context, object client.Object) []reconcile.Request {
	names := map[string]bool{object.GetLabels()[virtfoundryv1alpha1.LabelInstance]: true, object.GetLabels()[virtfoundryv1alpha1.LabelVM]: true}
	for _, ref := range object.GetOwnerReferences() {
		if ref.Kind == "Instance" && strings.HasPrefix(ref.APIVersion, virtfoundryv1alpha1.GroupVersion.Group+"/") {
			names[ref.Name] = true
		}
	}
	switch object.(type) {
	case *kubevirtv1.VirtualMachine, *kubevirtv1.VirtualMachineInstance:
		names[object.GetName()] = true
	}
	for _, suffix := range []string{virtfoundryv1alpha1.CloudInitSuffix, virtfoundryv1alpha1.BootSuffix, virtfoundryv1alpha1.MediumSuffix} {
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

func (r *Reconciler) ofOffering(ctx context.Context, object client.Object) []reconcile.Request {
	return r.requests(ctx, "", func(instance *virtfoundryv1alpha1.Instance) bool {
		return instance.Spec.OfferingRef != nil && instance.Spec.OfferingRef.Name == object.GetName()
	})
}

func (r *Reconciler) ofTemplate(ctx context.Context, object client.Object) []reconcile.Request {
	return r.requests(ctx, tenants(object), func(instance *virtfoundryv1alpha1.Instance) bool {
		return instance.Spec.TemplateRef != nil && instance.Spec.TemplateRef.Name == object.GetName()
	})
}

func (r *Reconciler) ofSSHKey(ctx context.Context, object client.Object) []reconcile.Request {
	return r.requests(ctx, object.GetNamespace(), func(instance *virtfoundryv1alpha1.Instance) bool {
		return slices.Contains(instance.Spec.SSHKeyRefs, virtfoundryv1alpha1.LocalObjectRef{Name: object.GetName()})
	})
}

func (r *Reconciler) ofNetwork(ctx context.Context, object client.Object) []reconcile.Request {
	return r.requests(ctx, tenants(object), func(instance *virtfoundryv1alpha1.Instance) bool {
		return slices.ContainsFunc(instance.Spec.NICs, func(nic virtfoundryv1alpha1.NIC) bool { return nic.NetworkRef.Name == object.GetName() })
	})
}

// ofTenant maps a Tenant to the Instances of the namespace that its slug gives.
func (r *Reconciler) ofTenant(ctx context.Context, object client.Object) []reconcile.Request {
	tenant, ok := object.(*virtfoundryv1alpha1.Tenant)
	if !ok || tenant.Spec.Slug == "" {
		return nil
	}
	return r.requests(ctx, virtfoundryv1alpha1.NamespacePrefix+tenant.Spec.Slug, everyOne)
}

// tenants is the namespace whose Instances may name an object: its own, and for
// the platform's catalogue all.
func tenants(object client.Object) string {
	if object.GetNamespace() == virtfoundryv1alpha1.SystemNamespace {
		return ""
	}
	return object.GetNamespace()
}

// requests are the chosen Instances of a namespace, or of all when it is empty.
func (r *Reconciler) requests(ctx context.Context, namespace string, chosen func(*virtfoundryv1alpha1.Instance) bool) []reconcile.Request {
	var instances virtfoundryv1alpha1.InstanceList
	if err := r.deps.Client.List(ctx, &instances, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		// The cache answers; it fails only while the manager ends.
		log.FromContext(ctx).Error(err, "list Instances for an event")
		return nil
	}
	requests := []reconcile.Request{}
	for i := range instances.Items {
		if chosen(&instances.Items[i]) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&instances.Items[i])})
		}
	}
	return requests
}
