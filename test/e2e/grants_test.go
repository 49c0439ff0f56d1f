package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/bundle"
	"cato.dev/cato/test/bundles"
)

// The operator is built from the same sources, with other text of the bundle:
// there is no switch for it in the program.
var _ = Describe("The bundle decides", func() {
	It("so that an operator whose grants are all undefined writes nothing privileged", func(ctx SpecContext) {
		tree, err := bundles.NothingGranted()
		Expect(err).NotTo(HaveOccurred())
		with := operatorOf(ctx, tree)
		namespace := vmNamespace(ctx)
		wants := privileged(namespace)
		tenant := unique("ungranted")
		before := contents(ctx, namespace)
		with(func() {
			for _, machine := range wants {
				stored(ctx, machine)
			}
			stored(ctx, tenantNamed(tenant))
		})
		for _, machine := range wants {
			refused := machineIn(ctx, namespace, machine.Name, udsv1alpha1.PhaseFailed)
			Expect(message(refused.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)).To(ContainSubstring("is not given"))
		}
		expectTenantRefused(ctx, tenant, "namespace_write")
		Expect(contents(ctx, namespace)).To(Equal(before))
		err = k8s().Get(ctx, client.ObjectKey{Name: virtfoundryv1alpha1.NamespacePrefix + tenant}, &corev1.Namespace{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
		stored(ctx, linuxMachine(namespace, "plain")) // asks for nothing privileged
		machineIn(ctx, namespace, "plain", udsv1alpha1.PhaseReady)
	}, NodeTimeout(30*time.Minute))

	It("so that an operator with every grant and no rule writes every sample, and all that is privileged", func(ctx SpecContext) {
		tree, err := bundles.EverythingGranted()
		Expect(err).NotTo(HaveOccurred())
		with := operatorOf(ctx, tree)
		namespace := vmNamespace(ctx)
		machines := append(samples(namespace), privileged(namespace)...)
		tenant := unique("granted")
		with(func() {
			for _, machine := range machines {
				stored(ctx, machine)
			}
			stored(ctx, tenantNamed(tenant))
		})
		Eventually(func(g Gomega) {
			now := &virtfoundryv1alpha1.Tenant{}
			g.Expect(k8s().Get(ctx, client.ObjectKey{Name: tenant}, now)).To(Succeed())
			g.Expect(now.Status.Phase).To(Equal(virtfoundryv1alpha1.TenantReady), "%+v", now.Status)
		}).WithContext(ctx).Should(Succeed())
		for _, machine := range machines {
			key := client.ObjectKeyFromObject(machine)
			Eventually(func() error { return k8s().Get(ctx, key, &kubevirtv1.VirtualMachine{}) }).WithContext(ctx).Should(Succeed(), "%s", key)
		}
	}, NodeTimeout(30*time.Minute))
})

// operatorOf builds an operator with another bundle and returns what replaces
// the suite's by it, once objects were stored, until the end of the spec.
func operatorOf(ctx context.Context, tree fstest.MapFS) func(store func()) {
	GinkgoHelper()
	dir := GinkgoT().TempDir()
	replace := map[string]string{}
	Expect(fs.WalkDir(bundle.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := filepath.Join(running.Root, "policy", "bundle", path)
		if tree[path] == nil {
			replace[name] = "" // as if it were not there
			return nil
		}
		replace[name] = filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		return os.WriteFile(replace[name], tree[path].Data, 0o600)
	})).To(Succeed())
	// A folder that holds nothing cannot be embedded; the engine reads Rego only.
	mark := filepath.Join(dir, "mark")
	Expect(os.WriteFile(mark, nil, 0o600)).To(Succeed())
	replace[filepath.Join(running.Root, "policy", "bundle", "rules", "mark.txt")] = mark
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(overlay, text, 0o600)).To(Succeed())
	binary := filepath.Join(dir, "cato-operator")
	build(ctx, running.Root, binary, "-overlay", overlay)
	return func(store func()) {
		GinkgoHelper()
		running.KillOperator()
		suites := running.UseBinary(binary)
		// Runs after the objects stored below are gone: this operator lets them go.
		DeferCleanup(func(ctx SpecContext) {
			running.KillOperator()
			running.UseBinary(suites)
			Expect(running.StartOperator(ctx)).To(Succeed())
		})
		store()
		Expect(running.StartOperator(ctx)).To(Succeed())
	}
}

// privileged are machines that each ask for something that a grant decides.
func privileged(namespace string) []*udsv1alpha1.UDSVirtualMachine {
	dedicated, egress, network := linuxMachine(namespace, "dedicated"), linuxMachine(namespace, "egress"), linuxMachine(namespace, "network")
	dedicated.Spec.CPU.Dedicated = true
	egress.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "198.51.100.0/24"}}}
	network.Spec.Network = &udsv1alpha1.Network{Networks: []string{"blue"}}
	foreign := linuxMachine(namespace, "foreign")
	foreign.Spec.Network = &udsv1alpha1.Network{Networks: []string{"shared/blue"}}
	return []*udsv1alpha1.UDSVirtualMachine{dedicated, egress, network, foreign}
}

// samples are the machines of config/samples, put into a namespace.
func samples(namespace string) []*udsv1alpha1.UDSVirtualMachine {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(running.Root, "config", "samples", "uds_*.yaml"))
	Expect(err).NotTo(HaveOccurred())
	machines := []*udsv1alpha1.UDSVirtualMachine{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			object := &unstructured.Unstructured{}
			if documents.Decode(object) != nil {
				break
			}
			if object.GetKind() == "UDSVirtualMachine" {
				object.SetNamespace(namespace)
				machine := &udsv1alpha1.UDSVirtualMachine{}
				text, err := object.MarshalJSON()
				Expect(err).NotTo(HaveOccurred())
				Expect(json.Unmarshal(text, machine)).To(Succeed())
				machines = append(machines, machine)
			}
		}
	}
	Expect(len(machines)).To(BeNumerically(">=", 4))
	return machines
}
