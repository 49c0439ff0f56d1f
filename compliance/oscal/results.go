package oscal

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// FullLimit is the number of subjects up to which a namespace's document has one observation a verdict.
const FullLimit = 1000

// DefaultListLimit is how many failing and how many open subjects an aggregated observation names.
const DefaultListLimit = 200

// ErrNothing says that the scope has no verdicts: OSCAL has no result without reviewed controls.
var ErrNothing = errors.New("nothing is judged in this scope")

// ResultsInput is what an assessment-results document is made of.
type ResultsInput struct {
	System    System
	Namespace string // empty for the cluster
	// ByRule asks for one observation a rule, the shape that C2P reads. The cluster, and a namespace beyond
	// FullLimit subjects, have no other.
	ByRule bool
	// Each walks the posture's view, as View.Each does. It is walked more than once and must not change meanwhile.
	Each       func(func(posture.Subject, posture.Entry) bool)
	Position   posture.Position
	Continuity posture.Continuity
	Now        time.Time // decides what has expired, and nothing else
	ListLimit  int       // 0 is DefaultListLimit
	// PlanHref and VerdictsHref lead to the assessment plan and to the list of all verdicts (see WriteVerdicts);
	// empty is their address beside this document on Cato's own endpoint.
	PlanHref, VerdictsHref string
}

// Results is one assessment-results document. It is safe for one goroutine.
type Results struct {
	system System
	input  ResultsInput
	seen   *survey
	full   bool
	head   o.AssessmentResults // without inventory items and observations
	etag   string
}

// NewResults walks the posture once and prepares the document. The error is ErrNothing for a scope without verdicts.
func NewResults(in ResultsInput) (*Results, error) {
	system, err := in.System.normal()
	if err != nil {
		return nil, fmt.Errorf("assessment-results: %w", err)
	}
	query := ""
	if in.Namespace != "" {
		query = "?namespace=" + url.QueryEscape(in.Namespace)
	}
	in.PlanHref = orText(in.PlanHref, "assessment-plan"+query)
	in.VerdictsHref = orText(in.VerdictsHref, "verdicts"+query)
	if in.ListLimit == 0 {
		in.ListLimit = DefaultListLimit
	}
	in.Each = onlyKnownWords(in.Each)
	r := &Results{system: system, input: in}
	if r.seen, err = r.survey(nil); err != nil {
		return nil, fmt.Errorf("assessment-results: %w", err)
	}
	if len(r.seen.rules) == 0 {
		return nil, fmt.Errorf("assessment-results of %s: %w", scopeTitle(in.Namespace), ErrNothing)
	}
	r.full = in.Namespace != "" && !in.ByRule && r.seen.subjects <= FullLimit
	r.head = r.prepare()
	head, err := marshal(r.head)
	if err != nil {
		return nil, fmt.Errorf("assessment-results: %w", err)
	}
	r.etag = tagOf(head)
	return r, nil
}

// onlyKnownWords makes a verdict that is none of the four words unknown, so that it is counted and written as one.
func onlyKnownWords(each func(func(posture.Subject, posture.Entry) bool)) func(func(posture.Subject, posture.Entry) bool) {
	return func(f func(posture.Subject, posture.Entry) bool) {
		each(func(s posture.Subject, e posture.Entry) bool {
			switch e.Value {
			case engine.Pass, engine.Fail, engine.NotApplicable, engine.Unknown:
			default:
				e.Why = fmt.Sprintf("the verdict was %q, which is none: %s", e.Value, e.Why)
				e.Value = engine.Unknown
			}
			return f(s, e)
		})
	}
}

// Full reports whether the document has one observation a verdict.
func (r *Results) Full() bool { return r.full }

// ETag names the content: equal for equal bytes, without quotes.
func (r *Results) ETag() string { return r.etag }

// LastModified is the time of the last change in content, an expiry included.
func (r *Results) LastModified() time.Time { return r.seen.modified }

// WriteVerdicts writes the list of all verdicts of the scope, one JSON object a line: the evidence that the
// document refers to by address and SHA-256.
func (r *Results) WriteVerdicts(w io.Writer) error {
	_, err := r.survey(w)
	return err
}

