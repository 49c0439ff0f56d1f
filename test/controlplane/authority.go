package controlplane

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"time"
)

// credentialLifetime is longer than any cluster is kept for; keys are readable
// by their owner only, and go with the folder of the run or of the kept cluster.
const credentialLifetime = 10 * 365 * 24 * time.Hour

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
	return authorityOf(name, key)
}

// newSigner makes an authority with an RSA key: CDI signs with
// SHA256-RSA whatever the key is.
func newSigner(name string) (authority, keyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return authority{}, keyPair{}, err
	}
	a, err := authorityOf(name, key)
	if err != nil {
		return authority{}, keyPair{}, err
	}
	pair := keyPair{certificate: a.PEM, key: encodePEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key))}
	return a, pair, nil
}

func authorityOf(name string, key crypto.Signer) (authority, error) {
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

// server issues a certificate for a server's names and addresses; the first
// name is the subject's.
func (a authority) server(names []string, addresses ...net.IP) (keyPair, error) {
	template, err := certificateTemplate(pkix.Name{CommonName: names[0]})
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = names
	template.IPAddresses = addresses
	return a.issue(template)
}

// serviceServer issues a certificate for a Service.
func (a authority) serviceServer(namespace, name string) (keyPair, error) {
	long := name + "." + namespace
	return a.server([]string{long + ".svc", long, name, long + ".svc.cluster.local"})
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
