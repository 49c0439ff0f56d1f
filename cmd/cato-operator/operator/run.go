package operator

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/platform"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// parts are what the controllers and servers of one process share.
type parts struct {
	options  Options
	mgr      ctrl.Manager
	clients  kubernetes.Interface
	catalog  *catalog.Catalog
	engine   *engine.Engine
	judge    *decide.Judge
	posture  *posture.Store
	gatherer *gather.Gatherer
	// configuration is the platform's, in force
	configuration *platform.Holder
	cluster       string // UID of namespace kube-system
	started       time.Time
	observed      *observations
	record        func(ctx context.Context, found decide.Judgement, at time.Time)
}

// Run operates until the context ends.
func Run(ctx context.Context, cfg *rest.Config, options Options) error {
	if err := options.validate(); err != nil {
		return err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.QPS, cfg.Burst, cfg.UserAgent = options.QPS, int(options.QPS)*2, "cato-operator/"+options.Version
	mgr, err := newManager(cfg, options)
	if err != nil {
		return err
	}
	p := &parts{options: options, mgr: mgr, started: time.Now().UTC().Truncate(time.Second), observed: &observations{}}
	if p.clients, err = kubernetes.NewForConfig(cfg); err != nil {
		return err
	}
	if p.cluster, err = clusterIdentity(ctx, mgr.GetAPIReader()); err != nil {
		return err
	}
	if p.engine, p.judge, p.catalog, err = decide.Load(ctx, p.observed.observer()); err != nil {
		return fmt.Errorf("load the policy bundle: %w", err)
	}
	if p.posture, err = posture.Open(options.StateDir, time.Now()); err != nil {
		return err
	}
	runErr := p.run(ctx)
	if err := p.posture.Close(); err != nil && runErr == nil {
		return err
	}
	return runErr
}

func (p *parts) run(ctx context.Context) error {
	if err := p.controllers(ctx); err != nil {
		return err
	}
	if err := p.servers(); err != nil {
		return err
	}
	if err := p.certificates(); err != nil {
		return err
	}
	return p.mgr.Start(ctx)
}

func newManager(cfg *rest.Config, options Options) (ctrl.Manager, error) {
	scheme, err := gather.Scheme()
	if err != nil {
		return nil, err
	}
	parts, err := cachedParts(options.Namespace)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: options.MetricsAddress},
		HealthProbeBindAddress:        options.HealthAddress,
		LeaderElection:                options.LeaderElect,
		LeaderElectionID:              "cato-operator.cato.dev",
		LeaderElectionNamespace:       options.Namespace,
		LeaderElectionReleaseOnCancel: true,
		WebhookServer:                 webhook.NewServer(webhook.Options{Port: options.WebhookPort, CertDir: options.WebhookCertDir}),
		Cache:                         cache.Options{DefaultTransform: reduceManagedFields, ByObject: parts, ReaderFailOnMissingInformer: false},
		Client:                        client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
		Controller:                    config.Controller{CacheSyncTimeout: 2 * time.Minute},
	})
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, err
	}
	return mgr, nil
}

// clusterIdentity is what outlives everything else in a cluster.
func clusterIdentity(ctx context.Context, reader client.Reader) (string, error) {
	var system corev1.Namespace
	if err := reader.Get(ctx, client.ObjectKey{Name: "kube-system"}, &system); err != nil {
		if apierrors.IsForbidden(err) {
			return "", fmt.Errorf("the operator may not get namespace kube-system: install config/rbac: %w", err)
		}
		return "", fmt.Errorf("read the cluster's identity: %w", err)
	}
	return string(system.UID), nil
}

// reduceManagedFields keeps of each manager its name and time: who changed an
// object matters, which field it was does not, and the rest is most of an object.
func reduceManagedFields(object any) (any, error) {
	if o, ok := object.(client.Object); ok {
		fields := o.GetManagedFields()
		for i := range fields {
			fields[i].FieldsV1 = nil
		}
		o.SetManagedFields(fields)
	}
	return object, nil
}

func newGatherer(mgr ctrl.Manager, secrets gather.SecretLookup, blind gather.Blindness, capabilities facts.Capabilities) *gather.Gatherer {
	return &gather.Gatherer{Reader: mgr.GetClient(), Secrets: secrets, Blind: blind, Capabilities: capabilities, Now: time.Now}
}
