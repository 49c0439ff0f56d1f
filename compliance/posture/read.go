package posture

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unique"

	"cato.dev/cato/policy/engine"
)

// read fills an empty store. A row that does not make sense is damage: half a posture would be a false one.
func (f *file) read(s *Store) error {
	meta, err := f.readMeta()
	if err != nil || len(meta) == 0 { // none: the file is new
		return err
	}
	started, err := time.Parse(time.RFC3339Nano, meta["started"])
	if err != nil || meta["epoch"] == "" {
		return damage{fmt.Errorf("meta: epoch %q began at %q", meta["epoch"], meta["started"])}
	}
	s.continuity = Continuity{Epoch: meta["epoch"], Started: started, Reason: meta["reason"]}
	for name, into := range map[string]*int64{
		"sequence": &s.sequence, "sweep.sequence": &s.sweep.sequence, "sweep.at": &s.sweep.at,
	} {
		if *into, err = strconv.ParseInt(meta[name], 10, 64); err != nil {
			return damage{fmt.Errorf("meta %s: %w", name, err)}
		}
	}
	for _, step := range []func(*Store) error{f.readSubjects, f.readScopes, f.readEvidence, f.readTransitions} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

// rows runs the query and has scan called on each row.
func (f *file) rows(query string, scan func(*sql.Rows) error) error {
	rows, err := f.db.Query(query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err below tells of any error
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (f *file) readMeta() (map[string]string, error) {
	meta := map[string]string{}
	err := f.rows("SELECT name, value FROM meta", func(rows *sql.Rows) error {
		var name, value string
		err := rows.Scan(&name, &value)
		meta[name] = value
		return err
	})
	return meta, err
}

func (f *file) readSubjects(s *Store) error {
	byID := map[int64]*held{}
	err := f.rows("SELECT id, api_version, kind, namespace, name, uid, owns FROM subjects", func(rows *sql.Rows) error {
		h := &held{}
		err := rows.Scan(&h.id, &h.subject.APIVersion, &h.subject.Kind, &h.subject.Namespace,
			&h.subject.Name, &h.subject.UID, &h.subject.Owns)
		byID[h.id] = h
		return err
	})
	if err != nil {
		return err
	}
	err = f.rows("SELECT subject, rule, value, moment, revision, since, sequence, detail FROM verdicts", func(rows *sql.Rows) error {
		var id int64
		var rule, value, moment, revision, detail string
		var r record
		if err := rows.Scan(&id, &rule, &value, &moment, &revision, &r.since, &r.sequence, &detail); err != nil {
			return err
		}
		h := byID[id]
		if h == nil || string(known(engine.Value(value))) != value || !json.Valid([]byte(detail)) {
			return damage{fmt.Errorf("verdict of rule %q on subject %d is not readable", rule, id)}
		}
		r.rule, r.value, r.moment = unique.Make(rule), known(engine.Value(value)), unique.Make(moment)
		r.revision, r.detail = unique.Make(revision), unique.Make(detail)
		h.records = append(h.records, r)
		return nil
	})
	if err != nil {
		return err
	}
	for _, h := range byID {
		if s.subjects[h.subject.key()] != nil {
			return damage{fmt.Errorf("%s is stored twice", h.subject.describe())}
		}
		s.restore(h)
	}
	return nil
}

func (f *file) readScopes(s *Store) error {
	return f.rows("SELECT namespace, sequence, changed FROM scopes", func(rows *sql.Rows) error {
		var name string
		var m mark
		err := rows.Scan(&name, &m.sequence, &m.at)
		s.changes[name] = m
		return err
	})
}

func (f *file) readEvidence(s *Store) error {
	return f.rows("SELECT kind, namespace, time FROM evidence", func(rows *sql.Rows) error {
		var w watch
		var at int64
		err := rows.Scan(&w.kind, &w.namespace, &at)
		s.evidence[w] = time.Unix(0, at).UTC()
		return err
	})
}

func (f *file) readTransitions(s *Store) error {
	const query = "SELECT sequence, time, subject, rule, before, after, why, moment, revision FROM transitions ORDER BY sequence"
	return f.rows(query, func(rows *sql.Rows) error {
		var t Transition
		var at int64
		var subject string
		if err := rows.Scan(&t.Sequence, &at, &subject, &t.Rule, &t.From, &t.To, &t.Why, &t.Moment, &t.Revision); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(subject), &t.Subject); err != nil {
			return damage{fmt.Errorf("transition %d: subject: %w", t.Sequence, err)}
		}
		t.Time = time.Unix(0, at).UTC()
		s.history.add([]Transition{t})
		return nil
	})
}
