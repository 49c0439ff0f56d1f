package posture

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"time"
	"unique"
)

// pending is what the file does not have yet: which rows differ, not their content, so that it stays bounded
// by the fleet however long the disk is full.
type pending struct {
	gone        map[int64]bool // ids of subjects
	subjects    map[int64]key
	rows        map[row]key
	scopes      map[string]bool
	transitions []Transition
	evidence    bool
	continuity  bool
}

type row struct {
	subject int64
	rule    unique.Handle[string]
}

func newPending() pending {
	return pending{gone: map[int64]bool{}, subjects: map[int64]key{}, rows: map[row]key{}, scopes: map[string]bool{}}
}

// write brings the file up to date in one transaction. The caller holds change. What failed stays pending.
func (s *Store) write() error {
	if s.file == nil {
		s.todo = newPending()
		return nil
	}
	err := s.file.inTransaction(func(tx *sql.Tx) error {
		w := writer{tx: tx, store: s, prepared: map[string]*sql.Stmt{}}
		w.subjects()
		w.verdicts()
		w.scopes()
		w.transitions()
		w.evidence()
		w.meta()
		return w.err
	})
	if err != nil {
		err = stateDirError(filepath.Dir(s.file.path), fmt.Errorf("the latest changes are in memory only: %w", err))
		s.todo.transitions = history(s.todo.transitions).kept()
	} else {
		s.todo = newPending()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
	return err
}

// writer remembers the first error, after which it does nothing.
type writer struct {
	tx       *sql.Tx
	store    *Store
	prepared map[string]*sql.Stmt // by query; the transaction closes them
	err      error
}

func (w *writer) exec(query string, args ...any) {
	if w.err == nil && w.prepared[query] == nil {
		w.prepared[query], w.err = w.tx.Prepare(query)
	}
	if w.err == nil {
		_, w.err = w.prepared[query].Exec(args...)
	}
}

func (w *writer) subjects() {
	todo := &w.store.todo
	for id := range todo.gone {
		w.exec("DELETE FROM subjects WHERE id = ?", id)
		w.exec("DELETE FROM verdicts WHERE subject = ?", id)
	}
	for id, k := range todo.subjects {
		h := w.store.subjects[k]
		if h == nil || h.id != id {
			continue // gone since, or moved to another key by a change that is pending as well
		}
		u := h.subject
		w.exec("INSERT OR REPLACE INTO subjects (id, api_version, kind, namespace, name, uid, owns) VALUES (?,?,?,?,?,?,?)",
			id, u.APIVersion, u.Kind, u.Namespace, u.Name, u.UID, u.Owns)
	}
}

func (w *writer) verdicts() {
	for at, k := range w.store.todo.rows {
		h := w.store.subjects[k]
		if h == nil || h.id != at.subject {
			continue
		}
		r := h.find(at.rule)
		if r == nil {
			w.exec("DELETE FROM verdicts WHERE subject = ? AND rule = ?", at.subject, at.rule.Value())
			continue
		}
		w.exec("INSERT OR REPLACE INTO verdicts (subject, rule, value, moment, revision, since, sequence, detail) VALUES (?,?,?,?,?,?,?,?)",
			at.subject, r.rule.Value(), string(r.value), r.moment.Value(), r.revision.Value(), r.since, r.sequence, r.detail.Value())
	}
}

func (w *writer) scopes() {
	for name := range w.store.todo.scopes {
		m, ok := w.store.changes[name]
		if !ok {
			w.exec("DELETE FROM scopes WHERE namespace = ?", name)
			continue
		}
		w.exec("INSERT OR REPLACE INTO scopes (namespace, sequence, changed) VALUES (?,?,?)", name, m.sequence, m.at)
	}
}

func (w *writer) transitions() {
	todo := w.store.todo.transitions
	for i := range todo {
		t := &todo[i]
		subject, err := json.Marshal(t.Subject)
		if err != nil {
			w.err = err
			return
		}
		w.exec("INSERT INTO transitions (sequence, time, subject, rule, before, after, why, moment, revision) VALUES (?,?,?,?,?,?,?,?,?)",
			t.Sequence, t.Time.UnixNano(), string(subject), t.Rule, string(t.From), string(t.To), t.Why, t.Moment, t.Revision)
	}
	if kept := w.store.history.kept(); len(todo) > 0 && len(kept) == HistoryLimit {
		w.exec("DELETE FROM transitions WHERE sequence < ?", kept[0].Sequence)
	}
}

func (w *writer) evidence() {
	if !w.store.todo.evidence {
		return
	}
	w.store.mu.RLock() // confirmations do not hold change
	defer w.store.mu.RUnlock()
	w.exec("DELETE FROM evidence")
	for watch, at := range w.store.evidence {
		w.exec("INSERT INTO evidence (kind, namespace, time) VALUES (?,?,?)", watch.kind, watch.namespace, at.UnixNano())
	}
}

func (w *writer) meta() {
	s := w.store
	w.put("sequence", strconv.FormatInt(s.sequence, 10))
	if s.todo.evidence || s.todo.continuity {
		w.put("sweep.sequence", strconv.FormatInt(s.sweep.sequence, 10))
		w.put("sweep.at", strconv.FormatInt(s.sweep.at, 10))
	}
	if s.todo.continuity {
		w.put("epoch", s.continuity.Epoch)
		w.put("started", s.continuity.Started.Format(time.RFC3339Nano))
		w.put("reason", s.continuity.Reason)
	}
}

func (w *writer) put(name, value string) {
	w.exec("INSERT OR REPLACE INTO meta (name, value) VALUES (?,?)", name, value)
}
