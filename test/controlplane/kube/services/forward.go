package services

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"k8s.io/klog/v2"
)

// Forward listens on each TCP port of each Service that has a cluster IP and
// forwards connections to its ready endpoints, in turn, until the context ends.
// The machine must hold all cluster IPs to be its own.
func Forward(ctx context.Context, view *View) error {
	open := map[netip.AddrPort]*forwarder{}
	defer func() {
		for _, f := range open {
			_ = f.listener.Close()
		}
	}()
	for {
		ports, err := view.ports()
		if err != nil {
			return err
		}
		wanted := map[netip.AddrPort]port{}
		for _, p := range ports {
			wanted[p.address] = p
		}
		for address, f := range open {
			if p, ok := wanted[address]; !ok || p != f.port {
				_ = f.listener.Close()
				delete(open, address)
			}
		}
		for address, p := range wanted {
			if open[address] != nil {
				continue
			}
			f := &forwarder{view: view, port: p}
			if f.listener, err = net.Listen("tcp4", address.String()); err != nil {
				return fmt.Errorf("listen for Service %s/%s: %w", p.namespace, p.service, err)
			}
			open[address] = f
			go f.serve(ctx)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-view.Changed:
		}
	}
}

// forwarder serves one port of a Service.
type forwarder struct {
	view     *View
	port     port
	listener net.Listener
	turn     atomic.Uint64
}

func (f *forwarder) serve(ctx context.Context) {
	for {
		from, err := f.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			klog.FromContext(ctx).Error(err, "accept a connection", "service", f.port.namespace+"/"+f.port.service)
			continue
		}
		go func() {
			defer func() { _ = from.Close() }()
			if err := f.forward(ctx, from); err != nil {
				klog.FromContext(ctx).Info("connection not forwarded", "service", f.port.namespace+"/"+f.port.service, "reason", err.Error())
			}
		}()
	}
}

func (f *forwarder) forward(ctx context.Context, from net.Conn) error {
	endpoints, err := f.view.endpoints(f.port)
	if err != nil {
		return err
	}
	if len(endpoints) == 0 {
		return errors.New("no endpoint is ready")
	}
	var dialer net.Dialer
	to, err := dialer.DialContext(ctx, "tcp4", endpoints[f.turn.Add(1)%uint64(len(endpoints))])
	if err != nil {
		return err
	}
	defer func() { _ = to.Close() }()
	var wait sync.WaitGroup
	wait.Go(func() { pipe(to, from) })
	wait.Go(func() { pipe(from, to) })
	wait.Wait()
	return nil
}

// pipe copies one direction and passes its end on; the other may go on.
func pipe(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if half, ok := to.(*net.TCPConn); ok && err == nil {
		_ = half.CloseWrite()
		return
	}
	// A broken direction ends the connection.
	_ = to.Close()
	_ = from.Close()
}
