package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// admissionTimeout is for hundreds of requests through the webhooks of others.
const admissionTimeout = 10 * time.Minute

// plain is the variant that changes nothing.
const plain = "plain"

// A child that KubeVirt, CDI or the API server refuses would fail at a user's:
// their admission sees here what can be rendered, object by object.
var _ = Describe("Every child that can be rendered", func() {
	It("of a machine is admitted by KubeVirt and CDI", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		objects := 0
		for source, from := range sources() {
			for variant, change := range variants() {
				for _, strategy := range strategiesOf(variant) {
					machine := linuxMachine(namespace, "rendered")
					machine.UID, machine.Spec.RunStrategy = types.UID("5f0c6c0e-1111-4222-8333-944445555666"), strategy
					machine.Spec.URL, machine.Spec.Checksum, machine.Spec.SourceType = "", "", source
					from(&machine.Spec)
					in := children.MachineInput{Machine: machine, Start: true}
					change(&in)
					machine.Spec.SetDefaults()
					rendered, err := children.ForMachine(in)
					Expect(err).NotTo(HaveOccurred(), "%s, %s", source, variant)
					objects += admits(ctx, fmt.Sprintf("%s, %q, %s", source, strategy, variant),
						rendered.NetworkPolicy, rendered.CloudInit, rendered.DataVolume, rendered.VirtualMachine)
				}
			}
		}
		say("Admission of the API server, KubeVirt and CDI lets in %d children of machines", objects)
	}, SpecTimeout(admissionTimeout))

	It("of a Tenant is admitted by the API server", func(ctx SpecContext) {
		for name, parameters := range map[string]*catov1alpha1.ComplianceProfileParameters{
			"built in": {},
			"open to the web, other peers": {
				Tenant: &catov1alpha1.TenantParameters{Egress: &catov1alpha1.TenantEgress{HTTP: catov1alpha1.HTTPAll}},
				DNS:    []catov1alpha1.DNSPeer{{Namespace: "dns", PodLabels: map[string]string{"app": "resolver"}}},
			},
		} {
			tenant := tenantNamed("rendered")
			tenant.UID = types.UID("5f0c6c0e-1111-4222-8333-944445555667")
			rendered, err := children.ForTenant(tenant, parameters)
			Expect(err).NotTo(HaveOccurred(), name)
			namespace := rendered.Namespace.Name
			Expect(admits(ctx, name, rendered.Namespace)).To(Equal(1))
			// A dry run stores no namespace that the others could be in.
			bare := stored(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "rendered-"}})
			objects := []client.Object{rendered.ResourceQuota, rendered.LimitRange}
			for _, policy := range rendered.NetworkPolicies {
				objects = append(objects, policy)
			}
			for _, binding := range rendered.RoleBindings {
				objects = append(objects, binding)
			}
			for _, object := range objects {
				Expect(object.GetNamespace()).To(Equal(namespace))
				object.SetNamespace(bare.Name)
			}
			Expect(admits(ctx, name, objects...)).To(BeNumerically(">=", 6))
		}
	}, SpecTimeout(admissionTimeout))
})

// strategiesOf are the run strategies that a variant is rendered with. They
// change one field of one child, so the plain variant sees them all.
func strategiesOf(variant string) []udsv1alpha1.RunStrategy {
	if variant != plain {
		return []udsv1alpha1.RunStrategy{udsv1alpha1.RunAlways}
	}
	return []udsv1alpha1.RunStrategy{"", udsv1alpha1.RunAlways, udsv1alpha1.RunHalted, udsv1alpha1.RunRerunOnFailure, udsv1alpha1.RunManual}
}

// admits asks for each object without storing it.
func admits(ctx context.Context, from string, objects ...client.Object) int {
	GinkgoHelper()
	for _, object := range objects {
		Expect(k8s().Create(ctx, object, client.DryRunAll)).To(Succeed(), "%s: %T %s", from, object, object.GetName())
	}
	return len(objects)
}

func sources() map[udsv1alpha1.SourceType]func(*udsv1alpha1.UDSVirtualMachineSpec) {
	return map[udsv1alpha1.SourceType]func(*udsv1alpha1.UDSVirtualMachineSpec){
		udsv1alpha1.SourceHTTP: func(s *udsv1alpha1.UDSVirtualMachineSpec) { s.URL, s.Checksum = image.URL, image.Checksum },
		udsv1alpha1.SourceRegistry: func(s *udsv1alpha1.UDSVirtualMachineSpec) {
			s.URL = "registry.example.com/linux@" + image.Checksum
		},
		udsv1alpha1.SourceUpload: func(*udsv1alpha1.UDSVirtualMachineSpec) {},
		udsv1alpha1.SourceBlank:  func(*udsv1alpha1.UDSVirtualMachineSpec) {},
	}
}

func variants() map[string]func(*children.MachineInput) {
	cores, endPort, class, without := int32(64), int32(9000), "local", false
	return map[string]func(*children.MachineInput){
		plain:                    func(*children.MachineInput) {},
		"not started":            func(in *children.MachineInput) { in.Start = false },
		"without a guest":        func(in *children.MachineInput) { in.Machine.Spec.Guest = nil },
		"many cores":             func(in *children.MachineInput) { in.Machine.Spec.CPU.Cores = &cores },
		"dedicated cores":        func(in *children.MachineInput) { in.Machine.Spec.CPU.Dedicated = true },
		"an odd number of bytes": func(in *children.MachineInput) { in.Machine.Spec.Memory = "1073741825" },
		"a decimal size":         func(in *children.MachineInput) { in.Machine.Spec.DiskSize = "5.5Gi" },
		"a block volume":         func(in *children.MachineInput) { in.Machine.Spec.VolumeMode = corev1.PersistentVolumeBlock },
		"a class":                func(in *children.MachineInput) { in.Machine.Spec.StorageClassName = &class },
		"shared access": func(in *children.MachineInput) {
			in.Machine.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
		},
		"a secondary network": func(in *children.MachineInput) {
			in.Machine.Spec.Network = &udsv1alpha1.Network{Networks: []string{"blue"}}
		},
		"a foreign network": func(in *children.MachineInput) {
			in.Machine.Spec.Network = &udsv1alpha1.Network{Networks: []string{"shared/blue", "green"}}
		},
		"peers for cluster DNS": func(in *children.MachineInput) {
			in.DNS = []facts.DNSPeer{{Namespace: "dns", Pods: map[string]string{"app": "r"}}}
		},
		"a script as user data": func(in *children.MachineInput) { in.UserData = []byte("#!/bin/sh\ntrue\n") },
		"packages, without FIPS": func(in *children.MachineInput) {
			in.Machine.Spec.Guest.Packages, in.Machine.Spec.Guest.FIPS = []string{"chrony"}, &without
		},
		"egress to a range of ports": func(in *children.MachineInput) {
			in.Machine.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{
				{CIDR: "198.51.100.0/24", Ports: []udsv1alpha1.Port{{Port: 8000, EndPort: &endPort}, {Protocol: "UDP", Port: 53}}}, {CIDR: "2001:db8::/32"},
			}}
		},
	}
}
