package cluster_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// describe shows an object's state in a message of a failed test.
func describe(object client.Object) string {
	object.SetManagedFields(nil)
	data, err := json.Marshal(object)
	if err != nil {
		return fmt.Sprint(object)
	}
	return string(data)
}

func dataVolume(namespace, name string, source *cdiv1.DataVolumeSource) *cdiv1.DataVolume {
	return &cdiv1.DataVolume{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: cdiv1.DataVolumeSpec{
			Source: source,
			Storage: &cdiv1.StorageSpec{Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("20Mi")},
			}},
		},
	}
}

func httpSource(checksum string) *cdiv1.DataVolumeSource {
	return &cdiv1.DataVolumeSource{HTTP: &cdiv1.DataVolumeSourceHTTP{URL: the.source + "/" + image, Checksum: checksum}}
}

func phase(want cdiv1.DataVolumePhase) func(*cdiv1.DataVolume) bool {
	return func(dv *cdiv1.DataVolume) bool { return dv.Status.Phase == want }
}

// disk is the content of the disk in a bound claim.
func disk(t *testing.T, namespace, claim string) []byte {
	t.Helper()
	pvc := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: claim}}
	// CDI may say that it has succeeded before Kubernetes says that the claim is
	// bound.
	eventually(t, "the claim Bound", pvc, func(c *corev1.PersistentVolumeClaim) bool { return c.Status.Phase == corev1.ClaimBound })
	pv := &corev1.PersistentVolume{}
	if err := the.client.Get(t.Context(), client.ObjectKey{Name: pvc.Spec.VolumeName}, pv); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(pv.Spec.HostPath.Path, "disk.img"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expectImage checks that the disk in a claim is the image, which CDI makes as
// large as was asked for.
func expectImage(t *testing.T, namespace, claim string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(the.dir, rawImage))
	if err != nil {
		t.Fatal(err)
	}
	got := disk(t, namespace, claim)
	if !bytes.HasPrefix(got, want) || len(bytes.Trim(got[len(want):], "\x00")) > 0 {
		t.Errorf("the disk of %s/%s, %d bytes, is not the image of %d bytes", namespace, claim, len(got), len(want))
	}
}

func TestAnImageWithTheRightChecksumIsImported(t *testing.T) {
	ns := namespace(t)
	dv := dataVolume(ns, "right", httpSource(imageSum(t)))
	create(t, dv)
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	expectImage(t, ns, "right")
}

func TestAnImageWithAWrongChecksumIsRefused(t *testing.T) {
	ns := namespace(t)
	dv := dataVolume(ns, "wrong", httpSource("sha256:"+strings.Repeat("0", 64)))
	create(t, dv)
	eventually(t, "DataVolume Failed", dv, phase(cdiv1.Failed), phase(cdiv1.Succeeded))
	for _, condition := range dv.Status.Conditions {
		if condition.Type == cdiv1.DataVolumeRunning {
			if condition.Reason != "ChecksumError" || !strings.Contains(condition.Message, "checksum mismatch") {
				t.Errorf("condition Running has reason %q and message %q", condition.Reason, condition.Message)
			}
			return
		}
	}
	t.Errorf("there is no condition Running: %v", dv.Status.Conditions)
}

func TestABlankDiskIsMade(t *testing.T) {
	dv := dataVolume(namespace(t), "blank", &cdiv1.DataVolumeSource{Blank: &cdiv1.DataVolumeBlankImage{}})
	create(t, dv)
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
}
