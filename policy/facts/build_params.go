package facts

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/platform"
	"cato.dev/cato/api/quantity"
)

// Defaults of the parameters, where no ComplianceProfile says otherwise.
const (
	defaultEnforcement = "assumed"
	defaultHTTPEgress  = "importers"
	defaultMaxCores    = 256
	mebibyte           = int64(1) << 20
	defaultMinMemory   = 64 * mebibyte
	defaultMaxMemory   = 1 << 20 * mebibyte
)

func defaultImagePrefixes() []string {
	return []string{"quay.io/containerdisks/", "quay.io/kubevirt/", "ghcr.io/virtfoundry/"}
}

// defaultQuota and the limits below are those of the VirtFoundry sheet, section 2.2.
func defaultQuota() map[string]quantity.Text {
	return map[string]quantity.Text{
		"requests.cpu": "20", "requests.memory": "40Gi", "limits.cpu": "40", "limits.memory": "80Gi",
		"pods": "50", "persistentvolumeclaims": "20", "services": "20",
	}
}

func defaultLimits() catov1alpha1.LimitRangeParameters {
	return catov1alpha1.LimitRangeParameters{
		Default:        map[string]quantity.Text{"cpu": "1", "memory": "1Gi"},
		DefaultRequest: map[string]quantity.Text{"cpu": "100m", "memory": "128Mi"},
		Max:            map[string]quantity.Text{"cpu": "8", "memory": "16Gi"},
	}
}

// Tenancy are the values of a tenant's quota and limits in force: what a
// Tenant's children are written with and judged against.
type Tenancy struct {
	Quota, Default, DefaultRequest, Max map[string]quantity.Text
}

// TenancyOf returns the values that parameters set, defaults filled in.
func TenancyOf(p *catov1alpha1.ComplianceProfileParameters) Tenancy {
	t := Tenancy{Quota: defaultQuota()}
	limits := defaultLimits()
	t.Default, t.DefaultRequest, t.Max = limits.Default, limits.DefaultRequest, limits.Max
	if p.Quota != nil {
		overlay(t.Quota, p.Quota.Hard)
	}
	if p.LimitRange != nil {
		overlay(t.Default, p.LimitRange.Default)
		overlay(t.DefaultRequest, p.LimitRange.DefaultRequest)
		overlay(t.Max, p.LimitRange.Max)
	}
	return t
}

func overlay(values, other map[string]quantity.Text) {
	for key, value := range other {
		values[key] = value
	}
}

func buildParams(g *Gathered) Params {
	p := &g.Profile.Parameters
	tenancy := TenancyOf(p)
	params := Params{
		Profile: g.Profile.Name, ImagePrefixes: []ImagePrefix{}, SourceHosts: []SourceHost{}, TenantHTTPEgress: defaultHTTPEgress,
		NetworkPolicyEnforcement: defaultEnforcement, AllowUnverifiedDisk: p.AllowUnverifiedDisk != nil && *p.AllowUnverifiedDisk,
		DNS: DNSOf(p), KubeVirtNamespace: orDefault(p.KubevirtNamespace, "kubevirt"), CDINamespace: orDefault(p.CDINamespace, "cdi"),
		MaxCores: defaultMaxCores, MinMemory: defaultMinMemory, MaxMemory: defaultMaxMemory,
		Quota: parameterAmounts(tenancy.Quota), LimitMax: parameterAmounts(tenancy.Max),
		LimitDefault: parameterAmounts(tenancy.Default), LimitDefaultRequest: parameterAmounts(tenancy.DefaultRequest),
		DefaultClass: orDefault(g.Platform.DefaultClass, platform.ClassAuto), SnapshotClass: g.Platform.SnapshotClass,
		ClusterRanges: append([]string{}, p.ClusterRanges...), Grants: buildGrants(p.Grants, g.Namespace),
	}
	prefixes := defaultImagePrefixes()
	if p.ImageAllowlist != nil {
		prefixes = p.ImageAllowlist.Prefixes
	}
	for _, prefix := range prefixes {
		params.ImagePrefixes = append(params.ImagePrefixes, parsePrefix(prefix))
	}
	for _, host := range p.AllowedSourceHosts {
		params.SourceHosts = append(params.SourceHosts, parseSourceHost(host))
	}
	if p.Tenant != nil && p.Tenant.Egress != nil && p.Tenant.Egress.HTTP != "" {
		params.TenantHTTPEgress = string(p.Tenant.Egress.HTTP)
	}
	if p.NetworkPolicyEnforcement != "" {
		params.NetworkPolicyEnforcement = string(p.NetworkPolicyEnforcement)
	}
	if p.CPU != nil && p.CPU.Max != nil {
		params.MaxCores = int64(*p.CPU.Max)
	}
	if p.Memory != nil {
		params.MinMemory = orBytes(p.Memory.Min, params.MinMemory)
		params.MaxMemory = orBytes(p.Memory.Max, params.MaxMemory)
	}
	params.MemoryBounds = binaryText(params.MinMemory) + " to " + binaryText(params.MaxMemory)
	return params
}

