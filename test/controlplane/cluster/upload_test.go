package cluster_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	uploadv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/upload/v1beta1"
)

// post sends the image to the upload proxy.
func post(t *testing.T, token string) (status int, body string) {
	t.Helper()
	file, err := os.Open(filepath.Join(the.dir, image))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://cdi-uploadproxy.cdi.svc/v1beta1/upload", file)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/octet-stream")
	client, err := the.cluster.HTTPClient()
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(data)
}

func TestAnImageIsUploadedThroughTheProxy(t *testing.T) {
	ns := namespace(t)
	dv := dataVolume(ns, "upload", &cdiv1.DataVolumeSource{Upload: &cdiv1.DataVolumeSourceUpload{}})
	create(t, dv)
	eventually(t, "DataVolume UploadReady", dv, phase(cdiv1.UploadReady), phase(cdiv1.Failed))
	if status, body := post(t, "made-up"); status != http.StatusUnauthorized {
		t.Errorf("a token that was made up gets status %d: %s", status, body)
	}
	request := &uploadv1.UploadTokenRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "upload"},
		Spec:       uploadv1.UploadTokenRequestSpec{PvcName: "upload"},
	}
	create(t, request)
	if request.Status.Token == "" {
		t.Fatal("the upload token is empty")
	}
	if status, body := post(t, request.Status.Token); status != http.StatusOK {
		t.Fatalf("the upload got status %d: %s", status, body)
	}
	eventually(t, "DataVolume Succeeded", dv, phase(cdiv1.Succeeded), phase(cdiv1.Failed))
	expectImage(t, ns, "upload")
}
