package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
