package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	catowebhook "cato.dev/cato/controllers/webhook"
)

// Names of what cert-controller keeps: it fills a Secret that exists, and puts
// its CA into the webhook configuration.
const (
	certificateSecret    = "cato-webhook-cert"
	webhookConfiguration = "cato-webhook"
	webhookService       = "cato-webhook"
)

// mirrorInterval is how often the Secret is compared with the files.
const mirrorInterval = 500 * time.Millisecond

// certificates has cert-controller keep the certificate, mirrors it into files
// and, once they are there, serves the webhooks.
func (p *parts) certificates() error {
	ready := make(chan struct{})
	key := types.NamespacedName{Namespace: p.options.Namespace, Name: certificateSecret}
	err := rotator.AddRotator(withNamedSecret(p.mgr, key), &rotator.CertRotator{
		SecretKey:             key,
		CertDir:               p.options.WebhookCertDir,
		CAName:                "cato-ca",
		CAOrganization:        "cato",
		DNSName:               fmt.Sprintf("%s.%s.svc", webhookService, p.options.Namespace),
		ExtraDNSNames:         []string{"localhost", fmt.Sprintf("cato-oscal.%s.svc", p.options.Namespace)},
		IsReady:               ready,
		Webhooks:              []rotator.WebhookInfo{{Name: webhookConfiguration, Type: rotator.Validating}},
		RequireLeaderElection: p.options.LeaderElect,
	})
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	mirror := &mirror{
		reader: p.mgr.GetAPIReader(), dir: p.options.WebhookCertDir,
		key: key,
	}
	if err := p.mgr.Add(mirror); err != nil {
		return err
	}
	return p.mgr.Add(manager.RunnableFunc(func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-ready:
		}
		p.mgr.GetWebhookServer().Register(catowebhook.Path, &webhook.Admission{Handler: &catowebhook.Handler{
			Gatherer: p.gatherer, Secrets: p.mgr.GetAPIReader(), Judge: p.judge, Decoder: admission.NewDecoder(p.mgr.GetScheme()),
		}})
		return nil
	}))
}

// mirror writes the certificate's Secret into a folder: a process outside of a
// pod has no volume, and a mounted Secret is minutes late.
type mirror struct {
	reader client.Reader
	key    types.NamespacedName
	dir    string
	last   string // resourceVersion that the files hold
}

// NeedLeaderElection is false: every replica serves webhooks.
func (m *mirror) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable.
func (m *mirror) Start(ctx context.Context) error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return fmt.Errorf("--webhook-cert-dir: %w", err)
	}
	ticker := time.NewTicker(mirrorInterval)
	defer ticker.Stop()
	for {
		if err := m.copy(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "mirror the webhook's certificate", "secret", m.key)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (m *mirror) copy(ctx context.Context) error {
	var secret corev1.Secret
	if err := m.reader.Get(ctx, m.key, &secret); err != nil {
		return err
	}
	if secret.ResourceVersion == m.last || len(secret.Data["tls.crt"]) == 0 {
		return nil
	}
	for _, name := range []string{"ca.crt", "tls.key", "tls.crt"} { // the certificate last: it is what is watched
		if err := replaceFile(filepath.Join(m.dir, name), secret.Data[name]); err != nil {
			return fmt.Errorf("--webhook-cert-dir: %w", err)
		}
	}
	m.last = secret.ResourceVersion
	return nil
}

func replaceFile(path string, content []byte) error {
	temporary := path + ".new"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
