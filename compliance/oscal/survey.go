package oscal

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// survey is what one pass over the posture finds. Its size follows the rules and what is listed, not the fleet,
// but for the uuids of a full document, which is bounded by FullLimit subjects.
type survey struct {
	subjects int
	kinds    map[string]int
	rules    map[string]*surveyed
	modified time.Time // of the last change in content, an expiry included
	expired  int
	foreign  int    // verdicts of rules that are not in force
	digest   string // SHA-256 of the list of all verdicts
}

// surveyed is what became of one rule.
type surveyed struct {
	counts posture.Counts // as the verdicts say
	// stalePass and staleOther (not-applicable) are counted in counts and worth nothing: expired, or not of a live object.
	stalePass, staleOther int
	expired, planned      int
	oldest                time.Time // oldest evidence: all verdicts were confirmed no earlier
	moment                string    // live if all are
	// failing and open (unknown, expired, planned) subjects of an aggregated document, up to the limit of each.
	failing, open []posture.Subject
	entries       map[posture.Subject]posture.Entry
	// uuids of observations in a full document, by what a finding makes of them.
	passUUIDs, failUUIDs, openUUIDs []string
}

// worth is what a finding may count: what is stale is unknown.
func (s *surveyed) worth() posture.Counts {
	c := s.counts
	c.Pass -= s.stalePass
	c.NotApplicable -= s.staleOther
	c.Unknown += s.stalePass + s.staleOther
	return c
}

// survey makes the pass. Lines of the list of verdicts go into its digest; with an out they are written as well.
func (r *Results) survey(out io.Writer) (*survey, error) {
	v := &survey{kinds: map[string]int{}, rules: map[string]*surveyed{}, modified: r.started()}
	known := map[string]bool{}
	for _, rule := range r.system.Rules {
		known[rule.ID] = true
	}
	hash := sha256.New()
	target := io.Writer(hash)
	if out != nil {
		target = io.MultiWriter(hash, out)
	}
	buffered := bufio.NewWriterSize(target, 64<<10)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	var failed error
	var last posture.Subject
	r.input.Each(func(subject posture.Subject, entry posture.Entry) bool {
		if subject != last {
			v.subjects++
			v.kinds[subject.Kind]++
			last = subject
		}
		if !known[entry.Rule] {
			v.foreign++
			return true
		}
		collected, expires := r.confirmed(entry)
		v.take(r, subject, entry, collected, expires)
		failed = encoder.Encode(lineOf(subject, entry, collected, expires))
		return failed == nil
	})
	if failed == nil {
		failed = buffered.Flush()
	}
	v.digest = hex.EncodeToString(hash.Sum(nil))
	return v, failed
}

// started is the least that last-modified can be.
func (r *Results) started() time.Time {
	at := r.input.Position.Changed
	if r.input.Position.Swept.After(at) {
		at = r.input.Position.Swept
	}
	return at.UTC()
}

// confirmed is when an entry was last found to be so, and when that is no longer worth anything.
func (r *Results) confirmed(entry posture.Entry) (collected, expires time.Time) {
	collected = entry.Since.UTC()
	if swept := r.input.Position.Swept.UTC(); swept.After(collected) {
		collected = swept
	}
	return collected, collected.Add(r.system.Interval)
}

func (v *survey) take(r *Results, subject posture.Subject, entry posture.Entry, collected, expires time.Time) {
	rule := v.rules[entry.Rule]
	if rule == nil {
		rule = &surveyed{oldest: collected, moment: engine.Live, entries: map[posture.Subject]posture.Entry{}}
		v.rules[entry.Rule] = rule
	}
	if collected.Before(rule.oldest) {
		rule.oldest = collected
	}
	v.modified = latest(v.modified, collected)
	expired, planned := !expires.After(r.input.Now), entry.Moment != engine.Live
	if planned {
		rule.moment = entry.Moment
		rule.planned++
	}
	if expired {
		v.expired++
		rule.expired++
		v.modified = latest(v.modified, expires)
	}
	rule.tally(r, subject, entry, expired || planned)
}

// tally counts one verdict and keeps what the document will name.
func (s *surveyed) tally(r *Results, subject posture.Subject, entry posture.Entry, stale bool) {
	id := r.observationID(subject, entry)
	switch entry.Value {
	case engine.Fail:
		s.counts.Fail++
		s.failing = s.keep(r, s.failing, subject, entry)
		s.failUUIDs = r.remember(s.failUUIDs, id)
		return
	case engine.Pass:
		s.counts.Pass++
		if !stale {
			s.passUUIDs = r.remember(s.passUUIDs, id)
			return
		}
		s.stalePass++
	case engine.NotApplicable:
		s.counts.NotApplicable++
		if !stale {
			return
		}
		s.staleOther++
	case engine.Unknown:
		s.counts.Unknown++
	default:
		s.counts.Unknown++
	}
	s.open = s.keep(r, s.open, subject, entry)
	s.openUUIDs = r.remember(s.openUUIDs, id)
}

func (s *surveyed) keep(r *Results, rows []posture.Subject, subject posture.Subject, entry posture.Entry) []posture.Subject {
	if len(rows) >= r.input.ListLimit {
		return rows
	}
	s.entries[subject] = entry
	return append(rows, subject)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// remember keeps the uuids that findings of a small scope refer to. Whether the document is full is known only
// after the pass, so the bound is on what is kept.
func (r *Results) remember(ids []string, id string) []string {
	if r.input.Namespace == "" || r.input.ByRule || len(ids) > FullLimit {
		return ids
	}
	return append(ids, id)
}

func (r *Results) observationID(subject posture.Subject, entry posture.Entry) string {
	return identify("observation", r.system.Cluster, entry.Rule, subjectName(subject), string(entry.Value), entry.Since.UTC().Format(time.RFC3339Nano))
}

// subjectName is what tells subjects apart: the uid, for an object that is made again is another asset.
func subjectName(s posture.Subject) string {
	if s.UID != "" {
		return s.UID
	}
	return s.APIVersion + "\x00" + s.Kind + "\x00" + s.Namespace + "\x00" + s.Name
}
