package promscrape

import (
	"cmp"
	"context"
	"slices"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/annotations"
)

// querier implements storage.Queryable. Prometheus' own storage would do the
// same and bring the service discovery of every cloud with it.
func (s *Storage) querier(from, to int64) (storage.Querier, error) {
	return &querier{LabelQuerier: storage.NoopQuerier(), from: from, to: to, series: s.series}, nil
}

type querier struct {
	storage.LabelQuerier // of an empty storage: the engine asks for no names
	from, to             int64
	series               map[string]*series
}

// Select implements storage.Querier. Its series are always sorted.
func (q *querier) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	set := &selection{}
	for _, known := range q.series {
		if slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(known.labels.Get(m.Name)) }) {
			continue
		}
		begin, _ := slices.BinarySearchFunc(known.samples, q.from, byTime)
		end, _ := slices.BinarySearchFunc(known.samples, q.to+1, byTime)
		if begin < end {
			set.found = append(set.found, promql.NewStorageSeries(promql.Series{Metric: known.labels, Floats: known.samples[begin:end]}))
		}
	}
	slices.SortFunc(set.found, func(a, b storage.Series) int { return labels.Compare(a.Labels(), b.Labels()) })
	return set
}

func byTime(sample promql.FPoint, at int64) int { return cmp.Compare(sample.T, at) }

// selection implements storage.SeriesSet over series that are all known.
type selection struct {
	found []storage.Series
	taken int
}

// Next implements storage.SeriesSet.
func (s *selection) Next() bool {
	s.taken++
	return s.taken <= len(s.found)
}

// At implements storage.SeriesSet.
func (s *selection) At() storage.Series { return s.found[s.taken-1] }

// Err implements storage.SeriesSet.
func (s *selection) Err() error { return nil }

// Warnings implements storage.SeriesSet.
func (s *selection) Warnings() annotations.Annotations { return nil }
