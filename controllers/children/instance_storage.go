package children

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// Names of an Instance's disks, as users know them (VirtFoundry sheet, sections 1.4 and 3.2).
const (
	containerDisk = "containerdisk"
	bootDisk      = "bootdisk"
	mediumDisk    = "installiso"
	driversDisk   = "virtiodrivers"
)

// What a Template without sizes has, in GiB (VirtFoundry sheet, section 6: storage.windowsBootSizeGi and
// windowsISOSizeGi), and the bound of the Template's schema.
const (
	defaultBootGi   = 32
	defaultMediumGi = 8
	mostGi          = 65536
)

// driversImage holds the drivers that Windows' setup needs for virtio, of KubeVirt's release.
const driversImage = "quay.io/kubevirt/virtio-container-disk:v1.8.2"

// instanceStorage is what a guest boots from and is told by.
type instanceStorage struct {
	imports []*cdiv1beta1.DataVolume
	disks   []kubevirtv1.Disk
	volumes []kubevirtv1.Volume
	windows bool // the machine is made for Windows, which takes no cloud-init
}

func (s *instanceStorage) add(disk kubevirtv1.Disk, source kubevirtv1.VolumeSource) {
	s.disks = append(s.disks, disk)
	s.volumes = append(s.volumes, kubevirtv1.Volume{Name: disk.Name, VolumeSource: source})
}

// imported adds a disk that a DataVolume of ours is behind.
func (s *instanceStorage) imported(disk kubevirtv1.Disk, volume *cdiv1beta1.DataVolume) {
	s.imports = append(s.imports, volume)
	s.add(disk, kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: volume.Name}})
}

// storageFor renders the disks of a Template's source. It fails where there can be none, naming the Template's
// field and the remedy; the image's address is not repeated, since it may hold a password.
func storageFor(in InstanceInput, template *virtfoundryv1alpha1.Template) (*instanceStorage, error) {
	s := &instanceStorage{}
	spec := &template.Spec
	if spec.SourceType == virtfoundryv1alpha1.TemplateContainer {
		s.add(virtioDisk(containerDisk), kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{Image: spec.Image}})
		return s, nil
	}
	wrong := func(field, problem string) (*instanceStorage, error) {
		return nil, fmt.Errorf("%s: spec.templateRef: Template %s/%s: %s %s", namedInstance(in.Found.Instance), template.Namespace, template.Name, field, problem)
	}
	switch system := strings.ToLower(spec.OSType); system {
	case "", "linux":
	case "windows":
		s.windows = true
	default:
		return wrong("spec.osType", fmt.Sprintf("%q is no operating system that a machine can be made for: use linux or windows", spec.OSType))
	}
	source, problem := templateSource(spec)
	if problem != "" {
		return wrong("spec.image", problem)
	}
	bootGi, problem := sizeGi(spec.BootDiskSizeGi, defaultBootGi)
	if problem != "" {
		return wrong("spec.bootDiskSizeGi", problem)
	}
	mediumGi, problem := sizeGi(spec.ISOSizeGi, defaultMediumGi)
	if problem != "" {
		return wrong("spec.isoSizeGi", problem)
	}
	boot := virtioDisk(bootDisk)
	if s.windows {
		boot.Disk.Bus = kubevirtv1.DiskBusSATA
	}
	switch spec.SourceType {
	case virtfoundryv1alpha1.TemplateQCOW2:
		s.imported(boot, instanceVolume(in, template, virtfoundryv1alpha1.BootSuffix, bootGi, source))
	case virtfoundryv1alpha1.TemplateISO:
		blank := &cdiv1beta1.DataVolumeSource{Blank: &cdiv1beta1.DataVolumeBlankImage{}}
		s.imported(boot, instanceVolume(in, template, virtfoundryv1alpha1.BootSuffix, bootGi, blank))
		medium, first := cdrom(mediumDisk), uint(1)
		medium.BootOrder = &first
		s.imported(medium, instanceVolume(in, template, virtfoundryv1alpha1.MediumSuffix, mediumGi, source))
		if s.windows {
			s.add(cdrom(driversDisk), kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{Image: driversImage}})
		}
	default:
		return wrong("spec.sourceType", fmt.Sprintf("%q is no source: use container, iso or qcow2", spec.SourceType))
	}
	return s, nil
}

