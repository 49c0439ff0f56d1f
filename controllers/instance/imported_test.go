package instance

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func withChecksum(template *virtfoundryv1alpha1.Template) {
	template.Spec.Checksum = "sha256:" + strings.Repeat("ab", 32)
}

// imported plays CDI: the claim of the DataVolume is there, and its status.
func (w *world) imported(t *testing.T, name string, status cdiv1beta1.DataVolumeStatus) {
	t.Helper()
	volume := w.volume(t, name)
	if !exists(t, &corev1.PersistentVolumeClaim{}, w.namespace, name) {
		create(t, &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace, OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(volume, cdiv1beta1.SchemeGroupVersion.WithKind("DataVolume")),
			}},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("34Gi")}},
			},
		})
	}
	before := volume.DeepCopy()
	volume.Status = status
	if err := cluster.Client.Status().Patch(t.Context(), volume, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// drop deletes a DataVolume with its claim, as a tenant may who means to put another in its place.
func (w *world) drop(t *testing.T, name string) {
	t.Helper()
	remove(t, w.volume(t, name))
	claim := &corev1.PersistentVolumeClaim{}
	for exists(t, claim, w.namespace, name) { // whoever protects claims writes as well
		claim.Finalizers = nil
		if err := cluster.Client.Update(t.Context(), claim); err == nil && claim.DeletionTimestamp == nil {
			remove(t, claim)
		}
	}
}

func notRunning(reason, message string) []cdiv1beta1.DataVolumeCondition {
	return []cdiv1beta1.DataVolumeCondition{{
		Type: cdiv1beta1.DataVolumeRunning, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now(),
	}}
}

func TestTheProgressOfAnImportIsShown(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web", w.importing(t, virtfoundryv1alpha1.TemplateQCOW2, fileOfTests, withChecksum))
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceStarting, "Imported", metav1.ConditionFalse, "Importing", `DataVolume web-boot (phase "", nothing done)`)
	for _, c := range []struct {
		status          cdiv1beta1.DataVolumeStatus
		phase           virtfoundryv1alpha1.InstancePhase
		imported        metav1.ConditionStatus
		reason, message string
		verified        metav1.ConditionStatus
		readyToo        bool
	}{
		{cdiv1beta1.DataVolumeStatus{Phase: cdiv1beta1.ImportInProgress, Progress: "42.0%"}, virtfoundryv1alpha1.InstanceStarting, metav1.ConditionFalse, "Importing", `phase "ImportInProgress", 42.0% done)`, metav1.ConditionUnknown, true},
		{cdiv1beta1.DataVolumeStatus{Phase: cdiv1beta1.ImportInProgress, Progress: "N/A", RestartCount: 3, Conditions: notRunning("Error", "connection refused")}, virtfoundryv1alpha1.InstanceStarting, metav1.ConditionFalse, "Importing", "N/A done): connection refused", metav1.ConditionUnknown, true},
		{cdiv1beta1.DataVolumeStatus{Phase: cdiv1beta1.Failed, Progress: "N/A", Conditions: notRunning("ChecksumError", "checksum mismatch")}, virtfoundryv1alpha1.InstanceError, metav1.ConditionFalse, "ImportFailed", "has failed, and the guest does not start from it: checksum mismatch", metav1.ConditionFalse, true},
		{cdiv1beta1.DataVolumeStatus{Phase: cdiv1beta1.Succeeded, Progress: "100.0%"}, virtfoundryv1alpha1.InstanceStarting, metav1.ConditionTrue, "Imported", "", metav1.ConditionTrue, false},
	} {
		w.imported(t, "web-boot", c.status)
		instance := w.settle(t, "web")
		expect(t, instance, c.phase, "Imported", c.imported, c.reason, c.message)
		if ready := condition(t, instance, "Ready"); c.readyToo != strings.HasSuffix(ready.Message, c.message) && c.message != "" {
			t.Errorf("Ready says %q of %+v", ready.Message, c.status)
		}
		if verified := condition(t, instance, "ImageVerified"); verified.Status != c.verified {
			t.Errorf("%s: ImageVerified is %s, want %s: %s", c.status.Phase, verified.Status, c.verified, verified.Message)
		}
	}
}

