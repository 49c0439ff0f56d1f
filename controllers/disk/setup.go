package disk

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=disks,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=disks/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=disks/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=instances;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces;persistentvolumeclaims,verbs=get;list;watch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list;watch
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines;virtualmachineinstances,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager has the manager run the reconciler, with so many Disks at a
// time. Writes of claims and hot-plug are rights of the tenants' namespaces alone
// (ClusterRole virtfoundry-operator-kubevirt-mutate).
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	list := func() *virtfoundryv1alpha1.DiskList { return &virtfoundryv1alpha1.DiskList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.Disk{}).
		Watches(&corev1.PersistentVolumeClaim{}, lifecycle.Beside(r.Client, list)).
		Watches(&kubevirtv1.VirtualMachine{}, lifecycle.Beside(r.Client, list)).
		Watches(&kubevirtv1.VirtualMachineInstance{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&virtfoundryv1alpha1.Instance{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&storagev1.StorageClass{}, lifecycle.All(r.Client, list)).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		Watches(&corev1.ConfigMap{}, lifecycle.All(r.Client, list)). // the platform's configuration
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}
