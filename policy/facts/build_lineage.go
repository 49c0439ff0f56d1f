package facts

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// longestLineage bounds how far clones are followed: golden images are one or
// two steps away, and a cycle must end.
const longestLineage = 8

type lineages struct {
	volumes   map[string]*cdiv1beta1.DataVolume // by namespace/name
	sources   map[string]*cdiv1beta1.DataSource
	claims    map[string]*corev1.PersistentVolumeClaim
	overheads overheads
	adopts    bool // CDI adopts claims that exist, unless a DataVolume says no
}

func newLineages(g *Gathered) lineages {
	l := lineages{
		volumes: map[string]*cdiv1beta1.DataVolume{}, sources: map[string]*cdiv1beta1.DataSource{},
		claims: map[string]*corev1.PersistentVolumeClaim{}, overheads: newOverheads(g.CDIConfig),
	}
	_, l.overheads.unknown = g.Gaps["cluster.cdiOverhead"]
	l.adopts = g.CDIConfig != nil && slices.Contains(g.CDIConfig.Spec.FeatureGates, "DataVolumeClaimAdoption")
	if vm := g.VirtualMachine; vm != nil {
		for i := range vm.Spec.DataVolumeTemplates {
			t := &vm.Spec.DataVolumeTemplates[i]
			l.volumes[vm.Namespace+"/"+t.Name] = &cdiv1beta1.DataVolume{ObjectMeta: t.ObjectMeta, Spec: t.Spec}
		}
	}
	for i := range g.DataVolumes {
		dv := &g.DataVolumes[i]
		l.volumes[dv.Namespace+"/"+dv.Name] = dv
	}
	for i := range g.DataSources {
		l.sources[g.DataSources[i].Namespace+"/"+g.DataSources[i].Name] = &g.DataSources[i]
	}
	for i := range g.Claims {
		l.claims[g.Claims[i].Namespace+"/"+g.Claims[i].Name] = &g.Claims[i]
	}
	return l
}

func (l lineages) fill(d *Disk, volume *kubevirtv1.VolumeSource, namespace string) {
	d.VolumeKind = volumeKind(volume)
	if volume.ContainerDisk != nil {
		d.Image = append(d.Image, parseImage(volume.ContainerDisk.Image))
	}
	name := ClaimName(volume)
	if name == "" {
		return
	}
	if pvc := l.claims[namespace+"/"+name]; pvc != nil {
		d.Claim = append(d.Claim, buildClaim(pvc, d.VirtualBytes, l.overheads))
	}
	key := namespace + "/" + name
	for range longestLineage {
		dv := l.volumes[key]
		if dv == nil {
			return
		}
		step, next := l.step(dv, d, namespace)
		d.Lineage = append(d.Lineage, step)
		if next == "" {
			return
		}
		key = next
	}
}

// step describes one DataVolume and names the claim it was cloned from.
func (l lineages) step(dv *cdiv1beta1.DataVolume, d *Disk, namespace string) (Import, string) {
	step := Import{
		Namespace: dv.Namespace, Name: dv.Name, UID: string(dv.UID), ResourceVersion: dv.ResourceVersion,
		Edited: dv.Generation > 1, Phase: string(dv.Status.Phase), Reason: runningReason(dv),
		CreatedAt: createdAt(dv.CreationTimestamp), ClaimName: dv.Status.ClaimName,
		Checksum: []Checksum{}, Image: []Image{},
	}
	if step.Namespace == "" {
		step.Namespace = namespace
	}
	claim := l.claims[step.Namespace+"/"+step.Name]
	step.ClaimOwned = fills(dv, claim)
	step.FilledElsewhere = l.filledElsewhere(dv, claim)
	next := l.source(dv, &step)
	l.request(dv, d, &step)
	return step, next
}

func runningReason(dv *cdiv1beta1.DataVolume) string {
	for _, c := range dv.Status.Conditions {
		if c.Type == cdiv1beta1.DataVolumeRunning {
			return c.Reason
		}
	}
	return ""
}

