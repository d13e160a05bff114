package store

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"darkroom/api"
)

// A reason comes back from the store as it was, and a job that was stored
// before reasons had codes keeps its text.
func TestReasonsAreStored(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	in := Intent{ConfirmID: "c", Base: "https://h.example", Request: api.Request{Kind: api.KindImage, Model: "a/b", Prompt: "p"}, Body: []byte(`{}`), Now: time.Now()}
	j, _, err := s.Record(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	why := whyNotSentUnread.Reason(whyFull.Reason())
	noError(t, s.Unsend(t.Context(), j.ID, api.PhaseNotSent, why, "", time.Now()))
	if j, err = s.Job(t.Context(), j.ID); err != nil || j.Error != why {
		t.Errorf("%+v, %v: want %v", j.Error, err, why)
	}
	page, err := s.List(t.Context(), Query{Limit: 1})
	if err != nil || page.Rows[0].Error != why {
		t.Errorf("%+v, %v: want %v", page.Rows, err, why)
	}
	must(s.w.ExecContext(t.Context(), `UPDATE jobs SET error='as it was told', reason=''`))(t)
	if j, err = s.Job(t.Context(), j.ID); err != nil || j.Error.String() != "as it was told" || j.Error.Format() != api.ReasonText {
		t.Errorf("%+v, %v", j.Error, err)
	}
	noError(t, s.Close())
}

// TestOlderFilesCanBeRead: a file of each earlier version that can only be read
// shows its jobs, and opened for writing it is brought up to date.
func TestOlderFilesCanBeRead(t *testing.T) {
	t.Parallel()
	for version := 1; version < newest(); version++ {
		path := filepath.Join(t.TempDir(), "store.db")
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		noError(t, upgrade(t.Context(), db, 0, version))
		_, err = db.ExecContext(t.Context(), `INSERT INTO jobs (seq, id, confirm_id, base, kind, model, phase, error, title, body_hash, created_at) VALUES (1, 'k3f9', 'c', 'https://h.example', 'image', 'a/b', 'failed', 'as it was', 'a boat', 'h', 1);
		  INSERT INTO details (seq, request, body, estimate, results) VALUES (1, '{}', '{}', '{}', '[]')`)
		if err != nil {
			t.Fatalf("version %d: %v", version, err)
		}
		noError(t, db.Close())
		shown := func(s *Store) {
			t.Helper()
			j, err := s.Find(t.Context(), "k3")
			page, err2 := s.List(t.Context(), Query{})
			if err != nil || err2 != nil || j.Error.String() != "as it was" || len(page.Rows) != 1 || page.Rows[0].Title != "a boat" {
				t.Errorf("version %d: %+v, %v; %+v, %v", version, j, err, page, err2)
			}
		}
		old, err := openReadOnly(t.Context(), path, whyUnwritable.Reason())
		if err != nil {
			t.Fatal(err)
		}
		shown(old)
		if _, err := old.w.ExecContext(t.Context(), `UPDATE jobs SET title = 'x'`); err == nil {
			t.Error("it could be written")
		}
		noError(t, old.Close())
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		shown(s)
		noError(t, s.Close())
	}
}
