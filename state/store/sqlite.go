package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"darkroom/api"
)

// transaction is one that writes. Its first statement that fails ends it: those
// after it do nothing and give zero values, and write takes back what was done.
type transaction struct {
	*sql.Tx
	ctx context.Context
	err error
}

// write runs f in one immediate transaction. A screen that goes away must not
// undo what was begun, so the context's end only counts before the beginning.
func (s *Store) write(ctx context.Context, f func(t *transaction)) error {
	if !s.readOnly.IsZero() {
		return ErrReadOnly
	}
	conn, err := s.w.Conn(ctx) // others of this process may have it, each for the time that the file is busy
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	ctx = context.WithoutCancel(ctx)
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // unless it was committed; conn would wait for it, also after a panic
	t := &transaction{Tx: tx, ctx: ctx}
	if f(t); t.err != nil {
		return t.err
	}
	return tx.Commit()
}

// change is write with the change counter moved on before f.
func (s *Store) change(ctx context.Context, f func(t *transaction)) error {
	return s.write(ctx, func(t *transaction) {
		t.count()
		f(t)
	})
}

// update runs one statement, which changes a job or a held request and its
// newVersion, in a transaction of its own. ErrLate when it changed no row.
func (s *Store) update(ctx context.Context, query string, args ...any) error {
	return s.change(ctx, func(t *transaction) { t.one(query, args...) })
}

// run runs one statement in a transaction of its own.
func (s *Store) run(ctx context.Context, query string, args ...any) error {
	return s.write(ctx, func(t *transaction) { t.run(query, args...) })
}

// fail ends the transaction unless it has failed before or err is nil.
func (t *transaction) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// run runs a statement; the result is nil after a failure.
func (t *transaction) run(query string, args ...any) sql.Result {
	if t.err != nil {
		return nil
	}
	res, err := t.ExecContext(t.ctx, query, args...)
	t.fail(err)
	return res
}

// rows runs a statement and gives how many rows it changed.
func (t *transaction) rows(query string, args ...any) (n int64) {
	if res := t.run(query, args...); t.err == nil {
		n, t.err = res.RowsAffected()
	}
	return n
}

// one runs a statement and fails with ErrLate when it changed no row.
func (t *transaction) one(query string, args ...any) {
	if t.rows(query, args...) == 0 {
		t.fail(ErrLate)
	}
}

// insert runs a statement and gives the number of the row that it added.
func (t *transaction) insert(query string, args ...any) (id int64) {
	if res := t.run(query, args...); t.err == nil {
		id, t.err = res.LastInsertId()
	}
	return id
}

// scan reads the one row of a query and reports whether there is one.
func (t *transaction) scan(dest []any, query string, args ...any) bool {
	if t.err != nil {
		return false
	}
	err := t.QueryRowContext(t.ctx, query, args...).Scan(dest...)
	t.fail(orNone(err))
	return err == nil
}

// The change counter, by which every window finds what the others wrote, and the
// assignment of its number to what a statement changes.
const (
	changeNumber = `(SELECT n FROM counters WHERE name='change')`
	newVersion   = `version=` + changeNumber
)

// count moves the change counter on.
func (t *transaction) count() { t.run(`UPDATE counters SET n=n+1 WHERE name='change'`) }

type scanner interface{ Scan(dest ...any) error }

