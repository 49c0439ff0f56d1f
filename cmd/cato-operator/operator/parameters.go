package operator

import (
	"fmt"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// defaultParameters are the values that hold where no ComplianceProfile says
// otherwise, those of the platform's configuration before the built-in ones, by the names that rules read them under, and the
// organization-defined parameters that set the scope (decision 1).
func defaultParameters(platform gather.Platform) map[string][]string {
	gathered := &facts.Gathered{Platform: platform.Facts}
	if platform.ImagePrefixes != nil {
		gathered.Profile.Parameters.ImageAllowlist = &catov1alpha1.ImageAllowlist{Prefixes: platform.ImagePrefixes}
	}
	params := facts.Build(gathered).Params
	values := map[string][]string{
		"tenantHTTPEgress":         {params.TenantHTTPEgress},
		"networkPolicyEnforcement": {params.NetworkPolicyEnforcement},
		"allowUnverifiedDisk":      {fmt.Sprint(params.AllowUnverifiedDisk)},
		"kubevirtNamespace":        {params.KubeVirtNamespace},
		"cdiNamespace":             {params.CDINamespace},
		"maxCores":                 {fmt.Sprint(params.MaxCores)},
		"minMemory":                {fmt.Sprint(params.MinMemory)},
		"maxMemory":                {fmt.Sprint(params.MaxMemory)},
		"memoryBounds":             {params.MemoryBounds},
		"defaultClass":             {params.DefaultClass},
		"snapshotClass":            {params.SnapshotClass},
		"quota":                    amounts(params.Quota),
		"limitMax":                 amounts(params.LimitMax),
		"limitDefault":             amounts(params.LimitDefault),
		"limitDefaultRequest":      amounts(params.LimitDefaultRequest),
		"sc-07.05_odp.01":          {"the virtual machines in scope of this document"},
	}
	for _, prefix := range params.ImagePrefixes {
		values["imagePrefixes"] = append(values["imagePrefixes"], prefix.Text)
	}
	for _, peer := range params.DNS {
		values["dns"] = append(values["dns"], fmt.Sprintf("%s %v", peer.Namespace, peer.Pods))
	}
	return values
}

func amounts(list []facts.Amount) []string {
	texts := make([]string, 0, len(list))
	for _, amount := range list {
		texts = append(texts, amount.Resource+"="+amount.Text)
	}
	return texts
}
