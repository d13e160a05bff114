package store

import (
	"context"
	"database/sql"
	"sync"
)

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
