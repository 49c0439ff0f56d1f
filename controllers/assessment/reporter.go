package assessment

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// settleTime lets the changes of one moment be one write.
const settleTime = 500 * time.Millisecond

// Reporter writes the ComplianceReport of each namespace whose posture changed,
// and only when the report differs from the one that stands.
type Reporter struct {
	ReporterDeps
	mu    sync.Mutex
	dirty map[string]bool
	woken chan struct{}
}

// ReporterDeps are what a Reporter works with.
type ReporterDeps struct {
	Client   client.Client
	API      client.Reader // uncached: a cache may be behind our own last write
	Posture  *posture.Store
	Engine   *engine.Engine
	Controls *catalog.Catalog
	// Assumptions are what verdicts on these kinds rest on in a namespace.
	Assumptions func(ctx context.Context, namespace string, kinds []string) ([]string, error)
	// Missing tells what evidence a namespace lacks.
	Missing func(namespace string) []string
}

// NewReporter returns a Reporter that follows the posture from now on.
func NewReporter(deps ReporterDeps) *Reporter {
	r := &Reporter{ReporterDeps: deps, dirty: map[string]bool{}, woken: make(chan struct{}, 1)}
	deps.Posture.OnChange(r.mark)
	return r
}

// MarkAll has every report compared again: something changed that no verdict shows.
func (r *Reporter) MarkAll() { r.mark(r.Posture.Namespaces()) }

func (r *Reporter) mark(namespaces []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, namespace := range namespaces {
		if namespace != "" { // the cluster's own subjects are shown by the OSCAL endpoint
			r.dirty[namespace] = true
		}
	}
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

// NeedLeaderElection tells the manager that only the leader writes.
func (r *Reporter) NeedLeaderElection() bool { return true }

// Start implements manager.Runnable: it writes until the context ends.
func (r *Reporter) Start(ctx context.Context) error {
	r.MarkAll()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.woken:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settleTime):
		}
		for _, namespace := range r.take() {
			if err := r.write(ctx, namespace); err != nil && ctx.Err() == nil {
				log.FromContext(ctx).Error(err, "write ComplianceReport", "namespace", namespace)
				r.mark([]string{namespace})
			}
		}
	}
}

func (r *Reporter) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.dirty))
	for name := range r.dirty {
		names = append(names, name)
	}
	clear(r.dirty)
	slices.Sort(names)
	return names
}

func (r *Reporter) write(ctx context.Context, namespace string) error {
	var home corev1.Namespace
	err := r.Client.Get(ctx, client.ObjectKey{Name: namespace}, &home)
	if apierrors.IsNotFound(err) || err == nil && home.DeletionTimestamp != nil {
		return nil
	}
	if err != nil {
		return err
	}
	key := client.ObjectKey{Namespace: namespace, Name: catov1alpha1.ReportName}
	var report catov1alpha1.ComplianceReport
	err = r.API.Get(ctx, key, &report)
	view := r.Posture.View(namespace)
	if len(view.Subjects()) == 0 {
		if err == nil {
			return client.IgnoreNotFound(r.Client.Delete(ctx, &report))
		}
		return client.IgnoreNotFound(err)
	}
	if apierrors.IsNotFound(err) {
		report = catov1alpha1.ComplianceReport{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: catov1alpha1.ReportName}}
		err = r.Client.Create(ctx, &report, client.FieldOwner(catov1alpha1.FieldManager))
	}
	if err != nil {
		return err
	}
	status := ReportStatus(view, r.Engine.Current(), r.Controls)
	if status.Assumptions, err = r.assumptions(ctx, namespace, view); err != nil {
		return err
	}
	status.Conditions = report.DeepCopy().Status.Conditions
	meta.SetStatusCondition(&status.Conditions, ready(view, r.Engine.Current().Revision, r.Missing(namespace), report.Generation))
	return r.update(ctx, &report, status)
}

func (r *Reporter) update(ctx context.Context, report *catov1alpha1.ComplianceReport, status catov1alpha1.ComplianceReportStatus) error {
	if same(&report.Status, &status) {
		return nil
	}
	before := report.DeepCopy()
	report.Status = status
	if err := r.Client.Status().Patch(ctx, report, client.MergeFrom(before), client.FieldOwner(catov1alpha1.FieldManager)); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return nil
}

// same compares two reports but for the time zone that their times were read in.
func same(a, b *catov1alpha1.ComplianceReportStatus) bool {
	return reflect.DeepEqual(normal(a), normal(b))
}

func normal(s *catov1alpha1.ComplianceReportStatus) *catov1alpha1.ComplianceReportStatus {
	c := s.DeepCopy()
	if c.EvidenceTime != nil {
		c.EvidenceTime.Time = c.EvidenceTime.UTC()
	}
	for i := range c.Failing {
		c.Failing[i].Since.Time = c.Failing[i].Since.UTC()
	}
	return c
}
