// Package operator wires the rooms of Cato into one process.
package operator

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/compliance/server"
	"cato.dev/cato/controllers/assessment"
)

// Options are the operator's settings. Addresses are host:port; "0" turns the
// metrics off.
type Options struct {
	Version        string
	MetricsAddress string
	HealthAddress  string
	OSCALAddress   string
	WebhookPort    int
	WebhookCertDir string
	Namespace      string // where the operator runs, and its webhook's Secret lies
	StateDir       string
	SSPHref        string
	StandIns       []string // what is not real in a test cluster; printed in every document
	LeaderElect    bool
	Workers        int
	SweepInterval  time.Duration
	QPS            float32
}

// Defaults returns the settings of a deployment.
func Defaults() Options {
	return Options{
		MetricsAddress: ":8080", HealthAddress: ":8081", OSCALAddress: server.DefaultAddress,
		WebhookPort: 9443, WebhookCertDir: filepath.Join(os.TempDir(), "cato-webhook-cert"),
		Namespace: namespaceHere(), StateDir: "/var/lib/cato", Workers: 4,
		SweepInterval: assessment.SweepInterval, QPS: 200,
	}
}

// AddFlags adds a flag for each setting.
func (o *Options) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.MetricsAddress, "metrics-bind-address", o.MetricsAddress, "Address of /metrics; 0 turns it off")
	flags.StringVar(&o.HealthAddress, "health-probe-bind-address", o.HealthAddress, "Address of /healthz and /readyz")
	flags.StringVar(&o.OSCALAddress, "oscal-bind-address", o.OSCALAddress, "Address of the OSCAL documents, over HTTPS")
	flags.IntVar(&o.WebhookPort, "webhook-port", o.WebhookPort, "Port of the admission webhooks")
	flags.StringVar(&o.WebhookCertDir, "webhook-cert-dir", o.WebhookCertDir, "Folder that the certificate is written to, from the Secret that cert-controller keeps")
	flags.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace of the operator")
	flags.StringVar(&o.StateDir, "state-dir", o.StateDir, "Folder of the posture, to outlive restarts; empty keeps it in memory")
	flags.StringVar(&o.SSPHref, "ssp-href", o.SSPHref, "Address of the system security plan, for the OSCAL documents")
	flags.StringArrayVar(&o.StandIns, "stand-in", o.StandIns, "A sentence on what is not real in this cluster, printed in every document; repeatable")
	flags.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "Let one replica at a time act")
	flags.IntVar(&o.Workers, "workers", o.Workers, "Workers of each controller")
	flags.DurationVar(&o.SweepInterval, "sweep-interval", o.SweepInterval, "How often every verdict is confirmed without an event")
	flags.Float32Var(&o.QPS, "kube-api-qps", o.QPS, "Requests a second to the API server, at most")
}

func (o *Options) validate() error {
	if o.Workers < 1 {
		return fmt.Errorf("--workers %d: at least 1", o.Workers)
	}
	if o.SweepInterval < time.Second || o.SweepInterval%time.Second != 0 {
		return fmt.Errorf("--sweep-interval %s: whole seconds, at least 1s", o.SweepInterval)
	}
	return nil
}

// namespaceHere is the namespace of the pod that this is, or the usual one.
func namespaceHere() string {
	if text, err := os.ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace"); err == nil && len(text) > 0 {
		return string(text)
	}
	return virtfoundryv1alpha1.SystemNamespace
}

// RESTConfig loads a kubeconfig by the usual rules, or the pod's own account.
func RESTConfig(path string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = path
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("no cluster: %w; set KUBECONFIG or --kubeconfig", err)
	}
	return config, nil
}
