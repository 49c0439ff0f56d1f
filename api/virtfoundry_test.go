package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// kind is how a kind of virtfoundry.io is served.
type kind struct {
	plural     string
	clusterish bool
}

// virtfoundryKinds are all kinds of virtfoundry.io but Tenant, which has tests of its own.
var virtfoundryKinds = map[string]kind{
	"Instance": {plural: "instances"}, "Offering": {plural: "offerings", clusterish: true}, "Template": {plural: "templates"},
	"Network": {plural: "networks"}, "VPC": {plural: "vpcs"}, "IPAddress": {plural: "ipaddresses"},
	"Disk": {plural: "disks"}, "DiskSnapshot": {plural: "disksnapshots"}, "InstanceSnapshot": {plural: "instancesnapshots"},
	"SSHKey": {plural: "sshkeys"}, "SecurityGroup": {plural: "securitygroups"},
	"User": {plural: "users", clusterish: true}, "Role": {plural: "roles"}, "APIKey": {plural: "apikeys"},
}

func virtfoundryCRD(kind string) string {
	return "virtfoundry.io_" + virtfoundryKinds[kind].plural + ".yaml"
}

// manifest is an object of a kind with what follows its metadata, for example `spec: {…}`.
func manifest(kind, name, rest string) string {
	metadata := "{name: " + name + ", namespace: default}"
	if virtfoundryKinds[kind].clusterish {
		metadata = "{name: " + name + "}"
	}
	return "apiVersion: virtfoundry.io/v1alpha1\nkind: " + kind + "\nmetadata: " + metadata + "\n" + rest
}

func TestWhatCannotWorkIsRefusedWithValueAndRemedy(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			_, got := admit(t, virtfoundryCRD(tt.kind), object(t, tt.manifest()), nil)
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAChangeThatWouldOrphanIsRefused(t *testing.T) {
	for _, tt := range changes {
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			before := object(t, manifest(tt.kind, "changing", tt.from))
			if _, got := admit(t, virtfoundryCRD(tt.kind), before, nil); len(got) > 0 {
				t.Fatalf("the object to change is refused: %v", got)
			}
			var want []string
			if tt.want != "" {
				want = []string{tt.want}
			}
			_, got := admit(t, virtfoundryCRD(tt.kind), object(t, manifest(tt.kind, "changing", tt.to)), before)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestManifestsOfBeforeAreAdmitted(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range olds {
		seen[tt.kind] = true
		t.Run(tt.kind+"/"+tt.name, func(t *testing.T) {
			if _, got := admit(t, virtfoundryCRD(tt.kind), object(t, manifest(tt.kind, "old", tt.rest)), nil); len(got) > 0 {
				t.Errorf("refused: %v", got)
			}
		})
	}
	for kind := range virtfoundryKinds {
		if !seen[kind] {
			t.Errorf("no manifest of kind %s", kind)
		}
		if _, got := admit(t, virtfoundryCRD(kind), object(t, manifest(kind, "bare", "")), nil); len(got) > 0 {
			t.Errorf("a %s without spec is refused: %v", kind, got)
		}
	}
}

// The original's schemas have no defaults, so no stored object may gain a field by being applied here.
func TestNoSchemaOfVirtFoundryFillsInAField(t *testing.T) {
	for kind := range virtfoundryKinds {
		nodes("", readCRD(t, virtfoundryCRD(kind)).Spec.Versions[0].Schema.OpenAPIV3Schema, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			if schema.Default != nil {
				t.Errorf("%s%s has the default %s", kind, path, schema.Default.Raw)
			}
		})
	}
}

// A status is never required, nor any part of it but a condition's own fields, and spec is as optional as before.
func TestOnlyWhatWasRequiredIsRequired(t *testing.T) {
	want := map[string]string{
		"Instance": "displayName", "Instance.nics[]": "name networkRef", "Offering": "cpu displayName memoryMi", "Template": "displayName image sourceType",
		"Network": "cidr name networkType", "VPC": "cidr name", "IPAddress": "networkRef", "Disk": "name sizeGi", "DiskSnapshot": "diskRef name",
		"InstanceSnapshot": "instanceRef name", "SSHKey": "publicKey", "SecurityGroup": "name", "SecurityGroup.rules[]": "cidr direction protocol",
		"User": "roleRef secretRef username", "APIKey": "name prefix secretRef userRef",
	}
	got := map[string]string{}
	for kind := range virtfoundryKinds {
		nodes("", readCRD(t, virtfoundryCRD(kind)).Spec.Versions[0].Schema.OpenAPIV3Schema, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			inSpec, isSpec := strings.CutPrefix(path, ".spec")
			switch {
			case len(schema.Required) == 0, path == ".status.conditions[]", isSpec && strings.HasSuffix(path, "Ref"), strings.HasSuffix(path, "Refs[]"):
			case !isSpec:
				t.Errorf("%s requires %v at %q", kind, schema.Required, path)
			default:
				got[kind+inSpec] = strings.Join(slices.Sorted(slices.Values(schema.Required)), " ")
			}
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A count that no Go field holds must not reach etcd: decoding it would fail the list that it is in.
func TestCountsThatGoCannotDecodeAreRefused(t *testing.T) {
	for field, spec := range map[string]string{
		"Offering/cpu": "{displayName: a, cpu: N, memoryMi: 64}", "Offering/memoryMi": "{displayName: a, cpu: 1, memoryMi: N}",
		"Template/isoSizeGi": "{displayName: a, image: a, sourceType: container, isoSizeGi: N}", "Template/bootDiskSizeGi": "{displayName: a, image: a, sourceType: container, bootDiskSizeGi: N}",
		"Disk/sizeGi": "{name: a, sizeGi: N}", "SecurityGroup/portFrom": rule("protocol: icmp, cidr: 10.0.0.0/8, portFrom: N"), "SecurityGroup/portTo": rule("protocol: icmp, cidr: 10.0.0.0/8, portTo: N"),
	} {
		kind, _, _ := strings.Cut(field, "/")
		for _, count := range []string{"1e30", "-1e30", "99999999999999999999", "1.5", "'12'"} {
			if _, got := admit(t, virtfoundryCRD(kind), object(t, manifest(kind, "a", "spec: "+strings.ReplaceAll(spec, "N", count))), nil); len(got) == 0 {
				t.Errorf("%s %s is stored", field, count)
			}
		}
	}
}
