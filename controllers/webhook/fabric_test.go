package webhook_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

const networks = `
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: acme, uid: tenant}
spec: {name: Acme, slug: acme}
---
apiVersion: v1
kind: Namespace
metadata:
  name: virtfoundry-tenant-acme
  uid: namespace
  labels: {app.kubernetes.io/part-of: virtfoundry, virtfoundry.io/tenant: acme}
  ownerReferences: [{apiVersion: virtfoundry.io/v1alpha1, kind: Tenant, name: acme, uid: tenant, controller: true}]
---
apiVersion: virtfoundry.io/v1alpha1
kind: Network
metadata: {name: web, namespace: virtfoundry-tenant-acme, uid: web, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {name: web, networkType: isolated, cidr: 10.0.1.0/24, gateway: 10.0.1.1}
---
apiVersion: virtfoundry.io/v1alpha1
kind: IPAddress
metadata: {name: 10-0-1-7, namespace: virtfoundry-tenant-acme, uid: address}
spec: {networkRef: {name: web}, address: 10.0.1.7}
`

const (
	network = "apiVersion: virtfoundry.io/v1alpha1\nkind: Network\nmetadata: {name: db, namespace: virtfoundry-tenant-acme}\nspec: {name: db, networkType: isolated, cidr: 10.0.2.0/24, gateway: 10.0.2.1}\n"
	address = "apiVersion: virtfoundry.io/v1alpha1\nkind: IPAddress\nmetadata: {name: mine, namespace: virtfoundry-tenant-acme}\nspec: {networkRef: {name: web}, address: 10.0.1.8}\n"
	group   = "apiVersion: virtfoundry.io/v1alpha1\nkind: SecurityGroup\nmetadata: {name: g, namespace: virtfoundry-tenant-acme}\nspec: {name: g}\n"
)

func TestTenantsNetworksAreJudgedAtAdmission(t *testing.T) {
	handler := newHandler(t, networks)
	open := group[:len(group)-2] + ", rules: [{direction: ingress, protocol: tcp, portFrom: 22, cidr: 0.0.0.0/0}]}\n"
	for name, c := range map[string]struct {
		object, old string
		denied      []string // parts of the message; nil where it is allowed
	}{
		"a network beside another":      {object: network},
		"one that overlaps":             {object: edited(network, "10.0.2.0/24", "10.0.0.0/16"), denied: []string{"NET-022", "10.0.1.0/24 of Network web"}},
		"a gateway that no host has":    {object: edited(network, "10.0.2.1}", "10.0.2.255}"), denied: []string{"NET-021"}},
		"outside of a tenant":           {object: edited(network, "virtfoundry-tenant-acme", "ns"), denied: []string{"NET-020"}},
		"an address":                    {object: address},
		"any address":                   {object: edited(address, ", address: 10.0.1.8", "")},
		"one that is held":              {object: edited(address, "10.0.1.8", "10.0.1.7"), denied: []string{"NET-025", "held by IPAddress 10-0-1-7"}},
		"the gateway's":                 {object: edited(address, "10.0.1.8", "10.0.1.1"), denied: []string{"NET-025"}},
		"a group without rules":         {object: group},
		"one that opens what is closed": {object: open, denied: []string{"NET-027", "grants.securityGroups"}},
		"a finalizer of a bad one":      {object: edited(open, "name: g, name", "finalizers: [a/b], name: g, name"), old: open},
	} {
		operation := admissionv1.Create
		if c.old != "" {
			operation = admissionv1.Update
		}
		response := handler.Handle(t.Context(), request(t, operation, c.object, c.old))
		if response.Allowed != (c.denied == nil) {
			t.Errorf("%s: allowed is %t: %+v", name, response.Allowed, response.Result)
			continue
		}
		for _, part := range c.denied {
			if !strings.Contains(response.Result.Message, part) {
				t.Errorf("%s: %q does not say %q", name, response.Result.Message, part)
			}
		}
	}
}
