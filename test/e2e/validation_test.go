package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// raw is the object as its JSON, in which a spec puts what Go types would not let it.
func raw(object client.Object, apiVersion, kind string, value any, path ...string) *unstructured.Unstructured {
	GinkgoHelper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	Expect(err).NotTo(HaveOccurred())
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	Expect(unstructured.SetNestedField(u.Object, value, path...)).To(Succeed())
	return u
}

var _ = Describe("What the API refuses", func() {
	It("names value and remedy for each bad UDSVirtualMachine", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		refused := func(value any, wants []string, path ...string) {
			GinkgoHelper()
			machine := raw(linuxMachine(namespace, unique("bad")), "uds.dev/v1alpha1", "UDSVirtualMachine", value, path...)
			err := k8s().Create(ctx, machine)
			Expect(err).To(HaveOccurred(), "%v = %v was admitted", path, value)
			for _, want := range wants {
				Expect(err.Error()).To(ContainSubstring(want), "%v = %v", path, value)
			}
		}
		// By schema and CEL.
		refused(int64(0), []string{"cores 0 is out of bounds: use 1 to 256"}, "spec", "cpu", "cores")
		refused(int64(257), []string{"cores 257 is out of bounds: use 1 to 256"}, "spec", "cpu", "cores")
		refused("solaris", []string{`"solaris"`, "linux", "windows"}, "spec", "osType")
		refused("floppy", []string{`"floppy"`, "http", "registry"}, "spec", "sourceType")
		refused("Sometimes", []string{`"Sometimes"`, "Always"}, "spec", "runStrategy")
		refused("blank", []string{"sourceType blank reads no url: remove spec.url"}, "spec", "sourceType")
		refused(strings.Repeat("n", 64), []string{"use at most 63"}, "metadata", "name")
		refused("lots", []string{"spec.memory", "lots"}, "spec", "memory")
		// The schema lets pass whatever is written as a quantity; the rule CRB-001 tells what is wrong with it.
		for value, field := range map[string]string{"1e30": "memory", "-1": "memory", "9Ei": "memory", "0": "memory"} {
			refused(value, []string{"CRB-001", "spec." + field, `"` + value + `"`, "such as 4Gi"}, "spec", field)
		}
		for _, value := range []string{"1e30", "-1", "9Ei"} {
			refused(value, []string{"CRB-001", "spec.diskSize", value}, "spec", "diskSize")
		}
		refused("sha256:abc", []string{"sha256:abc"}, "spec", "checksum")
		refused("md5:9e107d9d372bb6826bd81d3542a419d6", []string{"md5"}, "spec", "checksum")
		refused(map[string]any{"egress": []any{map[string]any{"cidr": "10.0.0.0/40"}}}, []string{"10.0.0.0/40"}, "spec", "network")
		refused(map[string]any{"egress": []any{map[string]any{"cidr": "10.0.0.0/8", "ports": []any{map[string]any{"port": int64(70000)}}}}},
			[]string{"port 70000 is out of bounds: use 1 to 65535"}, "spec", "network")
	}, SpecTimeout(6*time.Minute))

	It("names value and remedy for each bad Tenant, and never changes a slug", func(ctx SpecContext) {
		for slug, want := range map[string]string{
			strings.Repeat("s", 45): "has 45 characters: shorten it to at most 44",
			strings.Repeat("s", 80): "has 80 characters: shorten it to at most 44",
			"Upper":                 "use lower-case letters, digits and inner hyphens",
			"-edge":                 "use lower-case letters, digits and inner hyphens",
			"":                      "slug",
		} {
			tenant := tenantNamed(unique("bad"))
			tenant.Spec.Slug = slug
			Expect(k8s().Create(ctx, tenant)).To(MatchError(ContainSubstring(want)), "slug %q", slug)
		}
		tenant := stored(ctx, tenantNamed(unique("slug")))
		readyTenant(ctx, tenant.Name)
		changed := &virtfoundryv1alpha1.Tenant{}
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(tenant), changed)).To(Succeed())
		changed.Spec.Slug = "another"
		Expect(k8s().Update(ctx, changed)).To(MatchError(And(ContainSubstring(`cannot become "another"`), ContainSubstring("create another Tenant"))))
		rival := tenantNamed(unique("rival"))
		rival.Spec.Slug = tenant.Spec.Slug
		Expect(k8s().Create(ctx, rival)).To(MatchError(ContainSubstring("NS-003")))
	}, SpecTimeout(6*time.Minute))

	It("explains every kind, and shows it by its short name in the columns that people look for", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "vm-1"))
		machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		tenant := stored(ctx, tenantNamed(unique("shown")))
		readyTenant(ctx, tenant.Name)
		kubectl := func(arguments ...string) string {
			GinkgoHelper()
			text, err := running.ControlPlane.Kubectl(ctx, arguments...)
			Expect(err).NotTo(HaveOccurred())
			return text
		}
		for field, words := range map[string]string{
			"udsvirtualmachines.spec.checksum": "checksum", "tenants.spec.slug": "slug",
			"complianceprofiles.spec.parameters.grants.dedicatedCPU": "pin processors", "compliancereports.status.failing": "gravest first",
		} {
			Expect(kubectl("explain", field)).To(And(ContainSubstring("DESCRIPTION"), ContainSubstring(words)), field)
		}
		for _, show := range []struct {
			arguments []string
			words     []string
		}{
			{[]string{"get", "udsvm", "-n", namespace}, []string{"PHASE", "SOURCE", "CHECKSUM-VERIFIED", "ZERO-TRUST", "vm-1", "Ready", "true"}},
			{[]string{"get", "tenants", tenant.Name}, []string{"PHASE", "NAMESPACE", "Ready", "virtfoundry-tenant-" + tenant.Spec.Slug}},
			{[]string{"get", "creport", "-n", namespace}, []string{"PASS", "FAIL", "UNKNOWN", "REVISION", "posture"}},
		} {
			Eventually(func(g Gomega) {
				text := kubectl(show.arguments...)
				for _, word := range show.words {
					g.Expect(text).To(ContainSubstring(word), "%v", show.arguments)
				}
			}).WithContext(ctx).WithPolling(500 * time.Millisecond).Should(Succeed())
		}
	}, SpecTimeout(6*time.Minute))

	It("admits every sample", func(ctx SpecContext) {
		samples, err := filepath.Glob(filepath.Join(running.Root, "config/samples/*.yaml"))
		Expect(err).NotTo(HaveOccurred())
		Expect(len(samples)).To(BeNumerically(">=", 6))
		Expect(running.EnableNamespace(ctx, "mission-a")).To(Succeed())
		// The samples of tenants' kinds lie in the namespace of the Tenant's sample, and
		// the Instance's names some of the others.
		sample := func(kind string) string {
			return filepath.Join(running.Root, "config/samples/virtfoundry_v1alpha1_"+kind+".yaml")
		}
		tenant := sample("tenant")
		_, err = running.ControlPlane.Kubectl(ctx, "apply", "-f", tenant)
		Expect(err).NotTo(HaveOccurred())
		readyTenant(ctx, "acme")
		named := []string{sample("offering"), sample("template"), sample("vpc"), sample("network")}
		for _, one := range named {
			_, err = running.ControlPlane.Kubectl(ctx, "apply", "-f", one)
			Expect(err).NotTo(HaveOccurred(), one)
		}
		// What the sample of a SecurityGroup opens, the sample of a profile grants.
		tryGroup := func() error {
			_, err := running.ControlPlane.Kubectl(ctx, "apply", "--dry-run=server", "-f", sample("securitygroup"))
			return err
		}
		Expect(tryGroup()).To(MatchError(ContainSubstring("NET-027")))
		web := filepath.Join(running.Root, "config/samples/cato_v1alpha1_complianceprofile_web.yaml")
		_, err = running.ControlPlane.Kubectl(ctx, "apply", "-f", web)
		Expect(err).NotTo(HaveOccurred())
		Eventually(tryGroup).WithContext(ctx).Should(Succeed())
		for _, file := range samples {
			_, err := running.ControlPlane.Kubectl(ctx, "apply", "--dry-run=server", "-f", file)
			Expect(err).NotTo(HaveOccurred(), file)
		}
		named = append([]string{web}, named...)
		slices.Reverse(named)
		for _, one := range named {
			_, err = running.ControlPlane.Kubectl(ctx, "delete", "--wait=true", "-f", one)
			Expect(err).NotTo(HaveOccurred(), one)
		}
		_, err = running.ControlPlane.Kubectl(ctx, "delete", "--wait=true", "-f", tenant)
		Expect(err).NotTo(HaveOccurred())
		_, err = running.ControlPlane.Kubectl(ctx, "delete", "namespace", "mission-a", "--wait=true")
		Expect(err).NotTo(HaveOccurred())
	}, SpecTimeout(6*time.Minute))
})
