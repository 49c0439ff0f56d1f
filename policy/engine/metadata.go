package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

type ruleMetadata struct {
	ID            string    `json:"id"`
	Topic         string    `json:"topic"`
	Severity      string    `json:"severity"`
	Subjects      []string  `json:"subjects"`
	Judges        []string  `json:"judges"`
	Enforces      []string  `json:"enforces"`
	Warns         []string  `json:"warns"`
	OnUnknown     string    `json:"on_unknown"`
	Controls      []Control `json:"controls"`
	Method        string    `json:"method"`
	Remediation   string    `json:"remediation"`
	Parameters    []string  `json:"parameters"`
	AlwaysApplies bool      `json:"always_applies"`
}

type grantMetadata struct {
	Source    string   `json:"source"`
	OnRefusal string   `json:"on_refusal"`
	Subjects  []string `json:"subjects"`
}

// Catalog says whether a control, its statements and its objectives exist.
type Catalog func(control string, statements, objectives []string) error

// ruleFrom reads a rule's description from the annotation of its package.
func ruleFrom(m *module, annotations *ast.AnnotationSet, catalog Catalog) (*Rule, error) {
	var md ruleMetadata
	title, description, err := readMetadata(m, annotations, &md)
	if err != nil {
		return nil, err
	}
	r := &Rule{
		ID: md.ID, Package: m.pkg, File: m.file, Title: title, Description: description,
		Topic: md.Topic, Severity: md.Severity, Subjects: md.Subjects, Controls: md.Controls,
		Judges: md.Judges, Enforces: md.Enforces, Warns: md.Warns, OnUnknown: md.OnUnknown, Method: md.Method,
		Remediation: md.Remediation, Parameters: md.Parameters, AlwaysApplies: md.AlwaysApplies, judgedIsSet: isAlwaysSet(m, "judged"),
	}
	if len(r.Judges) == 0 {
		r.Judges = []string{Admission, Plan, Live}
	}
	r.OnUnknown = orDefault(r.OnUnknown, "wait")
	r.Method = orDefault(r.Method, "TEST")
	for i := range r.Controls {
		r.Controls[i].Coverage = orDefault(r.Controls[i].Coverage, "partial")
	}
	if err := errors.Join(checkRule(r), checkControls(r.Controls, catalog)); err != nil {
		return nil, m.wrap("metadata", err)
	}
	return r, nil
}

func checkRule(r *Rule) error {
	id := regexp.MustCompile(`^[A-Z]{2,4}-[0-9]{3}$`)
	topic := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	var errs []error
	if !id.MatchString(r.ID) {
		errs = append(errs, fmt.Errorf("custom.id %q: must be like NET-001 (%s)", r.ID, id))
	}
	if !topic.MatchString(r.Topic) {
		errs = append(errs, fmt.Errorf("custom.topic %q: must be lower-case words joined by hyphens", r.Topic))
	}
	if r.Remediation == "" {
		errs = append(errs, errors.New("custom.remediation: missing; say how a user puts a fail right"))
	}
	errs = append(errs,
		oneOf("custom.severity", r.Severity, "low", "medium", "high", "critical"),
		oneOf("custom.on_unknown", r.OnUnknown, "wait", "report"),
		oneOf("custom.method", r.Method, "TEST", "EXAMINE"),
		subset("custom.judges", r.Judges, Admission, Plan, Live),
		subset("custom.enforces", r.Enforces, Admission, Plan),
		checkSubjects(r.Subjects),
		subset("custom.warns", r.Warns, r.Subjects...),
	)
	if len(r.Warns) > 0 && len(r.Enforces) == 0 {
		errs = append(errs, errors.New("custom.warns: the rule enforces at no moment; leave it out, or add custom.enforces"))
	}
	for _, moment := range r.Enforces {
		if !r.JudgesAt(moment) {
			errs = append(errs, fmt.Errorf("custom.enforces %q: the rule does not judge at that moment; add it to custom.judges", moment))
		}
	}
	return errors.Join(errs...)
}

