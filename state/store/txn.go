package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"strings"
	"time"
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

// changed gives the next number of the change counter, by which every window
// finds what the others wrote.
func changed(ctx context.Context, tx *sql.Tx) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `UPDATE counters SET n=n+1 WHERE name='change' RETURNING n`).Scan(&n)
	return n, err
}

// NewID makes a random id of 80 bits in lower-case letters and digits.
func NewID() string { return strings.ToLower(rand.Text()[:16]) }

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func one(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return ErrLate
	}
	return err
}
