package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/compliance/metrics"
)

// verdict is one line of the list of verdicts that OSCAL results refer to.
type verdict struct {
	Rule    string `json:"rule"`
	Subject struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"subject"`
	Verdict string `json:"verdict"`
	Message string `json:"why"`
}

// verdictsOf reads the verdicts of a namespace as an assessor.
func verdictsOf(ctx context.Context, g Gomega, namespace, token string) []verdict {
	web, err := running.OSCALClient()
	g.Expect(err).NotTo(HaveOccurred())
	text, status, err := get(ctx, web, running.OSCALURL+"/oscal/v1/verdicts?namespace="+namespace, token)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(status).To(Equal(http.StatusOK), "%s", text)
	var all []verdict
	for decoder := json.NewDecoder(bytes.NewReader(text)); decoder.More(); {
		var v verdict
		g.Expect(decoder.Decode(&v)).To(Succeed())
		all = append(all, v)
	}
	return all
}

// verdictOn is the verdict of a rule on a subject by its name, empty without one.
func verdictOn(ctx context.Context, g Gomega, namespace, token, rule, name string) verdict {
	for _, v := range verdictsOf(ctx, g, namespace, token) {
		if v.Rule == rule && v.Subject.Name == name {
			return v
		}
	}
	return verdict{}
}

// value reads a gauge or counter that has to be there.
func value(ctx context.Context, name string, labels map[string]string) float64 {
	GinkgoHelper()
	found, err := metric(ctx, name, labels)
	Expect(err).NotTo(HaveOccurred())
	Expect(found).NotTo(BeNil(), "%s%v is not there", name, labels)
	return *found
}

// judgements is how many subjects were judged live since the operator started.
func judgements(ctx context.Context) uint64 { return judgedAt(ctx, "live") }

// judgedAt is how many subjects were judged at a moment.
func judgedAt(ctx context.Context, moment string) uint64 {
	GinkgoHelper()
	families, err := scrape(ctx)
	Expect(err).NotTo(HaveOccurred())
	Expect(families).To(HaveKey(metrics.EvaluationDuration))
	for _, m := range families[metrics.EvaluationDuration].Metric {
		for _, label := range m.Label {
			if label.GetValue() == moment {
				return m.GetHistogram().GetSampleCount()
			}
		}
	}
	Fail("no histogram of judgements at " + moment)
	return 0
}

// serviceAccount makes one and returns its name.
func serviceAccount(ctx context.Context, namespace string) string {
	GinkgoHelper()
	return stored(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: unique("sa")}}).Name
}

// tokenOf is a real token of a ServiceAccount.
func tokenOf(ctx context.Context, namespace, name string) string {
	GinkgoHelper()
	token, err := running.ControlPlane.Kubectl(ctx, "create", "token", name, "-n", namespace)
	Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(token)
}
