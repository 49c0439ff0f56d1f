package controlplane

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen listens on a free TCP port of the address by which pods reach this
// machine. The caller closes it.
func (cp *ControlPlane) Listen() (net.Listener, error) {
	if cp.nodes == 0 {
		return nil, errNoNodes
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort(cp.network.Gateway().Addr().String(), "0"))
	if err != nil {
		return nil, fmt.Errorf("listen for pods: %w", err)
	}
	return listener, nil
}

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
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	cp.mu.Lock()
	cp.sources = append(cp.sources, server)
	cp.mu.Unlock()
	// It ends when Stop closes the server.
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), nil
}
