package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func sum(content []byte) string {
	digest := sha256.Sum256(content)
	return hex.EncodeToString(digest[:])
}

// writeCertificate puts a new self-signed certificate into the folder and returns the pool that trusts it.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "cato"}, DNSNames: []string{"cato.test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	crt := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}), 0o600),
		os.WriteFile(filepath.Join(dir, "tls.crt"), crt, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(crt)
	return pool
}

func TestItServesHTTPSWithACertificateThatComesLaterAndChanges(t *testing.T) {
	dir := t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{CertDir: dir, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listener) }()

	answers := func(pool *x509.CertPool) bool {
		client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "cato.test", MinVersion: tls.VersionTLS12},
		}}
		response, err := client.Get("https://" + listener.Addr().String())
		if err != nil {
			return false
		}
		return errors.Join(response.Body.Close()) == nil && response.StatusCode == http.StatusTeapot
	}
	eventually(t, "the first certificate", func() bool { return answers(writeCertificateOnce(t, dir)) })
	second := writeCertificate(t, dir)
	eventually(t, "the second certificate", func() bool { return answers(second) })

	old := &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: second, ServerName: "cato.test", MaxVersion: tls.VersionTLS11}}}
	if response, err := old.Get("https://" + listener.Addr().String()); err == nil {
		t.Error("TLS 1.1 is served", response.Body.Close())
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(shutdownTimeout + time.Minute):
		t.Error("does not end with its context")
	}
	if conn, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		t.Error("still listens", conn.Close())
	}
}

// writeCertificateOnce keeps the certificate that is there.
func writeCertificateOnce(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	crt, err := os.ReadFile(filepath.Join(dir, "tls.crt"))
	if err != nil {
		return writeCertificate(t, dir)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(crt)
	return pool
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(2 * time.Minute)
	for !holds() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestItEndsWhileItWaitsForACertificate(t *testing.T) {
	s := &Server{Address: "127.0.0.1:0", CertDir: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := s.Start(ctx); err != nil {
		t.Error(err)
	}
	if s.NeedLeaderElection() {
		t.Error("documents are read from every replica")
	}
}

func TestAnAddressThatCannotBeListenedOnIsAnError(t *testing.T) {
	if err := (&Server{Address: "256.0.0.1:1", CertDir: t.TempDir()}).Start(t.Context()); err == nil {
		t.Error("no error")
	}
}
