package snapshot

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/controllers/lifecycle"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=disks;disksnapshots;instancesnapshots;instances;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=disksnapshots/status;instancesnapshots/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=disksnapshots/finalizers;instancesnapshots/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=namespaces;persistentvolumeclaims,verbs=get;list;watch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list;watch
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines,verbs=get;list;watch
// +kubebuilder:rbac:groups=snapshot.kubevirt.io,resources=virtualmachinesnapshots,verbs=get;list;watch
// +kubebuilder:rbac:groups=snapshot.storage.k8s.io,resources=volumesnapshots;volumesnapshotclasses,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// SetupWithManager has the manager run the reconciler, with so many snapshots at
// a time. Writes are rights of the tenants' namespaces alone.
func (r *Instances) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	list := func() *virtfoundryv1alpha1.InstanceSnapshotList { return &virtfoundryv1alpha1.InstanceSnapshotList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.InstanceSnapshot{}).
		Watches(&snapshotv1beta1.VirtualMachineSnapshot{}, lifecycle.Beside(r.Client, list)).
		Watches(&kubevirtv1.VirtualMachine{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&virtfoundryv1alpha1.Instance{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

// SetupWithManager has the manager run the reconciler, with so many snapshots at
// a time; served tells whether the cluster has VolumeSnapshots to watch.
func (r *Disks) SetupWithManager(mgr ctrl.Manager, concurrent int, served bool) error {
	list := func() *virtfoundryv1alpha1.DiskSnapshotList { return &virtfoundryv1alpha1.DiskSnapshotList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	ctl := ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.DiskSnapshot{}).
		Watches(&virtfoundryv1alpha1.Disk{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&corev1.PersistentVolumeClaim{}, lifecycle.Beside(r.Client, list)).
		Watches(&storagev1.StorageClass{}, lifecycle.All(r.Client, list)).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		Watches(&corev1.ConfigMap{}, lifecycle.All(r.Client, list)). // the platform's configuration
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent})
	if served {
		ctl = ctl.
			Watches(&volumesnapshotv1.VolumeSnapshot{}, lifecycle.Beside(r.Client, list)).
			Watches(&volumesnapshotv1.VolumeSnapshotClass{}, lifecycle.All(r.Client, list))
	}
	return ctl.Complete(r)
}
