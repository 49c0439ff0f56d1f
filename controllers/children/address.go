package children

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/yaml"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// networkDataKey is the key of a Secret that KubeVirt reads cloud-init's network configuration from.
const networkDataKey = "networkdata"

// nicClaims renders the IPAddress of each NIC on a Network that gives addresses. The address that was allocated stays.
func nicClaims(in InstanceInput) []*virtfoundryv1alpha1.IPAddress {
	instance := in.Found.Instance
	claims := []*virtfoundryv1alpha1.IPAddress{}
	for i := range instance.Spec.NICs {
		nic := &instance.Spec.NICs[i]
		network := facts.NetworkOf(in.Found, nic.NetworkRef.Name)
		if network == nil || !facts.GivesAddresses(network) {
			continue
		}
		name := facts.NICName(i, nic.Name)
		claim := &virtfoundryv1alpha1.IPAddress{
			TypeMeta: metav1.TypeMeta{APIVersion: virtfoundryv1alpha1.GroupVersion.String(), Kind: facts.KindIPAddress},
			ObjectMeta: metav1.ObjectMeta{
				Name: facts.NICClaimName(instance.Name, name), Namespace: instance.Namespace,
				Labels: map[string]string{
					virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy,
					virtfoundryv1alpha1.LabelPartOf:    virtfoundryv1alpha1.PartOf,
					virtfoundryv1alpha1.LabelInstance:  instance.Name,
					virtfoundryv1alpha1.LabelNIC:       facts.NICLabel(name),
				},
				OwnerReferences: owner(instance, virtfoundryv1alpha1.GroupVersion.WithKind("Instance")),
			},
			Spec: virtfoundryv1alpha1.IPAddressSpec{NetworkRef: nic.NetworkRef, Address: nic.Address},
		}
		if live := facts.NICClaimOf(in.Found, name); live != nil && nic.Address == "" {
			claim.Spec.Address = live.Spec.Address
		}
		claims = append(claims, claim)
	}
	return claims
}

// number gives the guest the addresses that its NICs' IPAddresses hold, by cloud-init's network configuration, and
// lists those that are still awaited. A guest without any is configured as cloud-init does by itself.
func (i *Instance) number(in InstanceInput) error {
	if len(i.Addresses) == 0 {
		return nil
	}
	config := networkConfig{Version: 2, Ethernets: map[string]ethernet{}}
	routed := in.PodNetwork // whose DHCP gives the default route
	spec := &i.VirtualMachine.Spec.Template.Spec
	for at := range spec.Domain.Devices.Interfaces {
		device := &spec.Domain.Devices.Interfaces[at]
		device.MacAddress = macOf(in.Found.Instance, device.Name)
		configured := ethernet{Match: match{device.MacAddress}}
		network, claim := i.addressed(in, device.Name)
		switch {
		case network == nil:
			configured.DHCP4 = true
		case !facts.HoldsAddress(claim, in.Found.Named.Addresses):
			i.Awaits = append(i.Awaits, "IPAddress "+claim.Namespace+"/"+claim.Name)
		default:
			var err error
			if configured.Addresses, configured.Routes, err = static(network, claim, routed); err != nil {
				return err
			}
			routed = routed || len(configured.Routes) > 0
		}
		config.Ethernets[device.Name] = configured
	}
	if len(i.Awaits) > 0 {
		return nil
	}
	data, err := yaml.Marshal(config)
	if err != nil {
		return fmt.Errorf("%s: network configuration: %w", namedInstance(in.Found.Instance), err)
	}
	i.CloudInit.Data[networkDataKey] = data
	i.seeded().NetworkDataSecretRef = &corev1.LocalObjectReference{Name: i.CloudInit.Name}
	return nil
}

// addressed is the Network that gives an interface its address, and the IPAddress that does; nil for an interface that
// gets its address from elsewhere.
func (i *Instance) addressed(in InstanceInput, device string) (*virtfoundryv1alpha1.Network, *virtfoundryv1alpha1.IPAddress) {
	for at := range in.Found.Instance.Spec.NICs {
		nic := &in.Found.Instance.Spec.NICs[at]
		network := facts.NetworkOf(in.Found, nic.NetworkRef.Name)
		if facts.NICName(at, nic.Name) != device || network == nil || !facts.GivesAddresses(network) {
			continue
		}
		if live := facts.NICClaimOf(in.Found, device); live != nil {
			return network, live
		}
		return network, i.claim(facts.NICClaimName(in.Found.Instance.Name, device))
	}
	return nil, nil
}

func (i *Instance) claim(name string) *virtfoundryv1alpha1.IPAddress {
	for _, claim := range i.Addresses {
		if claim.Name == name {
			return claim
		}
	}
	return nil
}

// seeded is the machine's cloud-init volume.
func (i *Instance) seeded() *kubevirtv1.CloudInitNoCloudSource {
	volumes := i.VirtualMachine.Spec.Template.Spec.Volumes
	for at := range volumes {
		if seed := volumes[at].CloudInitNoCloud; seed != nil {
			return seed
		}
	}
	return &kubevirtv1.CloudInitNoCloudSource{}
}

// networkConfig is cloud-init's network configuration, version 2 (cloud-init, "Networking config Version 2").
type networkConfig struct {
	Version   int                 `json:"version"`
	Ethernets map[string]ethernet `json:"ethernets"`
}

type ethernet struct {
	Match     match    `json:"match"`
	DHCP4     bool     `json:"dhcp4"`
	Addresses []string `json:"addresses,omitempty"`
	Routes    []route  `json:"routes,omitempty"`
}

type match struct {
	MACAddress string `json:"macaddress"`
}

type route struct {
	To  string `json:"to"`
	Via string `json:"via"`
}

// static writes an address with the length of its Network's prefix, and the default route by its gateway unless
// another NIC has given one: two of them would make it a matter of luck which one holds.
func static(network *virtfoundryv1alpha1.Network, claim *virtfoundryv1alpha1.IPAddress, routed bool) ([]string, []route, error) {
	prefix, err := netip.ParsePrefix(string(network.Spec.CIDR))
	if err != nil {
		return nil, nil, fmt.Errorf("the Network %s/%s: spec.cidr: %w", network.Namespace, network.Name, err)
	}
	address, err := netip.ParseAddr(claim.Spec.Address)
	if err != nil {
		return nil, nil, fmt.Errorf("IPAddress %s/%s: spec.address: %w", claim.Namespace, claim.Name, err)
	}
	addresses := []string{netip.PrefixFrom(address, prefix.Bits()).String()}
	gateway, err := netip.ParseAddr(network.Spec.Gateway)
	if err != nil || routed { // without a gateway there is no way out, as the Network says
		return addresses, nil, nil
	}
	everything := "0.0.0.0/0"
	if gateway.Is6() {
		everything = "::/0"
	}
	return addresses, []route{{To: everything, Via: gateway.String()}}, nil
}

// macOf is the hardware address of a NIC, by which the guest knows which of its interfaces is meant: locally
// administered, and the same for a NIC of the same name for ever, so that a restart changes nothing in the guest.
func macOf(instance *virtfoundryv1alpha1.Instance, nic string) string {
	const locallyAdministered, multicast = 0x02, 0x01
	digest := sha256.Sum256([]byte(instance.Namespace + "/" + instance.Name + "/" + nic))
	mac := net.HardwareAddr(digest[:6])
	mac[0] = mac[0]&^multicast | locallyAdministered
	return mac.String()
}
