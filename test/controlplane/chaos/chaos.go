// Package chaos makes requests to an API server go wrong on purpose: late,
// lost before or after they were done, or refused.
package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrLost is the error of a request that was lost, as of a broken connection.
var ErrLost = errors.New("chaos: the connection broke")

// Fault is what happens to a request. The zero value is nothing.
type Fault struct {
	// Delay is how long the request waits before it goes its way.
	Delay time.Duration
	// Drop loses the request: the server never sees it.
	Drop bool
	// DropAnswer loses the answer: the server does what was asked for, and the
	// client does not learn of it.
	DropAnswer bool
	// Status refuses the request with an HTTP status, such as 409 or 503,
	// in the server's place.
	Status int
}

// Match tells whether a request is meant. Nil means all.
type Match func(*http.Request) bool

// Writes are the requests that change something.
func Writes(r *http.Request) bool {
	return slices.Contains([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, r.Method)
}

// On are the requests with one of the methods, or any if there is none, to a
// resource by its plural name, such as "virtualmachines", and what is below it.
func On(resource string, methods ...string) Match {
	return func(r *http.Request) bool {
		return slices.Contains(strings.Split(r.URL.Path, "/"), resource) && (len(methods) == 0 || slices.Contains(methods, r.Method))
	}
}

// Chaos makes requests go wrong. It is safe for concurrent use, and lets all
// through until faults are injected.
type Chaos struct {
	mu     sync.Mutex
	rules  []*rule
	faults int
}

type rule struct {
	match Match
	left  int
	fault Fault
}

// Inject makes the next requests that match go wrong, as many times as said.
// Of several faults that are meant for a request, the first injected comes.
func (c *Chaos) Inject(match Match, times int, fault Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules = append(c.rules, &rule{match: match, left: times, fault: fault})
}

// Clear lets all requests through again.
func (c *Chaos) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rules = nil
}

// Faults is how many requests went wrong so far: a test of faults that had none
// shows nothing.
func (c *Chaos) Faults() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.faults
}

// Wrap puts the chaos in front of a transport; it fits rest.Config.Wrap.
func (c *Chaos) Wrap(next http.RoundTripper) http.RoundTripper {
	return transport{chaos: c, next: next}
}

func (c *Chaos) faultFor(r *http.Request) Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, rule := range c.rules {
		if rule.left > 0 && (rule.match == nil || rule.match(r)) {
			rule.left--
			c.faults++
			return rule.fault
		}
	}
	return Fault{}
}

type transport struct {
	chaos *Chaos
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	fault := t.chaos.faultFor(r)
	if fault.Delay > 0 {
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-r.Context().Done():
			return nil, errors.Join(r.Context().Err(), closeBody(r))
		case <-timer.C:
		}
	}
	switch {
	case fault.Drop:
		return nil, errors.Join(ErrLost, closeBody(r))
	case fault.Status != 0:
		if err := closeBody(r); err != nil {
			return nil, err
		}
		return refuse(r, fault.Status)
	}
	response, err := t.next.RoundTrip(r)
	if err != nil || !fault.DropAnswer {
		return response, err
	}
	return nil, errors.Join(ErrLost, response.Body.Close())
}

// closeBody does what a transport owes a request that it does not send.
func closeBody(r *http.Request) error {
	if r.Body == nil {
		return nil
	}
	return r.Body.Close()
}

// refuse answers as an API server does.
func refuse(r *http.Request, code int) (*http.Response, error) {
	reasons := map[int]metav1.StatusReason{
		http.StatusConflict: metav1.StatusReasonConflict, http.StatusTooManyRequests: metav1.StatusReasonTooManyRequests,
		http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusNotFound: metav1.StatusReasonNotFound,
		http.StatusGatewayTimeout: metav1.StatusReasonTimeout, http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable,
		http.StatusInternalServerError: metav1.StatusReasonInternalError,
	}
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reasons[code],
		Message: fmt.Sprintf("chaos: %s %s is refused", r.Method, r.URL.Path),
	}
	data, err := json.Marshal(status)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", code, http.StatusText(code)), StatusCode: code,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(data)),
		ContentLength: int64(len(data)),
	}, nil
}
