package facts

import (
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// fabricSubject names the subject where it is one of the tenants' networks.
func fabricSubject(f *FabricObjects) (kind string, meta *metav1.ObjectMeta) {
	switch {
	case f.Network != nil:
		return KindNetwork, &f.Network.ObjectMeta
	case f.VPC != nil:
		return KindVPC, &f.VPC.ObjectMeta
	case f.Address != nil:
		return KindIPAddress, &f.Address.ObjectMeta
	case f.SecurityGroup != nil:
		return KindSecurityGroup, &f.SecurityGroup.ObjectMeta
	default:
		return "", nil
	}
}

// buildFabric fills in what the subject asks for and what lies around it.
func buildFabric(g *Gathered, object *Object) Fabric {
	f := &g.Fabric
	fabric := Fabric{
		Tenants: []TenantRef{}, Networks: []VirtualNetwork{}, VPCs: []VPCRange{}, Attachments: []Attachment{}, Sharing: []Attachment{},
		Claims: []AddressClaim{}, Pool: []Pool{}, Users: usersOf(g), Wanted: virtualNetworks(f.Wanted, nil, nil), NICClaims: nicClaims(g),
	}
	object.Network, object.VPC, object.Address, object.SecurityGroup = []NetworkWish{}, []VPCWish{}, []AddressWish{}, []GroupWish{}
	_, meta := fabricSubject(f)
	if meta == nil {
		return fabric
	}
	for i := range f.Tenants {
		t := &f.Tenants[i]
		fabric.Tenants = append(fabric.Tenants, TenantRef{Name: t.Name, UID: string(t.UID), Slug: bounded(t.Spec.Slug), Deleting: t.DeletionTimestamp != nil})
	}
	for i := range f.VPCs {
		if v := &f.VPCs[i]; f.VPC == nil || v.Name != f.VPC.Name {
			_, problem := usablePrefix(string(v.Spec.CIDR))
			fabric.VPCs = append(fabric.VPCs, VPCRange{Name: v.Name, CIDR: bounded(string(v.Spec.CIDR)), Valid: problem == "", Deleting: v.DeletionTimestamp != nil})
		}
	}
	switch {
	case f.Network != nil:
		wish := networkWish(f.Network)
		wish.Holds = holds(f.Network, f.Attachments)
		object.Network = []NetworkWish{wish}
		fabric.Networks = virtualNetworks(f.Networks, func(n *virtfoundryv1alpha1.Network) bool { return n.Name != meta.Name }, f.Attachments)
		fabric.Attachments, fabric.Sharing = attachmentsOf(f.Network, f.Attachments)
	case f.VPC != nil:
		prefix, problem := usablePrefix(string(f.VPC.Spec.CIDR))
		object.VPC = []VPCWish{{CIDR: bounded(string(f.VPC.Spec.CIDR)), Prefix: prefix, Problem: problem, CreatedAt: created(&f.VPC.ObjectMeta), Deleting: f.VPC.DeletionTimestamp != nil}}
		fabric.Networks = virtualNetworks(f.Networks, func(n *virtfoundryv1alpha1.Network) bool { return vpcOf(n) == meta.Name }, nil)
	case f.Address != nil:
		object.Address = []AddressWish{addressWish(f.Address)}
		fabric.Networks = virtualNetworks(f.Networks, func(n *virtfoundryv1alpha1.Network) bool { return n.Name == f.Address.Spec.NetworkRef.Name }, nil)
		fabric.Claims = claimsOf(f, object.Address[0])
		fabric.Pool = poolOf(g)
	case f.SecurityGroup != nil:
		object.SecurityGroup = []GroupWish{groupWish(f.SecurityGroup)}
	}
	return fabric
}

func networkWish(n *virtfoundryv1alpha1.Network) NetworkWish {
	wish := NetworkWish{
		Type: string(n.Spec.NetworkType), CIDR: bounded(string(n.Spec.CIDR)), Gateway: bounded(n.Spec.Gateway), GatewayValid: n.Spec.Gateway == "",
		VPC: vpcOf(n), CreatedAt: created(&n.ObjectMeta), Deleting: n.DeletionTimestamp != nil,
	}
	wish.Prefix, wish.Problem = usablePrefix(string(n.Spec.CIDR))
	if address, err := netip.ParseAddr(n.Spec.Gateway); err == nil {
		wish.Gateway, wish.GatewayValid = address.String(), address.Zone() == ""
	}
	return wish
}

func vpcOf(n *virtfoundryv1alpha1.Network) string {
	if n.Spec.VPCRef == nil {
		return ""
	}
	return n.Spec.VPCRef.Name
}

// usablePrefix reads a range that guests can be in. An empty text is none, and no problem.
func usablePrefix(text string) (found []Prefix, problem string) {
	if text == "" {
		return []Prefix{}, ""
	}
	prefix, err := netip.ParsePrefix(text)
	switch {
	case err != nil || prefix.Addr().Is4In6():
		return []Prefix{}, "is no CIDR"
	case prefix != prefix.Masked():
		return []Prefix{}, "has bits beyond its prefix"
	case prefix.Bits() > prefix.Addr().BitLen()-2:
		return []Prefix{}, "has no room for a guest beside its gateway"
	case !prefix.Addr().IsGlobalUnicast() && !prefix.Addr().IsLinkLocalUnicast():
		return []Prefix{}, "holds addresses that no guest can have"
	}
	p := Prefix{CIDR: prefix.String(), Network: prefix.Addr().String()}
	if prefix.Addr().Is4() {
		p.Broadcast = lastAddress(prefix).String()
	}
	return []Prefix{p}, ""
}

func virtualNetworks(networks []virtfoundryv1alpha1.Network, chosen func(*virtfoundryv1alpha1.Network) bool, attachments []cniv1.NetworkAttachmentDefinition) []VirtualNetwork {
	all := []VirtualNetwork{}
	for i := range networks {
		n := &networks[i]
		if chosen != nil && !chosen(n) {
			continue
		}
		_, problem := usablePrefix(string(n.Spec.CIDR))
		all = append(all, VirtualNetwork{
			Namespace: n.Namespace, Name: n.Name, Type: string(n.Spec.NetworkType), CIDR: bounded(string(n.Spec.CIDR)), Valid: problem == "" && n.Spec.CIDR != "",
			VPC: vpcOf(n), Holds: holds(n, attachments), CreatedAt: created(&n.ObjectMeta), Deleting: n.DeletionTimestamp != nil,
		})
	}
	slices.SortFunc(all, func(a, b VirtualNetwork) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	return all
}

// holds tells whether an attachment stands that was made for the Network; one
// that is only planned has no uid.
func holds(n *virtfoundryv1alpha1.Network, attachments []cniv1.NetworkAttachmentDefinition) bool {
	return slices.ContainsFunc(attachments, func(nad cniv1.NetworkAttachmentDefinition) bool {
		owner := metav1.GetControllerOf(&nad)
		return n.UID != "" && nad.UID != "" && nad.Namespace == n.Namespace && owner != nil && owner.UID == n.UID
	})
}

// attachmentsOf finds a Network's own attachment and those that lead to its segment.
func attachmentsOf(n *virtfoundryv1alpha1.Network, all []cniv1.NetworkAttachmentDefinition) (own, sharing []Attachment) {
	own, sharing = []Attachment{}, []Attachment{}
	at := slices.IndexFunc(all, func(nad cniv1.NetworkAttachmentDefinition) bool {
		return nad.Namespace == n.Namespace && nad.Name == n.Name
	})
	if at < 0 {
		return own, sharing
	}
	mine, _ := readAttachment(&all[at])
	mine.Reach = reachOwn
	for i := range all {
		if i == at {
			continue
		}
		if other, reaches := mine.reach(&all[i]); reaches {
			sharing = append(sharing, other)
		}
	}
	slices.SortFunc(sharing, func(a, b Attachment) int { return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name) })
	return []Attachment{mine}, sharing
}
