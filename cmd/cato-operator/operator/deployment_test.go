package operator

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

func TestTheDeploymentSetsWhatTheOperatorHas(t *testing.T) {
	data, err := os.ReadFile("../../../config/manager/manager.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := yaml.UnmarshalStrict(data, &deployment); err != nil {
		t.Fatal(err)
	}
	pod := deployment.Spec.Template.Spec
	options := Defaults()
	flags := pflag.NewFlagSet("cato-operator", pflag.ContinueOnError)
	options.AddFlags(flags)
	if err := flags.Parse(pod.Containers[0].Args); err != nil {
		t.Fatal(err)
	}
	if err := options.validate(); err != nil {
		t.Error(err)
	}
	if !options.LeaderElect {
		t.Error("the Deployment does not elect a leader: two pods of a rollout could act at once")
	}
	ports := map[string]int32{}
	for _, port := range pod.Containers[0].Ports {
		ports[port.Name] = port.ContainerPort
	}
	want := map[string]int32{"metrics": 8080, "health": 8081, "oscal": 8444, "webhook": int32(options.WebhookPort)}
	if d := cmp.Diff(want, ports); d != "" {
		t.Error(d)
	}
	addresses := []string{options.MetricsAddress, options.HealthAddress, options.OSCALAddress}
	if d := cmp.Diff([]string{":8080", ":8081", ":8444"}, addresses); d != "" {
		t.Error(d)
	}
	written := map[string]bool{}
	for _, mount := range pod.Containers[0].VolumeMounts {
		written[mount.MountPath] = true
	}
	for _, path := range []string{options.StateDir, options.WebhookCertDir, "/tmp"} {
		if !written[path] {
			t.Errorf("%s is on the read-only root, and the operator writes there", path)
		}
	}
}
