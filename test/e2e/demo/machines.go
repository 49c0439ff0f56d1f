package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// The images that the story serves.
const (
	goodImage     = "linux-9.img"
	tamperedImage = "tampered.img"
)

// sensors are the machines of the chapter on speed. They are made early, so
// that they are ready when it comes.
func sensors() []string {
	names := make([]string, fleetSize)
	for i := range names {
		names[i] = fmt.Sprintf("sensor-%d", i+1)
	}
	return names
}

func (d *demo) create(ctx context.Context) error {
	d.chapter("3. A tenant, a hardened machine, and one whose image somebody tampered with")
	var err error
	if d.images, err = d.stack.ServeImages(goodImage, tamperedImage); err != nil {
		return err
	}
	if err := d.stack.Tamper(tamperedImage); err != nil {
		return err
	}
	if err := d.stack.EnableNamespace(ctx, missionNamespace); err != nil {
		return err
	}
	if err := d.kubectl(ctx, "apply", "-f", filepath.Join(d.stack.Root, "config/samples/virtfoundry_v1alpha1_tenant.yaml")); err != nil {
		return err
	}
	machine, err := d.sample()
	if err != nil {
		return err
	}
	d.say("The first sample of a machine, with the address and checksum of an image that this demo serves:")
	if err := d.apply(ctx, machine); err != nil {
		return err
	}
	tampered := another(machine, "tampered")
	tampered.Spec.URL, tampered.Spec.Checksum = d.images[tamperedImage].URL, d.images[tamperedImage].Checksum
	if err := d.apply(ctx, tampered); err != nil {
		return err
	}
	for _, name := range sensors() {
		if err := d.stack.Client.Create(ctx, another(machine, name)); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) ready(ctx context.Context) error {
	if err := d.reaches(ctx, machineName, udsv1alpha1.PhaseReady); err != nil {
		return err
	}
	if err := d.until(ctx, "the tenant is Ready", func() bool {
		var tenants virtfoundryv1alpha1.TenantList
		return d.stack.Client.List(ctx, &tenants) == nil && len(tenants.Items) == 1 && tenants.Items[0].Status.Phase == virtfoundryv1alpha1.TenantReady
	}); err != nil {
		return err
	}
	for _, arguments := range []string{
		"get tenants", "get networkpolicies,resourcequotas,limitranges,rolebindings -n " + tenantNamespace,
		"get vm,vmi,datavolume,networkpolicy,secret -n " + missionNamespace + " -l " + udsv1alpha1.LabelVM + "=" + machineName,
	} {
		if err := d.kubectl(ctx, strings.Fields(arguments)...); err != nil {
			return err
		}
	}
	if err := d.until(ctx, "the control is satisfied", func() bool { return d.satisfied(ctx) == "1" }); err != nil {
		return err
	}
	d.showControl(ctx)
	return nil
}

// tampered shows what became of the machine whose image is not what its
// checksum says: the real importer saw it.
func (d *demo) tampered(ctx context.Context) error {
	d.chapter("4. The tampered image: CDI's importer finds another digest, and the guest never starts")
	if err := d.reaches(ctx, "tampered", udsv1alpha1.PhaseFailed); err != nil {
		return err
	}
	if err := d.kubectl(ctx, "get", "udsvm", "-n", missionNamespace); err != nil {
		return err
	}
	if err := d.kubectl(ctx, "get", "udsvm", "tampered", "-n", missionNamespace, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].message}`); err != nil {
		return err
	}
	if err := d.until(ctx, "SI-7 fails on it", func() bool { return strings.HasSuffix(strings.TrimSpace(d.integrity(ctx, "tampered")), "} 0") }); err != nil {
		return err
	}
	d.block(d.integrity(ctx, machineName) + d.integrity(ctx, "tampered"))
	return nil
}

func (d *demo) integrity(ctx context.Context, machine string) string {
	return d.metric(ctx, "uds_vm_compliance_verified", `control="SI-7"`, `vm="`+machine+`"`)
}

// sample is the machine of the first sample, with an image that is there.
func (d *demo) sample() (*udsv1alpha1.UDSVirtualMachine, error) {
	text, err := os.ReadFile(filepath.Join(d.stack.Root, "config/samples/uds_v1alpha1_udsvirtualmachine.yaml"))
	if err != nil {
		return nil, err
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		machine := &udsv1alpha1.UDSVirtualMachine{}
		if err := yaml.Unmarshal([]byte(document), machine); err != nil {
			return nil, err
		}
		if machine.Name == machineName {
			machine.Spec.URL, machine.Spec.Checksum = d.images[goodImage].URL, d.images[goodImage].Checksum
			return machine, nil
		}
	}
	return nil, fmt.Errorf("no sample has a UDSVirtualMachine %s", machineName)
}

func another(machine *udsv1alpha1.UDSVirtualMachine, name string) *udsv1alpha1.UDSVirtualMachine {
	return &udsv1alpha1.UDSVirtualMachine{
		TypeMeta: machine.TypeMeta, ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: name}, Spec: *machine.Spec.DeepCopy(),
	}
}

// apply sends a machine as a person does, from a file.
func (d *demo) apply(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) error {
	text, err := yaml.Marshal(machine)
	if err != nil {
		return err
	}
	file := filepath.Join(d.stack.Dir, machine.Name+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	return d.kubectl(ctx, "apply", "-f", file)
}

func (d *demo) reaches(ctx context.Context, name string, phase udsv1alpha1.Phase) error {
	return d.until(ctx, name+" is "+string(phase), func() bool {
		var machine udsv1alpha1.UDSVirtualMachine
		return d.get(ctx, missionNamespace, name, &machine) == nil && machine.Status.Phase == phase
	})
}
