// Package check judges objects of YAML and JSON documents by the rules that
// judge a cluster, without a cluster.
//
// A custom resource without metadata.uid is a plan: its children are rendered
// as the operator would write them, and judged with what else is in the input.
// One with a uid is the dump of a cluster: it is judged with its children
// exactly as they are in the input. A VirtualMachine without a custom resource
// is judged as it stands.
package check

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
)

// Source is one stream of documents.
type Source struct {
	Name   string // for messages: a path, or stdin
	Reader io.Reader
}

// Checker judges inputs. It serves many goroutines.
type Checker struct {
	engine     *engine.Engine
	judge      *decide.Judge
	validators validators
	now        func() time.Time
}

// New returns a Checker by the embedded policy bundle.
func New(ctx context.Context, now func() time.Time) (*Checker, error) {
	e, judge, _, err := decide.Load(ctx, engine.Observer{})
	if err != nil {
		return nil, err
	}
	byKind, err := newValidators()
	if err != nil {
		return nil, err
	}
	return &Checker{engine: e, judge: judge, validators: byKind, now: now}, nil
}

// Check reads all sources as one input and judges each subject in it. What
// cannot be read is among the report's errors, and what could be is judged. The
// error is only of a context that ended.
func (c *Checker) Check(ctx context.Context, sources ...Source) (*Report, error) {
	report := &Report{
		APIVersion: APIVersion, Kind: Kind, Revision: c.engine.Current().Revision,
		Verdicts: []Verdict{}, Assumptions: []string{}, Later: []Later{}, Errors: []string{},
	}
	files, err := gather.NewFiles()
	if err != nil {
		return nil, err
	}
	files.Validate = func(kind schema.GroupVersionKind, document []byte) error {
		return c.validators.validate(ctx, kind, document)
	}
	for _, source := range sources {
		report.refuse(files.Add(source.Name, source.Reader))
	}
	report.Skipped = files.Skipped
	if len(files.Objects()) == 0 && len(report.Errors) == 0 && len(files.Skipped) == 0 {
		report.refuse(fmt.Errorf("the input is empty: give it at least one Tenant, Instance, Template, Offering, UDSVirtualMachine or VirtualMachine"))
	}
	for _, object := range files.Objects() {
		if profile, ok := object.(*catov1alpha1.ComplianceProfile); ok {
			for _, problem := range gather.ProfileProblems(profile, c.judge.Knows) {
				report.refuse(fmt.Errorf("ComplianceProfile %s: %s", profile.Name, problem))
			}
		}
	}
	configured, err := configurationOf(ctx, files, report)
	if err != nil {
		return nil, err
	}
	all, err := c.judgeAll(ctx, files, configured)
	if err != nil {
		return nil, err
	}
	for _, judged := range all {
		report.refuse(judged.err)
		report.add(judged.judgement)
	}
	for _, broken := range files.Broken {
		if judgement, subject := c.broken(broken); subject {
			report.add(judgement)
		}
	}
	report.arrange()
	return report, ctx.Err()
}

// refuse takes over the errors of documents, one by one.
func (r *Report) refuse(err error) {
	if err == nil {
		return
	}
	if all, joined := err.(interface{ Unwrap() []error }); joined {
		for _, one := range all.Unwrap() {
			r.refuse(one)
		}
		return
	}
	r.Errors = append(r.Errors, err.Error())
}

type judged struct {
	judgement decide.Judgement
	err       error
}

// gatherer reads files.
func (c *Checker) gatherer(files *gather.Files, configured configuration) *gather.Gatherer {
	gatherer := gather.FromReader(files, c.now)
	gatherer.Blind = files.Blind
	gatherer.FromFiles, gatherer.Overrulers = true, files.Overrulers
	gatherer.Platform = func(context.Context) gather.Platform { return configured.told }
	return gatherer
}

// judgeAll judges every subject, as many at a time as there are processors,
// and answers in the order of the input.
func (c *Checker) judgeAll(ctx context.Context, files *gather.Files, configured configuration) ([]judged, error) {
	subjects := subjectsOf(files)
	if subject := configured.subject(files); subject != nil {
		subjects = append(subjects, subject)
	}
	results := make([]judged, len(subjects))
	stored := c.gatherer(files, configured)
	later, err := c.withPlannedTenants(ctx, stored, files)
	if err != nil {
		return nil, err
	}
	planned := c.gatherer(later, configured)
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				gatherer := stored
				if _, isTenant := subjects[i].(*virtfoundryv1alpha1.Tenant); !isTenant && subjects[i].GetUID() == "" {
					gatherer = planned
				}
				judgement, err := c.subject(ctx, gatherer, subjects[i])
				results[i] = judged{judgement, err}
			}
		})
	}
	for i := range subjects {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return results, nil
}

// subjectsOf chooses what is judged. A VirtualMachine counts for the custom
// resource of its name and is judged by itself only without one.
func subjectsOf(files *gather.Files) []client.Object {
	described := map[client.ObjectKey]bool{}
	for _, object := range files.Objects() {
		switch object.(type) {
		case *udsv1alpha1.UDSVirtualMachine, *virtfoundryv1alpha1.Instance:
			described[client.ObjectKeyFromObject(object)] = true
		}
	}
	broken := map[gather.Broken]bool{}
	for _, b := range files.Broken {
		broken[gather.Broken{Kind: b.Kind, Key: b.Key}] = true
	}
	subjects := []client.Object{}
	for _, object := range files.Objects() {
		if broken[gather.Broken{Kind: object.GetObjectKind().GroupVersionKind(), Key: client.ObjectKeyFromObject(object)}] {
			continue // there twice, and not alike: neither is the one to judge
		}
		switch object.(type) {
		case *virtfoundryv1alpha1.Tenant, *udsv1alpha1.UDSVirtualMachine,
			*virtfoundryv1alpha1.Instance, *virtfoundryv1alpha1.Template, *virtfoundryv1alpha1.Offering,
			*virtfoundryv1alpha1.Network, *virtfoundryv1alpha1.VPC, *virtfoundryv1alpha1.IPAddress, *virtfoundryv1alpha1.SecurityGroup:
			subjects = append(subjects, object)
		case *virtfoundryv1alpha1.SSHKey, *virtfoundryv1alpha1.User, *virtfoundryv1alpha1.Role, *virtfoundryv1alpha1.APIKey,
			*virtfoundryv1alpha1.Disk, *virtfoundryv1alpha1.DiskSnapshot, *virtfoundryv1alpha1.InstanceSnapshot:
			subjects = append(subjects, object)
		case *kubevirtv1.VirtualMachine:
			if !described[client.ObjectKeyFromObject(object)] {
				subjects = append(subjects, object)
			}
		}
	}
	return subjects
}
