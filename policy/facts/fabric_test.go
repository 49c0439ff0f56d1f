package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func attachmentWith(name, config string) *cniv1.NetworkAttachmentDefinition {
	return &cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Spec: cniv1.NetworkAttachmentDefinitionSpec{Config: config}}
}

func TestHowAnotherAttachmentReachesASegment(t *testing.T) {
	own := SegmentOf(attachmentWith("own", `{"type":"bridge","bridge":"br0","vlan":100,"preserveDefaultVlan":false}`))
	if diff := cmp.Diff(Attachment{Namespace: "a", Name: "own", Type: "bridge", Bridge: "br0", VLAN: 100}, own); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for config, want := range map[string]string{
		`{"type":"bridge","bridge":"br0","vlan":100}`:                                 "vlan",
		`{"plugins":[{"type":"bridge","bridge":"br0","vlan":100},{"type":"tuning"}]}`: "vlan",
		`{"type":"bridge","bridge":"br0","vlanTrunk":[{"minID":99,"maxID":100}]}`:     "trunk",
		`{"type":"bridge","bridge":"br0","vlanTrunk":[{"id":100}]}`:                   "trunk",
		`{"type":"vlan","master":"br0","vlanId":100}`:                                 "vlan",
		`{"type":"macvlan","master":"br0.100"}`:                                       "vlan",
		`{"type":"macvlan","master":"br0"}`:                                           "unknown",
		`{"type":"host-device","device":"br0"}`:                                       "unknown",
		``:                                                                            "unknown",
		`{"type":"bridge","bridge":"br0","vlan":101}`:                                 "",
		`{"type":"bridge","bridge":"br0"}`:                                            "",
		`{"type":"bridge","bridge":"br1","vlan":100}`:                                 "",
		`{"type":"bridge","vlan":100}`:                                                "",
		`{"type":"vlan","master":"br0","vlanId":7}`:                                   "",
		`{"type":"macvlan","master":"br0.7"}`:                                         "",
		`{"type":"bridge","bridge":"br0","vlanTrunk":[{"minID":101,"maxID":200}]}`:    "",
		`{`: "",
	} {
		other, reaches := own.reach(attachmentWith("other", config))
		if got := other.Reach; reaches != (want != "") || reaches && got != want {
			t.Errorf("%s: %t %q, want %q", config, reaches, got, want)
		}
	}
}

func TestRangesBecomeTheFewestBlocks(t *testing.T) {
	for _, c := range []struct {
		start, end string
		want       []string
	}{
		{"10.0.0.10", "10.0.0.99", []string{"10.0.0.10/31", "10.0.0.12/30", "10.0.0.16/28", "10.0.0.32/27", "10.0.0.64/27", "10.0.0.96/30"}},
		{"10.0.0.0", "10.0.0.255", []string{"10.0.0.0/24"}},
		{"10.0.0.7", "10.0.0.7", []string{"10.0.0.7/32"}},
		{"0.0.0.0", "255.255.255.255", []string{"0.0.0.0/0"}},
		{"fd00::", "fd00::3", []string{"fd00::/126"}},
		{"10.0.0.9", "10.0.0.1", nil}, {"10.0.0.9", "fd00::1", nil}, {"ten", "10.0.0.1", nil}, {"", "10.0.0.1", nil},
	} {
		got, err := rangeBlocks(c.start, c.end)
		if (err != nil) != (c.want == nil) || err == nil && !cmp.Equal(c.want, got) {
			t.Errorf("%s to %s: %v, %v; want %v", c.start, c.end, got, err, c.want)
		}
	}
}

func TestPortsOfARule(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	for _, c := range []struct {
		rule     virtfoundryv1alpha1.SecurityRule
		from, to *int64
		valid    bool
	}{
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp"}, nil, nil, true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(0), PortTo: n(0)}, nil, nil, true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(22)}, n(22), nil, true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(22), PortTo: n(22)}, n(22), nil, true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "udp", PortFrom: n(0), PortTo: n(65535)}, n(1), n(65535), true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "icmp", PortFrom: n(99999)}, nil, nil, true},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(23), PortTo: n(22)}, nil, nil, false},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortTo: n(22)}, nil, nil, false},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(65536)}, nil, nil, false},
		{virtfoundryv1alpha1.SecurityRule{Protocol: "tcp", PortFrom: n(-1)}, nil, nil, false},
	} {
		from, to, valid := RulePorts(&c.rule)
		if !cmp.Equal(from, c.from) || !cmp.Equal(to, c.to) || valid != c.valid {
			t.Errorf("%+v: %v %v %t", c.rule, from, to, valid)
		}
	}
}
