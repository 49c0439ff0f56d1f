package controlplane

import (
	"fmt"
	"net"
	"os"
)

// credentials are the keys and certificates that a run needs in memory; the
// others are in its folder only.
type credentials struct {
	authority         authority
	admin             keyPair
	controllerManager keyPair
}

// Names of the files in the run's folder that the programs' flags refer to.
const (
	authorityFile             = "ca.crt"
	serverCertificateFile     = "apiserver.crt"
	serverKeyFile             = "apiserver.key"
	serviceAccountKeyFile     = "service-account.key"
	serviceAccountPublicFile  = "service-account.pub"
	frontProxyAuthorityFile   = "front-proxy-ca.crt"
	frontProxyCertificateFile = "front-proxy.crt"
	frontProxyKeyFile         = "front-proxy.key"
)

// credentialFiles are the names of all of them.
func credentialFiles() []string {
	return []string{
		authorityFile, serverCertificateFile, serverKeyFile, serviceAccountKeyFile, serviceAccountPublicFile,
		frontProxyAuthorityFile, frontProxyCertificateFile, frontProxyKeyFile,
	}
}

// newCredentials makes all keys and certificates of a run and writes those
// that the programs read. The addresses are further ones of the API server.
func newCredentials(run runFolder, addresses ...net.IP) (credentials, error) {
	ca, err := newAuthority("cato-controlplane")
	if err != nil {
		return credentials{}, fmt.Errorf("make a certificate authority: %w", err)
	}
	front, err := newAuthority("cato-controlplane-front-proxy")
	if err != nil {
		return credentials{}, fmt.Errorf("make a certificate authority: %w", err)
	}
	names := []string{"kubernetes.default.svc", "kubernetes.default", "kubernetes", "kubernetes.default.svc.cluster.local", "localhost"}
	server, err := ca.server(names, append(addresses, net.IPv4(127, 0, 0, 1))...)
	if err != nil {
		return credentials{}, fmt.Errorf("issue the API server's certificate: %w", err)
	}
	admin, err := ca.client("cato-admin", "system:masters")
	if err != nil {
		return credentials{}, fmt.Errorf("issue the administrator's certificate: %w", err)
	}
	manager, err := ca.client("system:kube-controller-manager", "")
	if err != nil {
		return credentials{}, fmt.Errorf("issue the controller manager's certificate: %w", err)
	}
	proxy, err := front.client("front-proxy", "")
	if err != nil {
		return credentials{}, fmt.Errorf("issue the front proxy's certificate: %w", err)
	}
	private, public, err := serviceAccountKeys()
	if err != nil {
		return credentials{}, fmt.Errorf("make the ServiceAccount keys: %w", err)
	}
	for name, data := range map[string][]byte{
		authorityFile:             ca.PEM,
		serverCertificateFile:     server.certificate,
		serverKeyFile:             server.key,
		serviceAccountKeyFile:     private,
		serviceAccountPublicFile:  public,
		frontProxyAuthorityFile:   front.PEM,
		frontProxyCertificateFile: proxy.certificate,
		frontProxyKeyFile:         proxy.key,
	} {
		if err := os.WriteFile(run.path(name), data, 0o600); err != nil {
			return credentials{}, fmt.Errorf("write the run's credentials: %w", err)
		}
	}
	return credentials{authority: ca, admin: admin, controllerManager: manager}, nil
}
