package gather

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// machine gathers what surrounds a virtual machine of either kind.
func (c *collector) machine(ctx context.Context, key types.NamespacedName, kind string) {
	c.namespace(ctx, key.Namespace)
	c.assumeCluster(key.Namespace)
	c.policies(ctx, key.Namespace)
	var vmi kubevirtv1.VirtualMachineInstance
	if c.get(ctx, key, &vmi, "virtualmachineinstances.kubevirt.io", machineGaps()...) {
		c.out.VirtualMachineInstance = &vmi
		c.launchers(ctx, &vmi)
	}
	c.storage(ctx, key)
	c.sourceNamespaces(ctx)
	c.secrets(ctx, key.Namespace)
	c.instancetype(ctx)
	c.cdiConfig(ctx)
	c.profile(ctx, kind)
}

// specs are the specifications of the machine: the template's and the running one's.
func (c *collector) specs() []*kubevirtv1.VirtualMachineInstanceSpec {
	specs := []*kubevirtv1.VirtualMachineInstanceSpec{}
	if vm := c.out.VirtualMachine; vm != nil && vm.Spec.Template != nil {
		specs = append(specs, &vm.Spec.Template.Spec)
	}
	if vmi := c.out.VirtualMachineInstance; vmi != nil {
		specs = append(specs, &vmi.Spec)
	}
	return specs
}

// storage follows each claim to its DataVolume and to what that was cloned from.
func (c *collector) storage(ctx context.Context, machine types.NamespacedName) {
	pending := []types.NamespacedName{}
	if c.out.Machine != nil {
		pending = append(pending, types.NamespacedName{Namespace: machine.Namespace, Name: machine.Name + "-dv"})
	}
	for _, name := range facts.InstanceVolumes(c.out) {
		pending = append(pending, types.NamespacedName{Namespace: machine.Namespace, Name: name})
	}
	for _, spec := range c.specs() {
		for i := range spec.Volumes {
			if name := facts.ClaimName(&spec.Volumes[i].VolumeSource); name != "" {
				pending = append(pending, types.NamespacedName{Namespace: machine.Namespace, Name: name})
			}
		}
	}
	seen := map[types.NamespacedName]bool{}
	const most = 64 // KubeVirt attaches fewer disks; a chain of clones must end
	for len(pending) > 0 && len(seen) < most {
		key := pending[0]
		pending = pending[1:]
		if seen[key] {
			continue
		}
		seen[key] = true
		var claim corev1.PersistentVolumeClaim
		if c.get(ctx, key, &claim, "persistentvolumeclaims", "disks") {
			c.out.Claims = append(c.out.Claims, claim)
		}
		var volume cdiv1beta1.DataVolume
		if c.get(ctx, key, &volume, "datavolumes.cdi.kubevirt.io", "disks", "images", "origins", "foreign") {
			c.out.DataVolumes = append(c.out.DataVolumes, volume)
		} else if volume = c.planned(key); volume.Name == "" {
			continue
		}
		if next, found := c.clonedFrom(ctx, &volume); found {
			pending = append(pending, next)
		}
	}
	if len(pending) > 0 {
		c.gap(fmt.Sprintf("the machine has more than %d claims, of which the rest was not read", most), "disks", "images", "origins", "foreign")
	}
}

// planned is the DataVolume that the VirtualMachine will make, so that what it
// clones is known before; without a name when there is none of the key.
func (c *collector) planned(key types.NamespacedName) cdiv1beta1.DataVolume {
	if vm := c.out.VirtualMachine; vm != nil && vm.Namespace == key.Namespace {
		for _, template := range vm.Spec.DataVolumeTemplates {
			if template.Name == key.Name {
				return cdiv1beta1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Spec: template.Spec}
			}
		}
	}
	return cdiv1beta1.DataVolume{}
}

