package e2e

import (
	"bytes"
	"context"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// sshKey is a public key whose private half nobody has.
const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGaWRUA5vXfIsMDIuA29ljZ1C9OJS6v8MWGZoQt4J3Da ops@mission-a"

// unique makes a name that no other spec has.
func unique(prefix string) string { return prefix + "-" + rand.String(5) }

// vmNamespace makes a namespace in which machines may live, for one spec. The
// controller manager empties it while the next specs run.
func vmNamespace(ctx context.Context) string {
	name := unique("e2e")
	Expect(running.EnableNamespace(ctx, name)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		Expect(k8s().Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
	})
	return name
}

// linuxMachine is a hardened guest from a web server, as the first sample.
func linuxMachine(namespace, name string) *udsv1alpha1.UDSVirtualMachine {
	return &udsv1alpha1.UDSVirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: udsv1alpha1.UDSVirtualMachineSpec{
			Memory: "1Gi", DiskSize: "5Gi", SourceType: udsv1alpha1.SourceHTTP,
			URL: image.URL, Checksum: image.Checksum,
			Guest: &udsv1alpha1.Guest{User: "ops", SSHAuthorizedKeys: []string{sshKey}},
		},
	}
}

// tenantNamed is a Tenant whose slug is its name.
func tenantNamed(name string) *virtfoundryv1alpha1.Tenant {
	return &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: virtfoundryv1alpha1.TenantSpec{Name: name, Slug: name}}
}

// stored creates an object and has it removed at the end of the spec.
func stored[T client.Object](ctx context.Context, object T) T {
	GinkgoHelper()
	Expect(k8s().Create(ctx, object)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { removed(ctx, object) }, NodeTimeout(removeTimeout))
	return object
}

// removed deletes an object and waits until it is gone.
func removed(ctx context.Context, object client.Object) {
	GinkgoHelper()
	// What used it may be gone a moment before the operator has seen that.
	Eventually(func() error { return client.IgnoreNotFound(k8s().Delete(ctx, object)) }).WithContext(ctx).Should(Succeed())
	key := client.ObjectKeyFromObject(object)
	Eventually(func() bool { return apierrors.IsNotFound(k8s().Get(ctx, key, object)) }).
		WithContext(ctx).WithTimeout(removeTimeout).Should(BeTrue(), "%T %s does not go", object, key)
}

// readyTenant waits until a Tenant is Ready and compliant, and returns it.
func readyTenant(ctx context.Context, name string) *virtfoundryv1alpha1.Tenant {
	GinkgoHelper()
	tenant := &virtfoundryv1alpha1.Tenant{}
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKey{Name: name}, tenant)).To(Succeed())
		g.Expect(tenant.Status.Phase).To(Equal(virtfoundryv1alpha1.TenantReady), "%+v", tenant.Status)
		g.Expect(tenant.Status.ObservedGeneration).To(Equal(tenant.Generation))
		g.Expect(meta.IsStatusConditionTrue(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionCompliant)).To(BeTrue(), "%+v", tenant.Status)
	}).WithContext(ctx).Should(Succeed())
	return tenant
}

// machineIn waits until a machine has a phase for its present generation, and returns it.
func machineIn(ctx context.Context, namespace, name string, phase udsv1alpha1.Phase) *udsv1alpha1.UDSVirtualMachine {
	GinkgoHelper()
	machine := &udsv1alpha1.UDSVirtualMachine{}
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, machine)).To(Succeed())
		g.Expect(machine.Status.Phase).To(Equal(phase), "%+v", machine.Status)
		g.Expect(machine.Status.ObservedGeneration).To(Equal(machine.Generation))
	}).WithContext(ctx).Should(Succeed())
	return machine
}

// message is the message of a condition, or empty.
func message(conditions []metav1.Condition, kind string) string {
	if c := meta.FindStatusCondition(conditions, kind); c != nil {
		return c.Message
	}
	return ""
}

// scrape reads the operator's metrics.
func scrape(ctx context.Context) (map[string]*dto.MetricFamily, error) {
	text, _, err := get(ctx, http.DefaultClient, running.MetricsURL, "")
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(bytes.NewReader(text))
}

// metric reads one gauge or counter; a series that is not there is nil.
func metric(ctx context.Context, name string, labels map[string]string) (*float64, error) {
	families, err := scrape(ctx)
	if err != nil || families[name] == nil {
		return nil, err
	}
	for _, m := range families[name].Metric {
		matching := 0
		for _, pair := range m.Label {
			if labels[pair.GetName()] == pair.GetValue() {
				matching++
			}
		}
		if matching == len(labels) {
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() // one of them is there
			return &value, nil
		}
	}
	return nil, nil
}

func get(ctx context.Context, web *http.Client, address, token string) (text []byte, status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := web.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	buffer := &bytes.Buffer{}
	_, err = buffer.ReadFrom(response.Body)
	return buffer.Bytes(), response.StatusCode, err
}
