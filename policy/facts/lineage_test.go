package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

func volumeFrom(namespace, name string, source *cdiv1beta1.DataVolumeSource) cdiv1beta1.DataVolume {
	return cdiv1beta1.DataVolume{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Generation: 1},
		Spec:       cdiv1beta1.DataVolumeSpec{Source: source},
	}
}

func cloneOf(namespace, name string) *cdiv1beta1.DataVolumeSource {
	return &cdiv1beta1.DataVolumeSource{PVC: &cdiv1beta1.DataVolumeSourcePVC{Namespace: namespace, Name: name}}
}

func fromDataSource(namespace, name, reference, at string) cdiv1beta1.DataVolume {
	dv := volumeFrom(namespace, name, nil)
	dv.Spec.SourceRef = &cdiv1beta1.DataVolumeSourceRef{Kind: "DataSource", Name: reference}
	if at != "" {
		dv.Spec.SourceRef.Namespace = &at
	}
	return dv
}

func dataSource(namespace, name string, pvc *cdiv1beta1.DataVolumeSourcePVC) cdiv1beta1.DataSource {
	return cdiv1beta1.DataSource{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       cdiv1beta1.DataSourceSpec{Source: cdiv1beta1.DataSourceSource{PVC: pvc}},
	}
}

// steps is a lineage in words.
func steps(in *Input) []string {
	all := []string{}
	for _, step := range in.Disks[0].Lineage {
		all = append(all, step.Namespace+"/"+step.Name+" "+step.Source)
	}
	return all
}

