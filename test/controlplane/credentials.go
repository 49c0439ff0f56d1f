package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// credentialLifetime is long enough for any test and for a demonstration that
// is left running; keys go with the run's folder.
const credentialLifetime = 30 * 24 * time.Hour

// authority is a certificate authority of one run.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	// PEM is the certificate, PEM encoded.
	PEM []byte
}

// keyPair is a certificate and its key, both PEM encoded.
type keyPair struct{ certificate, key []byte }

func newAuthority(name string) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	template, err := certificateTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return authority{}, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return authority{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return authority{}, err
	}
	return authority{certificate: certificate, key: key, PEM: encodePEM("CERTIFICATE", der)}, nil
}

// client issues a certificate that identifies a user and its group to the API
// server.
func (a authority) client(user, group string) (keyPair, error) {
	subject := pkix.Name{CommonName: user}
	if group != "" {
		subject.Organization = []string{group}
	}
	template, err := certificateTemplate(subject)
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

// server issues a certificate for the API server's addresses.
func (a authority) server() (keyPair, error) {
	template, err := certificateTemplate(pkix.Name{CommonName: "kube-apiserver"})
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)}
	return a.issue(template)
}

func (a authority) issue(template *x509.Certificate) (keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return keyPair{}, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return keyPair{}, err
	}
	pemKey, err := encodeKey(key)
	if err != nil {
		return keyPair{}, err
	}
	return keyPair{certificate: encodePEM("CERTIFICATE", der), key: pemKey}, nil
}

func certificateTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(credentialLifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

// serviceAccountKeys makes the pair with which ServiceAccount tokens are
// signed and checked, as PEM.
func serviceAccountKeys() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	private, err = encodeKey(key)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return private, encodePEM("PUBLIC KEY", der), nil
}

func encodeKey(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return encodePEM("EC PRIVATE KEY", der), nil
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

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

// newCredentials makes all keys and certificates of a run and writes those
// that the programs read.
func newCredentials(run runFolder) (credentials, error) {
	ca, err := newAuthority("cato-controlplane")
	if err != nil {
		return credentials{}, fmt.Errorf("make a certificate authority: %w", err)
	}
	front, err := newAuthority("cato-controlplane-front-proxy")
	if err != nil {
		return credentials{}, fmt.Errorf("make a certificate authority: %w", err)
	}
	server, err := ca.server()
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
