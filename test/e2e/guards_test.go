package e2e

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// guardAway lets a guard deny nothing while do runs, which sees what stands
// behind it.
func guardAway(ctx context.Context, guard string, do func()) {
	GinkgoHelper()
	actions := func(action string) {
		GinkgoHelper()
		binding := &unstructured.Unstructured{}
		binding.SetAPIVersion("admissionregistration.k8s.io/v1")
		binding.SetKind("ValidatingAdmissionPolicyBinding")
		binding.SetName("virtfoundry-operator-" + guard)
		patch := []byte(`{"spec":{"validationActions":["` + action + `"]}}`)
		Expect(k8s().Patch(ctx, binding, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
	}
	actions("Warn")
	defer actions("Deny")
	do()
}

// dryRunRefused waits until admission refuses an object in these words: the API
// server sees a moment later that a guard is away.
func dryRunRefused(ctx context.Context, object client.Object, words ...string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		copied, ok := object.DeepCopyObject().(client.Object)
		g.Expect(ok).To(BeTrue())
		err := k8s().Create(ctx, copied, client.DryRunAll)
		g.Expect(err).To(HaveOccurred())
		for _, word := range words {
			g.Expect(err.Error()).To(ContainSubstring(word))
		}
	}).WithContext(ctx).Should(Succeed())
}
