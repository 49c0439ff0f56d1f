package operator

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"cato.dev/cato/compliance/oscal"
	"cato.dev/cato/compliance/server"

	catometrics "cato.dev/cato/compliance/metrics"
)

// servers wires the metrics, the OSCAL endpoint and the readiness of both.
func (p *parts) servers() error {
	collected := catometrics.New(catometrics.Sources{
		Posture: p.posture, Catalog: p.catalog, Machines: p.machines, Now: time.Now,
		Rules:    p.engine.Current().Rules,
		Revision: func() string { return p.engine.Current().Revision },
	})
	p.observed.metrics.Store(collected)
	if err := metrics.Registry.Register(collected); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	provide := server.FromPosture(server.Source{
		Store: p.posture, System: p.system, Assumptions: p.gatherer.Assumptions, Modified: func() time.Time { return p.started }, Now: time.Now,
	})
	handler := server.NewHandler(provide, server.TokenReviews(p.clients), server.SubjectAccessReviews(p.clients))
	if err := p.mgr.Add(&server.Server{Address: p.options.OSCALAddress, CertDir: p.options.WebhookCertDir, Handler: handler}); err != nil {
		return err
	}
	return p.mgr.AddReadyzCheck("certificate", func(*http.Request) error {
		if _, err := os.Stat(p.options.WebhookCertDir + "/tls.crt"); err != nil {
			return fmt.Errorf("no certificate yet: %w", err)
		}
		return nil
	})
}

// system is what every OSCAL document has in common.
func (p *parts) system() oscal.System {
	set := p.engine.Current()
	return oscal.System{
		Cluster: p.cluster, Version: p.options.Version, SSPHref: p.options.SSPHref, Interval: p.options.SweepInterval,
		Catalog: p.catalog, Rules: set.Rules(), Revision: set.Revision,
		Parameters: defaultParameters(p.configuration.Facts(context.Background())),
		StandIns:   p.options.StandIns,
	}
}
