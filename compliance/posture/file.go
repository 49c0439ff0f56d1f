package posture

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net/url"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed schema.sql
var schema string

// schemaVersion is raised when schema.sql changes; a file of another version is moved aside like a damaged one.
const schemaVersion = 2

// file is the SQLite file behind a store. The store's change lock keeps it to one user at a time.
type file struct {
	db   *sql.DB
	path string
}

// damage says that what the file holds cannot be used.
type damage struct{ err error }

func (d damage) Error() string { return d.err.Error() }
func (d damage) Unwrap() error { return d.err }

func isDamage(err error) bool {
	var d damage
	if errors.As(err, &d) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff // the rest of an extended code is the detail
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// openFile opens or creates the file and checks that it is whole and ours alone.
func openFile(path string) (*file, error) {
	// EXCLUSIVE: a second operator on the same directory must fail, not mix two sequences.
	// NORMAL: with a WAL a killed process loses nothing; a power cut may lose the last changes, never the order.
	query := url.Values{
		"_pragma": {"busy_timeout(3000)", "locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	location := url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}
	db, err := sql.Open("sqlite", location.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	f := &file{db: db, path: path}
	if err := f.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return f, nil
}

func (f *file) prepare() error {
	return f.inTransaction(func(tx *sql.Tx) error {
		var check string
		if err := tx.QueryRow("PRAGMA quick_check(1)").Scan(&check); err != nil {
			return err
		}
		if check != "ok" {
			return damage{fmt.Errorf("quick_check: %s", check)}
		}
		var version int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		switch version {
		case schemaVersion:
			return nil
		case 0:
			_, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion))
			return err
		default:
			return damage{fmt.Errorf("it has schema version %d, this program reads %d", version, schemaVersion)}
		}
	})
}

// inTransaction runs f and commits, or rolls back on an error. It has no deadline: half a change is worse than a
// late one.
func (f *file) inTransaction(do func(*sql.Tx) error) error {
	tx, err := f.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (f *file) close() error { return f.db.Close() }
