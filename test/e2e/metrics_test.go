package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/dashboards"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/test/e2e/promscrape"
)

var _ = Describe("Metrics and the dashboard", func() {
	It("offers every metric, clean and with bounded labels", func(ctx SpecContext) {
		judgedNamespace(ctx)
		text, status, err := get(ctx, http.DefaultClient, running.MetricsURL, "")
		Expect(err).NotTo(HaveOccurred())
		Expect(status).To(Equal(http.StatusOK))
		problems, err := promlint.New(bytes.NewReader(text)).Lint()
		Expect(err).NotTo(HaveOccurred())
		for _, problem := range problems {
			for _, d := range metrics.Descriptors() {
				Expect(problem.Metric).NotTo(Equal(d.Name), problem.Text)
			}
		}
		families, err := scrape(ctx)
		Expect(err).NotTo(HaveOccurred())
		bounded := map[string][]string{
			metrics.LabelVerdict:   {string(engine.Pass), string(engine.Fail), string(engine.Unknown), string(engine.NotApplicable)},
			metrics.LabelMoment:    {engine.Admission, engine.Plan, engine.Live},
			metrics.LabelFramework: {catalog.Framework},
			metrics.LabelStatus:    {string(metrics.Success), string(metrics.Waiting), string(metrics.Denied), string(metrics.Failed)},
		}
		for _, d := range metrics.Descriptors() {
			Expect(families).To(HaveKey(d.Name))
			for _, m := range families[d.Name].Metric {
				for _, label := range m.Label {
					Expect(d.Labels).To(ContainElement(label.GetName()), d.Name)
					if values := bounded[label.GetName()]; values != nil {
						Expect(values).To(ContainElement(label.GetValue()), d.Name)
					}
				}
			}
		}
	}, SpecTimeout(9*time.Minute))

	It("fills every panel from Prometheus' own engine, and the panels move with a break", func(ctx SpecContext) {
		namespace := judgedNamespace(ctx)
		reader := assessor(ctx, namespace, false)
		storage, at := promscrape.New(), time.Now()
		// Prometheus scrapes every 15 s; the times are told, so that nobody waits for them.
		take := func() {
			text, _, err := get(ctx, http.DefaultClient, running.MetricsURL, "")
			Expect(err).NotTo(HaveOccurred())
			at = at.Add(15 * time.Second)
			Expect(storage.Scrape(text, at)).To(Succeed())
		}
		take()
		Expect(k8s().Create(ctx, linuxMachine(namespace, "vm-2"))).To(Succeed()) // something happens between two scrapes
		machineIn(ctx, namespace, "vm-2", udsv1alpha1.PhaseReady)
		becomes(ctx, namespace, reader, "NET-001", "vm-2", "pass")
		take()
		before := panels(ctx, storage, at)
		for _, q := range dashboards.Queries() {
			if !q.Sparse {
				Expect(before[q.Panel]).NotTo(BeEmpty(), "panel %q shows nothing: %s", q.Panel, q.Expr)
			}
		}
		Expect(k8s().Create(ctx, openPolicy(namespace))).To(Succeed())
		becomes(ctx, namespace, reader, "NET-001", "vm-1", "fail")
		take()
		after := panels(ctx, storage, at)
		var moved, still []string
		for panel := range after {
			if fmt.Sprint(after[panel]) != fmt.Sprint(before[panel]) {
				moved = append(moved, panel)
			} else {
				still = append(still, panel)
			}
		}
		slices.Sort(moved)
		slices.Sort(still)
		say("Panels that moved when a NetworkPolicy allowed everything: %q; that did not: %q", moved, still)
		Expect(len(moved)).To(BeNumerically(">=", 5))
		answers, err := storage.Eval(ctx, fmt.Sprintf(`%s{control="sc-7.5",verdict="fail"} == 1`, metrics.ControlVerdict), at)
		Expect(err).NotTo(HaveOccurred())
		Expect(answers).To(HaveLen(1), "the control of the break fails")
		answers, err = storage.Eval(ctx, fmt.Sprintf(`%s{control="sc-7.5"} == 0`, metrics.ControlSatisfied), at)
		Expect(err).NotTo(HaveOccurred())
		Expect(answers).To(HaveLen(1), "and is not satisfied")
	}, SpecTimeout(12*time.Minute))
})

// panels are the answers of every query: panel -> series -> value.
func panels(ctx context.Context, storage *promscrape.Storage, at time.Time) map[string]map[string]float64 {
	GinkgoHelper()
	all := map[string]map[string]float64{}
	for _, q := range dashboards.Queries() {
		samples, err := storage.Eval(ctx, q.Resolve(catalog.Framework, "60s"), at)
		Expect(err).NotTo(HaveOccurred(), q.Panel)
		if all[q.Panel] == nil {
			all[q.Panel] = map[string]float64{}
		}
		for _, sample := range samples {
			if !math.IsNaN(sample.Value) {
				all[q.Panel][fmt.Sprint(q.Legend, sample.Labels)] = sample.Value
			}
		}
	}
	return all
}
