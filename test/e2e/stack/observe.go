package stack

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// WaitReady waits until the operator is ready and its webhook listens.
func (s *Stack) WaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.health+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK && s.admits() {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the operator was not ready in time:\n%s", s.LogTail())
		case <-s.ended:
			return fmt.Errorf("the operator ended:\n%s", s.LogTail())
		case <-ticker.C:
		}
	}
}

// admits tells whether the webhook's port is open.
func (s *Stack) admits() bool {
	connection, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", s.webhook), time.Second)
	if err != nil {
		return false
	}
	_ = connection.Close()
	return true
}

// OperatorLog is where the operator writes what it says.
func (s *Stack) OperatorLog() string { return filepath.Join(s.Dir, "operator.log") }

// Log is all that the operator has said so far, in every process of this run.
func (s *Stack) Log() string {
	text, err := os.ReadFile(s.OperatorLog())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// LogTail is the end of the log.
func (s *Stack) LogTail() string {
	const most = 4000
	text := []byte(s.Log())
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return string(bytes.TrimSpace(text))
}

// OSCALClient returns a client that trusts the certificate of the operator's
// own authority and no other, for addresses below OSCALURL.
func (s *Stack) OSCALClient() (*http.Client, error) {
	authority, err := os.ReadFile(filepath.Join(s.Dir, "certificates", "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s/certificates/ca.crt holds no certificate", s.Dir)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}, nil
}
