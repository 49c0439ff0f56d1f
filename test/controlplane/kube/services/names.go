package services

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"golang.org/x/net/dns/dnsmessage"
	"k8s.io/klog/v2"
)

const (
	// zone is the end of the names of Services.
	zone = ".svc.cluster.local."
	// lifetime is how long an answer may be kept, in seconds.
	lifetime = 1
	// largest is the size of a message over UDP without extensions, in bytes.
	largest = 512
)

// outside is the domain of the names outside of the cluster (RFC 2606): all of
// them are the address where tests serve what pods fetch.
const outside = "example.com."

// ServeNames answers DNS questions over UDP for the names of Services,
// SERVICE.NAMESPACE.svc.cluster.local, and with its own address for names of
// example.com, until the context ends. There is no other name.
func ServeNames(ctx context.Context, address netip.AddrPort, view *View) error {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(address))
	if err != nil {
		return fmt.Errorf("listen for DNS: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	question := make([]byte, largest)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(question)
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read a DNS question: %w", err)
		}
		answer, err := answer(question[:n], address.Addr(), view.addresses)
		if err == nil {
			_, err = conn.WriteToUDPAddrPort(answer, from)
		}
		if err != nil {
			klog.FromContext(ctx).Error(err, "answer a DNS question")
		}
	}
}

// answer makes the answer to a message with one question.
func answer(message []byte, self netip.Addr, addresses func(namespace, service string) ([]netip.Addr, bool, error)) ([]byte, error) {
	var parser dnsmessage.Parser
	header, err := parser.Start(message)
	if err != nil {
		return nil, fmt.Errorf("read a DNS question: %w", err)
	}
	question, err := parser.Question()
	if err != nil {
		return nil, fmt.Errorf("read a DNS question: %w", err)
	}
	reply := dnsmessage.Message{
		Header: dnsmessage.Header{
			ID: header.ID, Response: true, Authoritative: true,
			RecursionDesired: header.RecursionDesired, RecursionAvailable: true,
		},
		Questions: []dnsmessage.Question{question},
	}
	namespace, service, ok := split(question.Name.String())
	var found []netip.Addr
	switch {
	case ok:
		if found, ok, err = addresses(namespace, service); err != nil {
			return nil, err
		}
	case strings.HasSuffix("."+strings.ToLower(question.Name.String()), "."+outside):
		found, ok = []netip.Addr{self}, true
	}
	if !ok {
		reply.RCode = dnsmessage.RCodeNameError
	}
	if question.Type == dnsmessage.TypeA {
		for _, address := range found {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class, TTL: lifetime},
				Body:   &dnsmessage.AResource{A: address.As4()},
			})
		}
	}
	return reply.Pack()
}

// split takes the name of a Service apart.
func split(name string) (namespace, service string, ok bool) {
	name, ok = strings.CutSuffix(strings.ToLower(name), zone)
	if !ok {
		return "", "", false
	}
	service, namespace, ok = strings.Cut(name, ".")
	return namespace, service, ok && !strings.Contains(namespace, ".")
}
