package gather_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

const world = `
apiVersion: v1
kind: Namespace
metadata: {name: ns, labels: {team: red}}
---
apiVersion: uds.dev/v1alpha1
kind: UDSVirtualMachine
metadata: {name: web, namespace: ns}
spec: {memory: 1Gi, sourceType: blank}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: ns}
spec:
  instancetype: {name: large, kind: virtualmachineinstancetypes}
  dataVolumeTemplates:
  - {metadata: {name: root}, spec: {sourceRef: {kind: DataSource, name: linux, namespace: golden}}}
  template:
    spec:
      domain: {devices: {disks: [{name: root}, {name: init}]}}
      volumes:
      - {name: root, dataVolume: {name: root}}
      - {name: init, cloudInitNoCloud: {secretRef: {name: user-data}}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: large, namespace: ns}
spec: {cpu: {guest: 2, dedicatedCPUPlacement: true}, memory: {guest: 1Gi}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: large}
spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataSource
metadata: {name: linux, namespace: golden}
spec: {source: {pvc: {name: linux-9}}}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataVolume
metadata: {name: linux-9, namespace: golden}
spec: {source: {http: {url: "https://images.example/a"}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: root, namespace: ns}
---
apiVersion: v1
kind: Secret
metadata: {name: user-data, namespace: ns}
stringData: {userdata: "#cloud-config"}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny, namespace: ns}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: elsewhere, namespace: golden}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: CDIConfig
metadata: {name: config}
status: {filesystemOverhead: {global: "0.2"}}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: acme}
spec: {name: Acme, slug: acme}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: rival}
spec: {name: Rival, slug: acme}
---
apiVersion: virtfoundry.io/v1alpha1
kind: Tenant
metadata: {name: other}
spec: {name: Other, slug: other}
---
apiVersion: v1
kind: Namespace
metadata: {name: virtfoundry-tenant-acme}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: virtfoundry-tenant-acme}
---
apiVersion: v1
kind: LimitRange
metadata: {name: l, namespace: virtfoundry-tenant-acme}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: r, namespace: virtfoundry-tenant-acme}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: x}
`

func filesOf(t *testing.T, documents string) *gather.Files {
	t.Helper()
	files, err := gather.NewFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Add("world.yaml", strings.NewReader(documents)); err != nil {
		t.Fatal(err)
	}
	return files
}

// failing answers reads of one Go type with an error.
type failing struct {
	client.Reader
	kind string // such as NetworkPolicy
	err  error
}

func (f failing) fails(object any) bool {
	name := fmt.Sprintf("%T", object)
	return strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "List") == f.kind
}

func (f failing) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	if f.fails(into) {
		return f.err
	}
	return f.Reader.Get(ctx, key, into, opts...)
}

func (f failing) List(ctx context.Context, into client.ObjectList, opts ...client.ListOption) error {
	if f.fails(into) {
		return f.err
	}
	return f.Reader.List(ctx, into, opts...)
}

func now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func machineFrom(t *testing.T, g *gather.Gatherer, files *gather.Files) (*facts.Gathered, error) {
	t.Helper()
	var machine udsv1alpha1.UDSVirtualMachine
	if err := files.Get(t.Context(), types.NamespacedName{Namespace: "ns", Name: "web"}, &machine); err != nil {
		t.Fatal(err)
	}
	return g.UDSVirtualMachine(t.Context(), &machine, facts.Live)
}

func tenantFrom(t *testing.T, g *gather.Gatherer, files *gather.Files) (*facts.Gathered, error) {
	t.Helper()
	var tenant virtfoundryv1alpha1.Tenant
	if err := files.Get(t.Context(), types.NamespacedName{Name: "acme"}, &tenant); err != nil {
		t.Fatal(err)
	}
	return g.Tenant(t.Context(), &tenant, facts.Live)
}

func TestAMachineIsGatheredWithAllThatItRefersTo(t *testing.T) {
	files := filesOf(t, world)
	got, err := machineFrom(t, gather.FromReader(files, now), files)
	if err != nil || len(got.Gaps) != 0 {
		t.Fatalf("%v, gaps %v", err, got.Gaps)
	}
	switch {
	case got.VirtualMachine == nil || got.VirtualMachineInstance != nil || got.Namespace == nil || got.CDIConfig == nil:
		t.Errorf("machine %v, instance %v, namespace %v, CDIConfig %v", got.VirtualMachine, got.VirtualMachineInstance, got.Namespace, got.CDIConfig)
	case got.Instancetype == nil || got.Instancetype.CPU.DedicatedCPUPlacement == nil:
		t.Errorf("the instancetype of the namespace was taken for the cluster's: %+v", got.Instancetype)
	case len(got.NetworkPolicies) != 1 || got.NetworkPolicies[0].Name != "deny":
		t.Errorf("policies %v", got.NetworkPolicies)
	case len(got.DataVolumes) != 1 || got.DataVolumes[0].Name != "linux-9" || len(got.DataSources) != 1 || len(got.Claims) != 1:
		t.Errorf("volumes %v, sources %v, claims %v", got.DataVolumes, got.DataSources, got.Claims)
	case len(got.Secrets) != 1 || len(got.Secrets[0].Keys) != 1:
		t.Errorf("secrets %v", got.Secrets)
	case got.Profile.Name != "uds" || got.Now != now():
		t.Errorf("profile %v at %s", got.Profile, got.Now)
	}
}

