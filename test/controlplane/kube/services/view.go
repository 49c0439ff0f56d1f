// Package services makes the Services of a cluster reachable, for pods and for
// the API server: their cluster IPs by forwarding connections in user space,
// as kube-proxy once did, and their names by a small DNS server. Only TCP is
// forwarded, and network policies are not enforced.
package services

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	corelisters "k8s.io/client-go/listers/core/v1"
	discoverylisters "k8s.io/client-go/listers/discovery/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/ptr"
)

// View is what is known of the cluster's Services.
type View struct {
	apiServer string
	services  corelisters.ServiceLister
	slices    discoverylisters.EndpointSliceLister
	// Changed gets a value when something has changed.
	Changed <-chan struct{}
}

// NewView follows the Services of a factory that is not started yet. Service
// default/kubernetes leads to the API server's host:port: it listens on an
// address that cannot be an endpoint.
func NewView(factory informers.SharedInformerFactory, apiServer string) (*View, error) {
	changed := make(chan struct{}, 1)
	note := func() {
		select {
		case changed <- struct{}{}:
		default: // one is waiting already
		}
	}
	services, slices := factory.Core().V1().Services(), factory.Discovery().V1().EndpointSlices()
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { note() },
		UpdateFunc: func(any, any) { note() },
		DeleteFunc: func(any) { note() },
	}
	if _, err := services.Informer().AddEventHandler(handler); err != nil {
		return nil, fmt.Errorf("follow Services: %w", err)
	}
	// The listers of slices are asked for each connection, so their changes
	// need no note.
	slices.Informer()
	return &View{apiServer: apiServer, services: services.Lister(), slices: slices.Lister(), Changed: changed}, nil
}

// port is one TCP port of a Service with a cluster IP.
type port struct {
	namespace, service, name string
	address                  netip.AddrPort
}

// ports are all TCP ports with a cluster IP.
func (v *View) ports() ([]port, error) {
	all, err := v.services.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("list Services: %w", err)
	}
	var found []port
	for _, service := range all {
		address, err := netip.ParseAddr(service.Spec.ClusterIP)
		if err != nil {
			continue // headless, or only a name
		}
		for _, p := range service.Spec.Ports {
			if p.Protocol == corev1.ProtocolTCP {
				found = append(found, port{
					namespace: service.Namespace, service: service.Name, name: p.Name,
					address: netip.AddrPortFrom(address, uint16(p.Port)),
				})
			}
		}
	}
	return found, nil
}

// endpoints are the host:port of the ready endpoints of a port, in a stable
// order.
func (v *View) endpoints(p port) ([]string, error) {
	if p.namespace == "default" && p.service == "kubernetes" {
		return []string{v.apiServer}, nil
	}
	all, err := v.slicesOf(p.namespace, p.service)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, slice := range all {
		for _, offered := range slice.Ports {
			if ptr.Deref(offered.Name, "") != p.name || offered.Port == nil {
				continue
			}
			for _, address := range readyAddresses(slice) {
				found = append(found, net.JoinHostPort(address, strconv.Itoa(int(*offered.Port))))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// addresses are the IPv4 addresses that a Service's name stands for; false
// means that there is no such Service.
func (v *View) addresses(namespace, name string) ([]netip.Addr, bool, error) {
	service, err := v.services.Services(namespace).Get(name)
	if err != nil {
		return nil, false, missing(err)
	}
	if address, err := netip.ParseAddr(service.Spec.ClusterIP); err == nil {
		return []netip.Addr{address}, true, nil
	}
	all, err := v.slicesOf(namespace, name)
	if err != nil {
		return nil, true, err
	}
	var found []netip.Addr
	for _, slice := range all {
		for _, text := range readyAddresses(slice) {
			if address, err := netip.ParseAddr(text); err == nil && address.Is4() {
				found = append(found, address)
			}
		}
	}
	slices.SortFunc(found, netip.Addr.Compare)
	return slices.Compact(found), true, nil
}

func (v *View) slicesOf(namespace, service string) ([]*discoveryv1.EndpointSlice, error) {
	selector := labels.SelectorFromSet(labels.Set{discoveryv1.LabelServiceName: service})
	found, err := v.slices.EndpointSlices(namespace).List(selector)
	if err != nil {
		return nil, fmt.Errorf("list EndpointSlices of Service %s/%s: %w", namespace, service, err)
	}
	slices.SortFunc(found, func(a, b *discoveryv1.EndpointSlice) int { return cmp.Compare(a.Name, b.Name) })
	return found, nil
}

func readyAddresses(slice *discoveryv1.EndpointSlice) []string {
	var found []string
	for _, endpoint := range slice.Endpoints {
		if ptr.Deref(endpoint.Conditions.Ready, true) {
			found = append(found, endpoint.Addresses...)
		}
	}
	return found
}

// missing turns the error of a lister that has no such object into none.
func missing(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
