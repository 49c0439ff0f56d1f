package children

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG+VLRDLyMHXrwnn3a0AfyOkfUH3KgXrjtebZ190W9X5 alice@acme"

// instanceInput is an Instance on one isolated Network, with what it names.
func instanceInput(change ...func(*InstanceInput)) InstanceInput {
	const namespace = "virtfoundry-tenant-acme"
	network := virtfoundryv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}
	network.Spec.NetworkType, network.Status.NADName, network.Status.NADNamespace = virtfoundryv1alpha1.NetworkIsolated, "web", namespace
	in := InstanceInput{Found: &facts.Gathered{
		Instance: &virtfoundryv1alpha1.Instance{
			ObjectMeta: metav1.ObjectMeta{Name: "guest", Namespace: namespace, UID: "u"},
			Spec: virtfoundryv1alpha1.InstanceSpec{
				TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "ubuntu"},
				NICs:        []virtfoundryv1alpha1.NIC{{NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}}},
			},
		},
		Named: facts.Named{
			Templates: []virtfoundryv1alpha1.Template{{
				ObjectMeta: metav1.ObjectMeta{Name: "ubuntu", Namespace: namespace},
				Spec:       virtfoundryv1alpha1.TemplateSpec{Image: "quay.io/containerdisks/ubuntu:22.04", SourceType: virtfoundryv1alpha1.TemplateContainer},
			}},
			Networks: []virtfoundryv1alpha1.Network{network},
			SSHKeys:  []virtfoundryv1alpha1.SSHKey{{ObjectMeta: metav1.ObjectMeta{Name: "alice"}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: publicKey}}},
		},
	}}
	for _, f := range change {
		f(&in)
	}
	return in
}

func spec(change func(*virtfoundryv1alpha1.InstanceSpec)) func(*InstanceInput) {
	return func(in *InstanceInput) { change(&in.Found.Instance.Spec) }
}

