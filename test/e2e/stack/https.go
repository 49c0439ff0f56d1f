package stack

import (
	"context"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sourceAuthority is the ConfigMap from which CDI's importers trust the server
// of the images.
const sourceAuthority = "source-authority"

// ServeImagesByHTTPS serves the images of ServeImages by HTTPS on port 443 as
// well, and has CDI trust the authority, as its administrator would. It returns
// the URL of their folder, without a slash at its end; call it once.
func (s *Stack) ServeImagesByHTTPS(ctx context.Context) (string, error) {
	url, err := s.ControlPlane.HTTPSSource(filepath.Join(s.Dir, "images"))
	if err != nil {
		return "", err
	}
	trusted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "cdi", Name: sourceAuthority},
		Data:       map[string]string{"ca.pem": string(s.ControlPlane.Authority())},
	}
	if err := s.Client.Create(ctx, trusted); err != nil {
		return "", err
	}
	var cdi cdiv1beta1.CDI
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "cdi"}, &cdi); err != nil {
		return "", err
	}
	before := cdi.DeepCopy()
	if cdi.Spec.Config == nil {
		cdi.Spec.Config = &cdiv1beta1.CDIConfigSpec{}
	}
	authority := sourceAuthority
	cdi.Spec.Config.ImportProxy = &cdiv1beta1.ImportProxy{TrustedCAProxy: &authority}
	return url, s.Client.Patch(ctx, &cdi, client.MergeFrom(before))
}

// TrustsSource tells whether CDI has taken over what ServeImagesByHTTPS told it.
func (s *Stack) TrustsSource(ctx context.Context) (bool, error) {
	var config cdiv1beta1.CDIConfig
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "config"}, &config); err != nil {
		return false, err
	}
	proxy := config.Status.ImportProxy
	return proxy != nil && proxy.TrustedCAProxy != nil && *proxy.TrustedCAProxy == sourceAuthority, nil
}
