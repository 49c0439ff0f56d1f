package check_test

import (
	"slices"
	"strings"
	"testing"

	"cato.dev/cato/policy/engine"
)

const (
	platformFile = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: virtfoundry-platform, namespace: virtfoundry-system}\ndata:\n  platform.yaml: |\n    "
	diskWithout  = "\n---\napiVersion: virtfoundry.io/v1alpha1\nkind: Disk\nmetadata: {name: data, namespace: virtfoundry-tenant-acme}\nspec: {name: data, sizeGi: 1}\n" +
		"---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: driver.example.com\n"
	assumedDefaults = "no ConfigMap virtfoundry-platform is in the input: the defaults of the platform's configuration are assumed"
)

func TestThePlatformsFileIsReadWhereItIsAndItsDefaultsAreAssumedElse(t *testing.T) {
	for name, c := range map[string]struct {
		input   string
		class   engine.Value
		assumed bool
	}{
		"configured": {platformFile + "storage: {defaultClass: fast}" + diskWithout, engine.Pass, false},
		"another":    {platformFile + "storage: {defaultClass: slow}" + diskWithout, engine.Fail, false},
		"none":       {strings.TrimPrefix(diskWithout, "\n---\n"), engine.Fail, true}, // fast is no default
		"elsewhere":  {strings.Replace(platformFile, "virtfoundry-system", "operators", 1) + "storage: {defaultClass: fast}" + diskWithout, engine.Pass, false},
		"other maps": {strings.Replace(platformFile, "name: virtfoundry-platform", "name: mine", 1) + "storage: {defaultClass: fast}" + diskWithout, engine.Fail, true},
	} {
		report := checked(t, newChecker(t), c.input)
		if got, _ := verdictOn(report, "Disk", "STO-021"); got != c.class || len(report.Errors) > 0 {
			t.Errorf("%s: STO-021 is %s, errors %q", name, got, report.Errors)
		}
		if got := slices.Contains(report.Assumptions, assumedDefaults); got != c.assumed {
			t.Errorf("%s: assumptions %q", name, report.Assumptions)
		}
	}
}

func TestEachWrongKeyOfThePlatformsFileIsAnErrorAndWhatDependsOnItIsUnknown(t *testing.T) {
	report := checked(t, newChecker(t), platformFile+"{storage: {defaultClas: fast}, networking: {bridge: {repairIntervalSeconds: -1}}}"+diskWithout)
	want := []string{
		"ConfigMap virtfoundry-system/virtfoundry-platform, platform.yaml: storage.defaultClas is no key: write one of",
		"ConfigMap virtfoundry-system/virtfoundry-platform, platform.yaml: networking.bridge.repairIntervalSeconds: -1 is out of bounds: use 1 to 3600",
	}
	if len(report.Errors) != len(want) || !strings.HasPrefix(report.Errors[0], want[0]) || report.Errors[1] != want[1] || report.ExitCode() != 2 {
		t.Errorf("exit code %d, errors %q", report.ExitCode(), report.Errors)
	}
	for kind, rule := range map[string]string{"Disk": "STO-021", "ConfigMap": "HST-003"} {
		if got, _ := verdictOn(report, kind, rule); got != engine.Unknown {
			t.Errorf("%s of %s is %q", rule, kind, got)
		}
	}
}

func TestAPlatformsFileThatCannotBeReadIsUnknownAndNoDefaults(t *testing.T) {
	for name, input := range map[string]string{
		"not text":         strings.Replace(platformFile, "|\n    ", "", 1) + "{a: [b]}" + diskWithout,
		"a key twice":      platformFile + "a\ndata: {}" + diskWithout,
		"another key":      strings.Replace(platformFile, "platform.yaml:", "platform.yml:", 1) + "storage: {}" + diskWithout,
		"two of the name":  strings.Replace(platformFile, "virtfoundry-system", "a", 1) + "{}\n---\n" + strings.Replace(platformFile, "virtfoundry-system", "b", 1) + "{}" + diskWithout,
		"twice, not alike": platformFile + "storage: {defaultClass: fast}\n---\n" + platformFile + "storage: {defaultClass: slow}" + diskWithout,
	} {
		report := checked(t, newChecker(t), input)
		if got, _ := verdictOn(report, "Disk", "STO-021"); got != engine.Unknown || len(report.Errors) == 0 || slices.Contains(report.Assumptions, assumedDefaults) {
			t.Errorf("%s: STO-021 is %s, errors %q, assumptions %q", name, got, report.Errors, report.Assumptions)
		}
	}
}

func TestThePublicNetworkIsNotKnownWithoutTheNodesThatItIsTakenFrom(t *testing.T) {
	const address = "\n---\napiVersion: virtfoundry.io/v1alpha1\nkind: IPAddress\nmetadata: {name: one, namespace: virtfoundry-system}\nspec: {networkRef: {name: public}, address: 10.0.50.20}\n"
	report := checked(t, newChecker(t), platformFile+"networking: {public: {enabled: true}}"+address)
	if got, _ := verdictOn(report, "IPAddress", "NET-025"); got == engine.Pass {
		t.Errorf("NET-025 is %s", got)
	}
	if got, _ := verdictOn(report, "ConfigMap", "HST-001"); got != engine.Pass { // no address is part of it
		t.Errorf("HST-001 is %s", got)
	}
	report = checked(t, newChecker(t), platformFile+"networking: {public: {enabled: true, autoFromCluster: false}}"+address)
	if !slices.Contains(report.Assumptions, "no Node is in the input: that none has an address of the public network is assumed") {
		t.Errorf("assumptions %q", report.Assumptions)
	}
}