func TestAnInstanceOfAContainerHasNoImport(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	for _, kind := range []string{"Imported", "ImageVerified"} {
		if meta.FindStatusCondition(w.settle(t, "web").Status.Conditions, kind) != nil {
			t.Errorf("condition %s of a containerDisk", kind)
		}
	}
}

func TestADataVolumeMadeAnewOfOtherContentIsNeverVerified(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	change := w.importing(t, virtfoundryv1alpha1.TemplateQCOW2, fileOfTests, withChecksum)
	done := cdiv1beta1.DataVolumeStatus{Phase: cdiv1beta1.Succeeded, Progress: "100.0%"}
	for name, forge := range map[string]func(volume *cdiv1beta1.DataVolume){
		"ours": func(*cdiv1beta1.DataVolume) {}, // the record of ours
		"own": func(volume *cdiv1beta1.DataVolume) {
			volume.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] = sourceOf(volume.Spec)
		},
		"none": func(volume *cdiv1beta1.DataVolume) {
			delete(volume.Annotations, virtfoundryv1alpha1.AnnotationMadeFrom)
		},
		"empty": func(volume *cdiv1beta1.DataVolume) {
			volume.Spec.Source = &cdiv1beta1.DataVolumeSource{Blank: &cdiv1beta1.DataVolumeBlankImage{}}
			volume.Annotations[virtfoundryv1alpha1.AnnotationMadeFrom] = sourceOf(volume.Spec)
		},
	} {
		w.make(t, name, change)
		w.settle(t, name)
		w.imported(t, name+"-boot", done)
		expect(t, w.settle(t, name), virtfoundryv1alpha1.InstanceStarting, "ImageVerified", metav1.ConditionTrue, "RulesPass", "")

		made := w.volume(t, name+"-boot")
		w.drop(t, made.Name)
		forged := &cdiv1beta1.DataVolume{
			ObjectMeta: metav1.ObjectMeta{Name: made.Name, Namespace: made.Namespace, Labels: made.Labels, Annotations: made.Annotations, OwnerReferences: made.OwnerReferences},
			Spec:       *made.Spec.DeepCopy(),
		}
		forged.Spec.Source.HTTP.URL = "https://evil.example.com/x.qcow2"
		forged.Spec.Source.HTTP.Checksum = "sha256:" + strings.Repeat("cd", 32)
		forge(forged)
		create(t, forged)
		w.imported(t, made.Name, done)
		for range 3 { // as it is found, and as it is when that was dealt with
			w.reconcile(t, name)
			verified := condition(t, w.instance(t, name), "ImageVerified")
			if verified.Status != metav1.ConditionUnknown || !strings.Contains(verified.Message, "SourceChanged") {
				t.Errorf("%s: ImageVerified is %s: %s", name, verified.Status, verified.Message)
			}
		}
	}
}

func TestAnImportedInstanceIsKilledAtAnyWriteOfItsDeletionAndLeavesNothing(t *testing.T) {
	judge := fixture.Judge(t, nil)
	w := start(t, judge)
	change := w.importing(t, virtfoundryv1alpha1.TemplateISO, fileOfTests, windows)
	w.make(t, "whole", change)
	w.settle(t, "whole")
	counted := newWorld(judge, w.namespace, &fixture.Writes{})
	remove(t, counted.instance(t, "whole"))
	counted.gone(t, "whole")
	total := counted.writes.Count()
	if total == 0 {
		t.Fatal("a deletion without a write")
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := "k-" + string(rune('a'+at)) + map[bool]string{true: "-before", false: "-after"}[before]
			w.make(t, name, change)
			w.settle(t, name)
			killed := newWorld(judge, w.namespace, &fixture.Writes{At: at, Before: before})
			remove(t, killed.instance(t, name))
			killed.writes.MustHaveKilled(t, killed.live(t, name))
			newWorld(judge, w.namespace, &fixture.Writes{}).gone(t, name)
		}
	}
}
