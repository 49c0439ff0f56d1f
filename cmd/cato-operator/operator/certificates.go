package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/open-policy-agent/cert-controller/pkg/rotator"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
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

// mirrorInterval is how often what is known of the Secret is compared with the files.
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
	secret, err := cache.New(p.mgr.GetConfig(), cache.Options{Scheme: p.mgr.GetScheme(), ByObject: map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Namespaces: map[string]cache.Config{key.Namespace: {FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, key.Name)}}},
	}})
	if err != nil {
		return fmt.Errorf("watch Secret %s: %w", key, err)
	}
	if err := p.mgr.Add(&mirror{cache: secret, dir: p.options.WebhookCertDir, key: key}); err != nil {
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
	cache cache.Cache // of this one Secret, which RBAC allows by its name
	key   types.NamespacedName
	dir   string
	last  string // resourceVersion that the files hold
}

// NeedLeaderElection is false: every replica serves webhooks.
func (m *mirror) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable.
func (m *mirror) Start(ctx context.Context) error {
	if err := os.MkdirAll(m.dir, 0o700); err != nil {
		return fmt.Errorf("--webhook-cert-dir: %w", err)
	}
	watch, ctx := errgroup.WithContext(ctx)
	watch.Go(func() error { return m.cache.Start(ctx) })
	m.follow(ctx)
	return watch.Wait()
}

// follow copies the Secret until the context ends.
func (m *mirror) follow(ctx context.Context) {
	ticker := time.NewTicker(mirrorInterval)
	defer ticker.Stop()
	for {
		if err := m.copy(ctx); err != nil && ctx.Err() == nil {
			log.FromContext(ctx).Error(err, "mirror the webhook's certificate", "secret", m.key)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (m *mirror) copy(ctx context.Context) error {
	var secret corev1.Secret
	if err := m.cache.Get(ctx, m.key, &secret); err != nil {
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
