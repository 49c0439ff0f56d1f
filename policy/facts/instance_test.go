package facts

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func gatheredInstance() *Gathered {
	in := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	attached := virtfoundryv1alpha1.NetworkStatus{NADName: "nad"}
	return &Gathered{
		Moment: Live, Now: time.Unix(0, 0),
		Instance: &virtfoundryv1alpha1.Instance{ObjectMeta: in("own", "web"), Spec: virtfoundryv1alpha1.InstanceSpec{
			TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "t"},
			NICs: []virtfoundryv1alpha1.NIC{
				{Name: " ", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "a"}}, {Name: "x", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "public"}},
				{Name: "y", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "hidden"}},
			},
		}},
		Named: Named{
			Templates: []virtfoundryv1alpha1.Template{
				{ObjectMeta: in("own", "t"), Spec: virtfoundryv1alpha1.TemplateSpec{Image: "Quay.io/a/b", SourceType: "container", OSType: "Windows"}},
				{ObjectMeta: in("virtfoundry-system", "t"), Spec: virtfoundryv1alpha1.TemplateSpec{Image: "https://user:word@host/disk", SourceType: "qcow2"}},
			},
			Networks: []virtfoundryv1alpha1.Network{
				{ObjectMeta: in("own", "a"), Spec: virtfoundryv1alpha1.NetworkSpec{NetworkType: "isolated"}, Status: attached},
				{ObjectMeta: in("virtfoundry-system", "a"), Spec: virtfoundryv1alpha1.NetworkSpec{NetworkType: "shared"}, Status: attached},
				{ObjectMeta: in("virtfoundry-system", "public"), Spec: virtfoundryv1alpha1.NetworkSpec{NetworkType: "shared"}},
				{ObjectMeta: in("virtfoundry-system", "hidden"), Spec: virtfoundryv1alpha1.NetworkSpec{NetworkType: "isolated"}, Status: attached},
			},
		},
	}
}

func TestAnInstancesReferencesAreFactsOfWhatTheyLeadTo(t *testing.T) {
	got := Build(gatheredInstance())
	if got.Subject.Kind != KindInstance || got.Guest.OSType != "windows" || got.Gaps["images"] == "" {
		t.Errorf("subject %+v, guest %q, gaps %v", got.Subject, got.Guest.OSType, got.Gaps)
	}
	instance := got.Object.Instance[0]
	want := []InstanceNIC{
		{Path: "spec.nics[0]", Name: "nic0", Claim: "web-nic0", Network: "a", Found: true, In: "own", Type: "isolated", NAD: "own/nad"},
		{Path: "spec.nics[1]", Name: "x", Claim: "web-x", Network: "public", Found: true, In: "virtfoundry-system", Type: "shared"},
		{Path: "spec.nics[2]", Name: "y", Claim: "web-y", Network: "hidden"},
	}
	if diff := cmp.Diff(want, instance.NICs); diff != "" {
		t.Errorf("NICs (-want +got):\n%s", diff)
	}
	own, platform := instance.Templates[0], instance.Templates[1]
	if !own.Shadows || own.Platform || own.Image[0].Registry != "quay.io" || platform.Shadows || !platform.Platform || platform.URL != "https://host/disk" || len(platform.Image) != 0 || platform.OSType != "linux" {
		t.Errorf("templates %+v %+v", own, platform)
	}
	if instance.Cores != 1 || instance.MemoryBytes != 512<<20 || instance.PowerState != "Running" || len(instance.Tenant) != 0 || len(instance.Existing) != 0 {
		t.Errorf("%+v", instance)
	}
}

func TestASizeNeverOverflows(t *testing.T) {
	if size := SizeOf(&virtfoundryv1alpha1.Offering{Spec: virtfoundryv1alpha1.OfferingSpec{CPU: 4, MemoryMi: math.MaxInt64}}); size.Cores != 4 || size.Memory <= 0 {
		t.Errorf("%+v", size)
	}
}

func TestThePodNetworkIsAskedForInThreeWords(t *testing.T) {
	const spaced = " TRUE "
	for text, want := range map[string]bool{"true": true, spaced: true, "1": true, "Yes": true, "": false, "false": false, "0": false, "y": false, "true,": false} {
		instance := &virtfoundryv1alpha1.Instance{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{virtfoundryv1alpha1.AnnotationAllowPodNetwork: text}}}
		if got := AsksPodNetwork(instance); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
