package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

var (
	errDamaged = api.Sentence("the store is damaged").Fault(nil)
	errNewer   = api.Sentence("the store was written by a newer darkroom").Fault(nil)
)

// Each file changes a store from the version before its number to its number.
// They only ever add: no row is dropped. One that was released is never changed.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

var versions = func() []string {
	names, _ := fs.Glob(schemaFiles, "schema/*.sql") // sorted
	return api.Map(names, func(name string) string {
		content, _ := schemaFiles.ReadFile(name) // embedded
		return string(content)
	})
}()

// newest is the version that this program writes.
func newest() int { return len(versions) }

// applicationID marks the file as darkroom's ("drkm"), so that another
// program's database under our name is not mistaken for an old store.
const applicationID = 0x64726b6d

// querier is a database or a transaction of it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// migrate brings the file to the newest version in one transaction: an
// errDamaged if it is not what its version says, or is another program's.
func (s *Store) migrate(ctx context.Context) error {
	have, err := version(ctx, s.w)
	if err != nil {
		return err
	}
	mark, err := column[int](s.w.QueryRowContext(ctx, `PRAGMA application_id`))
	switch {
	case err != nil:
		return err
	case have != 0 && mark != applicationID: // every version of darkroom writes its mark
		return errDamaged
	}
	if have == newest() {
		return sane(ctx, s.w)
	}
	tx, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if have, err = version(ctx, tx); err != nil { // another window may have been first
		return err
	}
	if have > newest() {
		return errNewer
	}
	tables, err := column[int](tx.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`))
	switch {
	case err != nil:
		return err
	case have < 0, have == 0 && tables > 0: // another program's
		return errDamaged
	}
	if err := upgrade(ctx, tx, have, newest()); err != nil {
		return damagedBy(err, sqlite3.SQLITE_ERROR)
	}
	if have == 0 {
		if err := holdBeside(ctx, tx, s.path); err != nil {
			return err
		}
	}
	// Before the commit: a broken file is kept as it was found.
	if err := sane(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// upgrade changes the tables of one version, 0 for none, into those of a later one.
func upgrade(ctx context.Context, q querier, from, to int) error {
	for _, statements := range versions[from:to] {
		if _, err := q.ExecContext(ctx, statements); err != nil {
			return err
		}
	}
	_, err := q.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version=%d; PRAGMA application_id=%d`, to, applicationID))
	return err
}

// sane looks cheaply whether the file has the tables that its version promises.
func sane(ctx context.Context, q querier) error {
	counters, err := column[int](q.QueryRowContext(ctx, `SELECT count(*) FROM counters WHERE name IN ('all','active','change')`))
	switch {
	case err != nil:
		return damagedBy(err, sqlite3.SQLITE_ERROR)
	case counters != 3:
		return errDamaged
	}
	read := func(scanner) (none struct{}, err error) { return none, nil } // one row finds a broken last page
	_, err = all(ctx, q, read, `SELECT `+rowColumns+` FROM jobs ORDER BY seq DESC LIMIT 1`)
	return damagedBy(err, sqlite3.SQLITE_ERROR)
}

func version(ctx context.Context, q querier) (int, error) {
	return column[int](q.QueryRowContext(ctx, `PRAGMA user_version`))
}

// damagedBy makes an errDamaged of an error with one of some codes. SQLITE_ERROR is one
// for a statement that our own schema cannot refuse: the file is not what its version says.
func damagedBy(err error, codes ...int) error {
	if slices.Contains(codes, sqliteCode(err)) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return err
}

func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return -1
}

// shown is the database in which a file that can only be read is shown: its own,
// or a copy in memory that is brought to the newest version.
func shown(ctx context.Context, db *sql.DB) (*sql.DB, error) {
	have, err := version(ctx, db)
	if err != nil || have >= newest() {
		return db, err
	}
	memory, address, err := openMemoryDB(ctx)
	if err != nil {
		return db, err
	}
	if _, err = db.ExecContext(ctx, `VACUUM INTO ?`, address); err == nil {
		err = (&Store{w: memory}).migrate(ctx)
	}
	if err != nil {
		_ = memory.Close()
		return db, err
	}
	return memory, db.Close()
}
