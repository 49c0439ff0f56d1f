package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

var _ = Describe("Networks of tenants", func() {
	It("are separate, give each address once, and stay while something uses them", func(ctx SpecContext) {
		first, second := readyNamespace(ctx), readyNamespace(ctx)
		stored(ctx, vpcIn(first))
		web := stored(ctx, networkIn(first, "web", "10.0.1.0/24", "production"))
		other := stored(ctx, networkIn(second, "web", "10.0.1.0/24", ""))
		for _, network := range []*virtfoundryv1alpha1.Network{web, other} {
			readyFabric(ctx, network, func() virtfoundryv1alpha1.Observation { return network.Status.Observation })
			Expect(network.Status.NADName).To(Equal("web"))
		}
		Expect(web.Status.VLAN).NotTo(Equal(other.Status.VLAN))

		By("putting a NetworkAttachmentDefinition right that somebody moves into the other tenant's VLAN")
		nad := &cniv1.NetworkAttachmentDefinition{}
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(web), nad)).To(Succeed())
		was := nad.Spec.Config
		nad.Spec.Config = fmt.Sprintf(`{"type":"bridge","bridge":%q,"vlan":%d,"preserveDefaultVlan":false}`, other.Status.Bridge, other.Status.VLAN)
		Expect(k8s().Update(ctx, nad)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(web), nad)).To(Succeed())
			g.Expect(nad.Spec.Config).To(Equal(was))
		}).WithContext(ctx).Should(Succeed())

		By("refusing at admission what overlaps")
		err := k8s().Create(ctx, networkIn(first, "wide", "10.0.0.0/16", ""))
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(ContainSubstring("NET-022"))

		By("giving twenty claims at once an address each")
		const claims = 20
		addresses := make([]*virtfoundryv1alpha1.IPAddress, claims)
		for i := range addresses {
			addresses[i] = &virtfoundryv1alpha1.IPAddress{
				ObjectMeta: metav1.ObjectMeta{Namespace: first, Name: fmt.Sprintf("claim-%d", i)},
				Spec:       virtfoundryv1alpha1.IPAddressSpec{NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}},
			}
			Expect(k8s().Create(ctx, addresses[i])).To(Succeed())
		}
		given := map[string]string{}
		for _, address := range addresses {
			readyFabric(ctx, address, func() virtfoundryv1alpha1.Observation { return address.Status.Observation })
			Expect(given).NotTo(HaveKey(address.Spec.Address))
			given[address.Spec.Address] = address.Name
		}

		By("refusing to delete the Network while it is used, and keeping it where admission did not see that")
		err = k8s().Delete(ctx, web)
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err.Error()).To(And(ContainSubstring("USE-001"), ContainSubstring("IPAddress "+first)))
		webhookAway(ctx, func() { Expect(k8s().Delete(ctx, web)).To(Succeed()) })
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(web), web)).To(Succeed())
			ready := meta.FindStatusCondition(web.Status.Conditions, virtfoundryv1alpha1.ConditionReady)
			g.Expect(ready).NotTo(BeNil())
			g.Expect(ready.Reason).To(Equal(virtfoundryv1alpha1.ReasonInUse), "%+v", web.Status)
		}).WithContext(ctx).Should(Succeed())
		Expect(k8s().DeleteAllOf(ctx, &virtfoundryv1alpha1.IPAddress{}, client.InNamespace(first))).To(Succeed())
		Eventually(func(g Gomega) {
			var left virtfoundryv1alpha1.IPAddressList
			g.Expect(k8s().List(ctx, &left, client.InNamespace(first))).To(Succeed())
			g.Expect(left.Items).To(BeEmpty())
			g.Expect(apierrors.IsNotFound(k8s().Get(ctx, client.ObjectKeyFromObject(web), web))).To(BeTrue())
			g.Expect(apierrors.IsNotFound(k8s().Get(ctx, client.ObjectKeyFromObject(web), nad))).To(BeTrue())
		}).WithContext(ctx).Should(Succeed())
	}, NodeTimeout(18*time.Minute))

	It("and their security groups fail closed", func(ctx SpecContext) {
		namespace := readyNamespace(ctx)
		group := stored(ctx, &virtfoundryv1alpha1.SecurityGroup{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "closed"}, Spec: virtfoundryv1alpha1.SecurityGroupSpec{Name: "Closed"},
		})
		readyFabric(ctx, group, func() virtfoundryv1alpha1.Observation { return group.Status.Observation })
		policy := &networkingv1.NetworkPolicy{}
		key := client.ObjectKey{Namespace: namespace, Name: group.Status.NetworkPolicyName}
		Expect(k8s().Get(ctx, key, policy)).To(Succeed())
		Expect(policy.Spec.PolicyTypes).To(HaveLen(2))
		Expect(policy.Spec.Ingress).To(BeEmpty())
		Expect(policy.Spec.Egress).To(BeEmpty())
		policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
		Expect(k8s().Update(ctx, policy)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, key, policy)).To(Succeed())
			g.Expect(policy.Spec.Ingress).To(BeEmpty())
		}).WithContext(ctx).Should(Succeed())
	}, NodeTimeout(9*time.Minute))
})

// readyNamespace makes a Tenant and returns its namespace once it is ready.
func readyNamespace(ctx context.Context) string {
	GinkgoHelper()
	name := unique("fabric")
	stored(ctx, tenantNamed(name))
	return readyTenant(ctx, name).Status.Namespace
}

func networkIn(namespace, name, cidr, vpc string) *virtfoundryv1alpha1.Network {
	network := &virtfoundryv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       virtfoundryv1alpha1.NetworkSpec{Name: name, NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: virtfoundryv1alpha1.CIDR(cidr)},
	}
	if vpc != "" {
		network.Spec.VPCRef = &virtfoundryv1alpha1.LocalObjectRef{Name: vpc}
	}
	return network
}

func vpcIn(namespace string) *virtfoundryv1alpha1.VPC {
	return &virtfoundryv1alpha1.VPC{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "production"},
		Spec:       virtfoundryv1alpha1.VPCSpec{Name: "Production", CIDR: "10.0.0.0/16"},
	}
}

// readyFabric waits until an object is Ready and compliant, and reads it.
func readyFabric(ctx context.Context, object client.Object, observed func() virtfoundryv1alpha1.Observation) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		for _, kind := range []string{virtfoundryv1alpha1.ConditionReady, virtfoundryv1alpha1.ConditionCompliant} {
			g.Expect(meta.IsStatusConditionTrue(observed().Conditions, kind)).To(BeTrue(), "%+v", observed())
		}
	}).WithContext(ctx).Should(Succeed())
}
