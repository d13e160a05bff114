package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

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
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	tx, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	t := &transaction{Tx: tx, ctx: ctx}
	if f(t); t.err != nil {
		_ = tx.Rollback()
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
	case errors.Is(err, ErrMoved):
		return api.Sentence("the store's file was moved or removed while darkroom was running: put it back or quit, then start again").Reason()
	case errors.Is(err, errNewer):
		return api.Sentence("a newer darkroom has opened the store meanwhile: quit, then start that one").Reason()
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
		return api.Sentence("the store is damaged: quit and start again, the file will be kept aside").Reason()
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
		api.ReasonOf(err).Format() == whySeveral:
		return err
	case errors.Is(err, ErrMissing):
		return ErrMissing
	}
	return &api.Fault{Reason: Why(err), Cause: err}
}
