package segment

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// Segment is a bridge of the hosts and the VLAN on it that one network has.
type Segment struct {
	Bridge string
	VLAN   int
}

// String is what AnnotationSegment records.
func (s Segment) String() string { return s.Bridge + "/" + strconv.Itoa(s.VLAN) }

// Choose gives a Network its segment on a bridge, given the attachments of the
// whole cluster, which are the record of all choices. It keeps the one that it
// has (kept, where the caller knows it better than the record, else 0) unless
// an attachment that was made before has it; a VLAN that anything else uses is
// never given anew.
func Choose(network *virtfoundryv1alpha1.Network, attachments []cniv1.NetworkAttachmentDefinition, bridge string, kept int) (Segment, error) {
	own := Network{UID: identity(network.UID, network.Namespace, network.Name), Created: time.Unix(math.MaxInt32, 0), VLAN: kept}
	networks, blocked := []Network{}, map[int]bool{}
	for i := range attachments {
		nad := &attachments[i]
		used := vlansOf(nad, bridge)
		controller := metav1.GetControllerOf(nad)
		ours := controller != nil && controller.Kind == facts.KindNetwork && strings.HasPrefix(controller.APIVersion, virtfoundryv1alpha1.GroupVersion.Group+"/")
		switch recorded := recordedVLAN(nad, bridge); {
		case ours && nad.Namespace == network.Namespace && nad.Name == network.Name:
			own.Created = nad.CreationTimestamp.Time
			if own.VLAN == 0 {
				own.VLAN = recorded
			}
			continue
		case ours:
			networks = append(networks, Network{UID: identity(controller.UID, nad.Namespace, nad.Name), Created: nad.CreationTimestamp.Time, VLAN: recorded})
			blocked[recorded] = true
		}
		for _, vlan := range used {
			blocked[vlan] = true
		}
	}
	taken := map[int]bool{}
	inBounds := func(vlan int) bool { return vlan >= FirstVLAN && vlan <= LastVLAN }
	given, _ := keep(append(networks, own), taken, func(n Network) int { return n.VLAN }, inBounds)
	if vlan, keeps := given[own.UID]; keeps {
		return Segment{bridge, vlan}, nil
	}
	const size = LastVLAN - FirstVLAN + 1
	start := int(hash(own.UID, 0) % size)
	for i := range size {
		if vlan := FirstVLAN + (start+i)%size; !blocked[vlan] && !taken[vlan] {
			return Segment{bridge, vlan}, nil
		}
	}
	return Segment{}, fmt.Errorf("no VLAN from %d to %d of bridge %s is left: delete isolated Networks that nothing uses", FirstVLAN, LastVLAN, bridge)
}

func identity(uid types.UID, namespace, name string) string {
	if uid == "" {
		return namespace + "/" + name // an object that is not stored yet
	}
	return string(uid)
}

// recordedVLAN is what an attachment of ours says that was chosen for it: by
// its annotation, else, where that was taken away, by its configuration.
func recordedVLAN(nad *cniv1.NetworkAttachmentDefinition, bridge string) int {
	if text, found := strings.CutPrefix(nad.Annotations[virtfoundryv1alpha1.AnnotationSegment], bridge+"/"); found {
		if vlan, err := strconv.Atoi(text); err == nil {
			return vlan
		}
	}
	if used := vlansOf(nad, bridge); len(used) == 1 {
		return used[0]
	}
	return 0
}

// vlansOf are the VLANs of a bridge that the pods of an attachment reach.
func vlansOf(nad *cniv1.NetworkAttachmentDefinition, bridge string) []int {
	attachment, trunks := facts.SegmentsOf(nad)
	if attachment.Problem != "" || attachment.Bridge != bridge {
		return nil
	}
	vlans := []int{}
	if attachment.VLAN != 0 {
		vlans = append(vlans, int(attachment.VLAN))
	}
	for _, t := range trunks {
		for vlan := max(t[0], FirstVLAN); vlan <= min(t[1], LastVLAN); vlan++ {
			vlans = append(vlans, int(vlan))
		}
	}
	return vlans
}
