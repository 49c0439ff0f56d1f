package assessment

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
)

// over returns a controller whose cache holds the objects, with its indexes.
func over(t *testing.T, objects ...client.Object) *Controller {
	t.Helper()
	scheme, err := gather.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...)
	for _, i := range indexes() {
		builder = builder.WithIndex(i.object, i.field, i.of)
	}
	return New(Deps{Reader: builder.Build()})
}

func at(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// vm is a machine with a label, a claim and a Secret of its own name.
func vm(namespace, name string) *kubevirtv1.VirtualMachine {
	return &kubevirtv1.VirtualMachine{ObjectMeta: at(namespace, name), Spec: kubevirtv1.VirtualMachineSpec{
		Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}, Spec: instanceSpec(name+"-disk", name+"-seed"),
		},
	}}
}

func instanceSpec(claim, secret string) kubevirtv1.VirtualMachineInstanceSpec {
	return kubevirtv1.VirtualMachineInstanceSpec{Volumes: []kubevirtv1.Volume{
		{Name: "root", VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: claim}}},
		{Name: "seed", VolumeSource: kubevirtv1.VolumeSource{CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{
			UserDataSecretRef: &corev1.LocalObjectReference{Name: secret},
		}}},
	}}
}

func cloneOf(namespace, name, fromNamespace, from string) *cdiv1beta1.DataVolume {
	return &cdiv1beta1.DataVolume{ObjectMeta: at(namespace, name), Spec: cdiv1beta1.DataVolumeSpec{
		Source: &cdiv1beta1.DataVolumeSource{PVC: &cdiv1beta1.DataVolumeSourcePVC{Namespace: fromNamespace, Name: from}},
	}}
}

func fromDataSource(namespace, name, refNamespace, ref string) *cdiv1beta1.DataVolume {
	return &cdiv1beta1.DataVolume{ObjectMeta: at(namespace, name), Spec: cdiv1beta1.DataVolumeSpec{
		SourceRef: &cdiv1beta1.DataVolumeSourceRef{Kind: "DataSource", Namespace: &refNamespace, Name: ref},
	}}
}

func dataSource(namespace, name, claim string) *cdiv1beta1.DataSource {
	return &cdiv1beta1.DataSource{ObjectMeta: at(namespace, name), Spec: cdiv1beta1.DataSourceSpec{
		Source: cdiv1beta1.DataSourceSource{PVC: &cdiv1beta1.DataVolumeSourcePVC{Name: claim}},
	}}
}

func tenant(name, slug string) *virtfoundryv1alpha1.Tenant {
	return &virtfoundryv1alpha1.Tenant{ObjectMeta: at("", name), Spec: virtfoundryv1alpha1.TenantSpec{Name: name, Slug: slug}}
}

func policyFor(namespace string, labels map[string]string) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{ObjectMeta: at(namespace, "policy"), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels},
	}}
}

// world is two namespaces with machines, a tenant, and an image that lies elsewhere.
func world() []client.Object {
	running := vm("mission", "moved")
	running.Status.Created = true
	instance := &kubevirtv1.VirtualMachineInstance{ObjectMeta: at("mission", "moved"), Spec: instanceSpec("old-disk", "old-seed")}
	instance.Labels = map[string]string{"role": "old"}
	return []client.Object{
		tenant("acme", "acme"), tenant("rival", "acme"), tenant("other", "other"),
		vm("mission", "a"), vm("mission", "b"), vm("elsewhere", "a"), running,
		instance,
		&udsv1alpha1.UDSVirtualMachine{ObjectMeta: at("mission", "a")},
		&udsv1alpha1.UDSVirtualMachine{ObjectMeta: at("mission", "planned"), Spec: udsv1alpha1.UDSVirtualMachineSpec{
			DataSourceRef: &udsv1alpha1.ObjectRef{Namespace: "images", Name: "stream"},
		}},
		cloneOf("mission", "a-disk", "images", "golden"),
		fromDataSource("elsewhere", "a-disk", "images", "stream"), dataSource("images", "stream", "golden"),
		cloneOf("images", "golden", "", "base"), cloneOf("images", "base", "", "golden"), // a cycle must end
	}
}

