package e2e

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/apply"
)

// somebody is the field manager of what a person writes past Cato.
const somebody = client.FieldOwner("somebody")

// goal is how fast a drift is to be put right, at the 99th percentile.
const goal = time.Second

// child is one object that Cato keeps, as it is to be.
type child struct {
	document map[string]any
	exact    []string // what is Cato's as a whole: nobody may add to it
	remade   string   // a field that the API refuses to change: its object is made again
	marked   types.UID
}

// childOf renders a child, with the annotations that Cato adds when it writes.
func childOf(ctx context.Context, desired client.Object, exact ...string) *child {
	GinkgoHelper()
	document, err := apply.Document(desired)
	Expect(err).NotTo(HaveOccurred())
	c := &child{document: document, exact: exact}
	live := c.live(ctx)
	for name, value := range live.GetAnnotations() {
		if strings.HasPrefix(name, "cato.dev/") {
			Expect(unstructured.SetNestedField(document, value, "metadata", "annotations", name)).To(Succeed())
		}
	}
	Expect(c.missing(live)).To(BeEmpty(), "%s is not as rendered to begin with", c)
	return c
}

func (c *child) object() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": c.document["apiVersion"], "kind": c.document["kind"]}}
}

func (c *child) key() client.ObjectKey {
	return client.ObjectKeyFromObject(&unstructured.Unstructured{Object: c.document})
}

func (c *child) String() string { return fmt.Sprintf("%s %s", c.document["kind"], c.key()) }

func (c *child) live(ctx context.Context) *unstructured.Unstructured {
	GinkgoHelper()
	live := c.object()
	Expect(k8s().Get(ctx, c.key(), live)).To(Succeed())
	return live
}

func (c *child) missing(live *unstructured.Unstructured) []string {
	paths := []string{}
	for _, root := range sortedKeys(c.document) {
		if root == "metadata" {
			for _, field := range []string{"labels", "annotations", "ownerReferences"} {
				want, _ := lookup(c.document, fieldPath{root, field})
				have, _ := lookup(live.Object, fieldPath{root, field})
				if want != nil {
					paths = append(paths, missing(fieldPath{root, field}, want, have, c.exact)...)
				}
			}
			continue
		}
		paths = append(paths, missing(fieldPath{root}, c.document[root], live.Object[root], c.exact)...)
	}
	return paths
}

// restored waits until the child is there and as it is to be.
func (c *child) restored(ctx context.Context, what string) {
	GinkgoHelper()
	Eventually(func() []string {
		live := c.object()
		if err := k8s().Get(ctx, c.key(), live); err != nil {
			return []string{err.Error()}
		}
		if live.GetDeletionTimestamp() != nil {
			return []string{"is being deleted"}
		}
		return c.missing(live)
	}).WithContext(ctx).WithPolling(5*time.Millisecond).Should(BeEmpty(), "%s: %s is not put right", c, what)
}

// drifts are the results of many changes.
type drifts struct {
	took               []time.Duration
	slowest            string
	refused, unchanged []string
}

func (d *drifts) measured(c *child, what string, since time.Time) {
	took := time.Since(since)
	if len(d.took) == 0 || took > slices.Max(d.took) {
		d.slowest = c.String() + " " + what
	}
	d.took = append(d.took, took)
}

// every makes every edit of the child that the filter lets through, one at a
// time, and measures from the write until the child is as it was.
func (d *drifts) every(ctx context.Context, c *child, chosen func(edit) bool) {
	GinkgoHelper()
	for _, e := range editsOf(c.document, c.exact) {
		if chosen == nil || chosen(e) {
			d.make(ctx, c, e)
		}
	}
}

