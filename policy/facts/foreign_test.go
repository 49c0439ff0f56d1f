package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

func sourced(spec udsv1alpha1.UDSVirtualMachineSpec, volumes ...cdiv1beta1.DataVolume) *Gathered {
	return &Gathered{
		Moment:  Live,
		Machine: &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: spec}, DataVolumes: volumes,
		SourceNamespaces: []corev1.Namespace{{ObjectMeta: metav1.ObjectMeta{Name: "golden", Labels: map[string]string{"a": "b"}}}},
	}
}

func volume(namespace, name string, source *cdiv1beta1.DataVolumeSource) cdiv1beta1.DataVolume {
	return cdiv1beta1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: cdiv1beta1.DataVolumeSpec{Source: source}}
}

func fromPVC(namespace string) *cdiv1beta1.DataVolumeSource {
	return &cdiv1beta1.DataVolumeSource{PVC: &cdiv1beta1.DataVolumeSourcePVC{Namespace: namespace, Name: "disk"}}
}

func TestWhatComesFromOtherNamespacesIsListedOnceWithTheirLabels(t *testing.T) {
	golden := map[string]string{"a": "b"}
	in := func(path, kind, name string) Foreign { return Foreign{path, kind, "golden", name, golden} }
	elsewhere := "golden"
	for name, c := range map[string]struct {
		gathered *Gathered
		want     []Foreign
	}{
		"nothing": {sourced(udsv1alpha1.UDSVirtualMachineSpec{DataSourceRef: &udsv1alpha1.ObjectRef{Name: "disk", Namespace: "ns"}, PVCRef: &udsv1alpha1.ObjectRef{Name: "disk"}}), nil},
		"the spec's": {sourced(udsv1alpha1.UDSVirtualMachineSpec{
			Guest:         &udsv1alpha1.Guest{UserDataSecretRef: &udsv1alpha1.SecretKeyRef{Name: "s", Namespace: "golden"}},
			DataSourceRef: &udsv1alpha1.ObjectRef{Name: "disk", Namespace: "golden"}, PVCRef: &udsv1alpha1.ObjectRef{Name: "disk", Namespace: "golden"},
			Network: &udsv1alpha1.Network{Networks: []string{"lan", "golden/lan"}},
		}), []Foreign{
			in("spec.guest.userDataSecretRef", "Secret", "s"), in("spec.dataSourceRef", "DataSource", "disk"),
			in("spec.pvcRef", "PersistentVolumeClaim", "disk"), in("spec.network.networks", "NetworkAttachmentDefinition", "lan"),
		}},
		"a child's": {sourced(udsv1alpha1.UDSVirtualMachineSpec{}, volume("ns", "web-dv", fromPVC("golden")), volume("ns", "other", fromPVC("golden")), volume("golden", "disk", fromPVC("beyond"))),
			[]Foreign{in("DataVolume/web-dv spec.source.pvc", "PersistentVolumeClaim", "disk")}},
		"a snapshot's": {sourced(udsv1alpha1.UDSVirtualMachineSpec{}, volume("ns", "web-dv", &cdiv1beta1.DataVolumeSource{Snapshot: &cdiv1beta1.DataVolumeSourceSnapshot{Namespace: "golden", Name: "snap"}})),
			[]Foreign{in("DataVolume/web-dv spec.source.snapshot", "VolumeSnapshot", "snap")}},
		"a reference's": {sourced(udsv1alpha1.UDSVirtualMachineSpec{}, cdiv1beta1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web-dv"}, Spec: cdiv1beta1.DataVolumeSpec{SourceRef: &cdiv1beta1.DataVolumeSourceRef{Kind: "DataSource", Namespace: &elsewhere, Name: "linux"}}}),
			[]Foreign{in("DataVolume/web-dv spec.sourceRef", "DataSource", "linux")}},
	} {
		got := Build(c.gathered).Foreign
		if diff := cmp.Diff(append([]Foreign{}, c.want...), got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		if taken := len(SourceNamespaces(c.gathered)) > 0; taken != (len(c.want) > 0) {
			t.Errorf("%s: namespaces %v", name, SourceNamespaces(c.gathered))
		}
	}
}

func TestAnOwnDataSourceThatPointsElsewhereLeadsThere(t *testing.T) {
	g := sourced(udsv1alpha1.UDSVirtualMachineSpec{})
	g.DataSources = []cdiv1beta1.DataSource{{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "linux"}, Spec: cdiv1beta1.DataSourceSpec{Source: cdiv1beta1.DataSourceSource{PVC: &cdiv1beta1.DataVolumeSourcePVC{Namespace: "golden", Name: "disk"}}}}}
	want := []Foreign{{"DataSource/linux spec.source.pvc", "PersistentVolumeClaim", "golden", "disk", map[string]string{"a": "b"}}}
	if diff := cmp.Diff(want, Build(g).Foreign); diff != "" {
		t.Error(diff)
	}
}

func TestAnEventOfANamespaceTouchesTheMachinesThatNameIt(t *testing.T) {
	machine := sourced(udsv1alpha1.UDSVirtualMachineSpec{PVCRef: &udsv1alpha1.ObjectRef{Name: "disk", Namespace: "golden"}}).Machine
	for namespace, want := range map[string]bool{"golden": true, "ns": false, "other": false} {
		if got := TakesFrom(machine, namespace); got != want {
			t.Errorf("%s: %t, want %t", namespace, got, want)
		}
	}
}

// A plan looks at what the spec asks for: an edit of the DataVolume is put
// right, which a verdict on the edit would hold up. Live it is judged as it is.
func TestThePlannedDiskIsTheSpecsAndTheLiveOneIsWhatItIs(t *testing.T) {
	edited := &cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: "http://10.0.0.1/x"}}
	spec := udsv1alpha1.UDSVirtualMachineSpec{SourceType: udsv1alpha1.SourceHTTP, URL: "https://images.example.com/a"}
	for moment, want := range map[Moment][]string{Plan: {"spec.url"}, Admission: {"spec.url"}, Live: {"spec.url", "DataVolume/web-dv spec.source.http.url"}} {
		g := sourced(spec, volume("ns", "web-dv", edited))
		g.Moment = moment
		got := []string{}
		for _, origin := range Build(g).Origins {
			got = append(got, origin.Path)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", moment, diff)
		}
	}
}

