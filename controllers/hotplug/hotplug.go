// Package hotplug asks KubeVirt to put volumes into machines and to take them out.
package hotplug

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Plugs asks the subresources of KubeVirt's virt-api, which no typed client of
// ours knows. They change the VirtualMachine and, where it runs, its instance.
type Plugs struct{ api rest.Interface }

// New returns Plugs over an API server.
func New(config *rest.Config) (*Plugs, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &schema.GroupVersion{Group: "subresources.kubevirt.io", Version: "v1"}
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	api, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("client of KubeVirt's subresources: %w", err)
	}
	return &Plugs{api}, nil
}

// Add puts a claim into a machine under the name of a volume.
func (p *Plugs) Add(ctx context.Context, machine types.NamespacedName, volume, claim string) error {
	return p.put(ctx, machine, "addvolume", kubevirtv1.AddVolumeOptions{
		Name: volume,
		Disk: &kubevirtv1.Disk{DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusSCSI}}},
		VolumeSource: &kubevirtv1.HotplugVolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
			PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}, Hotpluggable: true,
		}},
	})
}

// Remove takes a volume out of a machine.
func (p *Plugs) Remove(ctx context.Context, machine types.NamespacedName, volume string) error {
	return p.put(ctx, machine, "removevolume", kubevirtv1.RemoveVolumeOptions{Name: volume})
}

func (p *Plugs) put(ctx context.Context, machine types.NamespacedName, verb string, options any) error {
	body, err := json.Marshal(options)
	if err != nil {
		return fmt.Errorf("%s of VirtualMachine %s: %w", verb, machine, err)
	}
	err = p.api.Put().Namespace(machine.Namespace).Resource("virtualmachines").Name(machine.Name).SubResource(verb).
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("%s of VirtualMachine %s: %w", verb, machine, err)
	}
	return nil
}
