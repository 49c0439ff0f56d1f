package webhook_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// tenancy is a tenant's namespace, isolated, with what an Instance names.
const tenancy = `
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: red, uid: "7"}
spec: {name: Red, slug: red}
---
apiVersion: v1
kind: Namespace
metadata:
  name: virtfoundry-tenant-red
  labels: {app.kubernetes.io/part-of: virtfoundry, virtfoundry.io/tenant: red}
  ownerReferences: [{apiVersion: virtfoundry.io/v1alpha1, kind: Tenant, name: red, uid: "7", controller: true}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: virtfoundry-default-deny, namespace: virtfoundry-tenant-red}
spec: {podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{from: [{podSelector: {}}]}], egress: [{to: [{podSelector: {}}]}]}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Template
metadata: {name: ubuntu, namespace: virtfoundry-tenant-red}
spec: {displayName: Ubuntu, image: "quay.io/containerdisks/ubuntu:22.04", sourceType: container}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Template
metadata: {name: shared, namespace: virtfoundry-system}
spec: {displayName: Shared, image: "quay.io/containerdisks/ubuntu:22.04", sourceType: container}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Offering
metadata: {name: own}
spec: {displayName: Own, cpu: 1, memoryMi: 512}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Network
metadata: {name: web, namespace: virtfoundry-tenant-red}
spec: {name: Web, networkType: isolated, cidr: 10.0.1.0/24}
status: {nadName: web, nadNamespace: virtfoundry-tenant-red}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Network
metadata: {name: later, namespace: virtfoundry-tenant-red}
spec: {name: Later, networkType: isolated, cidr: 10.0.2.0/24}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: theirs, namespace: virtfoundry-tenant-red, uid: "8"}
spec: {runStrategy: Manual, template: {spec: {domain: {devices: {}}}}}
`

const (
	guest = `
apiVersion: virtfoundry.io/v1alpha1
kind: Instance
metadata: {name: web, namespace: virtfoundry-tenant-red}
spec: {displayName: Web, templateRef: {name: ubuntu}, offeringRef: {name: own}, nics: [{name: lan, networkRef: {name: web}}]}
`
	catalogued = "apiVersion: virtfoundry.io/v1alpha1\nkind: Template\nmetadata: {name: new, namespace: virtfoundry-tenant-red}\nspec: {displayName: New, image: 'quay.io/containerdisks/ubuntu:22.04', sourceType: container}\n"
	sized      = "apiVersion: virtfoundry.io/v1alpha1\nkind: Offering\nmetadata: {name: new}\nspec: {displayName: New, cpu: 1, memoryMi: 512, dedicatedCPU: true}\n"
)

func TestAnInstanceAndItsCatalogueAreJudged(t *testing.T) {
	handler := newHandler(t, tenancy)
	const created, updated = admissionv1.Create, admissionv1.Update
	for name, c := range map[string]struct {
		operation    admissionv1.Operation
		object, old  string
		denied, warn string
	}{
		"a good one, by tag":           {operation: created, object: guest, warn: "IMG-004 is fail"},
		"no template":                  {operation: created, object: edited(guest, "templateRef: {name: ubuntu}, ", ""), denied: "TPL-001"},
		"no such size":                 {operation: created, object: edited(guest, "name: own", "name: huge"), warn: "Offering huge does not exist"},
		"no such network":              {operation: created, object: edited(guest, "networkRef: {name: web}", "networkRef: {name: Web}"), warn: "names Network Web, which does not exist"},
		"a network that is being made": {operation: created, object: edited(guest, "networkRef: {name: web}", "networkRef: {name: later}"), warn: "NetworkAttachmentDefinition"},
		"no NIC":                       {operation: created, object: edited(guest, ", nics: [{name: lan, networkRef: {name: web}}]", ""), denied: "NET-012"},
		"the pod network":              {operation: created, object: edited(guest, "-red}", "-red, annotations: {virtfoundry.io/allow-pod-network: '1'}}", ", nics: [{name: lan, networkRef: {name: web}}]", "")},
		"no such key":                  {operation: created, object: edited(guest, "displayName: Web", "displayName: Web, sshKeyRefs: [{name: alice}]"), warn: "SSHKey alice does not exist"},
		"a Secret that is missing":     {operation: created, object: edited(guest, "displayName: Web", "displayName: Web, cloudInitSecretRef: {name: seed}"), warn: "Secret seed"},
		"pinned without the grant":     {operation: created, object: edited(guest, "displayName: Web", "displayName: Web, dedicatedCPU: true"), warn: "without dedicated processors"},
		"another's machine":            {operation: created, object: edited(guest, "name: web, namespace", "name: theirs, namespace"), warn: "is left alone"},
		"outside of a tenant":          {operation: created, object: edited(guest, "virtfoundry-tenant-red", "ns"), denied: "NS-004"},
		"a finalizer":                  {operation: updated, object: edited(guest, "-red}", "-red, finalizers: [virtfoundry.io/finalizer]}", "ubuntu", "gone"), old: edited(guest, "ubuntu", "gone")},
		"to a template that is gone":   {operation: updated, object: edited(guest, "ubuntu", "gone"), old: guest, warn: "Template gone exists neither"},
		"a template":                   {operation: created, object: catalogued, warn: "IMG-004"},
		"a template of a foreign host": {operation: created, object: edited(catalogued, "quay.io/containerdisks/", "quay.io.evil.example/containerdisks/"), denied: "IMG-003"},
		"a template that shadows":      {operation: created, object: edited(catalogued, "name: new", "name: shared"), denied: "TPL-001"},
		"a size that pins":             {operation: created, object: sized, warn: "OFR-001"},
		"a size of the platform":       {operation: created, object: edited(sized, "name: new}", "name: new, labels: {virtfoundry.io/platform-owned: 'true'}}")},
		"a label that goes":            {operation: updated, object: sized, old: edited(sized, "name: new}", "name: new, labels: {virtfoundry.io/platform-owned: 'true'}}"), warn: "OFR-001"},
	} {
		got := handler.Handle(t.Context(), request(t, c.operation, c.object, c.old))
		if got.Allowed != (c.denied == "") || c.denied != "" && !strings.Contains(got.Result.Message, c.denied) {
			t.Errorf("%s: allowed is %t: %s", name, got.Allowed, got.Result.Message)
		}
		if warnings := strings.Join(got.Warnings, "\n"); !strings.Contains(warnings, c.warn) {
			t.Errorf("%s: warnings %q do not say %q", name, warnings, c.warn)
		}
	}
}