// DNSOf returns the peers that answer for cluster DNS.
func DNSOf(p *catov1alpha1.ComplianceProfileParameters) []DNSPeer {
	if len(p.DNS) == 0 {
		return []DNSPeer{{Namespace: metav1.NamespaceSystem, Pods: map[string]string{"k8s-app": "kube-dns"}}}
	}
	peers := make([]DNSPeer, 0, len(p.DNS))
	for _, peer := range p.DNS {
		peers = append(peers, DNSPeer{Namespace: peer.Namespace, Pods: peer.PodLabels})
	}
	return peers
}

func orDefault(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func orBytes(text quantity.Text, otherwise int64) int64 {
	if parsed := parseQuantity(text); parsed.Value != nil {
		return *parsed.Value
	}
	return otherwise
}

func parameterAmounts(values map[string]quantity.Text) []Amount {
	all := make([]Amount, 0, len(values))
	for resource, text := range values {
		all = append(all, amountFact(resource, string(text)))
	}
	slices.SortFunc(all, func(a, b Amount) int { return strings.Compare(a.Resource, b.Resource) })
	return all
}

func buildGrants(g *catov1alpha1.Grants, namespace *corev1.Namespace) Grants {
	grants := Grants{DedicatedCPU: []NamespaceGrant{}, Egress: []EgressGrant{}, SecondaryNetworks: []NetworkGrant{}, CrossNamespaceSources: []SourceGrant{}, SharedNetworks: []NetworkGrant{}, SecurityGroups: []GroupGrant{}}
	if g == nil {
		return grants
	}
	for i := range g.SecurityGroups {
		source := &g.SecurityGroups[i]
		grants.SecurityGroups = append(grants.SecurityGroups, GroupGrant{Selects: selects(&source.NamespaceSelector, namespace), Reason: source.Reason, CIDRs: append([]string{}, source.CIDRs...)})
	}
	grants.SharedNetworks = networkGrants(g.SharedNetworks, namespace)
	grants.CrossNamespaceSources = sourceGrants(g.CrossNamespaceSources, namespace)
	for i := range g.DedicatedCPU {
		source := &g.DedicatedCPU[i]
		grants.DedicatedCPU = append(grants.DedicatedCPU, NamespaceGrant{Selects: selects(&source.NamespaceSelector, namespace), Reason: source.Reason})
	}
	for i := range g.Egress {
		source := &g.Egress[i]
		grant := EgressGrant{Selects: selects(&source.NamespaceSelector, namespace), Reason: source.Reason, CIDRs: append([]string{}, source.CIDRs...), Ports: []Port{}}
		for _, p := range source.Ports {
			grant.Ports = append(grant.Ports, specPort(string(p.Protocol), p.Port, p.EndPort))
		}
		grants.Egress = append(grants.Egress, grant)
	}
	grants.SecondaryNetworks = networkGrants(g.SecondaryNetworks, namespace)
	return grants
}

func networkGrants(sources []catov1alpha1.NetworkGrant, namespace *corev1.Namespace) []NetworkGrant {
	grants := []NetworkGrant{}
	for i := range sources {
		source := &sources[i]
		grants = append(grants, NetworkGrant{Selects: selects(&source.NamespaceSelector, namespace), Reason: source.Reason, Networks: append([]string{}, source.Networks...)})
	}
	return grants
}

// selects tells whether a selector selects a namespace. A selector that is
// malformed, or a namespace that is not there, selects nothing.
func selects(selector *metav1.LabelSelector, namespace *corev1.Namespace) bool {
	if namespace == nil {
		return false
	}
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(namespace.Labels))
}
