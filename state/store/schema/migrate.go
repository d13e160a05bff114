package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

// Errors that callers distinguish.
var (
	ErrDamaged = api.Declare("store_damaged", "the store is damaged").Fault(nil)
	ErrNewer   = api.Declare("store_newer", "the store was written by a newer darkroom").Fault(nil)
)

// Querier is a database or a transaction of it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Migrate brings a file to the newest version in one transaction. probe is a
// query that the file has to answer afterwards, made is called in the transaction
// that makes the tables of a new file. The error is an ErrDamaged for a file that
// is not what its version says, or is another program's.
func Migrate(ctx context.Context, db *sql.DB, probe string, made func(context.Context, *sql.Tx) error) error {
	return migrate(ctx, db, probe, made, func() {})
}

// migrate calls between after reading the version, which it reads again inside
// the transaction: another window may have been first.
func migrate(ctx context.Context, db *sql.DB, probe string, made func(context.Context, *sql.Tx) error, between func()) error {
	have, err := version(ctx, db)
	if err != nil {
		return Classify(err)
	}
	if have != 0 {
		if err := ours(ctx, db); err != nil {
			return err
		}
	}
	if have == Newest() {
		return sane(ctx, db, probe)
	}
	between()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Classify(err)
	}
	defer func() { _ = tx.Rollback() }()
	if have, err = version(ctx, tx); err != nil {
		return Classify(err)
	}
	if have > Newest() {
		return ErrNewer
	}
	if have < 0 {
		return ErrDamaged
	}
	if have == 0 {
		var tables int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
			return Classify(err)
		}
		if tables > 0 {
			return fmt.Errorf("%w: another program's tables are in it", ErrDamaged)
		}
	}
	if err := Upgrade(ctx, tx, have, Newest()); err != nil {
		return migrationError(err)
	}
	if have == 0 {
		if err := made(ctx, tx); err != nil {
			return Classify(err)
		}
	}
	// Before the commit: a broken file is kept as it was found.
	if err := sane(ctx, tx, probe); err != nil {
		return err
	}
	return Classify(tx.Commit())
}

// Upgrade changes the tables of one version into those of a later one; version 0
// is an empty file.
func Upgrade(ctx context.Context, q Querier, from, to int) error {
	for _, statements := range versions[from:to] {
		if _, err := q.ExecContext(ctx, statements); err != nil {
			return err
		}
	}
	_, err := q.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version=%d; PRAGMA application_id=%d`, to, applicationID))
	return err
}

// Known is an ErrNewer for a file that a newer darkroom has changed since it was
// opened here.
func Known(ctx context.Context, q Querier) error {
	have, err := version(ctx, q)
	if err == nil && have > Newest() {
		err = ErrNewer
	}
	return err
}

// ours looks for the mark that every version of darkroom writes into its file.
func ours(ctx context.Context, q Querier) error {
	var mark int
	if err := q.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&mark); err != nil {
		return Classify(err)
	}
	if mark != applicationID {
		return fmt.Errorf("%w: it has another program's mark", ErrDamaged)
	}
	return nil
}

// sane looks whether the file has the tables that its version promises. It is
// cheap: the whole check of a large store is for 'darkroom doctor'.
func sane(ctx context.Context, q Querier, probe string) error {
	var counters int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM counters WHERE name IN ('all','active','change')`).Scan(&counters)
	if err != nil {
		return migrationError(err)
	}
	if counters != 3 {
		return ErrDamaged
	}
	rows, err := q.QueryContext(ctx, probe)
	if err != nil {
		return migrationError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() { // reading one row finds a broken last page
	}
	return Classify(rows.Err())
}

func version(ctx context.Context, q Querier) (int, error) {
	var v int
	err := q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&v)
	return v, err
}

// migrationError: a statement that our own schema cannot refuse was refused,
// so the file is not what its version says, unless the disk is to blame.
func migrationError(err error) error {
	if c := Classify(err); c == nil || errors.Is(c, ErrDamaged) || Code(err) != sqlite3.SQLITE_ERROR {
		return c
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// Classify marks the errors of a broken file as ErrDamaged.
func Classify(err error) error {
	switch Code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// Code is the primary SQLite code of an error, or -1.
func Code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return -1
}
