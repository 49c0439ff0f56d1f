package cluster_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/test/controlplane"
)

func cloneSource(namespace, name string) *cdiv1.DataVolumeSource {
	return &cdiv1.DataVolumeSource{PVC: &cdiv1.DataVolumeSourcePVC{Namespace: namespace, Name: name}}
}

// golden makes a namespace with an imported disk.
func golden(t *testing.T) string {
	t.Helper()
	ns := namespace(t)
	dv := dataVolume(ns, "golden", httpSource(imageSum(t)))
	create(t, dv)
	eventually(t, "the golden image", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	return ns
}

func TestADiskIsClonedIntoAnotherNamespace(t *testing.T) {
	from := golden(t)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: from + "-to"}})
	t.Run("by the storage", func(t *testing.T) {
		dv := dataVolume(from+"-to", "clone", cloneSource(from, "golden"))
		create(t, dv)
		eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
		expectImage(t, from+"-to", "clone")
	})
	t.Run("without a size, which CDI then finds out", func(t *testing.T) {
		dv := dataVolume(from+"-to", "sized", cloneSource(from, "golden"))
		dv.Spec.Storage.Resources = corev1.VolumeResourceRequirements{}
		create(t, dv)
		eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
		expectImage(t, from+"-to", "sized")
	})
	t.Run("by CDI's cloner", func(t *testing.T) {
		profile := &cdiv1.StorageProfile{}
		if err := the.client.Get(t.Context(), client.ObjectKey{Name: controlplane.WaitStorageClass}, profile); err != nil {
			t.Fatal(err)
		}
		strategy := cdiv1.CloneStrategyHostAssisted
		patch := client.MergeFrom(profile.DeepCopy())
		profile.Spec.CloneStrategy = &strategy
		if err := the.client.Patch(t.Context(), profile, patch); err != nil {
			t.Fatal(err)
		}
		dv := dataVolume(from+"-to", "copied", cloneSource(from, "golden"))
		class := controlplane.WaitStorageClass
		dv.Spec.Storage.StorageClassName = &class
		dv.Annotations = map[string]string{"cdi.kubevirt.io/storage.bind.immediate.requested": "true"}
		create(t, dv)
		eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
		expectImage(t, from+"-to", "copied")
	})
}
