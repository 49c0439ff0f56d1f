package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/oscal"
	"cato.dev/cato/compliance/posture"
)

// Source is what documents are made of.
type Source struct {
	Store *posture.Store
	// System returns what holds now: the rules in force change with the bundle.
	System func() oscal.System
	// Assumptions are what verdicts on these kinds rest on in a namespace without evidence, in sentences.
	Assumptions func(ctx context.Context, namespace string, kinds []string) ([]string, error)
	// Modified is when the rule set was taken into use.
	Modified func() time.Time
	Now      func() time.Time
}

// FromPosture makes documents of the posture as it is at each request.
func FromPosture(s Source) Provider {
	return func(ctx context.Context, request Request) (Content, error) {
		system, err := s.system(ctx, request.Namespace)
		if err != nil {
			return Content{}, err
		}
		switch request.Document {
		case ComponentDefinition:
			return s.small(system, func() (*o.OscalModels, error) {
				return oscal.ComponentDefinition(system, s.Modified())
			})
		case AssessmentPlan:
			if request.Namespace != "" && !slices.Contains(s.Store.Namespaces(), request.Namespace) {
				return Content{}, ErrNotFound
			}
			return s.small(system, func() (*o.OscalModels, error) {
				return oscal.AssessmentPlan(system, request.Namespace, s.Modified())
			})
		default:
			return s.results(system, request)
		}
	}
}

// system is what holds now, with what the verdicts of the scope rest on.
func (s Source) system(ctx context.Context, namespace string) (oscal.System, error) {
	system := s.System()
	namespaces := []string{namespace}
	if namespace == "" {
		namespaces = s.Store.Namespaces()
	}
	for _, name := range namespaces {
		sentences, err := s.Assumptions(ctx, name, s.Store.View(name).Kinds())
		if err != nil {
			return oscal.System{}, fmt.Errorf("assumptions: %w", err)
		}
		system.Assumptions = append(system.Assumptions, sentences...)
	}
	slices.Sort(system.Assumptions)
	system.Assumptions = slices.Compact(system.Assumptions)
	return system, nil
}

func (s Source) small(system oscal.System, build func() (*o.OscalModels, error)) (Content, error) {
	model, err := build()
	if err != nil {
		return Content{}, err
	}
	text, err := oscal.Encode(model, oscal.CheckOptions{Catalog: system.Catalog, Rules: system.Rules, Now: s.Now()})
	if err != nil {
		return Content{}, err
	}
	return Content{ETag: oscal.ETag(text), Modified: s.Modified(), Write: func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}}, nil
}

func (s Source) results(system oscal.System, request Request) (Content, error) {
	view := s.Store.View(request.Namespace)
	results, err := oscal.NewResults(oscal.ResultsInput{
		System: system, Namespace: request.Namespace, ByRule: request.ByRule, Each: view.Each,
		Position: view.Position(), Continuity: s.Store.Continuity(), Now: s.Now(),
	})
	if errors.Is(err, oscal.ErrNothing) {
		return Content{}, ErrNotFound
	}
	if err != nil {
		return Content{}, err
	}
	content := Content{ETag: results.ETag(), Modified: results.LastModified(), Write: results.WriteJSON}
	if request.Document == Verdicts {
		content.Write = results.WriteVerdicts
	}
	return content, nil
}
