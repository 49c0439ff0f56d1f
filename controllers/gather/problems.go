package gather

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	"cato.dev/cato/policy/facts"
)

// ProfileProblems names, with field, value and remedy, what of a profile cannot
// be read and so has no effect, although the schema let it through. Known tells
// whether the bundle has a rule.
func ProfileProblems(profile *catov1alpha1.ComplianceProfile, known func(rule string) bool) []string {
	p := &problems{}
	p.selector("spec.scope.namespaceSelector", profile.Spec.Scope.NamespaceSelector)
	parameters := &profile.Spec.Parameters
	if bounds := parameters.Memory; bounds != nil {
		p.size("memory.min", bounds.Min)
		p.size("memory.max", bounds.Max)
	}
	if parameters.Quota != nil {
		p.amounts("quota.hard", parameters.Quota.Hard)
	}
	if limits := parameters.LimitRange; limits != nil {
		p.amounts("limitRange.default", limits.Default)
		p.amounts("limitRange.defaultRequest", limits.DefaultRequest)
		p.amounts("limitRange.max", limits.Max)
	}
	for i, host := range parameters.AllowedSourceHosts {
		if !facts.ReadableSourceHost(host) {
			p.add("allowedSourceHosts[%d] %q is no host: write a name, *.name, an address or a CIDR", i, host)
		}
	}
	for i, rule := range parameters.Rules {
		if !known(rule.ID) {
			p.add("rules[%d].id %q is no rule of the bundle: see `catoctl policy list`", i, rule.ID)
		}
	}
	for i, block := range parameters.ClusterRanges {
		if !facts.ReadableCIDR(block) {
			p.add("clusterRanges[%d] %q is no CIDR: write one such as 10.244.0.0/16", i, block)
		}
	}
	for i := range parameters.AddressPools {
		p.pool(i, &parameters.AddressPools[i])
	}
	if parameters.Grants != nil {
		p.grants(parameters.Grants)
	}
	return p.found
}

type problems struct{ found []string }

func (p *problems) add(format string, args ...any) {
	p.found = append(p.found, "spec.parameters."+fmt.Sprintf(format, args...))
}

func (p *problems) selector(field string, selector *metav1.LabelSelector) {
	if selector == nil {
		return
	}
	if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
		p.found = append(p.found, fmt.Sprintf("%s: %v: it selects nothing, correct it", field, err))
	}
}

func (p *problems) size(field string, text quantity.Text) {
	if text == "" {
		return
	}
	if _, problem := facts.Bytes(string(text)); problem != "" {
		p.add("%s %.64q %s: write a size such as 4Gi", field, text, problem)
	}
}

func (p *problems) amounts(field string, values map[string]quantity.Text) {
	for _, resource := range slices.Sorted(maps.Keys(values)) {
		if !facts.ReadableAmount(string(values[resource])) {
			p.add("%s.%s %.64q is no quantity: write a number with a suffix, such as 10Gi or 500m", field, resource, values[resource])
		}
	}
}

func (p *problems) pool(i int, pool *catov1alpha1.AddressPool) {
	if pool.Start != "" || pool.End != "" {
		if err := facts.ReadableRange(pool.Start, pool.End); err != nil {
			p.add("addressPools[%d]: %v", i, err)
		}
	}
	for j, reserved := range pool.Reserved {
		if err := facts.ReadableRange(reserved.Start, reserved.End); err != nil {
			p.add("addressPools[%d].reserved[%d]: %v", i, j, err)
		}
	}
}

func (p *problems) grants(g *catov1alpha1.Grants) {
	at := func(kind string, i int) string {
		return fmt.Sprintf("spec.parameters.grants.%s[%d].namespaceSelector", kind, i)
	}
	for i := range g.DedicatedCPU {
		p.selector(at("dedicatedCPU", i), &g.DedicatedCPU[i].NamespaceSelector)
	}
	for i := range g.Egress {
		p.selector(at("egress", i), &g.Egress[i].NamespaceSelector)
		for _, block := range g.Egress[i].CIDRs {
			if !facts.ReadableCIDR(block) {
				p.add("grants.egress[%d].cidrs %q is no CIDR: write one such as 10.20.0.0/16", i, block)
			}
		}
	}
	for i := range g.SecondaryNetworks {
		p.selector(at("secondaryNetworks", i), &g.SecondaryNetworks[i].NamespaceSelector)
	}
	for i := range g.SharedNetworks {
		p.selector(at("sharedNetworks", i), &g.SharedNetworks[i].NamespaceSelector)
	}
	for i := range g.SecurityGroups {
		p.selector(at("securityGroups", i), &g.SecurityGroups[i].NamespaceSelector)
		for _, block := range g.SecurityGroups[i].CIDRs {
			if !facts.ReadableCIDR(block) {
				p.add("grants.securityGroups[%d].cidrs %q is no CIDR: write one such as 10.20.0.0/16", i, block)
			}
		}
	}
	for i := range g.CrossNamespaceSources {
		p.selector(at("crossNamespaceSources", i), &g.CrossNamespaceSources[i].NamespaceSelector)
	}
}
