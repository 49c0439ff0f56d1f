// Package promscrape lets a test ask Prometheus' own engine about what the
// operator serves at /metrics: real scrapes go in, PromQL comes out.
package promscrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

const (
	contentType = "text/plain"
	lookback    = 5 * time.Minute // as a Prometheus server has it
	maxSamples  = 1_000_000
	timeout     = 30 * time.Second
)

// Storage keeps the scrapes of one target in memory. It is not safe for
// concurrent use.
type Storage struct {
	engine *promql.Engine
	series map[string]*series
	last   time.Time
}

// series is what the scrapes said of one.
type series struct {
	labels  labels.Labels
	samples []promql.FPoint
	present bool // in the last scrape
}

// Sample is one series of an answer, with its value at the time asked for.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// New returns an empty storage.
func New() *Storage {
	return &Storage{series: map[string]*series{}, engine: promql.NewEngine(promql.EngineOpts{
		MaxSamples: maxSamples, Timeout: timeout, LookbackDelta: lookback,
		EnableAtModifier: true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{}),
	})}
}

// Scrape adds one scrape in the text format, taken at a time after that of the
// scrape before. A series that the last scrape had and this one has not ends
// there, as it does in a Prometheus server. A scrape that cannot be used adds
// nothing.
func (s *Storage) Scrape(text []byte, at time.Time) error {
	if !at.After(s.last) {
		return fmt.Errorf("scrape: %s is not after the last one, %s", at, s.last)
	}
	found, err := parse(text)
	if err != nil {
		return fmt.Errorf("scrape: %w", err)
	}
	for key, known := range s.series {
		if _, still := found[key]; known.present && !still {
			known.add(at, math.Float64frombits(value.StaleNaN))
			known.present = false
		}
	}
	for key, sample := range found {
		known := s.series[key]
		if known == nil {
			known = &series{labels: sample.labels}
			s.series[key] = known
		}
		known.add(at, sample.value)
		known.present = true
	}
	s.last = at
	return nil
}

func (s *series) add(at time.Time, value float64) {
	s.samples = append(s.samples, promql.FPoint{T: at.UnixMilli(), F: value})
}

// Eval evaluates an expression that gives a vector or a scalar, at a moment.
func (s *Storage) Eval(ctx context.Context, expression string, at time.Time) ([]Sample, error) {
	query, err := s.engine.NewInstantQuery(ctx, storage.QueryableFunc(s.querier), nil, expression, at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", expression, err)
	}
	defer query.Close()
	result := query.Exec(ctx)
	if result.Err != nil {
		return nil, fmt.Errorf("%s: %w", expression, result.Err)
	}
	switch v := result.Value.(type) {
	case promql.Vector:
		samples := make([]Sample, 0, len(v))
		for _, sample := range v {
			samples = append(samples, Sample{sample.Metric.Map(), sample.F})
		}
		return samples, nil
	case promql.Scalar:
		return []Sample{{map[string]string{}, v.V}}, nil
	default:
		return nil, fmt.Errorf("%s: gives a %s, not a vector", expression, result.Value.Type())
	}
}

type parsed struct {
	labels labels.Labels
	value  float64
}

func parse(text []byte) (map[string]parsed, error) {
	p, err := textparse.New(text, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return nil, err
	}
	all := map[string]parsed{}
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var found parsed
		p.Labels(&found.labels)
		_, _, found.value = p.Series()
		key := found.labels.String()
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("%s is there twice", key)
		}
		all[key] = found
	}
}
