package stack

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	uploadv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/upload/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/gather"
)

// Upload sends a disk to a claim that waits for it, as virtctl image-upload
// does: a token of CDI's API, and a POST to CDI's upload proxy.
func (s *Stack) Upload(ctx context.Context, namespace, claim string, content []byte) error {
	scheme, err := gather.Scheme()
	if err != nil {
		return err
	}
	if err := uploadv1beta1.AddToScheme(scheme); err != nil {
		return err
	}
	tokens, err := client.New(s.ControlPlane.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	token := &uploadv1beta1.UploadTokenRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: claim},
		Spec:       uploadv1beta1.UploadTokenRequestSpec{PvcName: claim},
	}
	if err := tokens.Create(ctx, token); err != nil {
		return fmt.Errorf("ask for an upload token: %w", err)
	}
	web, err := s.ControlPlane.HTTPClient()
	if err != nil {
		return err
	}
	defer web.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://cdi-uploadproxy.cdi.svc/v1beta1/upload", bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token.Status.Token)
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := web.Do(request)
	if err != nil {
		return fmt.Errorf("upload to claim %s/%s: %w", namespace, claim, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		return fmt.Errorf("upload to claim %s/%s: status %s: %s", namespace, claim, response.Status, answer)
	}
	return err
}
