package stack

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/test/controlplane"
)

// ServeRegistry serves an OCI registry to the importers, under a public name and
// without TLS, which CDI is told to accept. It holds an image as a container
// disk, of which the reference by digest is returned, without a scheme.
func (s *Stack) ServeRegistry(ctx context.Context, image string) (reference string, err error) {
	served, err := s.ControlPlane.Serve(registry.New())
	if err != nil {
		return "", err
	}
	address, err := url.Parse(served)
	if err != nil {
		return "", fmt.Errorf("the registry's URL: %w", err)
	}
	digest, err := push(ctx, address.Host+"/disks/golden", filepath.Join(s.Dir, "images", image))
	if err != nil {
		return "", err
	}
	host := controlplane.SourceHost + ":" + address.Port()
	return host + "/disks/golden@" + digest, s.trustPlainRegistry(ctx, host)
}

// push makes a container disk of a file and returns its digest.
func push(ctx context.Context, repository, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: "disk/", Typeflag: tar.TypeDir, Mode: 0o755}); err != nil {
		return "", err
	}
	if err := w.WriteHeader(&tar.Header{Name: "disk/" + filepath.Base(file), Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return "", err
	}
	if _, err := w.Write(content); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil })
	if err != nil {
		return "", err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return "", err
	}
	tag, err := name.NewTag(repository+":9", name.Insecure)
	if err != nil {
		return "", err
	}
	if err := remote.Write(tag, image, remote.WithContext(ctx)); err != nil {
		return "", fmt.Errorf("push the container disk: %w", err)
	}
	digest, err := image.Digest()
	return digest.String(), err
}

// trustPlainRegistry has CDI fetch from a registry without TLS, as its
// administrator would.
func (s *Stack) trustPlainRegistry(ctx context.Context, host string) error {
	var cdi cdiv1beta1.CDI
	if err := s.Client.Get(ctx, client.ObjectKey{Name: "cdi"}, &cdi); err != nil {
		return err
	}
	before := cdi.DeepCopy()
	if cdi.Spec.Config == nil {
		cdi.Spec.Config = &cdiv1beta1.CDIConfigSpec{}
	}
	if !slices.Contains(cdi.Spec.Config.InsecureRegistries, host) {
		cdi.Spec.Config.InsecureRegistries = append(cdi.Spec.Config.InsecureRegistries, host)
	}
	return s.Client.Patch(ctx, &cdi, client.MergeFrom(before))
}