func TestAnInstancesChildrenFollowFromWhatItNames(t *testing.T) {
	for name, c := range map[string]struct {
		in   InstanceInput
		want func(*Instance) any
		is   any
	}{
		"the default size": {instanceInput(), func(i *Instance) any {
			d := i.VirtualMachine.Spec.Template.Spec.Domain
			return []any{d.CPU.Cores, d.Resources.Requests.Memory().String(), d.Resources.Limits.Memory().String(), len(d.Resources.Limits)}
		}, []any{uint32(1), "512Mi", "512Mi", 1}},
		"a pinned size": {instanceInput(func(in *InstanceInput) {
			in.Dedicated = true
			in.Found.Named.Offering = &virtfoundryv1alpha1.Offering{Spec: virtfoundryv1alpha1.OfferingSpec{CPU: 4, MemoryMi: 2048}}
		}), func(i *Instance) any {
			d := i.VirtualMachine.Spec.Template.Spec.Domain
			return []any{d.CPU.Cores, d.CPU.DedicatedCPUPlacement, d.Resources.Requests.Cpu().String(), d.Resources.Limits.Cpu().String(), d.Resources.Limits.Memory().String()}
		}, []any{uint32(4), true, "4", "4", "2Gi"}},
		"a NIC without a name":             {instanceInput(), func(i *Instance) any { return i.VirtualMachine.Spec.Template.Spec.Networks[0].Name }, "nic0"},
		"the attachment of the own name":   {instanceInput(), func(i *Instance) any { return i.VirtualMachine.Spec.Template.Spec.Networks[0].Multus.NetworkName }, "web"},
		"the attachment of another's name": {instanceInput(func(in *InstanceInput) { in.Found.Named.Networks[0].Status.NADNamespace = "virtfoundry-system" }), func(i *Instance) any { return i.VirtualMachine.Spec.Template.Spec.Networks[0].Multus.NetworkName }, "virtfoundry-system/web"},
		"no user data":                     {instanceInput(), func(i *Instance) any { return string(i.CloudInit.Data["userdata"]) }, "#cloud-config\n"},
		"user data without keys is as given": {instanceInput(func(in *InstanceInput) { in.UserData = []byte("#!/bin/sh\n# mine\n") }),
			func(i *Instance) any { return string(i.CloudInit.Data["userdata"]) }, "#!/bin/sh\n# mine\n"},
		"the pod network comes first and the NICs stay": {instanceInput(func(in *InstanceInput) { in.PodNetwork = true }), func(i *Instance) any {
			names := []string{}
			for _, network := range i.VirtualMachine.Spec.Template.Spec.Networks {
				names = append(names, network.Name)
			}
			return names
		}, []string{"default", "nic0"}},
		"powered off": {instanceInput(spec(func(s *virtfoundryv1alpha1.InstanceSpec) { s.PowerState = virtfoundryv1alpha1.PowerHalted })), func(i *Instance) any { return *i.VirtualMachine.Spec.RunStrategy }, kubevirtv1.RunStrategyHalted},
	} {
		made, err := ForInstance(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.is, c.want(made)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWhatNoInstanceCanBeMadeOfIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		in   InstanceInput
		says string
	}{
		"no template":           {instanceInput(spec(func(s *virtfoundryv1alpha1.InstanceSpec) { s.TemplateRef = nil })), "spec.templateRef is missing: name a Template"},
		"a template of nowhere": {instanceInput(func(in *InstanceInput) { in.Found.Named.Templates = nil }), "exists neither in namespace virtfoundry-tenant-acme nor in virtfoundry-system"},
		"no NIC":                {instanceInput(spec(func(s *virtfoundryv1alpha1.InstanceSpec) { s.NICs = nil })), "it has no NIC"},
		"no network":            {instanceInput(func(in *InstanceInput) { in.Found.Named.Networks = nil }), "Network web does not exist"},
		"no key": {instanceInput(spec(func(s *virtfoundryv1alpha1.InstanceSpec) {
			s.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "bob"}}
		})), "SSHKey bob does not exist"},
		"a key with a line more": {instanceInput(func(in *InstanceInput) {
			in.Found.Named.SSHKeys[0].Spec.PublicKey += "\nruncmd: [s3cret]"
			in.Found.Instance.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}
		}), "SSHKey alice: not one OpenSSH public key"},
		"a NIC of the pod network's name": {instanceInput(func(in *InstanceInput) {
			in.PodNetwork, in.Found.Instance.Spec.NICs[0].Name = true, "default"
		}), "spec.nics[0].name default"},
	} {
		_, err := ForInstance(c.in)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "Instance virtfoundry-tenant-acme/guest: ") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := ForInstance(instanceInput(func(in *InstanceInput) { in.Found.Named.Networks[0].Status.NADName = "" }))
	var notReady *NotReadyError
	if !errors.As(err, &notReady) {
		t.Errorf("a Network that is being made: %v", err)
	}
}

func TestAMergedInstanceHasItsOwnNICsAloneAndTheDisksOfOthers(t *testing.T) {
	made, err := ForInstance(instanceInput())
	if err != nil {
		t.Fatal(err)
	}
	live := made.VirtualMachine.DeepCopy()
	inner := &live.Spec.Template.Spec
	inner.Domain.Devices.Interfaces[0].MacAddress = "02:00:00:00:00:01"
	inner.Domain.Devices.Interfaces = append(inner.Domain.Devices.Interfaces, *kubevirtv1.DefaultMasqueradeNetworkInterface())
	inner.Networks = append(inner.Networks, *kubevirtv1.DefaultPodNetwork())
	inner.Volumes = append(inner.Volumes, kubevirtv1.Volume{Name: "data"})
	inner.Domain.Devices.Disks = append(inner.Domain.Devices.Disks, kubevirtv1.Disk{Name: "data"})
	merged := MergeInstance(made.VirtualMachine, live).Spec.Template.Spec
	if len(merged.Networks) != 1 || len(merged.Domain.Devices.Interfaces) != 1 || merged.Domain.Devices.Interfaces[0].MacAddress != "02:00:00:00:00:01" || len(merged.Volumes) != 3 || len(merged.Domain.Devices.Disks) != 3 {
		t.Errorf("%+v", merged)
	}
}