// all reads every row of a query.
func all[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) (list []T, _ error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// column scans a row that is one value.
func column[T any](sc scanner) (v T, _ error) {
	err := sc.Scan(&v)
	return v, err
}

// value reads one value, the zero one when there is no row.
func value[T any](ctx context.Context, q querier, query string, args ...any) (T, error) {
	v, err := column[T](q.QueryRowContext(ctx, query, args...))
	return v, orNone(err)
}

// orNone takes away the error that says that there is no row.
func orNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// moment is a time as a column has it: Unix milliseconds, 0 for none.
type moment struct{ time *time.Time }

// Scan reads a column.
func (m moment) Scan(column any) error {
	ms, ok := column.(int64)
	if !ok && column != nil {
		return fmt.Errorf("%v is no time", column)
	}
	*m.time = time.Time{}
	if ms != 0 {
		*m.time = time.UnixMilli(ms)
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// object is a value as a column has it: JSON.
type object struct{ value any }

// Value writes a column.
func (o object) Value() (driver.Value, error) {
	text, err := json.Marshal(o.value)
	return string(text), err
}

// Scan reads a column.
func (o object) Scan(column any) error {
	switch text := column.(type) {
	case string:
		return json.Unmarshal([]byte(text), o.value)
	case []byte:
		return json.Unmarshal(text, o.value)
	}
	return fmt.Errorf("%T is no JSON", column)
}

// NewID makes a random id of 80 bits in lower-case letters and digits.
func NewID() string { return strings.ToLower(rand.Text()[:16]) }

// compiledQuerier asks a database in statements that were compiled before, for what is
// asked again and again: SQLite takes longer to read such a question than to answer it.
// They live as long as the database. Contexts that can end are not passed on: two
// goroutines wait for one, which takes longer than the answer.
type compiledQuerier struct {
	*sql.DB
	kept *sync.Map
}

func (s *Store) compiled() compiledQuerier { return compiledQuerier{s.r, &s.asked} }

func (q compiledQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	question, err := q.of(ctx, query)
	if err != nil {
		return nil, err
	}
	return question.QueryContext(context.WithoutCancel(ctx), args...)
}

func (q compiledQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	question, err := q.of(ctx, query)
	if err != nil {
		return q.DB.QueryRowContext(ctx, query, args...) // a Row carries its error
	}
	return question.QueryRowContext(context.WithoutCancel(ctx), args...)
}

func (q compiledQuerier) of(ctx context.Context, text string) (*sql.Stmt, error) {
	if kept, ok := q.kept.Load(text); ok {
		return kept.(*sql.Stmt), ctx.Err()
	}
	made, err := q.DB.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept, other := q.kept.LoadOrStore(text, made)
	if other {
		_ = made.Close()
	}
	return kept.(*sql.Stmt), nil
}

// Why gives a store error as a person can use it: what happened, then what to do.
func Why(err error) api.Reason {
	switch {
	case errors.Is(err, ErrMissing):
		return api.Sentence("the store's file does not have this job any more: another one was put in its place").Reason()
	case Busy(err):
		return api.Sentence("another window keeps the store busy: try again").Reason()
	}
	switch sqliteCode(err) {
	case sqlite3.SQLITE_FULL:
		return api.Sentence("the disk is full: free some space, then try again").Reason()
	case sqlite3.SQLITE_IOERR:
		return api.Sentence("the disk refused the store: check it, then try again").Reason()
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return api.Sentence("the store can only be read: check the permissions of its folder").Reason()
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return whyDamaged.Reason()
	}
	return api.ReasonOf(api.WithoutPath(err))
}

// Busy reports whether a write failed because another window kept the store busy.
func Busy(err error) bool {
	code := sqliteCode(err)
	return code == sqlite3.SQLITE_BUSY || code == sqlite3.SQLITE_LOCKED
}

// Explain gives an error as callers distinguish it and people read it: ErrMissing,
// ErrReadOnly, the end of a context, or the Why of its cause.
func Explain(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrReadOnly), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		api.ReasonOf(err).Format() == whySeveral, api.ReasonOf(err).Format() == whySame:
		return err
	case errors.Is(err, ErrMissing):
		return ErrMissing
	}
	return &api.Fault{Reason: Why(err), Cause: err}
}

var (
	errDamaged = api.Sentence("the store is damaged").Fault(nil)
	errNewer   = api.Sentence("a newer darkroom has opened the store meanwhile: quit, then start that one").Fault(nil)
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
	case have == newest():
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
	if have == 0 && s.path != "" { // not one in memory
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
