package webhook_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// used is what lies in the tenant's namespace beside what tenancy has: an Instance, and what it names.
const used = tenancy + `
---
apiVersion: virtfoundry.io/v1alpha1
kind: Instance
metadata: {name: web, namespace: virtfoundry-tenant-red, uid: "9"}
spec: {displayName: Web, templateRef: {name: ubuntu}, offeringRef: {name: own}, sshKeyRefs: [{name: alice}], nics: [{name: lan, networkRef: {name: web}}]}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Network
metadata: {name: inside, namespace: virtfoundry-tenant-red}
spec: {name: Inside, networkType: isolated, cidr: 10.0.3.0/24, vpcRef: {name: production}}
`

// stands is an object of a kind in the tenant's namespace.
func stands(kind, name, spec string) string {
	return "apiVersion: virtfoundry.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: virtfoundry-tenant-red}\nspec: " + spec + "\n"
}

func TestWhatIsUsedIsNotDeleted(t *testing.T) {
	handler := newHandler(t, used)
	container := "{displayName: a, image: 'docker.io/a/b', sourceType: container}"
	for name, c := range map[string]struct {
		object string
		denied string // who uses it; empty where it may go
	}{
		"a template":                   {stands("Template", "ubuntu", container), "Template ubuntu is used by Instance virtfoundry-tenant-red/web (spec.templateRef)"},
		"a template of the platform":   {edited(stands("Template", "ubuntu", container), "virtfoundry-tenant-red", "virtfoundry-system"), ""},
		"a bad template that is free":  {stands("Template", "other", container), ""},
		"an offering":                  {edited(stands("Offering", "own", "{displayName: a, cpu: 1, memoryMi: 512}"), ", namespace: virtfoundry-tenant-red", ""), "(spec.offeringRef)"},
		"an offering that is free":     {edited(stands("Offering", "huge", "{displayName: a, cpu: 1, memoryMi: 512}"), ", namespace: virtfoundry-tenant-red", ""), ""},
		"a key":                        {stands("SSHKey", "alice", "{publicKey: a}"), "(spec.sshKeyRefs)"},
		"a key of nobody":              {stands("SSHKey", "bob", "{publicKey: a}"), ""},
		"a network":                    {stands("Network", "web", "{name: a, networkType: isolated, cidr: 10.0.1.0/24}"), "(spec.nics[0])"},
		"a network that is free":       {stands("Network", "later", "{name: a, networkType: isolated, cidr: 10.0.2.0/24}"), ""},
		"a VPC":                        {stands("VPC", "production", "{name: a, cidr: 10.0.0.0/16}"), "Network virtfoundry-tenant-red/inside (spec.vpcRef)"},
		"a VPC that is empty":          {stands("VPC", "test", "{name: a, cidr: 10.0.0.0/16}"), ""},
		"one that was deleted before":  {edited(stands("Template", "ubuntu", container), "-red}", "-red, finalizers: [a/b], deletionTimestamp: '2026-01-01T00:00:00Z'}"), ""},
		"a kind that may go at once":   {stands("Instance", "web", "{displayName: a}"), ""},
		"another's kind of that name":  {edited(stands("Network", "web", "{}"), "virtfoundry.io", "other.example"), ""},
		"an address, which is claimed": {stands("IPAddress", "a", "{networkRef: {name: web}}"), ""},
	} {
		r := request(t, admissionv1.Delete, c.object, "")
		r.OldObject, r.Object = r.Object, runtime.RawExtension{}
		got := handler.Handle(t.Context(), r)
		switch {
		case got.Allowed != (c.denied == ""):
			t.Errorf("%s: allowed is %t: %s", name, got.Allowed, got.Result.Message)
		case c.denied != "" && (!strings.Contains(got.Result.Message, c.denied) || !strings.Contains(got.Result.Message, "USE-001") || !strings.Contains(got.Result.Message, "Delete what uses it first")):
			t.Errorf("%s: %q does not say %q", name, got.Result.Message, c.denied)
		}
	}
}

func TestADeletionThatCannotBeReadIsABadRequest(t *testing.T) {
	r := request(t, admissionv1.Delete, stands("Template", "ubuntu", "{}"), "")
	r.OldObject, r.Object = runtime.RawExtension{Raw: []byte("{")}, runtime.RawExtension{}
	if got := newHandler(t, used).Handle(t.Context(), r); got.Allowed || got.Result.Code != 400 {
		t.Errorf("allowed %t, %+v", got.Allowed, got.Result)
	}
}

func TestDisksAndVPCsAreJudged(t *testing.T) {
	handler := newHandler(t, used+"---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: a\n")
	for name, c := range map[string]struct{ object, denied string }{
		"a disk":                    {stands("Disk", "data", "{name: a, sizeGi: 1, storageClass: fast}"), ""},
		"a disk of no class":        {stands("Disk", "data", "{name: a, sizeGi: 1, storageClass: none}"), "STO-021"},
		"a disk outside a tenant":   {edited(stands("Disk", "data", "{name: a, sizeGi: 1, storageClass: fast}"), "virtfoundry-tenant-red", "ns"), "STO-020"},
		"a VPC":                     {stands("VPC", "new", "{name: a, cidr: 172.16.0.0/16}"), ""},
		"a VPC outside of a tenant": {edited(stands("VPC", "new", "{name: a, cidr: 172.16.0.0/16}"), "virtfoundry-tenant-red", "ns"), "NET-020"},
	} {
		got := handler.Handle(t.Context(), request(t, admissionv1.Create, c.object, ""))
		if got.Allowed != (c.denied == "") || c.denied != "" && !strings.Contains(got.Result.Message, c.denied) {
			t.Errorf("%s: allowed is %t: %s", name, got.Allowed, got.Result.Message)
		}
	}
}
