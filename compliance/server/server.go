package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/net/netutil"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// DefaultAddress is where the documents are offered.
const DefaultAddress = ":8444"

const (
	maxConnections  = 128
	shutdownTimeout = 10 * time.Second
)

// Server offers a handler over HTTPS. It is a manager.Runnable that every replica runs.
type Server struct {
	Address string // empty is DefaultAddress
	// CertDir holds tls.crt and tls.key. They may come later than the server, and are read anew when they change.
	CertDir string
	Handler http.Handler
}

// NeedLeaderElection is false: documents are read from whichever replica is asked.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until the context ends.
func (s *Server) Start(ctx context.Context) error {
	address := s.Address
	if address == "" {
		address = DefaultAddress
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("OSCAL endpoint: listen on %s: %w", address, err)
	}
	return s.Serve(ctx, listener)
}

// Serve is Start on a listener, which it closes.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	watcher, err := s.certificates(ctx)
	if err != nil || watcher == nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler:           s.Handler,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: watcher.GetCertificate, NextProtos: []string{"h2", "http/1.1"}},
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 2 * time.Minute, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	failed := make(chan error, 2)
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() { failed <- watcher.Start(watching) }()
	go func() { failed <- server.ServeTLS(netutil.LimitListener(listener, maxConnections), "", "") }()
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err = errors.Join(err, server.Shutdown(closing))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("OSCAL endpoint: %w", err)
	}
	return nil
}

// certificates waits for the files, which the operator itself writes once its Secret is filled. It is nil when the
// context ended first.
func (s *Server) certificates(ctx context.Context) (*certwatcher.CertWatcher, error) {
	crt, key := filepath.Join(s.CertDir, "tls.crt"), filepath.Join(s.CertDir, "tls.key")
	var watcher *certwatcher.CertWatcher
	said := false
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if _, err := os.Stat(crt); err != nil && !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
		w, err := certwatcher.New(crt, key)
		if err != nil {
			if !said {
				log.FromContext(ctx).Info("OSCAL endpoint waits for its certificate", "directory", s.CertDir, "cause", err.Error())
				said = true
			}
			return false, nil
		}
		watcher = w
		return true, nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("OSCAL endpoint: certificate: %w", err)
	}
	return watcher, nil
}
