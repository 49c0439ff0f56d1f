package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// tokenLifetime is the lifetime of the tokens that ConfigFor asks for.
const tokenLifetime = 24 * time.Hour

// RESTConfig returns a configuration for an administrator (system:masters)
// without a rate limit. The caller may change it.
func (cp *ControlPlane) RESTConfig() *rest.Config { return rest.CopyConfig(cp.admin) }

// ConfigFor returns a configuration that acts as an existing ServiceAccount,
// with a real token (TokenRequest, 24 hours), so that RBAC applies as it does
// in a cluster. Its rate limit is left to the client.
func (cp *ControlPlane) ConfigFor(ctx context.Context, namespace, serviceAccount string) (*rest.Config, error) {
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return nil, fmt.Errorf("make a client of the API server: %w", err)
	}
	seconds := int64(tokenLifetime.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, serviceAccount, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("request a token of ServiceAccount %s/%s: %w", namespace, serviceAccount, err)
	}
	return &rest.Config{
		Host:            cp.admin.Host,
		BearerToken:     token.Status.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: cp.admin.CAData},
	}, nil
}

// WriteKubeconfig writes the configuration of one user of this control plane
// to a file that only the owner may read.
func (cp *ControlPlane) WriteKubeconfig(path string, config *rest.Config) error {
	const name = "cato-controlplane"
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters[name] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	kubeconfig.AuthInfos[name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData,
		ClientKeyData:         config.KeyData,
		Token:                 config.BearerToken,
	}
	kubeconfig.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	kubeconfig.CurrentContext = name
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	return nil
}

// Kubectl runs kubectl as the administrator and returns its standard output.
// The error holds its standard error.
func (cp *ControlPlane) Kubectl(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, cp.kubectl, append([]string{"--kubeconfig=" + cp.Kubeconfig}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("kubectl %q: %w: %s", args, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return string(out), nil
}