// templateSource is where CDI takes the image from; a problem follows the field's name.
func templateSource(spec *virtfoundryv1alpha1.TemplateSpec) (source *cdiv1beta1.DataVolumeSource, problem string) {
	scheme, _, isURL := strings.Cut(spec.Image, "://")
	scheme = strings.ToLower(scheme)
	switch {
	case isURL && (scheme == "http" || scheme == "https"):
		return &cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: spec.Image, Checksum: spec.Checksum}}, ""
	case spec.SourceType == virtfoundryv1alpha1.TemplateISO:
		return nil, "is no http(s) URL, which sourceType iso needs: set it to the https URL of the installation medium"
	case isURL && scheme != "docker":
		return nil, "is of a scheme that nothing imports: use https, http or docker"
	case spec.Checksum != "":
		return nil, "is of a registry, where spec.checksum is not compared: remove spec.checksum, and write the image by its digest"
	}
	url := spec.Image
	if !isURL {
		url = "docker://" + url
	}
	return &cdiv1beta1.DataVolumeSource{Registry: &cdiv1beta1.DataVolumeSourceRegistry{URL: &url}}, ""
}

func sizeGi(asked, otherwise int64) (size int64, problem string) {
	switch {
	case asked < 0 || asked > mostGi:
		return 0, fmt.Sprintf("%d is out of bounds: use 1 to %d GiB, or 0 for the default of %d", asked, mostGi, otherwise)
	case asked == 0:
		return otherwise, ""
	default:
		return asked, ""
	}
}

// instanceVolume renders a DataVolume that goes with its Instance. A guest has its own copy of the medium too: a
// volume serves one node at a time, and the platform's Templates lie in another namespace.
func instanceVolume(in InstanceInput, template *virtfoundryv1alpha1.Template, suffix string, gi int64, source *cdiv1beta1.DataVolumeSource) *cdiv1beta1.DataVolume {
	meta := instanceMeta(in.Found.Instance, suffix)
	meta.Annotations = map[string]string{bindImmediately: "true"}
	storage := &cdiv1beta1.StorageSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceStorage: *resource.NewQuantity(gi*gibibyte, resource.BinarySI),
		}},
	}
	if class := facts.ClassOf(template); class != "" {
		storage.StorageClassName = &class
	} else if class := ClassOr(in.Found.Platform.DefaultClass, in.Found.Volume.Classes); class != "" {
		storage.StorageClassName = &class
	}
	return &cdiv1beta1.DataVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: cdiv1beta1.SchemeGroupVersion.String(), Kind: "DataVolume"},
		ObjectMeta: meta,
		Spec:       cdiv1beta1.DataVolumeSpec{Source: source, Storage: storage},
	}
}

func cdrom(name string) kubevirtv1.Disk {
	return kubevirtv1.Disk{Name: name, DiskDevice: kubevirtv1.DiskDevice{CDRom: &kubevirtv1.CDRomTarget{Bus: kubevirtv1.DiskBusSATA}}}
}

// MergeInstance is MergeVirtualMachine for an Instance: disks and volumes of others stay, those of our names that are
// wanted no more go, and the NICs are those of the Instance alone.
func MergeInstance(desired, live *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachine {
	merged := MergeVirtualMachine(desired, live)
	want, spec := &desired.Spec.Template.Spec, &merged.Spec.Template.Spec
	spec.Networks = spec.Networks[:len(want.Networks)]
	spec.Domain.Devices.Interfaces = spec.Domain.Devices.Interfaces[:len(want.Domain.Devices.Interfaces)]
	stale := func(name string) bool {
		return slices.Contains([]string{containerDisk, cloudInitDisk, bootDisk, mediumDisk, driversDisk}, name) &&
			!slices.ContainsFunc(want.Volumes, func(v kubevirtv1.Volume) bool { return v.Name == name })
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v kubevirtv1.Volume) bool { return stale(v.Name) })
	devices := &spec.Domain.Devices
	devices.Disks = slices.DeleteFunc(devices.Disks, func(d kubevirtv1.Disk) bool { return stale(d.Name) })
	if firmware := want.Domain.Firmware; firmware != nil { // the rest of it, such as the serial, is the guest's identity
		if spec.Domain.Firmware == nil {
			spec.Domain.Firmware = &kubevirtv1.Firmware{}
		}
		spec.Domain.Firmware = spec.Domain.Firmware.DeepCopy()
		spec.Domain.Firmware.Bootloader = firmware.Bootloader
	}
	return merged
}
