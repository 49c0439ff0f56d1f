package ipam

import (
	"io/fs"
	"net/netip"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/config/crd"
)

// admission judges objects by the CEL rules of a generated CRD.
func admission(t *testing.T, file string) func(spec map[string]any) error {
	t.Helper()
	manifests, err := crd.FS()
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(manifests, file)
	if err != nil {
		t.Fatal(err)
	}
	var served apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(data, &served); err != nil {
		t.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(served.Spec.Versions[0].Schema.OpenAPIV3Schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		t.Fatal(err)
	}
	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	return func(spec map[string]any) error {
		object := map[string]any{"apiVersion": "virtfoundry.io/v1alpha1", "kind": "Any", "metadata": map[string]any{"name": "a"}, "spec": spec}
		errs, _ := validator.Validate(t.Context(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
		return errs.ToAggregate()
	}
}

// The schema must refuse nothing that the plan takes, nor take what the plan refuses: a stored object would fail without a way out.
func TestTheSchemaAndThePlanReadRangesAndAddressesAlike(t *testing.T) {
	networks, addresses := admission(t, "virtfoundry.io_networks.yaml"), admission(t, "virtfoundry.io_ipaddresses.yaml")
	parts := rapid.SampledFrom([]string{
		"10.0.0.0", "10.0.1.0", "10.0.0.1", "0.0.0.0", "127.0.0.0", "127.0.0.1", "224.0.0.0", "239.1.0.0", "169.254.0.0", "255.255.255.252", "255.255.255.255", "240.0.0.0", "010.0.0.0", "10.0.0",
		"fd00::", "fd00::1", "fd00:0::1", "FD00::", "fe80::", "fe80::1%eth0", "ff02::", "::", "::1", "::ffff:10.0.0.0", "::10.0.0.0", "2001:db8::", "", " ", "localhost",
	})
	rapid.Check(t, func(t *rapid.T) {
		address := parts.Draw(t, "address")
		cidr := address + rapid.SampledFrom([]string{"", "/0", "/1", "/4", "/8", "/16", "/24", "/024", "/30", "/31", "/32", "/33", "/64", "/104", "/126", "/127", "/128", "/129", "/-1", "/a", " /8"}).Draw(t, "length")
		_, byPlan := ParsePrefix(cidr)
		bySchema := networks(map[string]any{"name": "a", "networkType": "isolated", "cidr": cidr})
		if (byPlan == nil) != (bySchema == nil) {
			t.Fatalf("range %q: the plan says %v, the schema %v", cidr, byPlan, bySchema)
		}
		if address == "" {
			return // the schema's word for any address
		}
		a, byPlan := ParseAddress(address)
		bySchema = addresses(map[string]any{"networkRef": map[string]any{"name": "a"}, "address": address})
		usable := byPlan == nil && a.String() == address && (a.IsGlobalUnicast() || a.IsLinkLocalUnicast())
		if usable != (bySchema == nil) {
			t.Fatalf("address %q: the plan says %v, the schema %v", address, byPlan, bySchema)
		}
	})
}

// A gateway that the schema takes is one that the plan takes, but for the broadcast address, which CEL cannot compute.
func TestTheSchemaAndThePlanReadGatewaysAlike(t *testing.T) {
	networks := admission(t, "virtfoundry.io_networks.yaml")
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		prefix := netip.MustParsePrefix(m.config.CIDR)
		gateway := host(t, "gateway")
		_, byPlan := New(Config{CIDR: m.config.CIDR, Gateway: gateway.String()})
		bySchema := networks(map[string]any{"name": "a", "networkType": "isolated", "cidr": m.config.CIDR, "gateway": gateway.String()})
		if broadcast := gateway == lastOf(prefix); (byPlan == nil) != (bySchema == nil && !broadcast) {
			t.Fatalf("gateway %s of %s: the plan says %v, the schema %v", gateway, prefix, byPlan, bySchema)
		}
	})
}
