package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

const (
	tenants  = "virtfoundry.io_tenants.yaml"
	vms      = "uds.dev_udsvirtualmachines.yaml"
	profiles = "cato.dev_complianceprofiles.yaml"
	reports  = "cato.dev_compliancereports.yaml"
)

// admission does with an object what the API server does with a custom resource before it stores it.
type admission struct {
	structural *schema.Structural
	schema     apiservervalidation.SchemaValidator
	cel        *cel.Validator
}

func admissionOf(t *testing.T, v1 *apiextensionsv1.CustomResourceDefinition) admission {
	t.Helper()
	crd := internal(t, v1)
	structural, err := schema.NewStructural(crd.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := apiservervalidation.NewSchemaValidator(crd.Spec.Validation.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	return admission{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}
}

// admit applies defaults, the schema, list types and CEL. It returns the object with defaults and the errors in the order of the fields.
func (a admission) admit(t *testing.T, object, old map[string]any) (map[string]any, []string) {
	t.Helper()
	defaulting.Default(object, a.structural)
	errs := apiservervalidation.ValidateCustomResource(nil, object, a.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, a.structural, object)...)
	var oldObject any
	if old != nil {
		oldObject = old
	}
	celErrs, _ := a.cel.Validate(t.Context(), nil, a.structural, object, oldObject, celconfig.RuntimeCELCostBudget)
	var got []string
	for _, err := range append(errs, celErrs...) {
		got = append(got, err.Field+": "+err.Detail)
	}
	return object, got
}

func admit(t *testing.T, file string, object, old map[string]any) (map[string]any, []string) {
	t.Helper()
	return admissionOf(t, readCRD(t, file)).admit(t, object, old)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	// Whole numbers become int64 here, as in the API server.
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

const (
	tenantHead  = "apiVersion: virtfoundry.io/v1alpha1\nkind: Tenant\nmetadata: {name: acme}\n"
	vmHead      = "apiVersion: uds.dev/v1alpha1\nkind: UDSVirtualMachine\nmetadata: {name: web-1, namespace: mission-a}\n"
	profileHead = "apiVersion: cato.dev/v1alpha1\nkind: ComplianceProfile\nmetadata: {name: mission}\n"
)

func TestRefusalsNameValueAndRemedy(t *testing.T) {
	long := strings.Repeat("a", 80)
	grant := "spec: {parameters: {grants: {egress: [{namespaceSelector: {}, reason: r, cidrs: [10.0.0.0/8], ports: "
	tests := []struct {
		name, file, object, want string
	}{
		{"a slug of 80 characters", tenants, tenantHead + "spec: {name: Acme, slug: " + long + "}",
			`spec.slug: slug "` + long + `" has 80 characters: shorten it to at most 44, so that virtfoundry-tenant-<slug> fits into 63`},
		{"a slug in capitals", tenants, tenantHead + "spec: {name: Acme, slug: Acme}",
			`spec.slug: slug "Acme" is no valid part of a namespace name: use lower-case letters, digits and inner hyphens`},
		// A message may not hold a newline, so the API server falls back to the one without the value.
		{"a slug that ends with a newline", tenants, tenantHead + `spec: {name: Acme, slug: "acme\n"}`,
			"spec.slug: slug must consist of lower-case letters, digits and inner hyphens"},
		{"no core", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, cpu: {cores: 0}}", "spec.cpu.cores: cores 0 is out of bounds: use 1 to 256"},
		{"257 cores", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, cpu: {cores: 257}}", "spec.cpu.cores: cores 257 is out of bounds: use 1 to 256"},
		{"a source without url", vms, vmHead + "spec: {memory: 1Gi, sourceType: http}", "spec.url: sourceType http has no url: set spec.url to the image to import"},
		{"a source with an empty url", vms, vmHead + `spec: {memory: 1Gi, sourceType: registry, url: ""}`, "spec.url: sourceType registry has no url: set spec.url to the image to import"},
		{"an upload with url", vms, vmHead + "spec: {memory: 1Gi, sourceType: upload, url: 'https://images.example.com/a'}",
			"spec.url: sourceType upload reads no url: remove spec.url, or set sourceType to http or registry"},
		{"a clone without its source", vms, vmHead + "spec: {memory: 1Gi, sourceType: dataSource}",
			"spec.dataSourceRef: sourceType dataSource has no dataSourceRef: set spec.dataSourceRef to the DataSource to clone"},
		{"a claim's clone without the claim", vms, vmHead + "spec: {memory: 1Gi, sourceType: pvc}", "spec.pvcRef: sourceType pvc has no pvcRef: set spec.pvcRef to the claim to clone"},
		{"windows settings of a linux guest", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, windows: {timeZone: UTC}}",
			"spec.windows: osType linux takes no windows settings: remove spec.windows, or set osType to windows"},
		{"a name of 80 characters", vms, strings.Replace(vmHead, "web-1", long, 1) + "spec: {memory: 1Gi, sourceType: blank}",
			`<nil>: metadata.name "` + long + `" has 80 characters: use at most 63, since it is the value of label uds.dev/vm`},
		{"a data disk's name", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, dataDisks: [{name: A_B, size: 1Gi}]}",
			`spec.dataDisks[0].name: data disk name "A_B" cannot be used: use 1 to 58 lower-case letters, digits and inner hyphens`},
		{"two data disks of one name", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, dataDisks: [{name: a, size: 1Gi}, {name: a, size: 2Gi}]}", "spec.dataDisks[1]: "},
		{"a port beyond 16 bits", vms, vmHead + "spec: {memory: 1Gi, sourceType: blank, network: {egress: [{cidr: 10.0.0.0/8, ports: [{port: 70000}]}]}}",
			"spec.network.egress[0].ports[0].port: port 70000 is out of bounds: use 1 to 65535"},
		{"a range of ports backwards", profiles, profileHead + grant + "[{port: 80, endPort: 79}]}]}}}",
			"spec.parameters.grants.egress[0].ports[0].endPort: endPort 79 lies below port 80: raise it to at least the port"},
		{"more cores than any VM may have", profiles, profileHead + "spec: {parameters: {cpu: {max: 1000}}}", "spec.parameters.cpu.max: max 1000 is out of bounds: use 1 to 256"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := admit(t, tt.file, object(t, tt.object), nil)
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Counts that no Go field holds must not reach etcd: decoding one would fail the list that it is in.
func TestNumbersThatGoCannotDecodeAreRefused(t *testing.T) {
	for _, cores := range []string{"1e30", "3000000000", "-3000000000", "99999999999999999999", "1.5"} {
		_, got := admit(t, vms, object(t, vmHead+"spec: {memory: 1Gi, sourceType: blank, cpu: {cores: "+cores+"}}"), nil)
		if len(got) == 0 {
			t.Errorf("cores %s is stored", cores)
		}
	}
}

func TestASlugNeverChanges(t *testing.T) {
	old := object(t, tenantHead+"spec: {name: Acme, slug: acme}")
	if _, got := admit(t, tenants, object(t, tenantHead+"spec: {name: Acme Inc, slug: acme}"), old); len(got) > 0 {
		t.Errorf("a change of the display name is refused: %v", got)
	}
	_, got := admit(t, tenants, object(t, tenantHead+"spec: {name: Acme, slug: acme2}"), old)
	want := []string{`spec.slug: slug "acme" cannot become "acme2": it names the namespace; create another Tenant instead`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What policy judges, the schema must let through, or the two could disagree.
func TestTheSchemaLeavesToPolicyWhatPolicyJudges(t *testing.T) {
	for _, spec := range []string{
		"{memory: 1e1.5, sourceType: blank}", "{memory: '1e30', sourceType: blank}", "{memory: -1, sourceType: blank}",
		"{memory: 9Ei, sourceType: blank}", "{memory: '', sourceType: blank}", "{memory: 1073741824, sourceType: blank, diskSize: 12}",
		"{memory: 1Gi, sourceType: http, url: 'ftp://x', checksum: 'md5:9e107d9d372bb6826bd81d3542a419d6'}",
		"{memory: 1Gi, sourceType: http, url: 'https://x', checksum: sha256:short}",
		"{memory: 1Gi, sourceType: registry, url: 'docker://x/y:latest'}",
		"{memory: 1Gi, sourceType: pvc, pvcRef: {name: a, namespace: other}, network: {networks: [lan, other/wan], egress: [{cidr: nonsense}]}}",
		"{osType: windows, memory: 1Gi, sourceType: dataSource, dataSourceRef: {name: base}, windows: {computerName: '12345678901234567890'}}",
	} {
		if _, got := admit(t, vms, object(t, vmHead+"spec: "+spec), nil); len(got) > 0 {
			t.Errorf("%s is refused: %v", spec, got)
		}
	}
}
