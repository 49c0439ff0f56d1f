package operator

import (
	"context"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	platformapi "cato.dev/cato/api/platform"
	"cato.dev/cato/controllers/platform"
)

// configure wires the platform's configuration: the file, of which rules are
// told by the gatherer.
func (p *parts) configure() {
	p.configuration = platform.NewHolder(p.mgr.GetClient(), p.options.Namespace, os.Getenv(platformapi.EnvImagePrefixes))
	p.gatherer.Platform = p.configuration.Facts
}

// platform wires what tells of a wrong file, and the host bridges.
func (p *parts) platform() error {
	return platform.New(platform.Deps{
		Client: p.mgr.GetClient(), Holder: p.configuration, Events: p.mgr.GetEventRecorder("cato-operator"),
		Gatherer: p.gatherer, Judge: p.judge, Record: p.record, Now: time.Now, Attachments: servesAttachments(p.mgr),
	}).SetupWithManager(p.mgr)
}

// onConfiguration calls f after each change of the file, of which verdicts may depend.
func (p *parts) onConfiguration(ctx context.Context, f func()) error {
	informer, err := p.mgr.GetCache().GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { f() }, UpdateFunc: func(any, any) { f() }, DeleteFunc: func(any) { f() },
	})
	return err
}
