package operator

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimachinery "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/assessment"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/instance"
	"cato.dev/cato/controllers/profile"
	"cato.dev/cato/controllers/tenant"
	"cato.dev/cato/controllers/virtualmachine"
)

// secretEvents is how many changes of Secrets may wait for a controller.
const secretEvents = 1024

// controllers wires the reconcilers and the assessment.
func (p *parts) controllers(ctx context.Context) error {
	toJudge := make(chan event.GenericEvent, secretEvents)
	toRepair := make(chan event.GenericEvent, secretEvents)
	toBoot := make(chan event.GenericEvent, secretEvents)
	secrets := assessment.NewSecretCache(p.clients, func(secret *corev1.Secret) {
		toJudge <- event.GenericEvent{Object: secret}
		toRepair <- event.GenericEvent{Object: secret}
		toBoot <- event.GenericEvent{Object: secret}
	})
	capabilities, err := gather.FindCapabilities(ctx, p.mgr.GetAPIReader())
	if err != nil {
		return err
	}
	freshness := &assessment.Freshness{
		Client: p.clients, API: p.mgr.GetAPIReader(), Cache: p.mgr.GetCache(), Secrets: secrets, Posture: p.posture, Now: time.Now,
		Overrulers: &assessment.Overrulers{},
	}
	p.gatherer = newGatherer(p.mgr, secrets.Lookup, freshness.Blind, capabilities)
	p.gatherer.Overrulers = freshness.Overrulers.List
	p.configure()
	if err := p.assess(ctx, freshness, toJudge); err != nil {
		return err
	}
	if err := p.platform(); err != nil {
		return err
	}
	if err := p.instances(toBoot); err != nil {
		return err
	}
	return p.reconcilers(toRepair)
}

// instances wires the reconciler of Instances.
func (p *parts) instances(secrets <-chan event.GenericEvent) error {
	instances := instance.New(instance.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
	})
	changed := source.Channel(secrets, handler.EnqueueRequestsFromMapFunc(instances.ForSecret))
	return instances.SetupWithManager(p.mgr, p.options.Workers, changed)
}

func (p *parts) assess(ctx context.Context, freshness *assessment.Freshness, secrets <-chan event.GenericEvent) error {
	controller := assessment.New(assessment.Deps{
		Reader: p.mgr.GetClient(), Gatherer: p.gatherer, Judge: p.judge, Posture: p.posture, Now: time.Now, Attachments: servesAttachments(p.mgr),
		Observe: func(took time.Duration) {
			if m := p.observed.metrics.Load(); m != nil {
				m.ObserveDrift(took)
			}
		},
	})
	swept := make(chan event.TypedGenericEvent[assessment.Subject])
	if err := controller.SetupWithManager(ctx, p.mgr, p.options.Workers, secrets, swept); err != nil {
		return err
	}
	sweeper := &assessment.Sweeper{Controller: controller, Swept: swept, Interval: p.options.SweepInterval}
	reporter := assessment.NewReporter(assessment.ReporterDeps{
		Client: p.mgr.GetClient(), API: p.mgr.GetAPIReader(), Posture: p.posture, Engine: p.engine, Controls: p.catalog,
		Assumptions: p.gatherer.Assumptions, Missing: freshness.Missing,
	})
	if err := p.onProfiles(ctx, reporter.MarkAll); err != nil {
		return err
	}
	freshness.Changed = func(ctx context.Context) {
		reporter.MarkAll()
		if subjects, err := controller.Subjects(ctx); err == nil {
			sweeper.Wake(ctx, subjects)
		}
	}
	if err := p.onConfiguration(ctx, func() { freshness.Changed(ctx) }); err != nil {
		return err
	}
	watches, err := watchesOf(p.mgr, controller.Kinds())
	if err != nil {
		return err
	}
	freshness.Watches = watches
	p.record = controller.Record
	for _, runnable := range []manager.Runnable{freshness, sweeper, reporter} {
		if err := p.mgr.Add(runnable); err != nil {
			return err
		}
	}
	return nil
}

// onProfiles calls f after each change of a ComplianceProfile: what the verdicts
// assume can change without a verdict.
func (p *parts) onProfiles(ctx context.Context, f func()) error {
	informer, err := p.mgr.GetCache().GetInformer(ctx, &catov1alpha1.ComplianceProfile{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { f() }, UpdateFunc: func(any, any) { f() }, DeleteFunc: func(any) { f() },
	})
	return err
}

// watchesOf finds the resource of each watched kind. A kind that the cluster
// does not serve is an error that names it: without KubeVirt and CDI there is
// nothing to operate.
func watchesOf(mgr manager.Manager, kinds []client.Object) ([]assessment.Watch, error) {
	watches := make([]assessment.Watch, 0, len(kinds))
	for _, kind := range kinds {
		gvk, err := apiutil.GVKForObject(kind, mgr.GetScheme())
		if err != nil {
			return nil, err
		}
		mapping, err := mgr.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if err != nil {
			return nil, fmt.Errorf("the cluster does not serve %s: install KubeVirt, CDI and config/crd/bases first: %w", gvk, err)
		}
		watches = append(watches, assessment.Watch{
			Resource: mapping.Resource.GroupResource().String(), GVR: mapping.Resource, GVK: gvk, List: listOf(mgr.GetScheme(), gvk),
		})
	}
	return watches, nil
}

func listOf(scheme *apimachinery.Scheme, gvk schema.GroupVersionKind) func() client.ObjectList {
	return func() client.ObjectList {
		object, err := scheme.New(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err != nil {
			return nil
		}
		list, _ := object.(client.ObjectList)
		return list
	}
}

func (p *parts) reconcilers(secrets <-chan event.GenericEvent) error {
	if err := profile.New(p.mgr.GetClient(), p.judge.Knows).SetupWithManager(p.mgr); err != nil {
		return err
	}
	tenants := tenant.New(tenant.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
	})
	if err := tenants.SetupWithManager(p.mgr, p.options.Workers); err != nil {
		return err
	}
	if err := p.fabric(); err != nil {
		return err
	}
	machines := virtualmachine.New(virtualmachine.Deps{
		Client: p.mgr.GetClient(), Uncached: p.mgr.GetAPIReader(), Gatherer: p.gatherer, Judge: p.judge,
		Record: p.record, Events: p.mgr.GetEventRecorder("cato-operator"), Now: time.Now,
		Reconciled: func(ended metrics.Outcome) {
			if m := p.observed.metrics.Load(); m != nil {
				m.Reconciled(ended)
			}
		},
	})
	if err := p.holdings(); err != nil {
		return err
	}
	changed := source.Channel(secrets, handler.EnqueueRequestsFromMapFunc(machines.ForSecret))
	return machines.SetupWithManager(p.mgr, p.options.Workers, changed)
}

// machines lists what the metrics show of each UDSVirtualMachine.
func (p *parts) machines() []metrics.Machine {
	var list udsv1alpha1.UDSVirtualMachineList
	if err := p.mgr.GetCache().List(context.Background(), &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache has not started: there is nothing to show yet
	}
	all := make([]metrics.Machine, 0, len(list.Items))
	for i := range list.Items {
		m := &list.Items[i]
		all = append(all, metrics.Machine{
			Namespace: m.Namespace, Name: m.Name, Phase: string(m.Status.Phase),
			StorageOverhead: virtualmachine.StorageOverhead(m),
		})
	}
	return all
}
