package assessment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

const acme, zeta = "virtfoundry-tenant-acme", "virtfoundry-tenant-zeta"

func instanceOf(namespace, name, template, offering, network string) *virtfoundryv1alpha1.Instance {
	ref := func(name string) *virtfoundryv1alpha1.LocalObjectRef {
		return &virtfoundryv1alpha1.LocalObjectRef{Name: name}
	}
	return &virtfoundryv1alpha1.Instance{ObjectMeta: at(namespace, name), Spec: virtfoundryv1alpha1.InstanceSpec{
		TemplateRef: ref(template), OfferingRef: ref(offering), NICs: []virtfoundryv1alpha1.NIC{{NetworkRef: *ref(network)}},
	}}
}

func templateOf(namespace, name string) *virtfoundryv1alpha1.Template {
	return &virtfoundryv1alpha1.Template{ObjectMeta: at(namespace, name)}
}

func instances() []client.Object {
	return []client.Object{
		tenant("acme", "acme"), instanceOf(acme, "a", "ubuntu", "small", "web"), instanceOf(zeta, "z", "ubuntu", "large", "web"),
		templateOf(acme, "ubuntu"), templateOf("virtfoundry-system", "ubuntu"), vm(acme, "a"),
		&virtfoundryv1alpha1.Offering{ObjectMeta: at("", "small")},
	}
}

func TestWhatAnInstanceNamesWakesIt(t *testing.T) {
	c := over(t, instances()...)
	for name, tc := range map[string]struct {
		object client.Object
		want   map[string]string
	}{
		"its Offering": {&virtfoundryv1alpha1.Offering{ObjectMeta: at("", "small")}, map[string]string{"Offering small": "", "Instance " + acme + "/a": "object.instance"}},
		"a Template of its own namespace": {templateOf(acme, "ubuntu"), map[string]string{
			"Template " + acme + "/ubuntu": "", "Instance " + acme + "/a": "guest.osType,object.instance,origins,volume.classes",
		}},
		"a Template of the platform": {templateOf("virtfoundry-system", "ubuntu"), map[string]string{
			"Template virtfoundry-system/ubuntu": "", "Template " + acme + "/ubuntu": "object.template",
			"Instance " + acme + "/a": "guest.osType,object.instance,origins,volume.classes", "Instance " + zeta + "/z": "guest.osType,object.instance,origins,volume.classes",
		}},
		"another Template": {templateOf(acme, "other"), map[string]string{"Template " + acme + "/other": ""}},
		"its Network":      {&virtfoundryv1alpha1.Network{ObjectMeta: at(zeta, "web")}, map[string]string{"Network " + zeta + "/web": "", "Instance " + zeta + "/z": "object.instance"}},
		"another Network":  {&virtfoundryv1alpha1.Network{ObjectMeta: at(zeta, "db")}, map[string]string{"Network " + zeta + "/db": ""}},
		"its Tenant":       {tenant("acme", "acme"), map[string]string{"Tenant acme": "", "Instance " + acme + "/a": "object.instance"}},
		"a LimitRange":     {&corev1.LimitRange{ObjectMeta: at(zeta, "l")}, map[string]string{"Instance " + zeta + "/z": "limits"}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, woken(t, c, tc.object)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAMachineIsJudgedByItsInstanceAndNotByItselfToo(t *testing.T) {
	c := over(t, instances()...)
	subjects, err := c.Subjects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, subject := range subjects {
		kinds[subject.Kind]++
	}
	if diff := cmp.Diff(map[string]int{"Tenant": 1, "Instance": 2, "Template": 2, "Offering": 1}, kinds); diff != "" {
		t.Errorf("subjects (-want +got):\n%s", diff)
	}
	gathered, err := c.gather(t.Context(), Subject{facts.KindVirtualMachine, types.NamespacedName{Namespace: acme, Name: "a"}})
	if err != nil || gathered != nil {
		t.Errorf("%+v, %v", gathered, err)
	}
}
