package operator

import (
	"sync/atomic"
	"time"

	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/policy/engine"
)

// observations carry what the engine does to the metrics, which need the
// engine to be made: until they are there, nothing is judged.
type observations struct {
	metrics atomic.Pointer[metrics.Metrics]
}

func (o *observations) observer() engine.Observer {
	return engine.Observer{Judged: func(moment string, took time.Duration) {
		if m := o.metrics.Load(); m != nil {
			m.ObserveEvaluation(moment, took)
		}
	}}
}
