package facts

import (
	"encoding/json"
	"strconv"
	"strings"

	cniv1 "cato.dev/cato/api/cni/v1"
)

// How the pods of one attachment reach the segment of another.
const (
	reachOwn      = "own"
	reachVLAN     = "vlan"
	reachTrunk    = "trunk"
	reachUntagged = "untagged"
	reachUnknown  = "unknown"
)

// defaultBridge is what the bridge plugin uses where the configuration names none.
const defaultBridge = "cni0"

// cniConfig are the keys of the reference plugins (containernetworking/plugins: bridge, vlan, macvlan, host-device) that decide on the segment.
type cniConfig struct {
	Type                string      `json:"type"`
	Bridge              string      `json:"bridge"`
	Master              string      `json:"master"`
	Device              string      `json:"device"`
	VLAN                int64       `json:"vlan"`
	VLANID              int64       `json:"vlanId"`
	PreserveDefaultVLAN *bool       `json:"preserveDefaultVlan"`
	VLANTrunk           []trunk     `json:"vlanTrunk"`
	Plugins             []cniConfig `json:"plugins"`
}

type trunk struct {
	MinID *int64 `json:"minID"`
	MaxID *int64 `json:"maxID"`
	ID    *int64 `json:"id"`
}

// readAttachment reads the configuration of a NetworkAttachmentDefinition.
func readAttachment(nad *cniv1.NetworkAttachmentDefinition) (Attachment, []trunk) {
	a := Attachment{Namespace: nad.Namespace, Name: nad.Name, UID: string(nad.UID)}
	if strings.TrimSpace(nad.Spec.Config) == "" {
		a.Problem = "spec.config is empty, so that a file of each node says what it is"
		return a, nil
	}
	var config cniConfig
	if err := json.Unmarshal([]byte(nad.Spec.Config), &config); err != nil {
		a.Problem = "spec.config is no CNI configuration"
		return a, nil
	}
	if len(config.Plugins) > 0 {
		config = config.Plugins[0] // the first makes the interface; those that follow adjust it
	}
	a.Type, a.VLAN = bounded(config.Type), config.VLAN
	switch config.Type {
	case "bridge":
		a.Bridge = orDefault(config.Bridge, defaultBridge)
		a.DefaultVLAN = config.PreserveDefaultVLAN == nil || *config.PreserveDefaultVLAN
	case "vlan":
		a.Bridge, a.VLAN = config.Master, config.VLANID
	default:
		a.Bridge = orDefault(config.Master, orDefault(config.Device, config.Bridge))
		if device, id, tagged := strings.Cut(a.Bridge, "."); tagged { // a VLAN interface of the host, by its usual name
			if vlan, err := strconv.ParseInt(id, 10, 64); err == nil {
				a.Bridge, a.VLAN = device, vlan
			}
		}
	}
	a.Bridge = bounded(a.Bridge)
	return a, config.VLANTrunk
}

// SegmentsOf reads a configuration, with the ranges of VLANs of its trunk.
func SegmentsOf(nad *cniv1.NetworkAttachmentDefinition) (Attachment, [][2]int64) {
	attachment, trunks := readAttachment(nad)
	ranges := [][2]int64{}
	for _, t := range trunks {
		if t.ID != nil {
			ranges = append(ranges, [2]int64{*t.ID, *t.ID})
		}
		if t.MinID != nil && t.MaxID != nil {
			ranges = append(ranges, [2]int64{*t.MinID, *t.MaxID})
		}
	}
	return attachment, ranges
}

// SegmentOf reads where a NetworkAttachmentDefinition leads.
func SegmentOf(nad *cniv1.NetworkAttachmentDefinition) Attachment {
	attachment, _ := readAttachment(nad)
	return attachment
}

// Meet tells whether the pods of two attachments reach one segment, or may.
func Meet(a, b *cniv1.NetworkAttachmentDefinition) bool {
	_, there := SegmentOf(a).reach(b)
	_, back := SegmentOf(b).reach(a)
	return there || back
}

// reach tells how the pods of another attachment reach the segment of this one;
// empty when they do not.
func (a Attachment) reach(nad *cniv1.NetworkAttachmentDefinition) (Attachment, bool) {
	other, trunks := readAttachment(nad)
	switch {
	case other.Problem != "":
		other.Reach = reachUnknown // no pod can be attached by what is no configuration at all
		return other, strings.TrimSpace(nad.Spec.Config) == ""
	case other.Bridge != a.Bridge:
		return other, false
	case other.Type != "bridge" && other.Type != "vlan" && other.VLAN == 0:
		other.Reach = reachUnknown
		return other, true
	case a.VLAN == 0:
		other.Reach = reachUntagged
		return other, other.VLAN == 0 || other.DefaultVLAN
	case other.VLAN == a.VLAN:
		other.Reach = reachVLAN
		return other, true
	}
	for _, t := range trunks {
		if t.holds(a.VLAN) {
			other.Reach = reachTrunk
			return other, true
		}
	}
	return other, false
}

func (t trunk) holds(vlan int64) bool {
	if t.ID != nil && *t.ID == vlan {
		return true
	}
	return t.MinID != nil && t.MaxID != nil && *t.MinID <= vlan && vlan <= *t.MaxID
}
