package gather

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get,resourceNames=datavolumes.cdi.kubevirt.io

// FindCapabilities looks for what the served CRDs can hold. Upstream CDI has no
// checksum for uploads (kubevirt/containerized-data-importer issue 4104), and
// an apply with a field that the schema lacks is refused.
func FindCapabilities(ctx context.Context, reader client.Reader) (facts.Capabilities, error) {
	crd := &unstructured.Unstructured{}
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	err := reader.Get(ctx, types.NamespacedName{Name: "datavolumes.cdi.kubevirt.io"}, crd)
	if apierrors.IsNotFound(err) {
		return facts.Capabilities{}, fmt.Errorf("the cluster does not serve datavolumes.cdi.kubevirt.io: install CDI first")
	}
	if err != nil {
		return facts.Capabilities{}, fmt.Errorf("read the schema of DataVolumes: %w", err)
	}
	volumeSnapshots, err := servesVolumeSnapshots(ctx, reader)
	if err != nil {
		return facts.Capabilities{}, err
	}
	return facts.Capabilities{CDIUploadChecksum: hasUploadChecksum(crd.Object), VolumeSnapshots: volumeSnapshots}, nil
}

// servesVolumeSnapshots tells whether the cluster has the CRDs of VolumeSnapshots
// and of their classes. Without them the operator runs all the same; it is to be
// started again once they are there.
func servesVolumeSnapshots(ctx context.Context, reader client.Reader) (bool, error) {
	for _, list := range []client.ObjectList{&volumesnapshotv1.VolumeSnapshotList{}, &volumesnapshotv1.VolumeSnapshotClassList{}} {
		err := reader.List(ctx, list, client.Limit(1))
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("look for VolumeSnapshots: %w", err)
		}
	}
	return true, nil
}

func hasUploadChecksum(crd map[string]any) bool {
	versions, _, err := unstructured.NestedSlice(crd, "spec", "versions")
	if err != nil {
		return false
	}
	for _, version := range versions {
		v, ok := version.(map[string]any)
		if !ok || v["storage"] != true {
			continue
		}
		_, found, err := unstructured.NestedMap(v, "schema", "openAPIV3Schema", "properties", "spec", "properties",
			"source", "properties", "upload", "properties", "checksum")
		return err == nil && found
	}
	return false
}
