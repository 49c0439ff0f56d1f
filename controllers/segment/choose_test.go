package segment

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

const bridge = "virtfoundry-br0"

func network(name string) *virtfoundryv1alpha1.Network {
	return &virtfoundryv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name)}}
}

// nad is an attachment of ours, made in a second of the hour.
func nad(name string, second, recorded, vlan int) cniv1.NetworkAttachmentDefinition {
	controls := true
	n := cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{
		Namespace: "a", Name: name, CreationTimestamp: metav1.Unix(int64(second), 0),
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Network", Name: name, UID: types.UID(name), Controller: &controls}},
	}}
	if recorded != 0 {
		n.Annotations = map[string]string{virtfoundryv1alpha1.AnnotationSegment: fmt.Sprintf("%s/%d", bridge, recorded)}
	}
	n.Spec.Config = fmt.Sprintf(`{"type":"bridge","bridge":%q,"vlan":%d}`, bridge, vlan)
	return n
}

func foreign(config string) cniv1.NetworkAttachmentDefinition {
	return cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "foreign"}, Spec: cniv1.NetworkAttachmentDefinitionSpec{Config: config}}
}

func TestANetworkKeepsWhatIsRecordedForIt(t *testing.T) {
	for name, c := range map[string]struct {
		all  []cniv1.NetworkAttachmentDefinition
		kept int
		want int // 0 is any other than those of the rest
	}{
		"by the record":                            {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 100, 100)}, want: 100},
		"by the record, not by a drift":            {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 100, 200)}, want: 100},
		"by the configuration, without a record":   {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 0, 100)}, want: 100},
		"by what the caller knows":                 {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 200, 200)}, kept: 100, want: 100},
		"although a foreign one squats on it":      {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 100, 100), foreign(`{"type":"bridge","bridge":"virtfoundry-br0","vlan":100}`)}, want: 100},
		"although a younger one of ours has it":    {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 100, 100), nad("db", 6, 100, 100)}, want: 100},
		"but not when an older one of ours had it": {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 100, 100), nad("db", 4, 100, 100)}},
		"but not out of bounds":                    {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 1, 1)}},
		"or untagged":                              {all: []cniv1.NetworkAttachmentDefinition{nad("web", 5, 0, 0)}},
	} {
		got, err := Choose(network("web"), c.all, bridge, c.kept)
		if err != nil || got.Bridge != bridge || c.want != 0 && got.VLAN != c.want || c.want == 0 && (got.VLAN == 100 || got.VLAN < 2) {
			t.Errorf("%s: %v, %v; want %d", name, got, err, c.want)
		}
	}
}

func TestWhatAnythingElseUsesIsNotGiven(t *testing.T) {
	free, err := Choose(network("web"), nil, bridge, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, config := range map[string]string{
		"a bridge": `{"type":"bridge","bridge":"virtfoundry-br0","vlan":%d}`,
		"a trunk":  `{"plugins":[{"type":"bridge","bridge":"virtfoundry-br0","vlanTrunk":[{"id":%d}]}]}`,
		"a VLAN":   `{"type":"vlan","master":"virtfoundry-br0","vlanId":%d}`,
		"a device": `{"type":"macvlan","master":"virtfoundry-br0.%d"}`,
	} {
		other, err := Choose(network("web"), []cniv1.NetworkAttachmentDefinition{foreign(fmt.Sprintf(config, free.VLAN))}, bridge, 0)
		if err != nil || other == free {
			t.Errorf("%s: %v, %v", name, other, err)
		}
	}
	elsewhere := foreign(fmt.Sprintf(`{"type":"bridge","bridge":"br1","vlan":%d}`, free.VLAN))
	if again, err := Choose(network("web"), []cniv1.NetworkAttachmentDefinition{elsewhere}, bridge, 0); err != nil || again != free {
		t.Errorf("another bridge: %v, %v", again, err)
	}
	whole := foreign(`{"type":"bridge","bridge":"virtfoundry-br0","vlanTrunk":[{"minID":1,"maxID":4094}]}`)
	if got, err := Choose(network("web"), []cniv1.NetworkAttachmentDefinition{whole}, bridge, 0); err == nil {
		t.Errorf("nothing is left, and %v is given", got)
	}
}

// However many networks come, in whatever order their attachments are listed, each ends with a VLAN of its own and none moves.
func TestNetworksThatComeOneAfterAnotherHaveVLANsOfTheirOwn(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		all := []cniv1.NetworkAttachmentDefinition{}
		for i := range rapid.IntRange(1, 60).Draw(r, "networks") {
			name := fmt.Sprintf("n-%d", i)
			got, err := Choose(network(name), rapid.Permutation(all).Draw(r, name), bridge, 0)
			if err != nil {
				r.Fatal(err)
			}
			all = append(all, nad(name, int(time.Duration(i)), got.VLAN, got.VLAN))
		}
		seen := map[int]string{}
		for i := range all {
			got, err := Choose(network(all[i].Name), all, bridge, 0)
			if err != nil || got.String() != all[i].Annotations[virtfoundryv1alpha1.AnnotationSegment] || seen[got.VLAN] != "" {
				r.Fatalf("%s: %v (%v), recorded %v, also of %q", all[i].Name, got, err, all[i].Annotations, seen[got.VLAN])
			}
			seen[got.VLAN] = all[i].Name
		}
	})
}
