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
	if err := s.Unsend(t.Context(), j.ID, api.PhaseNotSent, why, "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if j, err = s.Job(t.Context(), j.ID); err != nil || j.Error != why {
		t.Errorf("%+v, %v: want %v", j.Error, err, why)
	}
	page, err := s.List(t.Context(), Query{Limit: 1})
	if err != nil || page.Rows[0].Error != why {
		t.Errorf("%+v, %v: want %v", page.Rows, err, why)
	}
	if _, err := s.w.ExecContext(t.Context(), `UPDATE jobs SET error='as it was told', reason=''`); err != nil {
		t.Fatal(err)
	}
	if j, err = s.Job(t.Context(), j.ID); err != nil || j.Error.String() != "as it was told" || j.Error.Code() != api.ReasonText {
		t.Errorf("%+v, %v", j.Error, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// A file of before the column, which can only be read.
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`ALTER TABLE jobs DROP COLUMN reason`, `PRAGMA user_version = 2`} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	old, err := openReadOnly(t.Context(), path, whyReadOnly.Reason())
	if err != nil {
		t.Fatal(err)
	}
	if j, err := old.Job(t.Context(), j.ID); err != nil || j.Error.String() != "as it was told" {
		t.Errorf("from an older file: %+v, %v", j.Error, err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	// Opened for writing it gets the column.
	s, err = Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if j, err := s.Job(t.Context(), j.ID); err != nil || j.Error.String() != "as it was told" || s.older {
		t.Errorf("brought up to date: %+v, %v", j.Error, err)
	}
}
