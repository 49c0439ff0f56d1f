package promscrape_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/test/e2e/promscrape"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const (
	first = `# HELP verdict 1 for the present verdict.
# TYPE verdict gauge
verdict{control="si-7",verdict="fail"} 0
verdict{control="si-7",verdict="pass"} 1
verdict{control="ac-4",verdict="pass"} 1
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 10
took_seconds_bucket{le="1"} 10
took_seconds_bucket{le="+Inf"} 10
took_seconds_sum 0.5
took_seconds_count 10
`
	second = `# TYPE verdict gauge
verdict{control="si-7",verdict="fail"} 1
verdict{control="si-7",verdict="pass"} 0
# TYPE took_seconds histogram
took_seconds_bucket{le="0.1"} 10
took_seconds_bucket{le="1"} 20
took_seconds_bucket{le="+Inf"} 20
took_seconds_sum 9
took_seconds_count 20
`
)

func scrape(t *testing.T, s *promscrape.Storage, text string, at time.Time) {
	t.Helper()
	if err := s.Scrape([]byte(text), at); err != nil {
		t.Fatal(err)
	}
}

func eval(t *testing.T, s *promscrape.Storage, expression string, at time.Time) map[string]float64 {
	t.Helper()
	samples, err := s.Eval(t.Context(), expression, at)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, sample := range samples {
		values[sample.Labels["control"]] = sample.Value
	}
	return values
}

func TestQueriesFollowTheScrapes(t *testing.T) {
	s := promscrape.New()
	scrape(t, s, first, noon)
	later := noon.Add(15 * time.Second)
	scrape(t, s, second, later)
	for name, test := range map[string]struct {
		expression string
		at         time.Time
		want       map[string]float64
	}{
		"before":                      {`verdict{verdict="pass"} == 1`, noon, map[string]float64{"si-7": 1, "ac-4": 1}},
		"after":                       {`verdict{verdict="fail"} == 1`, later, map[string]float64{"si-7": 1}},
		"a series that is gone ended": {`verdict{control="ac-4"}`, later, map[string]float64{}},
		"and was there before":        {`verdict{control="ac-4"}`, later.Add(-time.Second), map[string]float64{"ac-4": 1}},
		"too old to hold":             {`verdict`, later.Add(6 * time.Minute), map[string]float64{}},
		"a quantile of what happened": {`histogram_quantile(0.5, sum by (le) (rate(took_seconds_bucket[1m])))`, later, map[string]float64{"": 0.55}},
		"a scalar":                    {`scalar(sum(verdict))`, later, map[string]float64{"": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if d := cmp.Diff(test.want, eval(t, s, test.expression, test.at), near); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWhatCannotBeUsedIsAnError(t *testing.T) {
	s := promscrape.New()
	scrape(t, s, first, noon)
	for name, test := range map[string]struct{ text, want string }{
		"no exposition": {"verdict{control=\"si-7\" 1\n", "scrape:"},
		"twice":         {"verdict 1\nverdict 2\n", "is there twice"},
		"no later":      {first, "is not after the last one"},
	} {
		t.Run(name, func(t *testing.T) {
			at := noon.Add(time.Minute)
			if name == "no later" {
				at = noon
			}
			err := s.Scrape([]byte(test.text), at)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	if d := cmp.Diff(map[string]float64{"si-7": 1, "ac-4": 1}, eval(t, s, `verdict == 1`, noon.Add(time.Minute))); d != "" {
		t.Errorf("a scrape that failed left something: %s", d)
	}
	for expression, want := range map[string]string{
		`sum(`:        "parse error",
		`verdict[1m]`: "gives a matrix",
	} {
		if _, err := s.Eval(t.Context(), expression, noon); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), expression) {
			t.Errorf("%s: got %v, want an error with %q", expression, err, want)
		}
	}
}
