package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	catov1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

const samples = "../config/samples"

// strictDecoder decodes the kinds of Cato and Namespaces, and refuses unknown and duplicate fields.
func strictDecoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, catov1.AddToScheme, udsv1.AddToScheme, virtfoundryv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// documents gives every YAML document of every sample, by file.
func documents(t *testing.T) map[string][][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(samples, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sample in %s: %v", samples, err)
	}
	out := map[string][][]byte{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = bytes.Split(data, []byte("\n---\n"))
	}
	return out
}

func TestSamplesAreStrictlyValidAndWouldBeStored(t *testing.T) {
	decoder := strictDecoder(t)
	crds := map[string]string{"Tenant": tenants, "UDSVirtualMachine": vms, "ComplianceProfile": profiles}
	want := map[string]int{"Namespace": 4, "Tenant": 1, "UDSVirtualMachine": 4, "ComplianceProfile": 2}
	for kind := range virtfoundryKinds {
		crds[kind], want[kind] = virtfoundryCRD(kind), 1
	}
	kinds := map[string]int{}
	for file, docs := range documents(t) {
		for _, doc := range docs {
			_, gvk, err := decoder.Decode(doc, nil, nil)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			kinds[gvk.Kind]++
			crd, ours := crds[gvk.Kind]
			if !ours {
				continue
			}
			if _, errs := admit(t, crd, object(t, string(doc)), nil); len(errs) > 0 {
				t.Errorf("%s is refused: %v", file, errs)
			}
		}
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("documents by kind (-want +got):\n%s", diff)
	}
}

// A check over files must judge the object that the cluster would store.
func TestGoDefaultsAreTheDefaultsOfTheSchema(t *testing.T) {
	t.Run("UDSVirtualMachine", func(t *testing.T) {
		for _, spec := range []string{
			"spec: {memory: 1Gi, sourceType: blank}",
			"spec: {memory: 1Gi, sourceType: blank, cpu: {dedicated: true}}",
			"spec: {memory: 1Gi, sourceType: blank, osType: windows, runStrategy: Manual, cpu: {cores: 3}, windows: {provisioningMode: iso}, dataDisks: [{name: a, size: 1, retentionPolicy: Delete}]}",
			"spec: {memory: 1Gi, sourceType: blank, osType: windows, windows: {}, dataDisks: [{name: a, size: 1}], network: {egress: [{cidr: 10.0.0.0/8, ports: [{port: 1}, {port: 2, protocol: UDP}]}]}}",
		} {
			var want, got udsv1.UDSVirtualMachine
			stored, errs := admit(t, vms, object(t, vmHead+spec), nil)
			if len(errs) > 0 {
				t.Fatalf("%s: %v", spec, errs)
			}
			into(t, stored, &want)
			into(t, object(t, vmHead+spec), &got)
			got.Spec.SetDefaults()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-schema +Go):\n%s", spec, diff)
			}
		}
	})
	t.Run("ComplianceProfile", func(t *testing.T) {
		for _, spec := range []string{
			"spec: {}",
			"spec: {parameters: {grants: {egress: [{namespaceSelector: {}, reason: r, cidrs: [10.0.0.0/8], ports: [{port: 1}, {port: 2, protocol: UDP}]}]}}}",
		} {
			var want, got catov1.ComplianceProfile
			stored, errs := admit(t, profiles, object(t, profileHead+spec), nil)
			if len(errs) > 0 {
				t.Fatalf("%s: %v", spec, errs)
			}
			into(t, stored, &want)
			into(t, object(t, profileHead+spec), &got)
			got.Spec.SetDefaults()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-schema +Go):\n%s", spec, diff)
			}
		}
	})
}

func into(t *testing.T, from map[string]any, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

func TestOneBadQuantityDoesNotBlindAListOfVMs(t *testing.T) {
	list := `{"apiVersion": "uds.dev/v1alpha1", "kind": "UDSVirtualMachineList", "items": [
		{"spec": {"memory": "4Gi", "diskSize": 12}}, {"spec": {"memory": "1e1.5", "dataDisks": [{"size": 1e30}]}}, {"spec": {"memory": "1e30"}}]}`
	obj, _, err := strictDecoder(t).Decode([]byte(list), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, vm := range obj.(*udsv1.UDSVirtualMachineList).Items {
		got = append(got, vm.Spec.Memory.String())
	}
	if diff := cmp.Diff([]string{"4Gi", "1e1.5", "1e30"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestADeepCopySharesNothing(t *testing.T) {
	decoder := strictDecoder(t)
	for file, docs := range documents(t) {
		for _, doc := range docs {
			obj, _, err := decoder.Decode(doc, nil, nil)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			copied := obj.DeepCopyObject()
			if diff := cmp.Diff(obj, copied); diff != "" {
				t.Errorf("%s: the copy differs (-original +copy):\n%s", file, diff)
			}
			before, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			scribble(copied)
			after, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(before), string(after)); diff != "" {
				t.Errorf("%s: a change of the copy is a change of the original:\n%s", file, diff)
			}
		}
	}
}

// scribble changes what a shallow copy would share.
func scribble(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.Namespace:
		o.Labels["scribble"] = "x"
	case *virtfoundryv1.Tenant:
		o.Spec.Import = &virtfoundryv1.ImportMeta{Source: "scribble"}
	case *virtfoundryv1.Instance:
		o.Spec.OfferingRef.Name, o.Spec.TemplateRef.Name = "scribble", "scribble"
		o.Spec.NICs[0].Name, o.Spec.SSHKeyRefs[0].Name, o.Spec.Tags[0] = "scribble", "scribble", "scribble"
	case *virtfoundryv1.Network:
		o.Spec.VPCRef.Name = "scribble"
	case *virtfoundryv1.Disk:
		o.Spec.InstanceRef.Name = "scribble"
	case *virtfoundryv1.SecurityGroup:
		*o.Spec.Rules[0].PortFrom = 1
	case *virtfoundryv1.User:
		o.Spec.TenantRef.Name = "scribble"
	case *virtfoundryv1.Role:
		o.Spec.Permissions[0] = "scribble"
	case *virtfoundryv1.APIKey:
		o.Spec.Scopes[0] = "scribble"
	case *udsv1.UDSVirtualMachine:
		*o.Spec.CPU.Cores = 99
		o.Spec.Guest.SSHAuthorizedKeys[0] = "scribble"
		for i := range o.Spec.DataDisks {
			o.Spec.DataDisks[i].Name = "scribble"
		}
	case *catov1.ComplianceProfile:
		o.Spec.Scope.NamespaceSelector.MatchLabels["scribble"] = "x"
		for i := range o.Spec.Parameters.Grants.SecurityGroups {
			o.Spec.Parameters.Grants.SecurityGroups[i].CIDRs[0] = "scribble"
		}
		if o.Spec.Parameters.ImageAllowlist == nil {
			return
		}
		o.Spec.Parameters.ImageAllowlist.Prefixes[0] = "scribble"
		o.Spec.Parameters.DNS[0].PodLabels["k8s-app"] = "scribble"
		o.Spec.Parameters.Grants.Egress[0].CIDRs[0] = "scribble"
	}
}
