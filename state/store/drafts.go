package store

import (
	"context"
	"time"

	"darkroom/api"
)

// SaveDraft keeps an unsent form's values. Those that another window has saved meanwhile
// become the draft before it.
func (s *Store) SaveDraft(ctx context.Context, name string, r api.Request, now time.Time) error {
	var known any
	err := s.write(ctx, func(t *transaction) {
		if known, _ = s.drafts.Swap(name, millis(now)); api.Kind(name).Known() {
			t.run(`INSERT OR REPLACE INTO drafts (name, at, request) SELECT name || '.before', at, request FROM drafts
			  WHERE name=? AND at IS NOT ? AND request<>? AND request->>'prompt'<>''`, name, known, object{r})
		}
		t.run(`INSERT INTO drafts (name, at, request) VALUES (?,?,?)
		  ON CONFLICT (name) DO UPDATE SET at=excluded.at, request=excluded.request`, name, millis(now), object{r})
	})
	if err != nil && known != nil {
		s.drafts.Store(name, known)
	}
	return err
}

// Draft returns a kept draft and whether there was one.
func (s *Store) Draft(ctx context.Context, name string) (r api.Request, _ bool, _ error) {
	var at int64
	err := s.compiled().QueryRowContext(ctx, `SELECT at, request FROM drafts WHERE name=?`, name).Scan(&at, object{&r})
	s.drafts.Store(name, at)
	return r, err == nil, orNone(err)
}
