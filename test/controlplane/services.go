package controlplane

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// Authority is the certificate, as PEM, of the authority that has issued the
// certificates of the API server, of KubeVirt and CDI, and of ServeTLS.
func (cp *ControlPlane) Authority() []byte { return cp.keys.authority.PEM }

// HTTPClient makes a client for the Services of the cluster by their names,
// such as https://cdi-uploadproxy.cdi.svc, which trusts Authority.
func (cp *ControlPlane) HTTPClient() (*http.Client, error) {
	if cp.nodes == 0 {
		return nil, errNoNodes
	}
	services, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return nil, fmt.Errorf("make a client of the API server: %w", err)
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(cp.Authority())
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if parts := strings.Split(host, "."); len(parts) > 2 && parts[2] == "svc" {
			service, err := services.CoreV1().Services(parts[1]).Get(ctx, parts[0], metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			host = service.Spec.ClusterIP
		}
		var dialer net.Dialer
		return dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
	}
	return &http.Client{Transport: &http.Transport{
		DialContext:     dial,
		TLSClientConfig: &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12},
	}}, nil
}
