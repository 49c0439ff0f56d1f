package gather

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypev1beta1 "kubevirt.io/api/instancetype/v1beta1"
)

// instancetype resolves spec.instancetype; one that cannot be resolved stays
// nil, which the facts report as undetermined.
func (c *collector) instancetype(ctx context.Context) {
	vm := c.out.VirtualMachine
	if vm == nil || vm.Spec.Instancetype == nil || vm.Spec.Instancetype.Name == "" {
		return
	}
	ref := vm.Spec.Instancetype
	if name := revisionOf(vm); name != "" {
		c.revision(ctx, types.NamespacedName{Namespace: vm.Namespace, Name: name})
		return
	}
	switch strings.ToLower(ref.Kind) { // KubeVirt takes singular and plural
	case "virtualmachineinstancetype", "virtualmachineinstancetypes":
		var namespaced instancetypev1beta1.VirtualMachineInstancetype
		if c.get(ctx, types.NamespacedName{Namespace: vm.Namespace, Name: ref.Name}, &namespaced, "virtualmachineinstancetypes.instancetype.kubevirt.io", "compute") {
			c.out.Instancetype = &namespaced.Spec
		}
		return
	}
	var cluster instancetypev1beta1.VirtualMachineClusterInstancetype
	if c.get(ctx, types.NamespacedName{Name: ref.Name}, &cluster, "virtualmachineclusterinstancetypes.instancetype.kubevirt.io", "compute") {
		c.out.Instancetype = &cluster.Spec
	}
}

// revisionOf names the ControllerRevision that pins the machine's instancetype:
// KubeVirt starts the machine by it, whatever the instancetype has become.
func revisionOf(vm *kubevirtv1.VirtualMachine) string {
	if name := vm.Spec.Instancetype.RevisionName; name != "" {
		return name
	}
	status := vm.Status.InstancetypeRef
	if status == nil || status.ControllerRevisionRef == nil || status.Name != "" && status.Name != vm.Spec.Instancetype.Name {
		return ""
	}
	return status.ControllerRevisionRef.Name
}

func (c *collector) revision(ctx context.Context, key types.NamespacedName) {
	var revision appsv1.ControllerRevision
	if !c.get(ctx, key, &revision, "controllerrevisions.apps", "compute") {
		c.gap(fmt.Sprintf("ControllerRevision %s, which pins the machine's instancetype, could not be read", key), "compute")
		return
	}
	// All versions of the kind have had spec.cpu.dedicatedCPUPlacement.
	var pinned struct {
		Kind string                                              `json:"kind"`
		Spec *instancetypev1beta1.VirtualMachineInstancetypeSpec `json:"spec"`
	}
	switch err := json.Unmarshal(revision.Data.Raw, &pinned); {
	case err != nil:
		c.gap(fmt.Sprintf("ControllerRevision %s, which pins the machine's instancetype, holds none that can be decoded: %v", key, err), "compute")
	case pinned.Spec == nil || !strings.HasSuffix(pinned.Kind, "Instancetype"):
		c.gap(fmt.Sprintf("ControllerRevision %s, which pins the machine's instancetype, holds none", key), "compute")
	default:
		c.out.Instancetype = pinned.Spec
	}
}
