package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// migrate brings the file to the newest version in one transaction. The
// version is read again inside it: another window may have been first.
func (s *Store) migrate(ctx context.Context) error {
	have, err := version(ctx, s.w)
	if err != nil {
		return classify(err)
	}
	if have != 0 {
		if err := s.ours(ctx); err != nil {
			return err
		}
	}
	if have == len(migrations) {
		return sane(ctx, s.w)
	}
	if s.migrating != nil {
		s.migrating()
	}
	tx, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return classify(err)
	}
	defer func() { _ = tx.Rollback() }()
	if have, err = version(ctx, tx); err != nil {
		return classify(err)
	}
	if have > len(migrations) {
		return errNewer
	}
	if have < 0 {
		return errDamaged
	}
	if have == 0 {
		var tables int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
			return classify(err)
		}
		if tables > 0 {
			return fmt.Errorf("%w: another program's tables are in it", errDamaged)
		}
	}
	for _, m := range migrations[have:] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return migrationError(err)
		}
	}
	if have == 0 {
		if err := holdBeside(ctx, tx, s.path); err != nil {
			return classify(err)
		}
	}
	pragmas := fmt.Sprintf(`PRAGMA user_version=%d; PRAGMA application_id=%d`, len(migrations), applicationID)
	if _, err := tx.ExecContext(ctx, pragmas); err != nil {
		return classify(err)
	}
	// Before the commit: a broken file is kept as it was found.
	if err := sane(ctx, tx); err != nil {
		return err
	}
	return classify(tx.Commit())
}

// ours looks for the mark that every version of darkroom writes into its file.
func (s *Store) ours(ctx context.Context) error {
	var mark int
	if err := s.w.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&mark); err != nil {
		return classify(err)
	}
	if mark != applicationID {
		return fmt.Errorf("%w: it has another program's mark", errDamaged)
	}
	return nil
}

// sane looks whether the file has the tables that its version promises. It is
// cheap: the whole check of a large store is for 'darkroom doctor'.
func sane(ctx context.Context, q querier) error {
	var counters int
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM counters WHERE name IN ('all','active','change')`).Scan(&counters)
	if err != nil {
		return migrationError(err)
	}
	if counters != 3 {
		return errDamaged
	}
	rows, err := q.QueryContext(ctx, `SELECT `+rowColumns+` FROM jobs ORDER BY seq DESC LIMIT 1`)
	if err != nil {
		return migrationError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() { // reading one row finds a broken last page
	}
	return classify(rows.Err())
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func version(ctx context.Context, q querier) (int, error) {
	var v int
	err := q.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&v)
	return v, err
}

// migrationError: a statement that our own schema cannot refuse was refused,
// so the file is not what its version says, unless the disk is to blame.
func migrationError(err error) error {
	if c := classify(err); c == nil || errors.Is(c, errDamaged) || resultCode(err) != sqlite3.SQLITE_ERROR {
		return c
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// classify marks the errors of a broken file.
func classify(err error) error {
	switch resultCode(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

// resultCode is the primary SQLite code of an error, or -1.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return -1
}

func isReadOnlyError(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return true
	}
	return false
}
