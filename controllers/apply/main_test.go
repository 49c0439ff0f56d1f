package apply_test

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/policy/facts"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// tenantChildren are the children of a Tenant with this slug, its namespace
// made. The Tenant exists: the garbage collector takes what has no owner.
func tenantChildren(t *testing.T, slug string) *children.Tenant {
	t.Helper()
	tenant := &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: slug}, Spec: virtfoundryv1alpha1.TenantSpec{Name: slug, Slug: slug}}
	if err := cluster.Client.Create(t.Context(), tenant); err != nil {
		t.Fatal(err)
	}
	planned, err := children.ForTenant(tenant, &catov1alpha1.ComplianceProfileParameters{LimitRange: &catov1alpha1.LimitRangeParameters{
		Max: map[string]quantity.Text{"ephemeral-storage": "10Gi"}, Default: map[string]quantity.Text{"hugepages-2Mi": "0"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, apply.Child{Desired: planned.Namespace}, apply.Created)
	return planned
}

// machineChildren are the children of a machine in a namespace of its own.
func machineChildren(t *testing.T, name string) *children.Machine {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := cluster.Client.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	machine := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: "web"}, Spec: udsv1alpha1.UDSVirtualMachineSpec{
		Memory: "4Gi", DiskSize: "10Gi", SourceType: udsv1alpha1.SourceHTTP, URL: "https://images.example/a",
		Network: &udsv1alpha1.Network{Networks: []string{"lan"}, Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8", Ports: []udsv1alpha1.Port{{Port: 443}}}}},
	}}
	if err := cluster.Client.Create(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	planned, err := children.ForMachine(children.MachineInput{Start: true, DNS: facts.DNSOf(&catov1alpha1.ComplianceProfileParameters{}), Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	return planned
}

// mustApply brings a child about and checks what was done.
func mustApply(t *testing.T, child apply.Child, want apply.Outcome) apply.Result {
	t.Helper()
	got, err := apply.Apply(t.Context(), cluster.Client, child)
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome != want {
		t.Fatalf("%s was %s (%v), want %s", child.Desired.GetName(), got.Outcome, got.Drifted, want)
	}
	return got
}

// read reads the object that has the name of desired.
func read[T client.Object](t *testing.T, desired, into T) T {
	t.Helper()
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(desired), into); err != nil {
		t.Fatal(err)
	}
	return into
}

// change updates an object as somebody else does.
func change(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
}