func TestALineageLeadsToWhatWasImported(t *testing.T) {
	http := &cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: "https://images.example/a"}}
	for name, c := range map[string]struct {
		volumes []cdiv1beta1.DataVolume
		sources []cdiv1beta1.DataSource
		want    []string
	}{
		"nothing is known":                   {want: []string{}},
		"an import":                          {volumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", http)}, want: []string{"ns/root http"}},
		"one elsewhere":                      {volumes: []cdiv1beta1.DataVolume{volumeFrom("other", "root", http)}, want: []string{}},
		"a clone":                            {volumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", cloneOf("golden", "linux")), volumeFrom("golden", "linux", http)}, want: []string{"ns/root pvc", "golden/linux http"}},
		"a clone next to it":                 {volumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", cloneOf("", "linux")), volumeFrom("ns", "linux", http)}, want: []string{"ns/root pvc", "ns/linux http"}},
		"a clone of what no DataVolume made": {volumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", cloneOf("golden", "linux"))}, want: []string{"ns/root pvc"}},
		"a DataSource elsewhere": {
			volumes: []cdiv1beta1.DataVolume{fromDataSource("ns", "root", "linux", "golden"), volumeFrom("golden", "linux-9", http)},
			sources: []cdiv1beta1.DataSource{dataSource("golden", "linux", &cdiv1beta1.DataVolumeSourcePVC{Namespace: "golden", Name: "linux-9"})},
			want:    []string{"ns/root dataSource", "golden/linux-9 http"},
		},
		"a DataSource that leaves its own namespace out": {
			volumes: []cdiv1beta1.DataVolume{fromDataSource("ns", "root", "linux", "golden"), volumeFrom("golden", "linux-9", http)},
			sources: []cdiv1beta1.DataSource{dataSource("golden", "linux", &cdiv1beta1.DataVolumeSourcePVC{Name: "linux-9"})},
			want:    []string{"ns/root dataSource", "golden/linux-9 http"},
		},
		"a DataSource of the own namespace": {
			volumes: []cdiv1beta1.DataVolume{fromDataSource("ns", "root", "linux", ""), volumeFrom("golden", "linux-9", http)},
			sources: []cdiv1beta1.DataSource{dataSource("golden", "linux", &cdiv1beta1.DataVolumeSourcePVC{Namespace: "golden", Name: "linux-9"})},
			want:    []string{"ns/root dataSource"},
		},
		"a DataSource of a snapshot": {
			volumes: []cdiv1beta1.DataVolume{fromDataSource("ns", "root", "linux", "")},
			sources: []cdiv1beta1.DataSource{dataSource("ns", "linux", nil)},
			want:    []string{"ns/root dataSource"},
		},
		"a clone of itself": {volumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", cloneOf("ns", "root"))}, want: strings.Split(strings.Repeat("ns/root pvc,", longestLineage-1)+"ns/root pvc", ",")},
	} {
		in := Build(&Gathered{
			VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{volumeNamed("root", "root")}, disk("root", 0))),
			DataVolumes:    c.volumes, DataSources: c.sources,
		})
		if diff := cmp.Diff(c.want, steps(&in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestATemplateOfADataVolumeStandsInUntilItExists(t *testing.T) {
	vm := machineOf(specOf([]kubevirtv1.Volume{volumeNamed("root", "root")}, disk("root", 0)))
	blank := &cdiv1beta1.DataVolumeSource{Blank: &cdiv1beta1.DataVolumeBlankImage{}}
	vm.Spec.DataVolumeTemplates = []kubevirtv1.DataVolumeTemplateSpec{{ObjectMeta: metav1.ObjectMeta{Name: "root"}, Spec: cdiv1beta1.DataVolumeSpec{Source: blank}}}
	in := Build(&Gathered{VirtualMachine: vm})
	if diff := cmp.Diff([]string{"ns/root blank"}, steps(&in)); diff != "" {
		t.Error(diff)
	}
	in = Build(&Gathered{VirtualMachine: vm, DataVolumes: []cdiv1beta1.DataVolume{volumeFrom("ns", "root", &cdiv1beta1.DataVolumeSource{Upload: &cdiv1beta1.DataVolumeSourceUpload{}})}})
	if diff := cmp.Diff([]string{"ns/root upload"}, steps(&in)); diff != "" {
		t.Errorf("what exists does not count: %s", diff)
	}
}

func TestADataVolumeThatWasEditedIsToldApart(t *testing.T) {
	for generation, edited := range map[int64]bool{0: false, 1: false, 2: true} {
		dv := volumeFrom("ns", "root", nil)
		dv.Generation = generation
		in := Build(&Gathered{
			VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{volumeNamed("root", "root")}, disk("root", 0))),
			DataVolumes:    []cdiv1beta1.DataVolume{dv},
		})
		if got := in.Disks[0].Lineage[0].Edited; got != edited {
			t.Errorf("generation %d: edited is %t", generation, got)
		}
	}
}

func TestEverySourceOfADataVolumeHasAName(t *testing.T) {
	url, stream := "docker://quay.io/a/b", "linux"
	for want, source := range map[string]*cdiv1beta1.DataVolumeSource{
		"none":     nil,
		"http":     {HTTP: &cdiv1beta1.DataVolumeSourceHTTP{}},
		"registry": {Registry: &cdiv1beta1.DataVolumeSourceRegistry{URL: &url}},
		"pvc":      {PVC: &cdiv1beta1.DataVolumeSourcePVC{}},
		"snapshot": {Snapshot: &cdiv1beta1.DataVolumeSourceSnapshot{}},
		"upload":   {Upload: &cdiv1beta1.DataVolumeSourceUpload{}},
		"blank":    {Blank: &cdiv1beta1.DataVolumeBlankImage{}},
		"s3":       {S3: &cdiv1beta1.DataVolumeSourceS3{}},
		"gcs":      {GCS: &cdiv1beta1.DataVolumeSourceGCS{}},
		"imageio":  {Imageio: &cdiv1beta1.DataVolumeSourceImageIO{}},
		"vddk":     {VDDK: &cdiv1beta1.DataVolumeSourceVDDK{}},
	} {
		dv, step := volumeFrom("ns", "root", source), Import{Namespace: "ns"}
		lineages{}.source(&dv, &step)
		if step.Source != want {
			t.Errorf("%s is called %s", want, step.Source)
		}
	}
	for name, r := range map[string]*cdiv1beta1.DataVolumeSourceRegistry{"an ImageStream": {ImageStream: &stream}, "nothing": {}} {
		if image := registryImage(r); image.Valid || image.Problem == "" {
			t.Errorf("%s is an image: %+v", name, image)
		}
	}
}
