package instance

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

const fileOfTests = "https://images.example.com/linux.qcow2"

// importing adds a Template that is imported, of a StorageClass of its own, and tells how an Instance names it.
func (w *world) importing(t *testing.T, source virtfoundryv1alpha1.TemplateSource, image string, change ...func(*virtfoundryv1alpha1.Template)) func(*virtfoundryv1alpha1.Instance) {
	t.Helper()
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: w.namespace + "-" + string(source)}, Provisioner: "local.example.com"}
	create(t, class)
	name := "imported-" + string(source)
	w.template(t, name, image, append([]func(*virtfoundryv1alpha1.Template){func(template *virtfoundryv1alpha1.Template) {
		template.Spec.SourceType, template.Spec.StorageClass = source, virtfoundryv1alpha1.StorageClassName(class.Name)
	}}, change...)...)
	return func(i *virtfoundryv1alpha1.Instance) { i.Spec.TemplateRef.Name = name }
}

func (w *world) volume(t *testing.T, name string) *cdiv1beta1.DataVolume {
	t.Helper()
	return get(t, &cdiv1beta1.DataVolume{}, w.namespace, name)
}

func windows(template *virtfoundryv1alpha1.Template) { template.Spec.OSType = "windows" }

func TestAnImportedInstanceIsKilledAtAnyWriteAndConverges(t *testing.T) {
	judge := fixture.Judge(t, nil)
	w := start(t, judge)
	for source, change := range map[virtfoundryv1alpha1.TemplateSource]func(*virtfoundryv1alpha1.Instance){
		virtfoundryv1alpha1.TemplateQCOW2: w.importing(t, virtfoundryv1alpha1.TemplateQCOW2, fileOfTests),
		virtfoundryv1alpha1.TemplateISO:   w.importing(t, virtfoundryv1alpha1.TemplateISO, fileOfTests, windows),
	} {
		counted := newWorld(judge, w.namespace, &fixture.Writes{})
		w.make(t, "k-"+string(source), change)
		if err := counted.live(t, "k-"+string(source)); err != nil {
			t.Fatal(err)
		}
		total := counted.writes.Count()
		for at := 1; at <= total; at++ {
			for _, before := range []bool{true, false} {
				name := fmt.Sprintf("k-%s-%d-%t", source, at, before)
				w.make(t, name, change)
				killed := newWorld(judge, w.namespace, &fixture.Writes{At: at, Before: before})
				killed.writes.MustHaveKilled(t, killed.live(t, name))
				next := newWorld(judge, w.namespace, &fixture.Writes{})
				if err := next.live(t, name); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				expect(t, next.instance(t, name), virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
				if diff := cmp.Diff(w.volume(t, "k-"+string(source)+"-boot").Spec, w.volume(t, name+"-boot").Spec); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		}
	}
}

func TestAnImportsDriftIsPutRight(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web", w.importing(t, virtfoundryv1alpha1.TemplateISO, fileOfTests, windows))
	w.settle(t, "web")
	medium, made := w.volume(t, "web-iso"), w.vm(t, "web")
	for name, drift := range map[string]func(){
		"another source": func() {
			volume := w.volume(t, "web-iso")
			volume.Spec.Source.HTTP.URL = "https://evil.example.com/x.iso"
			update(t, volume)
		},
		"deleted": func() { remove(t, w.volume(t, "web-iso")) },
		"owner": func() {
			volume := w.volume(t, "web-iso")
			volume.OwnerReferences = nil
			update(t, volume)
		},
		"firmware": func() {
			vm := w.vm(t, "web")
			vm.Spec.Template.Spec.Domain.Firmware.Bootloader = &kubevirtv1.Bootloader{BIOS: &kubevirtv1.BIOS{}}
			update(t, vm)
		},
		"boot disk": func() {
			vm := w.vm(t, "web")
			vm.Spec.Template.Spec.Volumes[0].DataVolume.Name = "other"
			update(t, vm)
		},
		"machine type": func() {
			vm := w.vm(t, "web")
			vm.Spec.Template.Spec.Domain.Machine.Type = "pc"
			update(t, vm)
		},
	} {
		of := newWorld(w.deps.Judge, w.namespace, &fixture.Writes{})
		of.settle(t, "web")
		drift()
		of.settle(t, "web")
		now := w.volume(t, "web-iso")
		if diff := cmp.Diff(medium.Spec, now.Spec) + cmp.Diff(made.Spec, w.vm(t, "web").Spec); diff != "" || !metav1.IsControlledBy(now, w.instance(t, "web")) {
			t.Fatalf("%s is not put right: %s", name, diff)
		}
		if !of.events.Has(EventRepaired) {
			t.Errorf("%s: events %v", name, of.events.Reasons())
		}
	}
}

func TestATemplateThatChangesIsForNewInstances(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "old", w.importing(t, virtfoundryv1alpha1.TemplateQCOW2, fileOfTests))
	w.settle(t, "old")
	template := get(t, &virtfoundryv1alpha1.Template{}, w.namespace, "imported-qcow2")
	template.Spec.Image = "https://images.example.com/newer.qcow2"
	update(t, template)
	instance := w.settle(t, "old")
	expect(t, instance, virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
	volume := w.volume(t, "old-boot")
	if volume.Spec.Source.HTTP.URL != fileOfTests {
		t.Errorf("imported again: %+v", volume.Spec.Source.HTTP)
	}
	volume.Spec.Source.HTTP.URL = "https://evil.example.com/x.qcow2"
	update(t, volume)
	expect(t, w.settle(t, "old"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "SourceChanged", "was edited after it was made")
}

func TestASourceOfTheInsideAndAClassOfNowhereAreRefused(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	inside := w.importing(t, virtfoundryv1alpha1.TemplateQCOW2, "http://169.254.169.254/disk")
	w.make(t, "inside", inside)
	expect(t, w.settle(t, "inside"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "SRC-001")
	nowhere := w.importing(t, virtfoundryv1alpha1.TemplateISO, fileOfTests, func(template *virtfoundryv1alpha1.Template) { template.Spec.StorageClass = "nowhere" })
	w.make(t, "nowhere", nowhere)
	expect(t, w.settle(t, "nowhere"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "StorageClass nowhere does not exist")
	for _, name := range []string{"inside", "nowhere"} {
		if exists(t, &cdiv1beta1.DataVolume{}, w.namespace, name+"-boot") || exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, name) {
			t.Errorf("%s was made", name)
		}
	}
}
