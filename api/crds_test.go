package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"
)

const bases = "../config/crd/bases"

// readCRD reads one generated CRD and applies the defaults that the API server would.
func readCRD(t *testing.T, file string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(bases, file))
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
	return crd
}

func internal(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	out := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

type column struct{ Name, Type, Path string }

func TestCRDsHaveTheNamesAndColumnsThatUsersKnow(t *testing.T) {
	age := column{"Age", "date", ".metadata.creationTimestamp"}
	type crd struct {
		Kind, Scope string
		Short       []string
		Categories  []string
		Columns     []column
	}
	phase := column{"Phase", "string", ".status.phase"}
	namespaced := func(kind, short string, columns ...column) crd {
		return crd{Kind: kind, Scope: "Namespaced", Short: []string{short}, Columns: columns}
	}
	tests := map[string]crd{
		"virtfoundry.io_tenants.yaml": {
			Kind: "Tenant", Scope: "Cluster", Short: []string{"vf-tenant"},
			Columns: []column{phase, {"Namespace", "string", ".status.namespace"}, age},
		},
		"virtfoundry.io_instances.yaml": namespaced("Instance", "vf-instance", phase, column{"IP", "string", ".status.ip"},
			column{"Offering", "string", ".spec.offeringRef.name"}, column{"Template", "string", ".spec.templateRef.name"}, age),
		"virtfoundry.io_offerings.yaml": {
			Kind: "Offering", Scope: "Cluster", Short: []string{"vf-offering"},
			Columns: []column{{"CPU", "integer", ".spec.cpu"}, {"Memory-Mi", "integer", ".spec.memoryMi"}, {"Dedicated", "boolean", ".spec.dedicatedCPU"}, age},
		},
		"virtfoundry.io_templates.yaml": namespaced("Template", "vf-template", column{"Source", "string", ".spec.sourceType"},
			column{"OS", "string", ".spec.osType"}, phase, column{"Image", "string", ".spec.image"}, age),
		"virtfoundry.io_networks.yaml": namespaced("Network", "vf-network", column{"Type", "string", ".spec.networkType"},
			column{"CIDR", "string", ".spec.cidr"}, phase, column{"VLAN", "integer", ".status.vlan"}, age),
		"virtfoundry.io_vpcs.yaml": namespaced("VPC", "vf-vpc", phase, column{"Namespace", "string", ".status.namespace"}, column{"CIDR", "string", ".spec.cidr"}, age),
		"virtfoundry.io_ipaddresses.yaml": namespaced("IPAddress", "vf-ip", column{"Address", "string", ".spec.address"},
			column{"Network", "string", ".spec.networkRef.name"}, column{"NIC", "string", ".status.instanceNicRef"}, phase, age),
		"virtfoundry.io_disks.yaml": namespaced("Disk", "vf-disk", column{"Size-Gi", "integer", ".spec.sizeGi"},
			column{"Instance", "string", ".spec.instanceRef.name"}, phase, age),
		"virtfoundry.io_disksnapshots.yaml":     namespaced("DiskSnapshot", "vf-disksnap", column{"Disk", "string", ".spec.diskRef.name"}, phase, age),
		"virtfoundry.io_instancesnapshots.yaml": namespaced("InstanceSnapshot", "vf-isnap", column{"Instance", "string", ".spec.instanceRef.name"}, phase, age),
		"virtfoundry.io_sshkeys.yaml":           namespaced("SSHKey", "vf-sshkey", column{"Fingerprint", "string", ".status.fingerprint"}, age),
		"virtfoundry.io_securitygroups.yaml":    namespaced("SecurityGroup", "vf-sg", phase, column{"NetworkPolicy", "string", ".status.networkPolicyName"}, age),
		"virtfoundry.io_users.yaml": {
			Kind: "User", Scope: "Cluster", Short: []string{"vf-user"},
			Columns: []column{{"Username", "string", ".spec.username"}, {"Tenant", "string", ".spec.tenantRef.name"}, {"Role", "string", ".spec.roleRef.name"}, {"State", "string", ".spec.state"}, age},
		},
		"virtfoundry.io_roles.yaml": namespaced("Role", "vf-role", column{"System", "boolean", ".spec.isSystem"}, age),
		"virtfoundry.io_apikeys.yaml": namespaced("APIKey", "vf-apikey", column{"User", "string", ".spec.userRef.name"},
			column{"Prefix", "string", ".spec.prefix"}, column{"Expires", "string", ".spec.expiresAt"}, age),
		"uds.dev_udsvirtualmachines.yaml": {
			Kind: "UDSVirtualMachine", Scope: "Namespaced", Short: []string{"udsvm"}, Categories: []string{"uds"},
			Columns: []column{
				{"Phase", "string", ".status.phase"}, {"Source", "string", ".status.source"}, {"PVC-Size", "string", ".status.pvcSize"},
				{"Checksum-Verified", "boolean", ".status.checksumVerified"}, {"Zero-Trust", "boolean", ".status.zeroTrust"},
				{"Reconciler", "string", ".status.reconciledBy"}, age,
			},
		},
		"cato.dev_complianceprofiles.yaml": {
			Kind: "ComplianceProfile", Scope: "Cluster", Short: []string{"cprofile"},
			Columns: []column{
				{"Base", "string", ".spec.base"},
				{"Accepted", "string", `.status.conditions[?(@.type=="Accepted")].status`},
				{"Conflict", "string", `.status.conditions[?(@.type=="Conflict")].status`}, age,
			},
		},
		"cato.dev_compliancereports.yaml": {
			Kind: "ComplianceReport", Scope: "Namespaced", Short: []string{"creport"},
			Columns: []column{
				{"Pass", "integer", ".status.summary.pass"}, {"Fail", "integer", ".status.summary.fail"},
				{"Unknown", "integer", ".status.summary.unknown"}, {"Revision", "string", ".status.policyRevision"}, age,
			},
		},
	}
	files, err := filepath.Glob(filepath.Join(bases, "*.yaml"))
	if err != nil || len(files) != len(tests) {
		t.Fatalf("%d CRDs in %s, %v; this test knows %d", len(files), bases, err, len(tests))
	}
	for file, want := range tests {
		t.Run(want.Kind, func(t *testing.T) {
			spec := readCRD(t, file).Spec
			got := crd{Kind: spec.Names.Kind, Scope: string(spec.Scope), Short: spec.Names.ShortNames, Categories: spec.Names.Categories}
			for _, c := range spec.Versions[0].AdditionalPrinterColumns {
				got.Columns = append(got.Columns, column{c.Name, c.Type, c.JSONPath})
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The API server's own validation: structural schema, defaults, and the cost that it estimates for every CEL rule.
func TestCRDsPassTheValidationOfTheAPIServer(t *testing.T) {
	for _, file := range crdFiles(t) {
		t.Run(file, func(t *testing.T) {
			if errs := validation.ValidateCustomResourceDefinition(t.Context(), internal(t, readCRD(t, file))); len(errs) > 0 {
				t.Error(errs.ToAggregate())
			}
		})
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	for _, file := range crdFiles(t) {
		t.Run(file, func(t *testing.T) {
			root := readCRD(t, file).Spec.Versions[0].Schema.OpenAPIV3Schema
			seen := 0
			walk("", root, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
				seen++
				// The API server publishes its own schema for metadata.
				if schema.Description == "" && path != ".metadata" {
					t.Errorf("%s has no description", path)
				}
			})
			if seen < 10 {
				t.Errorf("only %d fields were walked", seen)
			}
		})
	}
}

func TestEveryQuantityTakesIntegerOrString(t *testing.T) {
	want := map[string]bool{
		".spec.memory": true, ".spec.diskSize": true, ".spec.dataDisks[].size": true,
		".spec.parameters.memory.min": true, ".spec.parameters.memory.max": true, ".spec.parameters.quota.hard[]": true,
		".spec.parameters.limitRange.default[]": true, ".spec.parameters.limitRange.defaultRequest[]": true, ".spec.parameters.limitRange.max[]": true,
	}
	got := map[string]bool{}
	for _, file := range crdFiles(t) {
		root := readCRD(t, file).Spec.Versions[0].Schema.OpenAPIV3Schema
		nodes("", root, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
			if schema.XIntOrString {
				got[path] = schema.Type == ""
			}
		})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func crdFiles(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(bases)
	if err != nil || len(entries) == 0 {
		t.Fatalf("no CRD in %s: %v", bases, err)
	}
	var files []string
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	return files
}

// walk visits every named property.
func walk(path string, schema *apiextensionsv1.JSONSchemaProps, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	nodes(path, schema, func(path string, schema *apiextensionsv1.JSONSchemaProps) {
		if path != "" && !strings.HasSuffix(path, "[]") {
			visit(path, schema)
		}
	})
}

// nodes visits a schema and all below it; items and map values end with [].
func nodes(path string, schema *apiextensionsv1.JSONSchemaProps, visit func(string, *apiextensionsv1.JSONSchemaProps)) {
	visit(path, schema)
	for name := range schema.Properties {
		property := schema.Properties[name]
		nodes(path+"."+name, &property, visit)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		nodes(path+"[]", schema.Items.Schema, visit)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		nodes(path+"[]", schema.AdditionalProperties.Schema, visit)
	}
}
