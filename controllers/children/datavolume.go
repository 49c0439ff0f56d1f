package children

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// bindImmediately makes CDI import before a consumer exists: a halted machine
// on a WaitForFirstConsumer class would never get its disk.
const bindImmediately = "cdi.kubevirt.io/storage.bind.immediate.requested"

// dataVolume renders the stand-alone DataVolume of the root disk. The request
// is the size of the disk itself: spec.storage is inflated by CDI, with the
// overhead of the storage class, and must never be inflated twice.
func dataVolume(in MachineInput) (*cdiv1beta1.DataVolume, error) {
	size, err := sizeOf(in.Machine, "spec.diskSize", string(in.Machine.Spec.DiskSize))
	if err != nil {
		return nil, err
	}
	source, err := volumeSource(in)
	if err != nil {
		return nil, err
	}
	storage := &cdiv1beta1.StorageSpec{
		AccessModes:      in.Machine.Spec.AccessModes,
		StorageClassName: in.Machine.Spec.StorageClassName,
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
	}
	if mode := in.Machine.Spec.VolumeMode; mode != "" {
		storage.VolumeMode = &mode
	}
	meta := machineMeta(in.Machine, udsv1alpha1.DataVolumeSuffix)
	meta.Annotations = map[string]string{bindImmediately: "true"}
	return &cdiv1beta1.DataVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: cdiv1beta1.SchemeGroupVersion.String(), Kind: "DataVolume"},
		ObjectMeta: meta,
		Spec:       cdiv1beta1.DataVolumeSpec{Source: source, Storage: storage},
	}, nil
}

func volumeSource(in MachineInput) (*cdiv1beta1.DataVolumeSource, error) {
	spec := &in.Machine.Spec
	switch spec.SourceType {
	case udsv1alpha1.SourceHTTP:
		return &cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: spec.URL, Checksum: spec.Checksum}}, nil
	case udsv1alpha1.SourceRegistry:
		url := spec.URL
		if !strings.Contains(url, "://") {
			url = "docker://" + url
		}
		return &cdiv1beta1.DataVolumeSource{Registry: &cdiv1beta1.DataVolumeSourceRegistry{URL: &url}}, nil
	case udsv1alpha1.SourceUpload:
		return &cdiv1beta1.DataVolumeSource{Upload: &cdiv1beta1.DataVolumeSourceUpload{}}, nil
	case udsv1alpha1.SourceBlank:
		return &cdiv1beta1.DataVolumeSource{Blank: &cdiv1beta1.DataVolumeBlankImage{}}, nil
	default:
		return nil, fmt.Errorf("%s: spec.sourceType %q cannot be provisioned by this release: use http, registry, upload or blank", named(in.Machine), spec.SourceType)
	}
}
