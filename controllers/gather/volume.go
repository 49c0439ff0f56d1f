package gather

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/policy/facts"
)

// Disk gathers a Disk with its claim, the classes that there are, the Instance
// that it names and the machines that have the claim.
func (g *Gatherer) Disk(ctx context.Context, disk *virtfoundryv1alpha1.Disk, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Volume.Disk = disk
	c.holder(ctx, disk.Namespace)
	c.claim(ctx, disk.Namespace, facts.DiskClaim(disk.Name))
	c.classes(ctx)
	c.instance(ctx, disk.Namespace, facts.InstanceOf(disk))
	c.machinesBeside(ctx, disk.Namespace)
	c.profile(ctx, facts.KindDisk)
	return c.out, c.failure
}

// InstanceSnapshot gathers an InstanceSnapshot with the Instance that it names,
// its machine, and what KubeVirt keeps of it.
func (g *Gatherer) InstanceSnapshot(ctx context.Context, snapshot *virtfoundryv1alpha1.InstanceSnapshot, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	v := &c.out.Volume
	v.InstanceSnapshot = snapshot
	c.holder(ctx, snapshot.Namespace)
	source := snapshot.Spec.InstanceRef.Name
	c.instance(ctx, snapshot.Namespace, source)
	var machine kubevirtv1.VirtualMachine
	if c.get(ctx, types.NamespacedName{Namespace: snapshot.Namespace, Name: source}, &machine, "virtualmachines.kubevirt.io", "volume.machines") {
		v.Machines = []kubevirtv1.VirtualMachine{machine}
	}
	var child snapshotv1beta1.VirtualMachineSnapshot
	if c.get(ctx, client.ObjectKeyFromObject(snapshot), &child, "virtualmachinesnapshots.snapshot.kubevirt.io", "volume.snapshots") {
		v.MachineSnapshots = []snapshotv1beta1.VirtualMachineSnapshot{child}
	}
	c.profile(ctx, facts.KindInstanceSnapshot)
	return c.out, c.failure
}

// DiskSnapshot gathers a DiskSnapshot with the Disk that it names, its claim,
// the classes of both kinds, and what the driver keeps of it.
func (g *Gatherer) DiskSnapshot(ctx context.Context, snapshot *virtfoundryv1alpha1.DiskSnapshot, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	v := &c.out.Volume
	v.DiskSnapshot = snapshot
	c.holder(ctx, snapshot.Namespace)
	source := snapshot.Spec.DiskRef.Name
	var disk virtfoundryv1alpha1.Disk
	if source != "" && c.get(ctx, types.NamespacedName{Namespace: snapshot.Namespace, Name: source}, &disk, "disks.virtfoundry.io", "volume.disks") {
		v.Disks = []virtfoundryv1alpha1.Disk{disk}
	}
	if c.FromFiles && len(v.Disks) == 0 {
		c.gap(fmt.Sprintf("Disk %s/%s is not in the input", snapshot.Namespace, source), "volume.disks")
	}
	c.claim(ctx, snapshot.Namespace, facts.DiskClaim(source))
	c.classes(ctx)
	c.snapshots(ctx, snapshot)
	c.profile(ctx, facts.KindDiskSnapshot)
	return c.out, c.failure
}

// snapshots reads VolumeSnapshots where they are served; files do not tell
// whether they are, unless they hold a class of them.
func (c *collector) snapshots(ctx context.Context, snapshot *virtfoundryv1alpha1.DiskSnapshot) {
	if !c.FromFiles && !c.out.Cluster.VolumeSnapshots {
		return
	}
	var classes volumesnapshotv1.VolumeSnapshotClassList
	c.list(ctx, "", &classes, "volumesnapshotclasses.snapshot.storage.k8s.io", "volume.snapshotClasses")
	c.out.Volume.SnapshotClasses = classes.Items
	if c.FromFiles {
		c.out.Cluster.VolumeSnapshots = len(classes.Items) > 0
		if len(classes.Items) == 0 {
			c.gap("the input holds no VolumeSnapshotClass: whether the cluster has one is not known", "volume.snapshotClasses", "cluster.volumeSnapshots")
		}
	}
	var child volumesnapshotv1.VolumeSnapshot
	if c.get(ctx, client.ObjectKeyFromObject(snapshot), &child, "volumesnapshots.snapshot.storage.k8s.io", "volume.snapshots") {
		c.out.Volume.VolumeSnapshots = []volumesnapshotv1.VolumeSnapshot{child}
	}
}

// holder reads whose the namespace is.
func (c *collector) holder(ctx context.Context, namespace string) {
	c.namespace(ctx, namespace)
	slug, ours := strings.CutPrefix(namespace, virtfoundryv1alpha1.NamespacePrefix)
	if !ours {
		return
	}
	const resource = "tenants.virtfoundry.io"
	if reason := c.Blind(resource, ""); reason != "" {
		c.unseen(reason, "fabric.tenants")
		return
	}
	var tenants virtfoundryv1alpha1.TenantList
	if err := c.Reader.List(ctx, &tenants, client.MatchingFields{SlugIndex: slug}); err != nil {
		c.unreadable(err, "list", resource, "", "fabric.tenants")
	}
	c.out.Volume.Tenants = tenants.Items
}

func (c *collector) claim(ctx context.Context, namespace, name string) {
	var claim corev1.PersistentVolumeClaim
	if name != "" && c.get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &claim, "persistentvolumeclaims", "volume.claims") {
		c.out.Volume.Claims = []corev1.PersistentVolumeClaim{claim}
	}
}

func (c *collector) classes(ctx context.Context) {
	var classes storagev1.StorageClassList
	c.list(ctx, "", &classes, "storageclasses.storage.k8s.io", "volume.classes")
	c.out.Volume.Classes = classes.Items
	if c.FromFiles && len(classes.Items) == 0 {
		c.gap("the input holds no StorageClass: which ones the cluster has is not known", "volume.classes")
	}
}

func (c *collector) instance(ctx context.Context, namespace, name string) {
	if name == "" {
		return
	}
	var instance virtfoundryv1alpha1.Instance
	if c.get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &instance, "instances.virtfoundry.io", "volume.instances") {
		c.out.Volume.Instances = []virtfoundryv1alpha1.Instance{instance}
	}
	if c.FromFiles && len(c.out.Volume.Instances) == 0 {
		c.gap(fmt.Sprintf("Instance %s/%s is not in the input", namespace, name), "volume.instances")
	}
}

// machinesBeside reads the machines that may have a claim of the namespace.
func (c *collector) machinesBeside(ctx context.Context, namespace string) {
	var machines kubevirtv1.VirtualMachineList
	c.list(ctx, namespace, &machines, "virtualmachines.kubevirt.io", "volume.machines", "volume.uses")
	c.out.Volume.Machines = machines.Items
	var running kubevirtv1.VirtualMachineInstanceList
	c.list(ctx, namespace, &running, "virtualmachineinstances.kubevirt.io", "volume.uses")
	c.out.Volume.Running = running.Items
}