func (d *drifts) make(ctx context.Context, c *child, e edit) {
	GinkgoHelper()
	values := e.values
	if e.verb == "remove" {
		values = []any{nil}
	}
	refusal := ""
	for _, value := range values {
		outcome, since := c.edit(ctx, e, value)
		switch outcome {
		case "made":
			c.restored(ctx, e.String())
			d.measured(c, e.String(), since)
			c.keepsForeign(ctx, e)
			return
		case "unchanged":
			refusal = ""
		default:
			refusal = outcome
			continue
		}
		break
	}
	if refusal == "" {
		d.unchanged = append(d.unchanged, c.String()+" "+e.String())
		return
	}
	d.refused = append(d.refused, c.String()+" "+e.String()+": "+refusal)
}

// edit writes one edit as somebody else, if the API server takes it. The
// outcome is "made", "unchanged" (the API server fills it in again), or the
// words of the refusal.
func (c *child) edit(ctx context.Context, e edit, value any) (outcome string, since time.Time) {
	GinkgoHelper()
	for {
		live := c.live(ctx)
		document, found := e.on(live.Object, value)
		if !found {
			return "unchanged", since
		}
		if c.remade != "" && e.path.within(c.remade) {
			return c.exchange(ctx, live, document)
		}
		trial := &unstructured.Unstructured{Object: document}
		final := trial.DeepCopy()
		err := k8s().Update(ctx, trial, somebody, client.DryRunAll)
		if err == nil && len(c.missing(trial)) == 0 {
			return "unchanged", since
		}
		if err == nil {
			since = time.Now()
			err = k8s().Update(ctx, final, somebody)
		}
		switch {
		case err == nil:
			return "made", since
		case apierrors.IsConflict(err), apierrors.IsNotFound(err): // the stand-in or the repair before wrote between
			continue
		default:
			return firstLine(err), since
		}
	}
}

// exchange deletes the object and makes another in its place.
func (c *child) exchange(ctx context.Context, live *unstructured.Unstructured, document map[string]any) (outcome string, since time.Time) {
	GinkgoHelper()
	other := &unstructured.Unstructured{Object: document}
	other.SetResourceVersion("")
	other.SetUID("")
	other.SetManagedFields(nil)
	trial := other.DeepCopy()
	trial.SetName("trial")
	if err := k8s().Create(ctx, trial, somebody, client.DryRunAll); err != nil {
		return firstLine(err), since
	}
	for {
		Expect(client.IgnoreNotFound(k8s().Delete(ctx, live.DeepCopy()))).To(Succeed())
		since = time.Now()
		err := k8s().Create(ctx, other.DeepCopy(), somebody)
		if err == nil {
			return "made", since
		}
		Expect(apierrors.IsAlreadyExists(err)).To(BeTrue(), "%v", err) // Cato was faster: try again
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return line
}

// deleted deletes the child and measures until it is there again.
func (d *drifts) deleted(ctx context.Context, c *child) {
	GinkgoHelper()
	live := c.live(ctx)
	since := time.Now()
	Expect(k8s().Delete(ctx, live)).To(Succeed())
	c.restored(ctx, "delete")
	d.measured(c, "delete", since)
}

// report prints the times, and what could not be changed, with the reason.
func (d *drifts) report(title string) {
	slices.Sort(d.took)
	say("%s: %d changes put right, p50 %s, p99 %s, at most %s (%s)%s", title, len(d.took),
		percentile(d.took, 50), percentile(d.took, 99), percentile(d.took, 100), d.slowest, shortfall(percentile(d.took, 99)))
	if len(d.refused) > 0 {
		say("%s: %d changes that the API server refuses:\n  %s", title, len(d.refused), strings.Join(d.refused, "\n  "))
	}
	if len(d.unchanged) > 0 {
		say("%s: %d changes that change nothing, since the API server fills in what is absent:\n  %s", title, len(d.unchanged), strings.Join(d.unchanged, "\n  "))
	}
}

func shortfall(p99 time.Duration) string {
	if p99 > goal {
		return fmt.Sprintf("; FALLS SHORT of the goal, p99 within %s", goal)
	}
	return fmt.Sprintf("; within the goal, p99 %s", goal)
}

// percentile of sorted durations, by the nearest rank.
func percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1].Round(time.Millisecond)
}