func TestEachKindOfEventWakesWhatItTouchesAndNothingElse(t *testing.T) {
	c := over(t, world()...)
	const a, b, moved, planned = "mission/a", "mission/b", "mission/moved", "mission/planned"
	for _, tc := range []struct {
		name   string
		object client.Object
		want   map[string]string // subject -> groups
	}{
		{"a Tenant, and those of its slug", tenant("acme", "acme"), map[string]string{"Tenant acme": "", "Tenant rival": "object.tenant"}},
		{"the namespace of a Tenant", &corev1.Namespace{ObjectMeta: at("", "virtfoundry-tenant-other")},
			map[string]string{"Tenant other": "namespace,object.tenant,params"}},
		{"the namespace of machines", &corev1.Namespace{ObjectMeta: at("", "mission")}, machinesWoken("namespace,params", []string{a, b, moved}, planned)},
		{"the namespace that a machine takes content from", &corev1.Namespace{ObjectMeta: at("", "images")}, map[string]string{"UDSVirtualMachine mission/planned": "foreign"}},
		{"a machine by its name", vm("mission", "a"), machinesWoken("", []string{a})},
		{"an instance by its name", &kubevirtv1.VirtualMachineInstance{ObjectMeta: at("mission", "b")}, machinesWoken("", []string{b})},
		{"a custom resource by its name", &udsv1alpha1.UDSVirtualMachine{ObjectMeta: at("mission", "planned")}, machinesWoken("", []string{planned})},
		{"a policy that selects one, and what has no pods yet", policyFor("mission", map[string]string{"app": "a"}),
			machinesWoken("network.policies", []string{a}, planned)},
		{"a policy that selects an instance by a label that its template lost", policyFor("mission", map[string]string{"role": "old"}),
			machinesWoken("network.policies", []string{moved}, planned)},
		{"a policy of a namespace without machines", policyFor("empty", nil), map[string]string{}},
		{"a policy for all pods", policyFor("elsewhere", nil), machinesWoken("network.policies", []string{"elsewhere/a"})},
		{"a policy for other pods", policyFor("elsewhere", map[string]string{"app": "web"}), map[string]string{}},
		{"a policy in a Tenant's namespace", policyFor("virtfoundry-tenant-other", nil), map[string]string{"Tenant other": "network.policies"}},
		{"a quota", &corev1.ResourceQuota{ObjectMeta: at("virtfoundry-tenant-other", "q")}, map[string]string{"Tenant other": "quotas"}},
		{"a quota of no Tenant", &corev1.ResourceQuota{ObjectMeta: at("mission", "q")}, map[string]string{}},
		{"a LimitRange", &corev1.LimitRange{ObjectMeta: at("virtfoundry-tenant-other", "l")}, map[string]string{"Tenant other": "limits"}},
		{"a RoleBinding", &rbacv1.RoleBinding{ObjectMeta: at("virtfoundry-tenant-other", "r")}, map[string]string{"Tenant other": "roleBindings"}},
		{"a claim that one machine uses", &corev1.PersistentVolumeClaim{ObjectMeta: at("mission", "b-disk")}, machinesWoken("disks,foreign,images,origins", []string{b})},
		{"a DataVolume, by use and by the name of its machine", &cdiv1beta1.DataVolume{ObjectMeta: at("mission", "planned-dv")},
			machinesWoken("disks,foreign,images,origins", nil, planned)},
		{"the disk of an instance that runs with an older one", &cdiv1beta1.DataVolume{ObjectMeta: at("mission", "old-disk")},
			machinesWoken("disks,foreign,images,origins", []string{moved})},
		{"an image in another namespace, by its clones", &cdiv1beta1.DataVolume{ObjectMeta: at("images", "golden")},
			machinesWoken("disks,foreign,images,origins", []string{a, "elsewhere/a"})},
		{"an image behind an image", &corev1.PersistentVolumeClaim{ObjectMeta: at("images", "base")},
			machinesWoken("disks,foreign,images,origins", []string{a, "elsewhere/a"})},
		{"a DataSource", dataSource("images", "stream", "golden"), machinesWoken("disks,foreign,images,origins", []string{"elsewhere/a"})},
		{"a claim that nobody uses", &corev1.PersistentVolumeClaim{ObjectMeta: at("elsewhere", "b-disk")}, map[string]string{}},
		{"a StorageClass", &storagev1.StorageClass{ObjectMeta: at("", "fast")},
			machinesWoken("cluster,disks,volume.classes", []string{a, b, moved, "elsewhere/a"}, planned)},
		{"a ComplianceProfile, of all subjects", &catov1alpha1.ComplianceProfile{ObjectMeta: at("", "p")}, map[string]string{
			"Tenant acme": "", "Tenant rival": "", "Tenant other": "", "UDSVirtualMachine mission/a": "", "UDSVirtualMachine mission/planned": "",
			"VirtualMachine mission/b": "", "VirtualMachine mission/moved": "", "VirtualMachine elsewhere/a": "",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, woken(t, c, tc.object)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestASecretWakesTheMachinesThatNameItAsDeclaredOrAsTheyRun(t *testing.T) {
	c := over(t, world()...)
	for name, want := range map[string]map[string]string{
		"a-seed":   machinesWoken("guest", []string{"mission/a"}),
		"old-seed": machinesWoken("guest", []string{"mission/moved"}),
		"other":    {},
	} {
		if d := cmp.Diff(want, flat(c.secretTouched(t.Context(), &corev1.Secret{ObjectMeta: at("mission", name)}))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// machinesWoken are both kinds of each name, and of the planned the custom resource alone.
func machinesWoken(groups string, names []string, planned ...string) map[string]string {
	all := map[string]string{}
	for _, name := range names {
		all["UDSVirtualMachine "+name], all["Instance "+name], all["VirtualMachine "+name] = groups, groups, groups
	}
	for _, name := range planned {
		all["UDSVirtualMachine "+name] = groups
	}
	return all
}

// woken sends the object to the mapping of its kind.
func woken(t *testing.T, c *Controller, object client.Object) map[string]string {
	t.Helper()
	for _, w := range c.watched() {
		if reflect.TypeOf(w.object) == reflect.TypeOf(object) {
			return flat(w.touches(context.Background(), object))
		}
	}
	t.Fatalf("%T is not watched", object)
	return nil
}

func flat(wakes []wake) map[string]string {
	all := map[string]string{}
	for _, w := range wakes {
		groups := slices.Sorted(slices.Values(w.groups))
		all[w.subject.Kind+" "+strings.TrimPrefix(w.subject.String(), "/")] = strings.Join(groups, ",")
	}
	return all
}
