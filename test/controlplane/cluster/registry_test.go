package cluster_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// layer is a container disk's only layer: a tar file with /disk/disk.qcow2.
func layer(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(the.dir, image))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for _, err := range []error{
		w.WriteHeader(&tar.Header{Name: "disk/", Typeflag: tar.TypeDir, Mode: 0o755}),
		w.WriteHeader(&tar.Header{Name: "disk/" + image, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(data))}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func digest(data []byte) string {
	h := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(h[:])
}

// put sends a part of an image to the registry.
func put(t *testing.T, handler http.Handler, method, path, kind string, data []byte) {
	t.Helper()
	request := httptest.NewRequestWithContext(t.Context(), method, path, bytes.NewReader(data))
	request.Header.Set("Content-Type", kind)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	if answer.Code != http.StatusCreated {
		t.Fatalf("%s %s: status %d: %s", method, path, answer.Code, answer.Body)
	}
}

// push puts a container disk into the registry and returns its digest.
func push(t *testing.T, handler http.Handler) string {
	t.Helper()
	content := layer(t)
	config, err := json.Marshal(map[string]any{
		"architecture": "amd64", "os": "linux", "config": map[string]any{},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{digest(content)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const kind = "application/vnd.oci.image."
	describe := func(media string, data []byte) map[string]any {
		return map[string]any{"mediaType": kind + media, "digest": digest(data), "size": len(data)}
	}
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": kind + "manifest.v1+json",
		"config": describe("config.v1+json", config), "layers": []any{describe("layer.v1.tar", content)},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range [][]byte{config, content} {
		put(t, handler, http.MethodPost, "/v2/disks/golden/blobs/uploads/?digest="+digest(blob), "application/octet-stream", blob)
	}
	put(t, handler, http.MethodPut, "/v2/disks/golden/manifests/"+digest(manifest), kind+"manifest.v1+json", manifest)
	return digest(manifest)
}

func TestADiskIsImportedFromARegistryByDigest(t *testing.T) {
	ns := namespace(t)
	handler := registry.New()
	name := push(t, handler)
	url, err := the.cluster.ServeTLS(handler)
	if err != nil {
		t.Fatal(err)
	}
	create(t, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "registry"},
		Data:       map[string]string{"ca.pem": string(the.cluster.Authority())},
	})
	from := "docker://" + strings.TrimPrefix(url, "https://") + "/disks/golden@" + name
	authority := "registry"
	dv := dataVolume(ns, "disk", &cdiv1.DataVolumeSource{Registry: &cdiv1.DataVolumeSourceRegistry{URL: &from, CertConfigMap: &authority}})
	create(t, dv)
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	expectImage(t, ns, "disk")
}