func (l lineages) source(dv *cdiv1beta1.DataVolume, step *Import) (next string) {
	at := func(namespace, name string) string {
		if namespace == "" {
			namespace = step.Namespace
		}
		return namespace + "/" + name
	}
	if sources(dv) > 1 {
		l.contents(dv, step)
		step.Source = "none" // which of them was used cannot be told
		return ""
	}
	if ref := dv.Spec.SourceRef; ref != nil {
		step.Source = "dataSource"
		namespace := ""
		if ref.Namespace != nil {
			namespace = *ref.Namespace
		}
		if source := l.sources[at(namespace, ref.Name)]; source != nil && source.Spec.Source.PVC != nil {
			if pvc := source.Spec.Source.PVC; pvc.Namespace != "" {
				return pvc.Namespace + "/" + pvc.Name
			}
			return source.Namespace + "/" + source.Spec.Source.PVC.Name
		}
		return ""
	}
	l.contents(dv, step)
	if s := dv.Spec.Source; s != nil && s.PVC != nil {
		return at(s.PVC.Namespace, s.PVC.Name)
	}
	return ""
}

// contents is what the source of a DataVolume tells of the content.
func (l lineages) contents(dv *cdiv1beta1.DataVolume, step *Import) {
	step.Source = "none"
	s := dv.Spec.Source
	if s == nil {
		return
	}
	path := "DataVolume/" + dv.Name + " spec.source.http.checksum"
	switch {
	case s.HTTP != nil:
		step.Source, step.URL, step.Checksum = "http", withoutUserinfo(s.HTTP.URL), parseChecksum(s.HTTP.Checksum, path)
	case s.Registry != nil:
		step.Source = "registry"
		step.Image = []Image{registryImage(s.Registry)}
		if s.Registry.PullMethod != nil {
			step.PullMethod = string(*s.Registry.PullMethod)
		}
	case s.PVC != nil:
		step.Source = "pvc"
	case s.Snapshot != nil:
		step.Source = "snapshot"
	case s.Upload != nil:
		step.Source = "upload"
	case s.Blank != nil:
		step.Source = "blank"
	case s.S3 != nil:
		step.Source, step.URL = "s3", withoutUserinfo(s.S3.URL)
	case s.GCS != nil:
		step.Source, step.URL = "gcs", withoutUserinfo(s.GCS.URL)
	case s.Imageio != nil:
		step.Source = "imageio"
	case s.VDDK != nil:
		step.Source = "vddk"
	}
}

func registryImage(r *cdiv1beta1.DataVolumeSourceRegistry) Image {
	switch {
	case r.URL != nil:
		return parseRegistryURL(*r.URL)
	case r.ImageStream != nil:
		return Image{Text: "imageStream " + *r.ImageStream, Path: []string{}, Problem: "is an ImageStream: what it points to is not known"}
	default:
		return Image{Path: []string{}, Problem: "names no image"}
	}
}

func (l lineages) request(dv *cdiv1beta1.DataVolume, d *Disk, step *Import) {
	switch {
	case dv.Spec.PVC != nil:
		step.RequestKind = "pvc"
		step.RequestBytes = storageOf(dv.Spec.PVC.Resources.Requests)
		step.VolumeMode, step.StorageClass = modeAndClass(dv.Spec.PVC.VolumeMode, dv.Spec.PVC.StorageClassName)
	case dv.Spec.Storage != nil:
		step.RequestKind = "storage"
		step.RequestBytes = storageOf(dv.Spec.Storage.Resources.Requests)
		step.VolumeMode, step.StorageClass = modeAndClass(dv.Spec.Storage.VolumeMode, dv.Spec.Storage.StorageClassName)
	}
	step.Overhead = l.overheads.of(step.StorageClass).FloatString(3)
	switch step.RequestKind {
	case "pvc":
		step.RequiredBytes = l.overheads.required(d.VirtualBytes, step.StorageClass, step.VolumeMode)
	case "storage":
		if l.overheads.inflated(d.VirtualBytes, step.StorageClass, step.VolumeMode) != nil {
			step.RequiredBytes = d.VirtualBytes
		}
	}
}

func modeAndClass(mode *corev1.PersistentVolumeMode, class *string) (m, c string) {
	if mode != nil {
		m = string(*mode)
	}
	if class != nil {
		c = *class
	}
	return m, c
}
