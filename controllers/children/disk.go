package children

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/api/platform"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/policy/facts"
)

const (
	gibibyte  = int64(1) << 30
	longhorn  = "longhorn"
	localPath = "local-path"
)

// DefaultClass is the StorageClass that storage.defaultClass=auto stands for (VirtFoundry sheet, section 6): longhorn
// where it exists, else the one that is annotated as the default, else local-path; empty where several are annotated
// or there is none to choose.
func DefaultClass(classes []storagev1.StorageClass) string {
	named := func(name string) bool {
		return slices.ContainsFunc(classes, func(c storagev1.StorageClass) bool { return c.Name == name })
	}
	defaults := []string{}
	for i := range classes {
		if classes[i].Annotations["storageclass.kubernetes.io/is-default-class"] == "true" {
			defaults = append(defaults, classes[i].Name)
		}
	}
	switch {
	case named(longhorn):
		return longhorn
	case len(defaults) == 1:
		return defaults[0]
	case len(defaults) == 0 && named(localPath):
		return localPath
	default:
		return ""
	}
}

// ClassOr is the StorageClass that the platform's configuration names, or, where it leaves that to the cluster, the one
// that auto stands for.
func ClassOr(configured string, classes []storagev1.StorageClass) string {
	if configured == "" || configured == platform.ClassAuto {
		return DefaultClass(classes)
	}
	return configured
}

// ForDisk renders the PersistentVolumeClaim of a Disk by the VirtFoundry sheet, section 1.4. A claim that exists keeps
// its class, which never changes.
func ForDisk(disk *virtfoundryv1alpha1.Disk, configured string, classes []storagev1.StorageClass, live *corev1.PersistentVolumeClaim) *corev1.PersistentVolumeClaim {
	class := string(disk.Spec.StorageClass)
	if class == "" {
		class = ClassOr(configured, classes)
	}
	if live != nil && live.Spec.StorageClassName != nil {
		class = *live.Spec.StorageClassName
	}
	mode := corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: held(disk, facts.KindDisk, facts.DiskClaim(disk.Name)),
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class,
			VolumeMode:       &mode,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: *resource.NewQuantity(disk.Spec.SizeGi*gibibyte, resource.BinarySI),
			}},
		},
	}
}

// ForInstanceSnapshot renders the VirtualMachineSnapshot of an InstanceSnapshot by the VirtFoundry sheet, section 1.4.
func ForInstanceSnapshot(snapshot *virtfoundryv1alpha1.InstanceSnapshot) *snapshotv1beta1.VirtualMachineSnapshot {
	group, policy := kubevirtv1.GroupVersion.Group, snapshotv1beta1.VirtualMachineSnapshotContentDelete
	return &snapshotv1beta1.VirtualMachineSnapshot{
		TypeMeta:   metav1.TypeMeta{APIVersion: snapshotv1beta1.SchemeGroupVersion.String(), Kind: "VirtualMachineSnapshot"},
		ObjectMeta: held(snapshot, facts.KindInstanceSnapshot, snapshot.Name),
		Spec: snapshotv1beta1.VirtualMachineSnapshotSpec{
			Source:         corev1.TypedLocalObjectReference{APIGroup: &group, Kind: "VirtualMachine", Name: snapshot.Spec.InstanceRef.Name},
			DeletionPolicy: &policy,
		},
	}
}

// ForDiskSnapshot renders the VolumeSnapshot of a DiskSnapshot by the VirtFoundry sheet, sections 1.4 and 6: of the class
// that the platform's configuration names, else of class longhorn for a volume of longhorn, else of the driver's only
// class, else of the cluster's default for the driver.
func ForDiskSnapshot(snapshot *virtfoundryv1alpha1.DiskSnapshot, configured string, claim *corev1.PersistentVolumeClaim, classes []storagev1.StorageClass, kept []volumesnapshotv1.VolumeSnapshotClass) *volumesnapshotv1.VolumeSnapshot {
	source := facts.DiskClaim(snapshot.Spec.DiskRef.Name)
	child := &volumesnapshotv1.VolumeSnapshot{
		TypeMeta:   metav1.TypeMeta{APIVersion: volumesnapshotv1.GroupVersion.String(), Kind: volumesnapshotv1.KindVolumeSnapshot},
		ObjectMeta: held(snapshot, facts.KindDiskSnapshot, snapshot.Name),
		Spec:       volumesnapshotv1.VolumeSnapshotSpec{Source: volumesnapshotv1.VolumeSnapshotSource{PersistentVolumeClaimName: &source}},
	}
	name := configured
	if name == "" {
		name = snapshotClass(claim, classes, kept)
	}
	if name != "" {
		child.Spec.VolumeSnapshotClassName = &name
	}
	return child
}

func snapshotClass(claim *corev1.PersistentVolumeClaim, classes []storagev1.StorageClass, kept []volumesnapshotv1.VolumeSnapshotClass) string {
	if claim == nil || claim.Spec.StorageClassName == nil {
		return ""
	}
	if *claim.Spec.StorageClassName == longhorn {
		return longhorn
	}
	at := slices.IndexFunc(classes, func(c storagev1.StorageClass) bool { return c.Name == *claim.Spec.StorageClassName })
	if at < 0 {
		return ""
	}
	ofDriver := []string{}
	for i := range kept {
		if kept[i].Driver == classes[at].Provisioner {
			ofDriver = append(ofDriver, kept[i].Name)
		}
	}
	if len(ofDriver) == 1 {
		return ofDriver[0]
	}
	return ""
}

// held is the metadata of a child of what a tenant holds.
func held(object client.Object, kind, name string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{
		Namespace: object.GetNamespace(), Name: name,
		Labels: map[string]string{
			virtfoundryv1alpha1.LabelPartOf:    virtfoundryv1alpha1.PartOf,
			virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy,
		},
		OwnerReferences: owner(object, virtfoundryv1alpha1.GroupVersion.WithKind(kind)),
	}
	if slug, tenants := strings.CutPrefix(object.GetNamespace(), virtfoundryv1alpha1.NamespacePrefix); tenants {
		meta.Labels[virtfoundryv1alpha1.LabelTenant] = slug
	}
	return meta
}
