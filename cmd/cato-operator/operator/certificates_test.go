package operator

import (
	"context"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/controlplane"
)

func TestTheCertificateIsKeptWithTheRightToOneSecret(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	plane, err := controlplane.Start(ctx, controlplane.Options{CRDs: []controlplane.CRDSet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			plane.KeepLogs()
		}
		plane.Stop()
	})
	if _, err := plane.Kubectl(ctx, "apply", "--server-side", "-k", "../../../config/default"); err != nil {
		t.Fatal(err)
	}
	admin, err := kubernetes.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := plane.ConfigFor(ctx, virtfoundryv1alpha1.SystemNamespace, virtfoundryv1alpha1.ServiceAccountName)
	if err != nil {
		t.Fatal(err)
	}
	account, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := account.CoreV1().Secrets(virtfoundryv1alpha1.SystemNamespace).List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Fatalf("the operator may list all Secrets of its namespace (%v), so this shows nothing", err)
	}

	options := Defaults()
	options.Namespace, options.WebhookCertDir = virtfoundryv1alpha1.SystemNamespace, filepath.Join(t.TempDir(), "certificates")
	options.MetricsAddress, options.HealthAddress, options.WebhookPort = "0", "127.0.0.1:0", 0
	mgr, err := newManager(cfg, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := (&parts{mgr: mgr, options: options}).certificates(); err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the manager ended: %v", err)
		}
	})

	err = wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if _, err := os.Stat(filepath.Join(options.WebhookCertDir, "tls.crt")); os.IsNotExist(err) {
			return false, nil
		}
		configuration, err := admin.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx, webhookConfiguration, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, webhook := range configuration.Webhooks {
			if !x509.NewCertPool().AppendCertsFromPEM(webhook.ClientConfig.CABundle) {
				return false, nil
			}
		}
		return len(configuration.Webhooks) > 0, nil
	})
	if err != nil {
		t.Fatalf("no certificate, or its CA is not in every webhook: %v", err)
	}
}
