package children

import (
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"cato.dev/cato/api/platform"
)

func decoded(t *testing.T, text string) platform.Config {
	t.Helper()
	config, err := platform.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func renderedBridges(t *testing.T, text string) (map[string]corev1.Container, *corev1.PodSpec) {
	t.Helper()
	config := decoded(t, text)
	network, err := config.Networking.Public.Resolve([]platform.Node{{Name: "a", Addresses: []netip.Addr{netip.MustParseAddr("10.0.50.30")}}})
	if err != nil {
		t.Fatal(err)
	}
	set := ForBridges(config, network)
	if set == nil {
		return nil, nil
	}
	containers := map[string]corev1.Container{}
	for _, c := range set.Spec.Template.Spec.Containers {
		containers[c.Name] = c
	}
	return containers, &set.Spec.Template.Spec
}

func TestNothingIsRenderedWhenBothNetworksAreOff(t *testing.T) {
	if containers, _ := renderedBridges(t, ""); containers != nil {
		t.Errorf("%+v", containers)
	}
}

func TestThePodsHaveNetAdminAndNothingElseThatIsPrivileged(t *testing.T) {
	containers, pod := renderedBridges(t, `networking:
  public: {enabled: true, autoFromCluster: false, bridge: {address: 10.0.50.2/24}, dhcp: {enabled: true}}
  isolated: {enabled: true}
  bridge: {nodeSelector: {role: vm}, tolerations: [{operator: Exists}]}
`)
	if !pod.HostNetwork || pod.HostPID || pod.HostIPC || pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken || pod.ServiceAccountName != "" ||
		pod.NodeSelector["role"] != "vm" || len(pod.Tolerations) != 1 {
		t.Errorf("pod: %+v", pod)
	}
	for _, volume := range pod.Volumes {
		if volume.EmptyDir == nil {
			t.Errorf("volume %+v", volume)
		}
	}
	want := map[string][]corev1.Capability{"public": {"NET_ADMIN"}, "isolated": {"NET_ADMIN"}, "dhcp": {"NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"}}
	for name, capabilities := range want {
		c := containers[name]
		s := c.SecurityContext
		if s == nil || *s.Privileged || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !strings.Contains(c.Image, "@sha256:") || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("%s: %+v", name, c)
			continue
		}
		if diff := cmp.Diff(&corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: capabilities}, s.Capabilities); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if len(containers) != len(want) {
		t.Errorf("%d containers", len(containers))
	}
	ranges := []string{}
	for _, arg := range containers["dhcp"].Args {
		if strings.HasPrefix(arg, "--dhcp-range") {
			ranges = append(ranges, arg)
		}
	}
	if diff := cmp.Diff([]string{"--dhcp-range=10.0.50.10,10.0.50.29,255.255.255.0,1h", "--dhcp-range=10.0.50.31,10.0.50.99,255.255.255.0,1h"}, ranges); diff != "" {
		t.Errorf("a Node's address is served:\n%s", diff)
	}
}

func TestAnUplinkIsNeverGuessedAndNoValueIsTextOfTheScript(t *testing.T) {
	for uplink, text := range map[string]string{
		"":     "networking: {public: {enabled: true}}",
		"eth1": "networking: {public: {enabled: true, bridge: {uplink: eth1}}}",
	} {
		containers, _ := renderedBridges(t, text)
		c := containers["public"]
		if c.Command[2] != platform.BridgeScript || len(c.Args) != 0 {
			t.Errorf("the script depends on the configuration: %v", c.Command)
		}
		for _, v := range c.Env {
			if v.Name == "UPLINK" && v.Value != uplink {
				t.Errorf("uplink %q, want %q", v.Value, uplink)
			}
		}
	}
}

func TestTheScriptsAreOfAShell(t *testing.T) {
	for _, text := range []string{platform.BridgeScript, platform.DHCPScript} {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", "-c", text).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}