func TestATenantIsGatheredWithItsNamespaceAndRivals(t *testing.T) {
	files := filesOf(t, world)
	got, err := tenantFrom(t, gather.FromReader(files, now), files)
	if err != nil || len(got.Gaps) != 0 {
		t.Fatalf("%v, gaps %v", err, got.Gaps)
	}
	if got.Namespace == nil || len(got.Rivals) != 1 || got.Rivals[0].Name != "rival" || len(got.ResourceQuotas) != 1 || len(got.LimitRanges) != 1 || len(got.RoleBindings) != 1 || got.Profile.Name != "virtfoundry" {
		t.Errorf("%+v", got)
	}
}

func TestWhatCannotBeReadIsAGapAndNeverAbsent(t *testing.T) {
	machine := []string{"compute", "disks", "foreign", "guest", "images", "network.launchers", "network.nics", "origins"}
	for _, c := range []struct {
		kind, resource string
		machine        []string // gaps; nil where the subject reads none
		tenant         []string
	}{
		{"Namespace", "namespaces", []string{"foreign", "namespace", "params.grants"}, []string{"namespace", "params.grants"}},
		{"NetworkPolicy", "networkpolicies.networking.k8s.io", []string{"network.policies"}, []string{"network.policies"}},
		{"ComplianceProfile", "complianceprofiles.cato.dev", []string{"params"}, []string{"params"}},
		{"VirtualMachine", "virtualmachines.kubevirt.io", machine, nil},
		{"VirtualMachineInstance", "virtualmachineinstances.kubevirt.io", machine, nil},
		{"PersistentVolumeClaim", "persistentvolumeclaims", []string{"disks"}, nil},
		{"DataVolume", "datavolumes.cdi.kubevirt.io", []string{"disks", "foreign", "images", "origins"}, nil},
		{"DataSource", "datasources.cdi.kubevirt.io", []string{"disks", "foreign"}, nil},
		{"Secret", "secrets", []string{"guest.userData"}, nil},
		{"VirtualMachineInstancetype", "virtualmachineinstancetypes.instancetype.kubevirt.io", []string{"compute"}, nil},
		{"CDIConfig", "cdiconfigs.cdi.kubevirt.io", []string{"cluster.cdiOverhead"}, nil},
		{"Tenant", "tenants.virtfoundry.io", nil, []string{"object.tenant"}},
		{"ResourceQuota", "resourcequotas", nil, []string{"quotas"}},
		{"LimitRange", "limitranges", nil, []string{"limits"}},
		{"RoleBinding", "rolebindings.rbac.authorization.k8s.io", nil, []string{"roleBindings"}},
	} {
		files := filesOf(t, world)
		resource := schema.GroupResource{Resource: c.resource}
		for name, err := range map[string]error{
			"forbidden": apierrors.NewForbidden(resource, "x", nil), "not served": &meta.NoKindMatchError{}, "lost": errors.New("connection refused"), "blind": nil,
		} {
			g := gather.FromReader(failing{files, c.kind, err}, now)
			if err == nil {
				g = gather.FromReader(files, now)
				g.Blind = func(resource, _ string) string { return map[string]string{c.resource: "the watch is stale"}[resource] }
			}
			for subject, gathered := range map[string]func(*testing.T, *gather.Gatherer, *gather.Files) (*facts.Gathered, error){"machine": machineFrom, "tenant": tenantFrom} {
				want := map[string][]string{"machine": c.machine, "tenant": c.tenant}[subject]
				got, failure := gathered(t, g, files)
				if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got.Gaps))); diff != "" {
					t.Errorf("%s of a %s, %s: gaps (-want +got):\n%s", c.kind, subject, name, diff)
				}
				if retried := failure != nil; retried != (name == "lost" && want != nil) {
					t.Errorf("%s of a %s, %s: failure %v", c.kind, subject, name, failure)
				}
				for path, reason := range got.Gaps {
					if name == "forbidden" && !strings.Contains(reason, "the right to") || reason == "" {
						t.Errorf("%s of a %s, %s: gap %s because %q", c.kind, subject, name, path, reason)
					}
				}
			}
		}
	}
}
