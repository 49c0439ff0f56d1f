package platform

import (
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func TestAnEmptyFileMeansTheDocumentedDefaults(t *testing.T) {
	for _, text := range []string{"", "{}", "networking:\n"} {
		got, err := Decode([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(Defaults(), got); diff != "" {
			t.Error(diff)
		}
	}
	d := Defaults()
	if d.Storage.DefaultClass != "auto" || d.ImageAllowlist.Prefixes != nil || d.Networking.Public.Enabled || d.Networking.Isolated.Enabled ||
		d.Networking.Public.Bridge.Name != "vf-pub0" || d.Networking.Isolated.Bridge.Name != "virtfoundry-br0" || d.Networking.Bridge.Namespace != "kube-system" {
		t.Errorf("%+v", d)
	}
}

const whole = `
storage: {defaultClass: fast, snapshotClass: daily}
imageAllowlist: {prefixes: [registry.example.com/golden/]}
networking:
  public:
    enabled: true
    autoFromCluster: false
    cidr: 192.0.2.0/24
    gateway: 192.0.2.1
    ipPool: {start: 192.0.2.20, end: 192.0.2.80}
    reservedRanges: [{start: 192.0.2.200, end: 192.0.2.210, reason: load balancers}]
    dns: [192.0.2.53]
    bridge: {name: br0, uplink: eth1, address: 192.0.2.2/24}
    dhcp: {enabled: false}
    nad: {name: virtfoundry-public, namespace: virtfoundry-system}
  isolated: {enabled: true, bridge: {name: virtfoundry-br0, address: ""}}
  bridge:
    namespace: kube-system
    image: registry.example.com/tools@sha256:0000000000000000000000000000000000000000000000000000000000000000
    nodeSelector: {role: vm}
    tolerations: [{key: dedicated, operator: Equal, value: vm, effect: NoSchedule}]
    repairIntervalSeconds: 30
`

func TestEveryKeyIsRead(t *testing.T) {
	c, err := Decode([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	network, err := c.Networking.Public.Resolve([]Node{{Name: "a", Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.7")}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Network{
		Prefix: netip.MustParsePrefix("192.0.2.0/24"), Gateway: netip.MustParseAddr("192.0.2.1"), Pool: Range{"192.0.2.20", "192.0.2.80"},
		Reserved: []Reserved{{"192.0.2.200", "192.0.2.210", "load balancers"}, {"192.0.2.7", "192.0.2.7", "Node a"}, {"192.0.2.7", "192.0.2.7", "bridge of Node a"}},
		DNS:      []string{"192.0.2.53"},
	}
	if diff := cmp.Diff(want, network, cmp.Comparer(func(a, b netip.Addr) bool { return a == b }), cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if c.Storage.DefaultClass != "fast" || c.Storage.SnapshotClass != "daily" || c.ImageAllowlist.Prefixes[0] != "registry.example.com/golden/" ||
		c.Networking.Bridge.Tolerations[0].Key != "dedicated" || c.Networking.Bridge.RepairIntervalSeconds != 30 {
		t.Errorf("%+v", c)
	}
}

func TestAWrongKeyOrValueIsNamedWithWhatToDo(t *testing.T) {
	for text, want := range map[string][]string{
		"storage: {defaultClas: fast}":                                                                                {"storage.defaultClas is no key", "storage.defaultClass"},
		"storage: {DefaultClass: fast}":                                                                               {"storage.DefaultClass is no key"},
		"storage: {defaultClass: a}\nstorage: {}":                                                                     {"no YAML", "storage"},
		"storage: {defaultClass: Fast_Class}":                                                                         {"storage.defaultClass", "kubectl get storageclasses"},
		"storage: {defaultClass: [a]}":                                                                                {"wrong type", "defaultClass"},
		"storage: {snapshotClass: '-'}":                                                                               {"storage.snapshotClass"},
		"imageAllowlist: {prefixes: ['https://quay.io/']}":                                                            {"imageAllowlist.prefixes[0]", "quay.io/containerdisks/"},
		"imageAllowlist: {prefixes: ['']}":                                                                            {"imageAllowlist.prefixes[0]"},
		"networking: {vm: {allowPodNetwork: true}}":                                                                   {"networking.vm", "VirtFoundry's API server"},
		"secrets: {rootPassword: hunter2hunter2}":                                                                     {"secrets", "remove it here"},
		"networking: {public: {ipPool: {from: a}}}":                                                                   {"networking.public.ipPool.from is no key", "networking.public.ipPool.end, networking.public.ipPool.start"},
		"networking: {public: {bridge: {name: virtfoundry-pub0}}}":                                                    {"16 characters", "vf-pub0"},
		"networking: {public: {bridge: {name: 'a;reboot'}}}":                                                          {"networking.public.bridge.name", "no name of an interface"},
		"networking: {public: {bridge: {uplink: '$(id)'}}}":                                                           {"networking.public.bridge.uplink"},
		"networking: {public: {bridge: {name: virtfoundry-br0}}}":                                                     {"networking.isolated.bridge.name", "one segment"},
		"networking: {isolated: {bridge: {address: 10.0.0.0/24}}}":                                                    {"networking.isolated.bridge.address", "10.0.50.2/24"},
		"networking: {bridge: {image: 'Alpine:3.22'}}":                                                                {"networking.bridge.image", "@sha256:"},
		"networking: {bridge: {namespace: A}}":                                                                        {"networking.bridge.namespace"},
		"networking: {bridge: {repairIntervalSeconds: -1}}":                                                           {"networking.bridge.repairIntervalSeconds", "1 to 3600"},
		"networking: {bridge: {tolerations: [{operator: Maybe}]}}":                                                    {"tolerations[0].operator", "Exists or Equal"},
		"networking: {bridge: {tolerations: [{key: a, effect: Never}]}}":                                              {"tolerations[0].effect"},
		"networking: {bridge: {nodeSelector: {'a b': c}}}":                                                            {"networking.bridge.nodeSelector"},
		"networking: {public: {enabled: true, cidr: 'fd00::/64'}}":                                                    {"networking.public.cidr", "IPv4"},
		"networking: {public: {enabled: true, cidr: 192.0.2.0/24}}":                                                   {"networking.public.gateway", "192.0.2.0/24"},
		"networking: {public: {enabled: true, autoFromCluster: false, gateway: 10.0.60.1}}":                           {"networking.public.gateway"},
		"networking: {public: {enabled: true, autoFromCluster: false, gateway: 10.0.50.20}}":                          {"networking.public.gateway", "inside of ipPool"},
		"networking: {public: {enabled: true, autoFromCluster: false, ipPool: {start: 10.0.50.90, end: 10.0.50.20}}}": {"ipPool", "swap"},
		"networking: {public: {enabled: true, autoFromCluster: false, ipPool: {end: 10.0.50.120}}}":                   {"reservedRanges[0]", "overlaps ipPool"},
		"networking: {public: {enabled: true, autoFromCluster: false, bridge: {address: 10.0.50.20/24}}}":             {"bridge.address", "inside of ipPool"},
		"networking: {public: {enabled: true, autoFromCluster: false, bridge: {address: 10.0.50.110/24}}}":            {"bridge.address", "reserved range"},
		"networking: {public: {enabled: true, autoFromCluster: false, dns: [resolver]}}":                              {"networking.public.dns[0]"},
		"networking: {public: {enabled: true, bridge: {uplink: eth1, address: 10.0.50.2/24}, dhcp: {enabled: true}}}": {"networking.public.dhcp.enabled", "uplink"},
		"networking: {public: {enabled: true, dhcp: {enabled: true}}}":                                                {"networking.public.dhcp.enabled", "bridge.address"},
		"a: &a [*a]": {"no YAML"},
		"[]":         {"wrong type"},
	} {
		_, err := Decode([]byte(text))
		if err == nil {
			t.Errorf("%s: accepted", text)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v\nlacks %q", text, err, part)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("a value of secrets is shown: %v", err)
		}
	}
}

func TestTheRangeOfTheClusterIsThatOfTheFirstNodeAndItsAddressIsReserved(t *testing.T) {
	c, err := Decode([]byte("networking: {public: {enabled: true}}"))
	if err != nil {
		t.Fatal(err)
	}
	nodes := []Node{
		{Name: "v6", Addresses: []netip.Addr{netip.MustParseAddr("fd00::1")}},
		{Name: "a", Addresses: []netip.Addr{netip.MustParseAddr("172.18.5.30")}},
		{Name: "b", Addresses: []netip.Addr{netip.MustParseAddr("172.18.9.30")}},
	}
	network, err := c.Networking.Public.Resolve(nodes)
	if err != nil {
		t.Fatal(err)
	}
	if network.Prefix.String() != "172.18.5.0/24" || network.Gateway.String() != "172.18.5.1" || network.Pool != (Range{"172.18.5.20", "172.18.5.80"}) || network.DNS[0] != "172.18.5.1" {
		t.Errorf("%+v", network)
	}
	if diff := cmp.Diff([]Reserved{{"172.18.5.30", "172.18.5.30", "Node a"}}, network.Reserved); diff != "" {
		t.Errorf("a guest could be given a Node's address:\n%s", diff)
	}
	if c.Networking.Public.Bridge.Uplink != "" {
		t.Error("an uplink was guessed")
	}
	if _, err := c.Networking.Public.Resolve(nodes[:1]); err == nil || !strings.Contains(err.Error(), "networking.public.autoFromCluster") {
		t.Errorf("without an address: %v", err)
	}
	c.Networking.Public.Bridge.Address = "172.18.5.2/24"
	if _, err := c.Networking.Public.Resolve(nodes); err == nil || !strings.Contains(err.Error(), "Nodes a and b would both have") {
		t.Errorf("two Nodes with one address on the bridge: %v", err)
	}
}

func TestTheExampleIsTaken(t *testing.T) {
	text, err := os.ReadFile("../../config/platform/configmap.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var example corev1.ConfigMap
	if err := yaml.UnmarshalStrict(text, &example); err != nil {
		t.Fatal(err)
	}
	if c, err := Decode([]byte(example.Data[FileName])); err != nil || example.Name != ConfigMapName || !c.Networking.Isolated.Enabled {
		t.Errorf("%s: %+v %v", example.Name, c, err)
	}
}

func TestWhatIsReservedIsNotFree(t *testing.T) {
	for name, c := range map[string]struct {
		reserved []Reserved
		want     []Range
	}{
		"nothing":    {nil, []Range{{"10.0.0.10", "10.0.0.20"}}},
		"elsewhere":  {[]Reserved{{"10.0.0.1", "10.0.0.9", ""}}, []Range{{"10.0.0.10", "10.0.0.20"}}},
		"the middle": {[]Reserved{{"10.0.0.12", "10.0.0.14", ""}, {"10.0.0.13", "10.0.0.13", ""}}, []Range{{"10.0.0.10", "10.0.0.11"}, {"10.0.0.15", "10.0.0.20"}}},
		"the first":  {[]Reserved{{"10.0.0.1", "10.0.0.10", ""}}, []Range{{"10.0.0.11", "10.0.0.20"}}},
		"the last":   {[]Reserved{{"10.0.0.20", "10.0.0.20", ""}}, []Range{{"10.0.0.10", "10.0.0.19"}}},
		"all":        {[]Reserved{{"10.0.0.0", "10.0.0.255", ""}}, []Range{}},
		"one by one": {[]Reserved{{"10.0.0.10", "10.0.0.15", ""}, {"10.0.0.16", "10.0.0.20", ""}}, []Range{}},
	} {
		network := Network{Pool: Range{"10.0.0.10", "10.0.0.20"}, Reserved: c.reserved}
		if diff := cmp.Diff(c.want, network.Free()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestTheVariableIsACommaList(t *testing.T) {
	if diff := cmp.Diff([]string{"a/", "b.example/c"}, ImagePrefixes(" a/, ,b.example/c,")); diff != "" {
		t.Error(diff)
	}
	if got := ImagePrefixes(" , "); got != nil {
		t.Errorf("blanks are a list: %v", got)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"", whole, "a: &a [*a]", "networking: {public: {enabled: true, cidr: 0.0.0.0/0}}", "networking: {public: {enabled: true, autoFromCluster: false, bridge: {address: 10.0.50.2/24}}}", "storage: null", "\xff", "- 1"} {
		f.Add([]byte(seed))
	}
	node := []Node{{Name: "a", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.9")}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Decode(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error says nothing")
			}
			return
		}
		network, err := c.Networking.Public.Resolve(node)
		if err != nil {
			return
		}
		pool := span{netip.MustParseAddr(network.Pool.Start), netip.MustParseAddr(network.Pool.End)}
		if pool.has(network.Gateway) || !network.Prefix.Contains(pool.first) || !network.Prefix.Contains(pool.last) || len(c.Networking.Public.Bridge.Name) > 15 {
			t.Errorf("%+v %+v", c, network)
		}
	})
}
