package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/gather"
)

// cluster is the kubeconfig as kubectl reads it, with kubectl's own flags.
type cluster struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
}

func newCluster() *cluster { return &cluster{} }

func (c *cluster) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig file; $KUBECONFIG or ~/.kube/config without one")
	flags.StringVar(&c.overrides.CurrentContext, "context", "", "context of the kubeconfig")
	flags.StringVarP(&c.overrides.Context.Namespace, "namespace", "n", "", "namespace; the context's without one")
}

func (c *cluster) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &c.overrides)
}

func (c *cluster) config() (*rest.Config, error) {
	config, err := c.loader().ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig: %w", err)
	}
	return config, nil
}

// namespaceAsked is what -n says, empty without it.
func (c *cluster) namespaceAsked() string { return c.overrides.Context.Namespace }

// namespace is what -n says, else that of the context, else default.
func (c *cluster) namespace() (string, error) {
	namespace, _, err := c.loader().Namespace()
	if err != nil {
		return "", fmt.Errorf("kubeconfig: %w", err)
	}
	return namespace, nil
}

func (c *cluster) client() (client.Client, error) {
	config, err := c.config()
	if err != nil {
		return nil, err
	}
	scheme, err := gather.Scheme()
	if err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// token is that of the kubeconfig's user, whether written there, in a file, or
// made by a credential plugin.
func (c *cluster) token() (string, error) {
	config, err := c.config()
	if err != nil {
		return "", err
	}
	switch {
	case config.BearerToken != "":
		return config.BearerToken, nil
	case config.BearerTokenFile != "":
		content, err := os.ReadFile(config.BearerTokenFile)
		if err != nil {
			return "", fmt.Errorf("token of the kubeconfig: %w", err)
		}
		return strings.TrimSpace(string(content)), nil
	case config.ExecProvider != nil || config.AuthProvider != nil:
		token, err := pluginToken(config)
		if err != nil {
			return "", fmt.Errorf("credential plugin of the kubeconfig: %w", err)
		}
		return token, nil
	default:
		return "", errors.New("the kubeconfig's user has a certificate and no token, which the operator cannot review: " +
			"kubectl create token SERVICEACCOUNT -n NAMESPACE > FILE, and give it by --token-file FILE")
	}
}

// names lists UDSVirtualMachines for shell completion; one that cannot be asked completes nothing.
func (c *cluster) names(ctx context.Context) []string {
	reader, err := c.client()
	if err != nil {
		return nil
	}
	namespace, err := c.namespace()
	if err != nil {
		return nil
	}
	return machineNames(ctx, reader, namespace)
}