func (r *Results) view() string {
	if r.full {
		return "verdicts"
	}
	return "rules"
}

// prepare makes everything but the two lists that grow with the fleet.
func (r *Results) prepare() o.AssessmentResults {
	states := posture.ObjectiveStates(r.tally(), r.system.Rules, nil)
	s, in, at := r.system, r.input, r.seen.modified
	version := strconv.FormatInt(in.Position.Sequence, 10)
	if r.seen.expired > 0 {
		version += "-expired-" + strconv.Itoa(r.seen.expired)
	}
	plan, evidence := r.planID(), r.evidenceID()
	result := o.Result{
		UUID:        identify("result", s.Cluster, in.Namespace, r.view(), in.Position.Epoch, version),
		Title:       "Posture of " + strings.ToLower(scopeTitle("")[:1]) + scopeTitle("")[1:],
		Description: r.describe(),
		Start:       at, End: &at,
		Props:            list(r.subjectCounts()...),
		ReviewedControls: r.reviewed(states),
		LocalDefinitions: &o.LocalDefinitions{Components: list(r.components()...)},
		Findings:         list(r.findings(states)...),
	}
	if in.Namespace != "" {
		result.Title = "Posture of namespace " + in.Namespace
	}
	return o.AssessmentResults{
		UUID:     identify("results", s.Cluster, in.Namespace, r.view()),
		ImportAp: o.ImportAp{Href: "#" + plan},
		Metadata: s.metadata("Assessment results: "+scopeTitle(in.Namespace), version, at, r.remarks()...),
		Results:  []o.Result{result},
		BackMatter: &o.BackMatter{Resources: list(
			o.Resource{
				UUID: plan, Title: "Assessment plan", Props: list(o.Property{Name: "type", Value: "plan"}),
				Rlinks: list(o.ResourceLink{Href: in.PlanHref, MediaType: "application/json"}),
			},
			o.Resource{
				UUID: evidence, Title: "All verdicts", Props: list(o.Property{Name: "type", Value: "evidence"}),
				Description: "Every verdict of the scope with what decided it, one JSON object a line.",
				Rlinks: list(o.ResourceLink{
					Href: in.VerdictsHref, MediaType: "application/x-ndjson",
					Hashes: list(o.Hash{Algorithm: "SHA-256", Value: r.seen.digest}),
				}),
			})},
	}
}

func (r *Results) planID() string {
	return identify("resource", r.system.Cluster, r.input.Namespace, "plan")
}

func (r *Results) evidenceID() string {
	return identify("resource", r.system.Cluster, r.input.Namespace, "verdicts")
}

func (r *Results) describe() string {
	shape := "One observation a verdict."
	if !r.full {
		shape = fmt.Sprintf("One observation a rule: failing and open subjects are named, up to %d of each, the others counted; the list of all verdicts is in back-matter.", r.input.ListLimit)
	}
	return fmt.Sprintf("Verdicts of %d rules on %d subjects. %s", len(r.seen.rules), r.seen.subjects, shape)
}

// remarks say since when the record is unbroken, and what was left out.
func (r *Results) remarks() []string {
	var paragraphs []string
	if c := r.input.Continuity; !c.Started.IsZero() {
		paragraphs = append(paragraphs, fmt.Sprintf("Continuity: the record is unbroken since %s. It does not go back further because: %s.",
			c.Started.UTC().Format(time.RFC3339), strings.TrimSuffix(c.Reason, ".")))
	}
	if r.seen.foreign > 0 {
		paragraphs = append(paragraphs, fmt.Sprintf("Left out: %d verdicts of rules that are no longer in force.", r.seen.foreign))
	}
	return paragraphs
}

func (r *Results) tally() posture.Tally {
	tally := posture.Tally{Rules: map[string]posture.Counts{}, Kinds: r.seen.kinds}
	for id, rule := range r.seen.rules {
		tally.Rules[id] = rule.worth()
	}
	return tally
}
