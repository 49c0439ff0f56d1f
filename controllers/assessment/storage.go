package assessment

import (
	"context"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// Indexes of the cache that events are mapped by. What lies in another
// namespace is indexed as namespace/name.
const (
	ClaimIndex     = "spec.claims"          // machines by the claims they use
	SecretIndex    = "spec.userDataSecrets" // machines by the Secrets their cloud-init names
	CloneIndex     = "spec.clonedClaim"     // DataVolumes and DataSources by the claim they point to
	SourceRefIndex = "spec.sourceRef"       // DataVolumes by the DataSource they are made from
)

// indexed is one index of the cache.
type indexed struct {
	object client.Object
	field  string
	of     client.IndexerFunc
}

func indexes() []indexed {
	return []indexed{
		{&virtfoundryv1alpha1.Tenant{}, gather.SlugIndex, gather.SlugOf},
		{&kubevirtv1.VirtualMachine{}, ClaimIndex, byVolume(facts.ClaimsOf)},
		{&kubevirtv1.VirtualMachine{}, SecretIndex, byVolume(facts.UserDataSecretsOf)},
		{&kubevirtv1.VirtualMachineInstance{}, ClaimIndex, byVolume(facts.ClaimsOf)},
		{&kubevirtv1.VirtualMachineInstance{}, SecretIndex, byVolume(facts.UserDataSecretsOf)},
		{&cdiv1beta1.DataVolume{}, CloneIndex, clonedClaim},
		{&cdiv1beta1.DataVolume{}, SourceRefIndex, sourceRef},
		{&cdiv1beta1.DataSource{}, CloneIndex, clonedClaim},
	}
}

func byVolume(names func(*kubevirtv1.VirtualMachine) []string) client.IndexerFunc {
	return func(object client.Object) []string {
		switch o := object.(type) {
		case *kubevirtv1.VirtualMachine:
			return names(o)
		case *kubevirtv1.VirtualMachineInstance:
			template := &kubevirtv1.VirtualMachineInstanceTemplateSpec{Spec: o.Spec}
			return names(&kubevirtv1.VirtualMachine{Spec: kubevirtv1.VirtualMachineSpec{Template: template}})
		default:
			return nil
		}
	}
}

func clonedClaim(object client.Object) []string {
	var claim *cdiv1beta1.DataVolumeSourcePVC
	switch o := object.(type) {
	case *cdiv1beta1.DataVolume:
		if o.Spec.Source != nil {
			claim = o.Spec.Source.PVC
		}
	case *cdiv1beta1.DataSource:
		claim = o.Spec.Source.PVC
	}
	if claim == nil {
		return nil
	}
	return []string{inNamespace(claim.Namespace, claim.Name, object)}
}

func sourceRef(object client.Object) []string {
	volume, ok := object.(*cdiv1beta1.DataVolume)
	if !ok || volume.Spec.SourceRef == nil {
		return nil
	}
	namespace := ""
	if volume.Spec.SourceRef.Namespace != nil {
		namespace = *volume.Spec.SourceRef.Namespace
	}
	return []string{inNamespace(namespace, volume.Spec.SourceRef.Name, object)}
}

func inNamespace(namespace, name string, of client.Object) string {
	if namespace == "" {
		namespace = of.GetNamespace()
	}
	return namespace + "/" + name
}

// storageTouched wakes the machines whose disks are the claim or DataVolume, or
// were cloned from it, in whatever namespace they are.
func (c *Controller) storageTouched(ctx context.Context, object client.Object) []wake {
	return c.disks(ctx, client.ObjectKeyFromObject(object))
}

// dataSourceTouched wakes the machines whose disks were made from it.
func (c *Controller) dataSourceTouched(ctx context.Context, object client.Object) []wake {
	return c.disks(ctx, c.volumesBy(ctx, SourceRefIndex, client.ObjectKeyFromObject(object))...)
}

// disks follows claims to their clones, and all of them to machines.
func (c *Controller) disks(ctx context.Context, claims ...client.ObjectKey) []wake {
	var wakes []wake
	seen := map[client.ObjectKey]bool{}
	for len(claims) > 0 {
		claim := claims[0]
		claims = claims[1:]
		if seen[claim] {
			continue
		}
		seen[claim] = true
		if name, ok := strings.CutSuffix(claim.Name, udsv1alpha1.DataVolumeSuffix); ok {
			wakes = append(wakes, one(facts.KindUDSVirtualMachine, claim.Namespace, name, "disks", "images", "origins", "foreign"))
		}
		wakes = append(wakes, c.users(ctx, ClaimIndex, claim, "disks", "images", "origins", "foreign")...)
		claims = append(claims, c.clones(ctx, claim)...)
	}
	return wakes
}

// clones are the DataVolumes that point to a claim, at once or by a DataSource.
func (c *Controller) clones(ctx context.Context, claim client.ObjectKey) []client.ObjectKey {
	found := c.volumesBy(ctx, CloneIndex, claim)
	var sources cdiv1beta1.DataSourceList
	if err := c.Reader.List(ctx, &sources, client.MatchingFields{CloneIndex: claim.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return found // the cache is stopping; a sweep follows each start
	}
	for i := range sources.Items {
		found = append(found, c.volumesBy(ctx, SourceRefIndex, client.ObjectKeyFromObject(&sources.Items[i]))...)
	}
	return found
}

func (c *Controller) volumesBy(ctx context.Context, index string, of client.ObjectKey) []client.ObjectKey {
	var volumes cdiv1beta1.DataVolumeList
	if err := c.Reader.List(ctx, &volumes, client.MatchingFields{index: of.String()}, client.UnsafeDisableDeepCopy); err != nil {
		return nil
	}
	keys := make([]client.ObjectKey, 0, len(volumes.Items))
	for i := range volumes.Items {
		keys = append(keys, client.ObjectKeyFromObject(&volumes.Items[i]))
	}
	return keys
}

// secretTouched wakes the machines whose cloud-init names the Secret.
func (c *Controller) secretTouched(ctx context.Context, object client.Object) []wake {
	return c.users(ctx, SecretIndex, client.ObjectKeyFromObject(object), "guest")
}

// users wakes the machines, as declared or as they run, that name an object.
func (c *Controller) users(ctx context.Context, index string, of client.ObjectKey, groups ...string) []wake {
	var vms kubevirtv1.VirtualMachineList
	var instances kubevirtv1.VirtualMachineInstanceList
	for _, list := range []client.ObjectList{&vms, &instances} {
		if err := c.Reader.List(ctx, list, client.InNamespace(of.Namespace), client.MatchingFields{index: of.Name}, client.UnsafeDisableDeepCopy); err != nil {
			return nil
		}
	}
	var wakes []wake
	for i := range vms.Items {
		wakes = append(wakes, forMachine(of.Namespace, vms.Items[i].Name, groups)...)
	}
	for i := range instances.Items {
		wakes = append(wakes, forMachine(of.Namespace, instances.Items[i].Name, groups)...)
	}
	return wakes
}
