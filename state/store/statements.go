package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements keeps what the poller asks again and again compiled: SQLite takes
// longer to read such a question than to answer it.
type statements struct{ compiled sync.Map } // by text, *sql.Stmt

// of is the compiled form of a text. It lives as long as db.
func (s *statements) of(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	if kept, ok := s.compiled.Load(text); ok {
		return kept.(*sql.Stmt), nil
	}
	made, err := db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept, other := s.compiled.LoadOrStore(text, made)
	if other {
		_ = made.Close()
	}
	return kept.(*sql.Stmt), nil
}
