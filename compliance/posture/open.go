package posture

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
)

// FileName is the name of the store's file within the state directory.
const FileName = "posture.db"

// Open reads the posture from dir, which --state-dir names, and creates it where there is none; with "" it lives
// in memory only. A file that is damaged is moved aside, never deleted, and a new sequence begins: Continuity says
// so. now is the time of such a beginning.
//
// An error names the directory and the remedy: it cannot be written, or another process has it open.
func Open(dir string, now time.Time) (*Store, error) {
	s := newStore()
	if dir == "" {
		s.begin(now, "the record is kept in memory only and begins with the process")
		return s, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, stateDirError(dir, err)
	}
	path := filepath.Join(dir, FileName)
	_, err := os.Stat(path)
	fresh := errors.Is(err, os.ErrNotExist)
	err = s.load(path)
	switch {
	case err == nil && fresh:
		s.begin(now, fmt.Sprintf("no earlier record was found in %s: it is the first start, or the record was lost", FileName))
	case err == nil:
		return s, nil
	case isDamage(err):
		aside, moveErr := moveAside(path, now)
		if moveErr != nil {
			return nil, stateDirError(dir, fmt.Errorf("%s is damaged (%w) and cannot be moved aside: %w", FileName, err, moveErr))
		}
		s = newStore()
		if err := s.load(path); err != nil {
			return nil, stateDirError(dir, err)
		}
		s.begin(now, fmt.Sprintf("the earlier record could not be read (%v); it was moved to %s", err, aside))
	default:
		return nil, stateDirError(dir, err)
	}
	if err := s.write(); err != nil {
		return nil, errors.Join(err, s.file.close())
	}
	return s, nil
}

// begin starts a new sequence.
func (s *Store) begin(now time.Time, reason string) {
	s.continuity = Continuity{Epoch: uuid.NewString(), Started: now.UTC(), Reason: reason}
	s.todo.continuity = true
}

// load opens the file and reads all of it. On an error the file is closed.
func (s *Store) load(path string) error {
	f, err := openFile(path)
	if err != nil {
		return err
	}
	if err := f.read(s); err != nil {
		return errors.Join(err, f.close())
	}
	s.file = f
	return nil
}

// restore puts a subject that was read in its place.
func (s *Store) restore(h *held) {
	slices.SortFunc(h.records, compareRecords)
	s.lastID = max(s.lastID, h.id)
	s.tallies[""].add(h, 1)
	s.scopeAdd(h, 1)
	s.insert(h)
}

func moveAside(path string, now time.Time) (string, error) {
	aside := path + ".damaged-" + now.UTC().Format("20060102T150405.000000000Z")
	if _, err := os.Stat(aside); err == nil {
		return "", fmt.Errorf("%s exists already", aside)
	}
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(path+suffix, aside+suffix)
		if err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return filepath.Base(aside), nil
}

// StateError tells that the file behind the store could not be read or written.
type StateError struct {
	Dir string // --state-dir
	Err error
}

func (e *StateError) Error() string {
	return fmt.Sprintf("posture in --state-dir %s: %v; make the directory writable with space left and used by one process only, or name another",
		e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *StateError) Unwrap() error { return e.Err }

func stateDirError(dir string, err error) error { return &StateError{Dir: dir, Err: err} }
