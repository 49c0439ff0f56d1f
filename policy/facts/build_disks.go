package facts

import (
	"fmt"
	"math"
	"strings"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// buildDisks lists the disks of the machine's forms. The running instance's
// disks are listed beside the template's only where they differ.
func buildDisks(g *Gathered, forms []form, namespace string, root *int64) []Disk {
	disks := []Disk{}
	lineages := newLineages(g)
	for _, f := range forms {
		volumes := map[string]*kubevirtv1.VolumeSource{}
		for i := range f.spec.Volumes {
			volumes[f.spec.Volumes[i].Name] = &f.spec.Volumes[i].VolumeSource
		}
		boot := bootDisk(f.spec, volumes, func(volume *kubevirtv1.VolumeSource) bool { return lineages.startsEmpty(volume, namespace) })
		for i := range f.spec.Domain.Devices.Disks {
			spec := &f.spec.Domain.Devices.Disks[i]
			d := Disk{
				Name: spec.Name, Launcher: f.launcher, Boot: spec.Name == boot, VolumeKind: "absent",
				Path:  fmt.Sprintf("%s %s.domain.devices.disks[%d]", f.object, f.path, i),
				Image: []Image{}, Lineage: []Import{}, Claim: []Claim{},
			}
			if d.Boot {
				d.VirtualBytes = root
			}
			if volume := volumes[spec.Name]; volume != nil {
				lineages.fill(&d, volume, namespace)
			}
			if !repeatsTemplate(disks, d) {
				disks = append(disks, d)
			}
		}
	}
	return disks
}

func repeatsTemplate(disks []Disk, d Disk) bool {
	for _, other := range disks {
		other.Launcher, other.Path = d.Launcher, d.Path
		if same(other, d) {
			return true
		}
	}
	return false
}

// bootDisk is the disk with the lowest bootOrder or, where nobody orders, the
// first one that can hold an operating system: firmware tries a CD-ROM only
// where no disk has content. An interface that comes before
// every disk boots from the network: then no disk is the answer.
func bootDisk(spec *kubevirtv1.VirtualMachineInstanceSpec, volumes map[string]*kubevirtv1.VolumeSource, empty func(*kubevirtv1.VolumeSource) bool) string {
	name, first := "", uint(math.MaxUint)
	for i := range spec.Domain.Devices.Disks {
		if order := spec.Domain.Devices.Disks[i].BootOrder; order != nil && *order < first {
			name, first = spec.Domain.Devices.Disks[i].Name, *order
		}
	}
	for i := range spec.Domain.Devices.Interfaces {
		if order := spec.Domain.Devices.Interfaces[i].BootOrder; order != nil && *order < first {
			name, first = "", *order
		}
	}
	if first != math.MaxUint {
		return name
	}
	otherwise := ""
	for i := range spec.Domain.Devices.Disks {
		disk := &spec.Domain.Devices.Disks[i]
		volume := volumes[disk.Name]
		switch {
		case volume != nil && !bootable(volume):
		case disk.CDRom == nil && (volume == nil || !empty(volume)):
			return disk.Name
		case otherwise == "":
			otherwise = disk.Name
		}
	}
	return otherwise
}

func bootable(v *kubevirtv1.VolumeSource) bool {
	switch volumeKind(v) {
	case "cloudInit", "sysprep", "configMap", "secret", "serviceAccount", "downwardAPI", "downwardMetrics", "emptyDisk":
		return false
	default:
		return true
	}
}

func volumeKind(v *kubevirtv1.VolumeSource) string {
	switch {
	case v.DataVolume != nil:
		return "dataVolume"
	case v.PersistentVolumeClaim != nil:
		return "persistentVolumeClaim"
	case v.ContainerDisk != nil:
		return "containerDisk"
	case v.Ephemeral != nil:
		return "ephemeral"
	case v.HostDisk != nil:
		return "hostDisk"
	case v.EmptyDisk != nil:
		return "emptyDisk"
	case v.CloudInitNoCloud != nil, v.CloudInitConfigDrive != nil:
		return "cloudInit"
	case v.Sysprep != nil:
		return "sysprep"
	case v.ConfigMap != nil:
		return "configMap"
	case v.Secret != nil:
		return "secret"
	case v.ServiceAccount != nil:
		return "serviceAccount"
	case v.DownwardAPI != nil:
		return "downwardAPI"
	case v.DownwardMetrics != nil:
		return "downwardMetrics"
	default:
		return "other"
	}
}

func buildClaim(pvc *corev1.PersistentVolumeClaim, virtual *int64, overheads overheads) Claim {
	c := Claim{Name: pvc.Name, UID: string(pvc.UID), Phase: string(pvc.Status.Phase)}
	if pvc.Spec.VolumeMode != nil {
		c.VolumeMode = string(*pvc.Spec.VolumeMode)
	}
	if pvc.Spec.StorageClassName != nil {
		c.StorageClass = *pvc.Spec.StorageClassName
	}
	c.RequestBytes = storageOf(pvc.Spec.Resources.Requests)
	c.CapacityBytes = storageOf(pvc.Status.Capacity)
	c.RequiredBytes = overheads.required(virtual, c.StorageClass, c.VolumeMode)
	return c
}

// storageOf measures a resource list's storage; null when it is absent or too
// large to be a size.
func storageOf(list corev1.ResourceList) *int64 {
	amount, found := list[corev1.ResourceStorage]
	if !found {
		return nil
	}
	return amountOf(amount.String())
}

func amountOf(text string) *int64 {
	value, err := exactQuantity(text)
	if err != nil {
		return nil
	}
	whole := ceil(value)
	if !whole.IsInt64() {
		return nil
	}
	n := whole.Int64()
	return &n
}

func imagesOf(g *Gathered, forms []form, disks []Disk) []ImageUse {
	images := []ImageUse{}
	add := func(use ImageUse) {
		for _, other := range images {
			if other.Use == use.Use && other.Image.Text == use.Image.Text {
				return
			}
		}
		images = append(images, use)
	}
	for _, f := range forms {
		for i := range f.spec.Volumes {
			if disk := f.spec.Volumes[i].ContainerDisk; disk != nil {
				add(ImageUse{Path: fmt.Sprintf("%s %s.volumes[%d].containerDisk.image", f.object, f.path, i), Launcher: f.launcher, Use: "disk", Image: parseImage(disk.Image)})
			}
		}
		if fw := f.spec.Domain.Firmware; fw != nil && fw.KernelBoot != nil && fw.KernelBoot.Container != nil {
			add(ImageUse{Path: f.object + " " + f.path + ".domain.firmware.kernelBoot.container.image", Launcher: f.launcher, Use: "kernel", Image: parseImage(fw.KernelBoot.Container.Image)})
		}
		for _, use := range sidecars(f) {
			add(use)
		}
	}
	for _, d := range disks {
		for _, step := range d.Lineage {
			for _, image := range step.Image {
				add(ImageUse{Path: "DataVolume/" + step.Name + " spec.source.registry.url", Launcher: d.Launcher, Use: "import", Image: image})
			}
		}
	}
	if t := g.Template; t != nil && t.Spec.SourceType == virtfoundryv1alpha1.TemplateContainer {
		add(ImageUse{Path: "spec.image", Launcher: fromTemplate, Use: "disk", Image: parseImage(t.Spec.Image)})
	}
	if t := g.Template; t != nil && t.Spec.SourceType == virtfoundryv1alpha1.TemplateQCOW2 && !isWebURL(t.Spec.Image) {
		add(ImageUse{Path: "spec.image", Launcher: fromTemplate, Use: "import", Image: templateImage(t)})
	}
	if m := g.Machine; m != nil && strings.EqualFold(string(m.Spec.SourceType), "registry") {
		add(ImageUse{Path: "spec.url", Launcher: fromTemplate, Use: "import", Image: parseRegistryURL(m.Spec.URL)})
	}
	return images
}

func isWebURL(text string) bool {
	scheme, _, isURL := strings.Cut(text, "://")
	return isURL && !strings.EqualFold(scheme, "docker")
}
