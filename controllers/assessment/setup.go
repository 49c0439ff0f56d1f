package assessment

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/util/workqueue"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypev1beta1 "kubevirt.io/api/instancetype/v1beta1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// +kubebuilder:rbac:groups="",resources=namespaces;resourcequotas;limitranges;persistentvolumeclaims;pods,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=controllerrevisions,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get;list;watch
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines;virtualmachineinstances,verbs=get;list;watch
// +kubebuilder:rbac:groups=instancetype.kubevirt.io,resources=virtualmachineinstancetypes;virtualmachineclusterinstancetypes,verbs=get;list;watch
// +kubebuilder:rbac:groups=cdi.kubevirt.io,resources=datavolumes;datasources;cdiconfigs,verbs=get;list;watch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=tenants;instances;templates;offerings;networks,verbs=get;list;watch
// +kubebuilder:rbac:groups=uds.dev,resources=udsvirtualmachines,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=compliancereports,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=cato.dev,resources=compliancereports/status,verbs=get;patch
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=selfsubjectaccessreviews;subjectaccessreviews,verbs=create
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create

// watched is one kind whose events touch subjects.
type watched struct {
	object  client.Object
	touches touches
	only    []predicate.TypedPredicate[client.Object] // which events
}

func (c *Controller) watched() []watched {
	// The status of a profile is written by ourselves and changes no parameter.
	newGeneration := []predicate.TypedPredicate[client.Object]{predicate.GenerationChangedPredicate{}}
	return append(c.watchedFabric(newGeneration), []watched{
		{object: &virtfoundryv1alpha1.Tenant{}, touches: both(c.tenantTouched, c.holdingsOfTenant)},
		{object: &udsv1alpha1.UDSVirtualMachine{}, touches: c.machineTouched},
		{object: &virtfoundryv1alpha1.Instance{}, touches: both(c.machineTouched, c.volumesBeside)},
		{object: &virtfoundryv1alpha1.Template{}, touches: c.templateTouched},
		{object: &virtfoundryv1alpha1.Offering{}, touches: c.offeringTouched},
		{object: &kubevirtv1.VirtualMachine{}, touches: both(c.machineTouched, c.volumesBeside)},
		{object: &kubevirtv1.VirtualMachineInstance{}, touches: both(c.machineTouched, c.volumesBeside)},
		{object: &corev1.Namespace{}, touches: both(c.namespaceTouched, c.holdingsOfNamespace)},
		{object: &networkingv1.NetworkPolicy{}, touches: c.policyTouched},
		{object: &corev1.ResourceQuota{}, touches: c.inTenantNamespace("quotas")},
		{object: &corev1.LimitRange{}, touches: c.inTenantNamespace("limits")},
		{object: &rbacv1.RoleBinding{}, touches: c.inTenantNamespace("roleBindings")},
		{object: &corev1.PersistentVolumeClaim{}, touches: both(c.storageTouched, c.volumesBeside)},
		{object: &cdiv1beta1.DataVolume{}, touches: c.storageTouched},
		{object: &cdiv1beta1.DataSource{}, touches: c.dataSourceTouched},
		{object: &cdiv1beta1.CDIConfig{}, touches: c.allMachines("disks", "cluster")},
		{object: &storagev1.StorageClass{}, touches: both(c.allMachines("disks", "cluster", "volume.classes"), c.volumesEverywhere)},
		{object: &instancetypev1beta1.VirtualMachineInstancetype{}, touches: c.allMachines("compute")},
		{object: &instancetypev1beta1.VirtualMachineClusterInstancetype{}, touches: c.allMachines("compute")},
		{object: &appsv1.ControllerRevision{}, touches: ofMachine("compute")},
		{object: &corev1.Pod{}, touches: ofMachine("network"), only: []predicate.TypedPredicate[client.Object]{podRelabelled()}},
		{object: &catov1alpha1.ComplianceProfile{}, touches: c.everySubject, only: newGeneration},
	}...)
}

// Kinds are the watched kinds, whose watches have to be proved.
func (c *Controller) Kinds() []client.Object {
	watches := c.withHoldings()
	kinds := make([]client.Object, 0, len(watches))
	for _, w := range watches {
		kinds = append(kinds, w.object)
	}
	return kinds
}

// everySubject wakes all: a profile changes the parameters of any of them.
func (c *Controller) everySubject(ctx context.Context, _ client.Object) []wake {
	subjects, err := c.Subjects(ctx)
	if err != nil {
		return nil
	}
	wakes := make([]wake, 0, len(subjects))
	for _, subject := range subjects {
		wakes = append(wakes, wake{subject, []string{everything}})
	}
	return wakes
}

// SetupWithManager registers indexes, watches and the controller. Secrets are
// watched by informers of their own and arrive on the channel; swept brings
// subjects that a sweep or a change of rights wants judged again.
func (c *Controller) SetupWithManager(ctx context.Context, mgr manager.Manager, workers int, secrets <-chan event.GenericEvent, swept <-chan event.TypedGenericEvent[Subject]) error {
	for _, i := range indexes() {
		if err := mgr.GetFieldIndexer().IndexField(ctx, i.object, i.field, i.of); err != nil {
			return err
		}
	}
	ctl, err := controller.NewTyped("assessment", mgr, controller.TypedOptions[Subject]{Reconciler: c, MaxConcurrentReconciles: workers})
	if err != nil {
		return err
	}
	for _, w := range c.withHoldings() {
		if err := ctl.Watch(source.TypedKind(mgr.GetCache(), w.object, c.enqueue(w.touches), w.only...)); err != nil {
			return err
		}
	}
	if err := ctl.Watch(source.TypedChannel(secrets, c.enqueue(both(c.secretTouched, c.accountSecretTouched)))); err != nil {
		return err
	}
	again := handler.TypedFuncs[Subject, Subject]{
		GenericFunc: func(_ context.Context, e event.TypedGenericEvent[Subject], q workqueue.TypedRateLimitingInterface[Subject]) {
			q.Add(e.Object) // what is to be judged is pending already
		},
	}
	for _, subjects := range []<-chan event.TypedGenericEvent[Subject]{swept, c.recorded} {
		if err := ctl.Watch(source.TypedChannel(subjects, again)); err != nil {
			return err
		}
	}
	return nil
}

// enqueue wakes the subjects that the object touched before and touches now.
func (c *Controller) enqueue(touches touches) handler.TypedEventHandler[client.Object, Subject] {
	type queue = workqueue.TypedRateLimitingInterface[Subject]
	add := func(ctx context.Context, q queue, at time.Time, objects ...client.Object) {
		for _, object := range objects {
			for _, w := range touches(ctx, object) {
				c.pending.add(w.subject, at, w.groups...)
				q.Add(w.subject)
			}
		}
	}
	return handler.TypedFuncs[client.Object, Subject]{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if e.IsInInitialList { // when it changed, nobody saw
				add(ctx, q, time.Time{}, e.Object)
				return
			}
			add(ctx, q, c.Now(), e.Object)
		},
		DeleteFunc:  func(ctx context.Context, e event.DeleteEvent, q queue) { add(ctx, q, c.Now(), e.Object) },
		GenericFunc: func(ctx context.Context, e event.GenericEvent, q queue) { add(ctx, q, c.Now(), e.Object) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			add(ctx, q, c.Now(), e.ObjectOld, e.ObjectNew)
		},
	}
}
