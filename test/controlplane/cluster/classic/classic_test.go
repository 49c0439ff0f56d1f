// Package classic_test proves that CDI can be run without volume populators,
// as it runs on storage without a CSI driver, and with an overhead of its own
// for a class.
package classic_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/test/controlplane"
)

func TestCDIWorksWithoutPopulators(t *testing.T) {
	ctx := t.Context()
	cluster, err := controlplane.Start(ctx, controlplane.Options{
		CDI: true, WithoutPopulators: true,
		FilesystemOverhead: map[string]string{controlplane.StorageClass: "0.5"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	t.Cleanup(func() {
		if t.Failed() {
			cluster.KeepLogs()
		}
	})
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, cdiv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cluster.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 1<<20)
	copy(data, "a raw disk")
	source, err := cluster.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "disk.img", time.Time{}, bytes.NewReader(data))
	}))
	if err != nil {
		t.Fatal(err)
	}
	right := sha256.Sum256(data)
	for name, test := range map[string]struct {
		sum   [32]byte
		phase cdiv1.DataVolumePhase
	}{
		"right": {sum: right, phase: cdiv1.Succeeded},
		"wrong": {phase: cdiv1.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			dv := &cdiv1.DataVolume{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
				Spec: cdiv1.DataVolumeSpec{
					Source: &cdiv1.DataVolumeSource{HTTP: &cdiv1.DataVolumeSourceHTTP{
						URL: source + "/disk.img", Checksum: "sha256:" + hex.EncodeToString(test.sum[:]),
					}},
					Storage: &cdiv1.StorageSpec{Resources: corev1.VolumeResourceRequirements{
						Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Mi")},
					}},
				},
			}
			if err := c.Create(ctx, dv); err != nil {
				t.Fatal(err)
			}
			wait(t, c, dv, test.phase)
			if used := dv.Annotations["cdi.kubevirt.io/storage.usePopulator"]; used != "false" {
				t.Errorf("the annotation that tells of populators is %q", used)
			}
		})
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "right"}, claim); err != nil {
		t.Fatal(err)
	}
	// CDI adds the overhead as a share of the size.
	if got, want := claim.Spec.Resources.Requests[corev1.ResourceStorage], resource.MustParse("15Mi"); got.Cmp(want) != 0 {
		t.Errorf("the claim for 10Mi asks for %s, not %s", got.String(), want.String())
	}
}

func wait(t *testing.T, c client.Client, dv *cdiv1.DataVolume, phase cdiv1.DataVolumePhase) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.Get(ctx, client.ObjectKeyFromObject(dv), dv)
		if err == nil && dv.Status.Phase == phase {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("DataVolume %s is %s with %v, not %s: %v", dv.Name, dv.Status.Phase, dv.Status.Conditions, phase, err)
		case <-tick.C:
		}
	}
}