func TestADiskIsFetchedFromWhereItsVolumeSays(t *testing.T) {
	image, stream := "docker://registry.example.com/a", "linux"
	for name, c := range map[string]struct {
		source *cdiv1beta1.DataVolumeSource
		host   string
	}{
		"http":     {&cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: "http://a.example/x"}}, "a.example"},
		"registry": {&cdiv1beta1.DataVolumeSource{Registry: &cdiv1beta1.DataVolumeSourceRegistry{URL: &image}}, "registry.example.com"},
		"stream":   {&cdiv1beta1.DataVolumeSource{Registry: &cdiv1beta1.DataVolumeSourceRegistry{ImageStream: &stream}}, ""},
		"s3":       {&cdiv1beta1.DataVolumeSource{S3: &cdiv1beta1.DataVolumeSourceS3{URL: "https://s3.example/b"}}, "s3.example"},
		"gcs":      {&cdiv1beta1.DataVolumeSource{GCS: &cdiv1beta1.DataVolumeSourceGCS{URL: "gs://bucket/b"}}, "bucket"},
		"imageio":  {&cdiv1beta1.DataVolumeSource{Imageio: &cdiv1beta1.DataVolumeSourceImageIO{URL: "https://ovirt.example/b"}}, "ovirt.example"},
		"vddk":     {&cdiv1beta1.DataVolumeSource{VDDK: &cdiv1beta1.DataVolumeSourceVDDK{URL: "https://vcenter.example/b"}}, "vcenter.example"},
	} {
		vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}}
		vm.Spec.DataVolumeTemplates = []kubevirtv1.DataVolumeTemplateSpec{{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: cdiv1beta1.DataVolumeSpec{Source: c.source}}}
		for kind, g := range map[string]*Gathered{
			"made":       {Moment: Live, VirtualMachine: &kubevirtv1.VirtualMachine{ObjectMeta: vm.ObjectMeta}, DataVolumes: []cdiv1beta1.DataVolume{volume("ns", "d", c.source)}},
			"to be made": {Moment: Live, VirtualMachine: vm},
		} {
			if origins := Build(g).Origins; len(origins) != 1 || origins[0].Host != c.host || origins[0].Valid != (c.host != "") {
				t.Errorf("%s, %s: %+v, want host %q", name, kind, origins, c.host)
			}
		}
	}
}