// clonedFrom names the claim that a DataVolume is a clone of.
func (c *collector) clonedFrom(ctx context.Context, volume *cdiv1beta1.DataVolume) (types.NamespacedName, bool) {
	if source := volume.Spec.Source; source != nil && source.PVC != nil {
		return inNamespace(source.PVC.Namespace, source.PVC.Name, volume.Namespace), true
	}
	ref := volume.Spec.SourceRef
	if ref == nil {
		return types.NamespacedName{}, false
	}
	namespace := ""
	if ref.Namespace != nil {
		namespace = *ref.Namespace
	}
	var source cdiv1beta1.DataSource
	key := inNamespace(namespace, ref.Name, volume.Namespace)
	if !c.get(ctx, key, &source, "datasources.cdi.kubevirt.io", "disks", "foreign") {
		if key.Namespace == volume.Namespace {
			c.gap(fmt.Sprintf("DataSource %s, which DataVolume %s was made from, does not exist: where it pointed to is not known", key, volume.Name), "foreign")
		}
		return types.NamespacedName{}, false
	}
	c.out.DataSources = append(c.out.DataSources, source)
	if source.Spec.Source.PVC == nil {
		return types.NamespacedName{}, false
	}
	return inNamespace(source.Spec.Source.PVC.Namespace, source.Spec.Source.PVC.Name, source.Namespace), true
}

// sourceNamespaces reads the labels of the namespaces that the machine takes
// content from; the objects there are read only where a grant allows it.
func (c *collector) sourceNamespaces(ctx context.Context) {
	for _, name := range facts.SourceNamespaces(c.out) {
		var namespace corev1.Namespace
		switch {
		case c.get(ctx, types.NamespacedName{Name: name}, &namespace, "namespaces", "foreign"):
			c.out.SourceNamespaces = append(c.out.SourceNamespaces, namespace)
		case c.FromFiles:
			c.assume("Namespace %s is not in the input: it is taken to be no golden catalogue", name)
		}
	}
}

func inNamespace(namespace, name, otherwise string) types.NamespacedName {
	if namespace == "" {
		namespace = otherwise
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// secrets decodes the Secrets that cloud-init volumes name. One that does not
// exist is left out: the facts say so.
func (c *collector) secrets(ctx context.Context, namespace string) {
	seen := map[string]bool{}
	for _, spec := range c.specs() {
		for i := range spec.Volumes {
			name := facts.UserDataSecretName(&spec.Volumes[i].VolumeSource)
			if name == "" || seen[name] {
				continue
			}
			seen[name] = true
			c.secret(ctx, types.NamespacedName{Namespace: namespace, Name: name})
		}
	}
}

func (c *collector) secret(ctx context.Context, key types.NamespacedName) {
	if reason := c.Blind("secrets", key.Namespace); reason != "" {
		c.unseen(reason, "guest.userData")
		return
	}
	secret, err := c.Secrets(ctx, key)
	switch {
	case err == nil:
		c.out.Secrets = append(c.out.Secrets, secret)
	case !apierrors.IsNotFound(err):
		c.unreadable(err, "get", "secrets", key.Namespace, "guest.userData")
	}
}

// cdiConfig reads the file system overheads; CDI's default stands in where
// they are not known, and the document says so.
func (c *collector) cdiConfig(ctx context.Context) {
	var config cdiv1beta1.CDIConfig
	if c.get(ctx, types.NamespacedName{Name: "config"}, &config, "cdiconfigs.cdi.kubevirt.io", "cluster.cdiOverhead") && config.Status.FilesystemOverhead != nil {
		c.out.CDIConfig = &config
		return
	}
	c.assume("CDIConfig/config is not known: the file system overhead is taken as CDI's default, 0.06")
}

// assumeCluster names what files do not tell of the cluster around a machine.
func (c *collector) assumeCluster(namespace string) {
	if !c.FromFiles {
		return
	}
	if c.out.Namespace == nil {
		c.assume("Namespace %s is not in the input: it is taken to have no labels, so that no grant selects it", namespace)
	}
	if m := c.out.Machine; m != nil && m.Spec.SourceType == udsv1alpha1.SourceUpload && !c.Capabilities.CDIUploadChecksum {
		c.assume("that the cluster's CDI does not compare the checksum of an upload is assumed, as released CDI does not")
	}
}

func (c *collector) assume(format string, args ...any) {
	c.out.Assumptions = append(c.out.Assumptions, fmt.Sprintf(format, args...))
}

// builtInProfile is the profile that holds for a kind without any object.
func builtInProfile(kind string) string {
	switch kind {
	case facts.KindTenant, facts.KindInstance, facts.KindTemplate, facts.KindOffering,
		facts.KindNetwork, facts.KindVPC, facts.KindIPAddress, facts.KindSecurityGroup,
		facts.KindSSHKey, facts.KindDisk, facts.KindDiskSnapshot, facts.KindInstanceSnapshot, facts.KindUser, facts.KindRole, facts.KindAPIKey,
		facts.KindPlatform:
		return "virtfoundry"
	default:
		return "uds"
	}
}
