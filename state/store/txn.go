package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"darkroom/state/store/schema"
)

// write runs f in one immediate transaction. A screen that goes away must not
// undo what was begun, so the context's end only counts before the beginning.
func (s *Store) write(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
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
	if err := f(ctx, tx); err != nil {
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

// change is write with the change counter moved on before f.
func (s *Store) change(ctx context.Context, f func(ctx context.Context, tx *sql.Tx) error) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := count(ctx, tx); err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// update runs one statement, which changes a job or a held request and its
// newVersion, in a transaction of its own. ErrLate when it changed no row.
func (s *Store) update(ctx context.Context, query string, args ...any) error {
	return s.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return one(tx.ExecContext(ctx, query, args...)) })
}

// run runs one statement in a transaction of its own.
func (s *Store) run(ctx context.Context, query string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return run(ctx, tx, query, args...) })
}

func run(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, query, args...)
	return err
}

// The change counter, by which every window finds what the others wrote, and the
// assignment of its number to what a statement changes.
const (
	changeNumber = `(SELECT n FROM counters WHERE name='change')`
	newVersion   = `version=` + changeNumber
)

// count moves the change counter on.
func count(ctx context.Context, tx *sql.Tx) error {
	return run(ctx, tx, `UPDATE counters SET n=n+1 WHERE name='change'`)
}

// one gives ErrLate for a statement that changed no row.
func one(res sql.Result, err error) error {
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return ErrLate
	}
	return err
}

func affected(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

type scanner interface{ Scan(dest ...any) error }

// all reads every row of a query.
func all[T any](ctx context.Context, q schema.Querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []T
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
func column[T any](sc scanner) (T, error) {
	var v T
	err := sc.Scan(&v)
	return v, err
}

// value reads one value, the zero one when there is no row.
func value[T any](ctx context.Context, q schema.Querier, query string, args ...any) (T, error) {
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

// orMissing gives ErrMissing for the error that says that there is no row.
func orMissing(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrMissing
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

// statements keeps what the poller asks again and again compiled: SQLite takes
// longer to read such a question than to answer it.
type statements struct{ compiled sync.Map } // by text, *sql.Stmt

// compiledQuerier asks a database in statements that were compiled before. They
// live as long as the database.
type compiledQuerier struct {
	*sql.DB
	kept *statements
}

func (s *Store) compiled() compiledQuerier { return compiledQuerier{s.r, &s.asked} }

func (q compiledQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	question, err := q.of(ctx, query)
	if err != nil {
		return nil, err
	}
	return question.QueryContext(ctx, args...)
}

func (q compiledQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	question, err := q.of(ctx, query)
	if err != nil {
		return q.DB.QueryRowContext(ctx, query, args...) // a Row carries its error
	}
	return question.QueryRowContext(ctx, args...)
}

func (q compiledQuerier) of(ctx context.Context, text string) (*sql.Stmt, error) {
	if kept, ok := q.kept.compiled.Load(text); ok {
		return kept.(*sql.Stmt), nil
	}
	made, err := q.DB.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept, other := q.kept.compiled.LoadOrStore(text, made)
	if other {
		_ = made.Close()
	}
	return kept.(*sql.Stmt), nil
}
