package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// call is one kind of request.
type call struct{ verb, resource string }

// calls are the requests of the operator in a stretch of time, without those
// that only wait: watches, and the leases of an election.
type calls struct {
	number  map[call]int
	probes  int             // of freshness, which come by time and not by object
	written map[string]bool // objects with at least one write that was taken
	refused int             // answers of 400 and above
}

func newCalls() *calls { return &calls{number: map[call]int{}, written: map[string]bool{}} }

func (c *calls) total() int {
	sum := 0
	for _, n := range c.number {
		sum += n
	}
	return sum
}

func (c *calls) add(event *auditv1.Event) {
	reference := event.ObjectRef
	if event.Verb == "watch" || reference != nil && reference.Resource == "leases" {
		return
	}
	if probes(event) {
		c.probes++
		return
	}
	made := call{verb: event.Verb, resource: event.RequestURI}
	if reference != nil {
		made.resource = reference.Resource
		if reference.Subresource != "" {
			made.resource += "/" + reference.Subresource
		}
	}
	c.number[made]++
	if event.ResponseStatus != nil && event.ResponseStatus.Code >= 400 {
		c.refused++
		return
	}
	if reference != nil && slices.Contains([]string{"create", "update", "patch", "delete"}, event.Verb) {
		c.written[strings.Join([]string{reference.APIGroup, reference.Resource, reference.Namespace, reference.Name}, "/")] = true
	}
}

// probes tells whether a request asks if a watch still lives: an access review, a
// list of one object, or whether the API server has a kind at all.
func probes(event *auditv1.Event) bool {
	if event.ObjectRef == nil {
		return event.Verb == "get" && strings.HasPrefix(event.RequestURI, "/apis/")
	}
	address, err := url.Parse(event.RequestURI)
	return event.ObjectRef.Resource == "selfsubjectaccessreviews" ||
		err == nil && event.Verb == "list" && address.Query().Get("limit") == "1"
}

// frequent are the kinds of request, the most frequent first.
func (c *calls) frequent() []call {
	var all []call
	for made := range c.number {
		all = append(all, made)
	}
	slices.SortFunc(all, func(a, b call) int {
		if c.number[a] != c.number[b] {
			return c.number[b] - c.number[a]
		}
		return strings.Compare(a.verb+a.resource, b.verb+b.resource)
	})
	return all
}

// auditReader reads an audit log on from where it was left.
type auditReader struct {
	path   string
	offset int64
}

// next adds the whole lines that came since the last time.
func (r *auditReader) next(to *calls) error {
	file, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(r.offset, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a line without its end is read the next time
		}
		if err != nil {
			return err
		}
		event := auditv1.Event{}
		if err := json.Unmarshal(line, &event); err != nil {
			return fmt.Errorf("%s at byte %d: %w", r.path, r.offset, err)
		}
		to.add(&event)
		r.offset += int64(len(line))
	}
}
