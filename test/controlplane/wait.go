package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

// waitReady waits for the API server's /readyz, or for a component to die.
func waitReady(ctx context.Context, config *rest.Config, components ...*supervise.Process) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	defer client.CloseIdleConnections()
	return waitFor(ctx, "the API server's /readyz", components, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/readyz", nil)
		if err != nil {
			return false, err
		}
		response, err := client.Do(request)
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode == http.StatusOK, nil
	})
}

// waitForDefaultServiceAccount waits until the controller manager does its
// work: namespaces get their ServiceAccount and the authority's ConfigMap.
func (cp *ControlPlane) waitForDefaultServiceAccount(ctx context.Context, manager *supervise.Process) error {
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	return waitFor(ctx, "ServiceAccount default/default", []*supervise.Process{manager}, func() (bool, error) {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// waitFor polls until done says so; the death of a component ends it early.
func waitFor(ctx context.Context, what string, components []*supervise.Process, done func() (bool, error)) error {
	return waitEvery(ctx, poll, what, components, done)
}

// waitEvery is waitFor with a time between two polls of its own.
func waitEvery(ctx context.Context, interval time.Duration, what string, components []*supervise.Process, done func() (bool, error)) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		ok, err := done()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if ok {
			return nil
		}
		for _, c := range components {
			select {
			case <-c.Done():
				return deathOf(c)
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// deathOf is the error for a component that ended, with the end of its log.
func deathOf(p *supervise.Process) error {
	log, err := os.ReadFile(p.Log)
	if err != nil {
		return fmt.Errorf("%s ended (%w) and its log cannot be read: %w", p.Name, p.Err(), err)
	}
	if bytes.Contains(log, []byte("address already in use")) {
		return fmt.Errorf("%s: %w", p.Name, errPortTaken)
	}
	return fmt.Errorf("%s ended: %w; the end of its log:\n%s", p.Name, p.Err(), log[max(0, len(log)-logTail):])
}

// freePorts finds TCP ports of 127.0.0.1 that nobody listens on now.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		// All stay open until the end, so that no port comes twice.
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		ports = append(ports, port)
	}
	return ports, nil
}
