package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api"
)

func TestDamagedFileIsKeptAndHeld(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	junk := bytes.Repeat([]byte("not a database. "), 400)
	noError(t, os.WriteFile(path, junk, 0o600))
	s := openAt(t, path)
	h := s.Health()
	if h.Held.IsZero() || h.Kept == "" {
		t.Fatalf("health %+v", h)
	}
	if kept := must(os.ReadFile(h.Kept))(t); !bytes.Equal(kept, junk) {
		t.Error("the kept file has changed")
	}
	if _, _, err := s.Record(ctx, intent(1)); !errors.Is(err, ErrReadOnly) {
		t.Fatalf("got %v", err)
	}
	// A restart does not forget the question; the choice does.
	again := openAt(t, path)
	if again.Health().Held.IsZero() {
		t.Fatal("a restart lifted the hold")
	}
	must(again.Choose(ctx))(t)
	record(t, again, intent(1))
}

func TestNewerFileIsReadAndKept(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	first, err := Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	j := accept(t, first, intent(1), api.PhaseDone, "r")
	must(first.w.Exec(fmt.Sprintf("PRAGMA user_version=%d", newest()+1)))(t)
	noError(t, first.Close())
	s, err := Open(ctx, path)
	if err != nil || !strings.Contains(s.Health().ReadOnly.String(), "newer") {
		t.Fatalf("%v, %v", s.Health(), err)
	}
	if got, err := s.Job(ctx, j.ID); err != nil || got.Title != j.Title {
		t.Errorf("its jobs are not shown: %v", err)
	}
	if _, _, err := s.Record(ctx, intent(2)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	s, err = s.Choose(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	record(t, s, intent(2))
	if kept, _ := filepath.Glob(path + ".newer-*"); len(kept) == 0 {
		t.Error("the newer file is gone")
	}
}

func TestForeignDatabaseIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	db := must(sql.Open("sqlite", "file:"+path))(t)
	must(db.Exec(`CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')`))(t)
	noError(t, db.Close())
	if s := openAt(t, path); s.Health().Kept == "" {
		t.Fatalf("health %+v", s.Health())
	}
}

// A program that ended between putting the damaged file aside and making the
// new store must not leave one that asks nothing.
func TestNewStoreBesideADamagedOneAsks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	kept := path + ".damaged-20260301-101112"
	for _, name := range []string{path, kept, kept + "-wal"} { // the first: made, and not filled
		noError(t, os.WriteFile(name, nil, 0o600))
	}
	s := openAt(t, path)
	if h := s.Health(); !strings.Contains(h.Held.String(), kept+" ") {
		t.Fatalf("health %+v", h)
	}
	must(s.Choose(ctx))(t)
	if h := openAt(t, path).Health(); !h.Held.IsZero() {
		t.Errorf("it asks again after the choice: %+v", h)
	}
}

func TestAnotherProgramsMarkIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	first := must(Open(context.Background(), path))(t)
	must(first.w.Exec(`PRAGMA application_id=1094861636`))(t)
	noError(t, first.Close())
	before := must(os.ReadFile(path))(t)
	h := openAt(t, path).Health()
	if h.Kept == "" {
		t.Fatalf("health %+v", h)
	}
	if kept := must(os.ReadFile(h.Kept))(t); !bytes.Equal(kept, before) {
		t.Error("the kept file has changed")
	}
}

// FuzzOpenAnything: whatever version and schema a file claims, it opens with
// its rows, or is refused with nothing lost, and never panics.
func FuzzOpenAnything(f *testing.F) {
	f.Add(int32(0), "", []byte(nil))
	f.Add(int32(1), "CREATE TABLE jobs (id TEXT)", []byte("x"))
	f.Add(int32(-3), "CREATE TABLE counters (name TEXT, n INTEGER)", []byte(nil))
	f.Add(int32(900), "", []byte("SQLite format 3\x00"))
	f.Fuzz(func(t *testing.T, v int32, tables string, patch []byte) {
		ctx := context.Background()
		path := filepath.Join(t.TempDir(), "darkroom.db")
		db := must(sql.Open("sqlite", path))(t)
		if len(tables) < 200 && !strings.Contains(strings.ToLower(tables), "attach") && !strings.Contains(strings.ToLower(tables), "vacuum") {
			_, _ = db.Exec(tables)
		}
		_, _ = db.Exec(fmt.Sprintf("PRAGMA user_version=%d", v))
		_ = db.Close()
		if len(patch) > 0 {
			if file, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
				_, _ = file.WriteAt(patch, int64(len(patch))*7%4096)
				_ = file.Close()
			}
		}
		before, _ := os.ReadFile(path)
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatalf("refused without a way on: %v", err)
		}
		h := s.Health()
		if _, err := s.List(ctx, Query{}); err != nil {
			t.Fatalf("cannot list: %v (%+v)", err, h)
		}
		_, _, err = s.Record(ctx, intent(1))
		if (err == nil) != (h.Held.IsZero() && h.ReadOnly.IsZero()) {
			t.Fatalf("record %v with %+v", err, h)
		}
		_ = s.Close()
		if h.Kept != "" {
			if kept, _ := os.ReadFile(h.Kept); !bytes.Equal(kept, before) {
				t.Fatalf("the kept file has changed: %s %+v", differences(before, kept), h)
			}
		}
	})
}
