package children

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/segment"
)

// cniVersion is that of the CNI specification that the original writes.
const cniVersion = "0.3.1"

// bridgeConfig is the configuration of the bridge plugin (containernetworking/plugins). Without
// preserveDefaultVlan=false a port would stay a member of the bridge's default VLAN beside its own, and so reach
// every other network's guests there.
type bridgeConfig struct {
	CNIVersion          string   `json:"cniVersion"`
	Name                string   `json:"name"`
	Type                string   `json:"type"`
	Bridge              string   `json:"bridge"`
	VLAN                int      `json:"vlan"`
	PreserveDefaultVLAN bool     `json:"preserveDefaultVlan"`
	IPAM                struct{} `json:"ipam"`
}

// ForNetwork renders the NetworkAttachmentDefinition of an isolated Network by the VirtFoundry sheet, section 4, in the
// segment that was chosen for it. It has no IPAM: host-local, as the original writes it, counts on each node by itself
// and so gives one address to two guests (section 7.2, number 9); addresses are held by IPAddress objects.
func ForNetwork(network *virtfoundryv1alpha1.Network, in segment.Segment) (*cniv1.NetworkAttachmentDefinition, error) {
	config, err := json.Marshal(bridgeConfig{CNIVersion: cniVersion, Name: network.Name, Type: "bridge", Bridge: in.Bridge, VLAN: in.VLAN})
	if err != nil {
		return nil, fmt.Errorf("CNI configuration of Network %s/%s: %w", network.Namespace, network.Name, err)
	}
	return &cniv1.NetworkAttachmentDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: cniv1.GroupVersion.String(), Kind: cniv1.KindNetworkAttachmentDefinition},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: network.Namespace, Name: network.Name,
			Labels:          map[string]string{virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy},
			Annotations:     map[string]string{virtfoundryv1alpha1.AnnotationSegment: in.String()},
			OwnerReferences: owner(network, virtfoundryv1alpha1.GroupVersion.WithKind("Network")),
		},
		Spec: cniv1.NetworkAttachmentDefinitionSpec{Config: string(config)},
	}, nil
}
