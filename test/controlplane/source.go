package controlplane

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen listens on a free TCP port of the address by which pods reach this
// machine. The caller closes it.
func (cp *ControlPlane) Listen() (net.Listener, error) { return cp.listen("0") }

func (cp *ControlPlane) listen(port string) (net.Listener, error) {
	if cp.nodes == 0 {
		return nil, errNoNodes
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort(cp.network.Gateway().Addr().String(), port))
	if err != nil {
		return nil, fmt.Errorf("listen for pods: %w", err)
	}
	return listener, nil
}

// SourceHost is a public name by which pods reach what is served to them, since
// rules may refuse addresses of the inside. Any name of example.com will do.
const SourceHost = "images.example.com"

// HTTPSource serves the files of a folder to pods over HTTP until Stop, and
// returns the URL of the folder, without a slash at its end.
func (cp *ControlPlane) HTTPSource(dir string) (string, error) {
	return cp.Serve(http.FileServer(http.Dir(dir)))
}

// Serve serves anything to pods over HTTP until Stop, and returns its URL,
// without a slash at its end.
func (cp *ControlPlane) Serve(handler http.Handler) (string, error) {
	listener, err := cp.Listen()
	if err != nil {
		return "", err
	}
	cp.serve(listener, handler)
	return "http://" + listener.Addr().String(), nil
}

// ServeTLS is Serve over HTTPS, with a certificate of Authority for the address
// in the URL.
func (cp *ControlPlane) ServeTLS(handler http.Handler) (string, error) {
	return cp.serveTLS(handler, "0")
}

// HTTPSSource serves the files of a folder to pods as a public server does: by
// HTTPS on port 443, under SourceHost, with a certificate of Authority. There is
// one at a time. It returns the URL of the folder, without a slash at its end.
func (cp *ControlPlane) HTTPSSource(dir string) (string, error) {
	if _, err := cp.serveTLS(http.FileServer(http.Dir(dir)), "443"); err != nil {
		return "", err
	}
	return "https://" + SourceHost, nil
}

func (cp *ControlPlane) serveTLS(handler http.Handler, port string) (string, error) {
	listener, err := cp.listen(port)
	if err != nil {
		return "", err
	}
	pair, err := cp.keys.authority.server([]string{"source", SourceHost}, cp.network.Gateway().Addr().AsSlice())
	if err != nil {
		return "", fmt.Errorf("issue the certificate of a source: %w", err)
	}
	certificate, err := tls.X509KeyPair(pair.certificate, pair.key)
	if err != nil {
		return "", fmt.Errorf("issue the certificate of a source: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	cp.serve(tls.NewListener(listener, config), handler)
	return "https://" + listener.Addr().String(), nil
}

// serve serves until Stop closes the server.
func (cp *ControlPlane) serve(listener net.Listener, handler http.Handler) {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	cp.mu.Lock()
	cp.sources = append(cp.sources, server)
	cp.mu.Unlock()
	go func() { _ = server.Serve(listener) }()
}