func checkControls(controls []Control, catalog Catalog) error {
	if len(controls) == 0 {
		return errors.New("custom.controls: missing; name at least one control that the rule is evidence for")
	}
	var errs []error
	for _, c := range controls {
		errs = append(errs, oneOf("custom.controls coverage of "+c.ID, c.Coverage, "partial", "full"))
		if c.Coverage == "full" && c.Remarks == "" {
			errs = append(errs, fmt.Errorf("custom.controls %s: full coverage needs remarks that say why", c.ID))
		}
		if err := catalog(c.ID, c.Statements, c.Objectives); err != nil {
			errs = append(errs, fmt.Errorf("custom.controls %s: %w", c.ID, err))
		}
	}
	return errors.Join(errs...)
}

// grantFrom reads a grant's description from the annotation of its package.
func grantFrom(m *module, annotations *ast.AnnotationSet) (*Grant, error) {
	var md grantMetadata
	title, description, err := readMetadata(m, annotations, &md)
	if err != nil {
		return nil, err
	}
	errs := []error{oneOf("custom.on_refusal", md.OnRefusal, "omit", "refuse"), checkSubjects(md.Subjects)}
	if md.Source == "" {
		errs = append(errs, errors.New("custom.source: missing; say where the grant comes from"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, m.wrap("metadata", err)
	}
	return &Grant{
		Name: m.pkg[strings.LastIndex(m.pkg, ".")+1:], Package: m.pkg, File: m.file, Title: title,
		Description: description, Source: md.Source, OnRefusal: md.OnRefusal, Subjects: md.Subjects,
	}, nil
}

// readMetadata decodes the custom part strictly: a key that nobody reads is a mistake that nobody sees.
func readMetadata(m *module, annotations *ast.AnnotationSet, into any) (title, description string, err error) {
	a := annotations.GetPackageScope(m.ast.Package)
	if a == nil {
		return "", "", m.errorf("no METADATA above the package; it is the only description of it")
	}
	if a.Title == "" || a.Description == "" {
		return "", "", m.errorf("METADATA: title and description are required")
	}
	text, err := json.Marshal(a.Custom)
	if err != nil {
		return "", "", m.wrap("metadata", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return "", "", m.wrap("metadata", err)
	}
	return a.Title, strings.TrimSpace(a.Description), nil
}

func checkSubjects(subjects []string) error {
	kind := regexp.MustCompile(`^[A-Z][A-Za-z0-9]+$`)
	if len(subjects) == 0 {
		return errors.New("custom.subjects: missing; name the kinds that are judged")
	}
	seen := map[string]bool{}
	for _, s := range subjects {
		if !kind.MatchString(s) || seen[s] {
			return fmt.Errorf("custom.subjects %q: must be kinds such as VirtualMachine, each once", s)
		}
		seen[s] = true
	}
	return nil
}

func oneOf(field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s %q: must be one of %s", field, value, strings.Join(allowed, ", "))
}

func subset(field string, values []string, allowed ...string) error {
	seen := map[string]bool{}
	for _, v := range values {
		if err := oneOf(field, v, allowed...); err != nil {
			return err
		}
		if seen[v] {
			return fmt.Errorf("%s: %q is listed twice", field, v)
		}
		seen[v] = true
	}
	return nil
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}

// checkParameters holds the documented parameters of a rule to those that it reads.
func checkParameters(m *module, r *Rule) error {
	var errs []error
	for _, name := range r.Parameters {
		if !readsOverlap(r.Reads, "params."+name) {
			errs = append(errs, m.errorf("metadata: custom.parameters %q: the rule does not read input.params.%s", name, name))
		}
	}
	for _, read := range r.Reads {
		documented := slices.ContainsFunc(r.Parameters, func(name string) bool { return pathsOverlap("params."+name, read) })
		if pathsOverlap("params", read) && !documented {
			errs = append(errs, m.errorf("metadata: custom.parameters: the rule reads input.%s; list the parameter", read))
		}
	}
	return errors.Join(errs...)
}
