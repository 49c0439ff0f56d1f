package facts

import (
	"fmt"
	"net/netip"
	"strings"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// GroupNames are the name of a SecurityGroup's NetworkPolicy and the key of the
// label by which it selects pods (VirtFoundry sheet, section 1.4): by the first
// eight characters of the old REST id where the group has one, else of its uid.
func GroupNames(group *virtfoundryv1alpha1.SecurityGroup) (policy, label string) {
	id := string(group.UID)
	if legacy := strings.ToLower(group.Annotations[virtfoundryv1alpha1.AnnotationLegacyID]); isShortID(legacy) {
		id = legacy
	}
	id = shortID(id)
	return "sg-" + id, virtfoundryv1alpha1.LabelSecurityGroupPrefix + id
}

const shortIDLength = 8

func shortID(id string) string {
	if len(id) < shortIDLength {
		return id + strings.Repeat("0", shortIDLength-len(id)) // a group that is not stored yet
	}
	return id[:shortIDLength]
}

func isShortID(id string) bool {
	return len(id) >= shortIDLength && strings.Trim(id[:shortIDLength], "0123456789abcdef") == ""
}

func groupWish(g *virtfoundryv1alpha1.SecurityGroup) GroupWish {
	wish := GroupWish{Rules: []GroupRule{}}
	wish.Policy, wish.Label = GroupNames(g)
	for i := range g.Spec.Rules {
		wish.Rules = append(wish.Rules, groupRule(i, &g.Spec.Rules[i]))
	}
	return wish
}

func groupRule(i int, r *virtfoundryv1alpha1.SecurityRule) GroupRule {
	rule := GroupRule{Path: fmt.Sprintf("spec.rules[%d]", i), Direction: string(r.Direction), Protocol: string(r.Protocol), CIDR: bounded(r.CIDR)}
	from, to, inBounds := RulePorts(r)
	rule.From, rule.To = from, to
	prefix, err := netip.ParsePrefix(r.CIDR)
	known := (r.Direction == virtfoundryv1alpha1.DirectionIngress || r.Direction == virtfoundryv1alpha1.DirectionEgress) &&
		(r.Protocol == virtfoundryv1alpha1.RuleTCP || r.Protocol == virtfoundryv1alpha1.RuleUDP || r.Protocol == virtfoundryv1alpha1.RuleICMP)
	rule.Valid = known && inBounds && err == nil
	if err == nil {
		rule.CIDR = prefix.Masked().String()
	}
	return rule
}

// RulePorts are the ports of a rule: the first (nil for every port) and the
// last of a range (nil for the single port); false when they are out of bounds.
// A rule of icmp has none.
func RulePorts(r *virtfoundryv1alpha1.SecurityRule) (from, to *int64, inBounds bool) {
	if r.Protocol == virtfoundryv1alpha1.RuleICMP {
		return nil, nil, true
	}
	first, last := valueOf(r.PortFrom), valueOf(r.PortTo)
	switch {
	case first == 0 && last == 0:
		return nil, nil, true
	case first < 0 || first > maxPort || last < 0 || last > maxPort, r.PortFrom == nil, last != 0 && last < first:
		return nil, nil, false
	case first == 0:
		first = 1 // port 0 is none
	}
	if last != 0 && last != first {
		to = &last
	}
	return &first, to, true
}

const maxPort = 65535

func valueOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
