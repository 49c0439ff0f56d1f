package facts

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// NICClaim is the IPAddress of the name that an Instance's NIC has its address by.
type NICClaim struct {
	Name     string  `json:"name"`
	UID      string  `json:"uid"` // empty for one that is only planned
	Network  string  `json:"network"`
	Address  string  `json:"address"` // empty until one is allocated
	Held     bool    `json:"held"`    // the IPAddress that is named after the address is this one, or was made for it
	Deleting bool    `json:"deleting"`
	Written  bool    `json:"written"` // the operator is among those that wrote it
	Owners   []Owner `json:"owners"`
}

const (
	longestObjectName = 253
	longestLabel      = 63
	digestLetters     = 8
)

// NICClaimName is the name of the IPAddress for a NIC of an Instance: <instance>-<nic>. Of a NIC whose name can be
// no object's it has the letters that can, and a digest that keeps two such NICs apart.
func NICClaimName(instance, nic string) string {
	return instance + "-" + fitting(nic, "abcdefghijklmnopqrstuvwxyz0123456789", "-", longestObjectName-len(instance)-1)
}

// NICLabel is the value of label virtfoundry.io/nic for a NIC: its name where a label can hold it.
func NICLabel(nic string) string {
	return fitting(nic, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "-_.", longestLabel)
}

// fitting is the name itself where it has only the letters, with the others inside, and is short enough.
func fitting(name, letters, inside string, longest int) string {
	if name != "" && len(name) <= longest && strings.Trim(name, letters+inside) == "" && strings.Trim(name, inside) == name {
		return name
	}
	digest := sha256.Sum256([]byte(name))
	suffix := hex.EncodeToString(digest[:])[:digestLetters]
	plain := strings.Trim(strings.ReplaceAll(strings.ToLower(name), "_", "-"), "-. ")
	plain = strings.TrimRight(plain[:min(len(plain), max(longest-digestLetters-1, 0))], "-")
	if plain == "" {
		return suffix
	}
	return plain + "-" + suffix
}

// GivesAddresses tells whether the NICs on a Network have IPAddresses made for them: it is isolated and has a range.
// The addresses of a shared Network come from outside.
func GivesAddresses(network *virtfoundryv1alpha1.Network) bool {
	prefix, _ := usablePrefix(string(network.Spec.CIDR))
	return network.Spec.NetworkType == virtfoundryv1alpha1.NetworkIsolated && len(prefix) > 0
}

// HoldsAddress tells whether an address is held for an IPAddress: by the object that is named after the address, which
// is this one or was made for it. Its status, which others can write, is not asked.
func HoldsAddress(claim *virtfoundryv1alpha1.IPAddress, all []virtfoundryv1alpha1.IPAddress) bool {
	address, err := netip.ParseAddr(claim.Spec.Address)
	if err != nil || address.Zone() != "" {
		return false
	}
	lock := LockName(address)
	return claim.Name == lock || slices.ContainsFunc(all, func(other virtfoundryv1alpha1.IPAddress) bool {
		controller := metav1.GetControllerOf(&other)
		return other.Namespace == claim.Namespace && other.Name == lock && claim.UID != "" && controller != nil && controller.UID == claim.UID
	})
}

// NICClaimOf finds the IPAddress of an Instance's NIC among those that were gathered; nil when there is none.
func NICClaimOf(g *Gathered, nic string) *virtfoundryv1alpha1.IPAddress {
	name := NICClaimName(g.Instance.Name, nic)
	for i := range g.Named.Addresses {
		if g.Named.Addresses[i].Name == name {
			return &g.Named.Addresses[i]
		}
	}
	return nil
}

// NeedsAddress tells whether an IPAddress has the name that a NIC of an Instance needs, or was made for one that has:
// a lock is named after its address, and its owner after the NIC.
func NeedsAddress(instance *virtfoundryv1alpha1.Instance, address *virtfoundryv1alpha1.IPAddress) bool {
	names := []string{address.Name}
	if controller := metav1.GetControllerOf(address); controller != nil && controller.Kind == KindIPAddress {
		names = append(names, controller.Name)
	}
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, instance.Name+"-") }) {
		return false
	}
	for i := range instance.Spec.NICs {
		if slices.Contains(names, NICClaimName(instance.Name, NICName(i, instance.Spec.NICs[i].Name))) {
			return true
		}
	}
	return false
}

// nicClaims are the IPAddresses of the names that the Instance's NICs need.
func nicClaims(g *Gathered) []NICClaim {
	claims := []NICClaim{}
	if g.Instance == nil {
		return claims
	}
	for i := range g.Instance.Spec.NICs {
		claim := NICClaimOf(g, NICName(i, g.Instance.Spec.NICs[i].Name))
		if claim == nil {
			continue
		}
		claims = append(claims, NICClaim{
			Name: claim.Name, UID: string(claim.UID), Network: bounded(claim.Spec.NetworkRef.Name), Address: bounded(claim.Spec.Address),
			Held: HoldsAddress(claim, g.Named.Addresses), Deleting: claim.DeletionTimestamp != nil, Owners: owners(claim.OwnerReferences),
			Written: slices.ContainsFunc(claim.ManagedFields, func(f metav1.ManagedFieldsEntry) bool { return f.Manager == catov1alpha1.FieldManager }),
		})
	}
	return claims
}
