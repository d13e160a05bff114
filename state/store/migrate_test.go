package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"darkroom/api"
)

// oldStore is the file of a store of a version with three jobs, as bytes.
func oldStore(t testing.TB, v int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	db := must(sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)"))(t)
	noError(t, upgrade(context.Background(), db, 0, v))
	for i := range 3 {
		_, err := db.Exec(`INSERT INTO jobs (id, confirm_id, base, kind, model, phase, error, title, body_hash, created_at)
			VALUES (?, ?, ?, 'image', 'acme/paint', 'done', 'as it was', ?, 'hash', 1772366400000)`, oldID(i), fmt.Sprint("c", i), testBase, fmt.Sprint("old job ", i))
		if err == nil {
			_, err = db.Exec(`INSERT INTO details (seq, request, body, estimate) VALUES (?, '{"kind":"image"}', '{}', '{}')`, i+1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	noError(t, db.Close())
	return must(os.ReadFile(path))(t)
}

func oldID(i int) string { return fmt.Sprint("oldjob", i) }

// TestEveryOldVersionOpens: a store of each earlier version shows its jobs when it
// can only be read; opened for writing, it has them, can be written, and is of the
// newest version then.
func TestEveryOldVersionOpens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for v := 1; v <= newest(); v++ {
		path := filepath.Join(t.TempDir(), "darkroom.db")
		noError(t, os.WriteFile(path, oldStore(t, v), 0o600))
		shows := func(s *Store) {
			t.Helper()
			for i := range 3 {
				if j, err := s.Find(ctx, oldID(i)); err != nil || j.Title != fmt.Sprint("old job ", i) || j.Phase != api.PhaseDone || j.Error.String() != "as it was" {
					t.Errorf("version %d: %+v, %v", v, j, err)
				}
			}
			if page := must(s.List(ctx, Query{}))(t); len(page.Rows) != 3 || page.Rows[2].Title != "old job 0" {
				t.Errorf("version %d: %+v", v, page)
			}
		}
		old := must(openReadOnly(ctx, path, whyUnwritable.Reason()))(t)
		shows(old)
		if _, err := old.w.ExecContext(ctx, `UPDATE jobs SET title = 'x'`); err == nil {
			t.Error("it could be written")
		}
		noError(t, old.Close())
		s := openAt(t, path)
		if h := s.Health(); !h.Held.IsZero() || !h.ReadOnly.IsZero() || h.Kept != "" {
			t.Fatalf("version %d: %+v", v, h)
		}
		shows(s)
		record(t, s, intent(1))
		if p := must(s.List(ctx, Query{}))(t); p.All != 4 || p.Active != 1 {
			t.Errorf("version %d: counts %+v", v, p)
		}
		var got int
		if err := s.w.QueryRow(`PRAGMA user_version`).Scan(&got); err != nil || got != newest() {
			t.Errorf("version %d stays %d, %v", v, got, err)
		}
	}
}

// FuzzOpenDamaged breaks a store of any version at a place: it opens, or is kept
// as it was; no row that SQLite can read is lost, and nothing panics.
func FuzzOpenDamaged(f *testing.F) {
	var old [][]byte
	for v := 1; v <= newest(); v++ {
		old = append(old, oldStore(f, v))
	}
	whole := uint32(len(old[0]))
	f.Add(uint8(0), uint32(0), []byte("SQLite format 4"), uint32(0))
	f.Add(uint8(1), uint32(60), []byte{0, 0, 0, 0}, uint32(0))          // user_version 0
	f.Add(uint8(0), uint32(60), []byte{0, 0, 0, 2}, uint32(0))          // said to be newer than it is
	f.Add(uint8(1), uint32(60), []byte{0, 0, 0, 1}, uint32(0))          // said to be older than it is
	f.Add(uint8(1), uint32(60), []byte{0x7f, 0, 0, 9}, uint32(0))       // of a version to come
	f.Add(uint8(1), uint32(16), []byte{0, 0, 3, 3}, uint32(0))          // another page size
	f.Add(uint8(0), uint32(100), []byte{0xff, 0, 0, 0xff}, uint32(0))   // the schema's page
	f.Add(uint8(1), whole-4096, bytes.Repeat([]byte{0}, 64), uint32(0)) // the last page
	f.Add(uint8(1), uint32(4096), bytes.Repeat([]byte{0xff}, 64), uint32(0))
	f.Add(uint8(0), uint32(0), []byte(nil), uint32(50)) // cut short
	f.Add(uint8(1), uint32(0), []byte(nil), uint32(5000))
	f.Add(uint8(1), uint32(0), []byte(nil), whole-1)
	f.Add(uint8(0), uint32(24), []byte{0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff}, uint32(0)) // a size that is not so
	dir := f.TempDir()
	n := 0
	f.Fuzz(func(t *testing.T, v uint8, at uint32, patch []byte, keep uint32) {
		ctx := context.Background()
		content := bytes.Clone(old[int(v)%len(old)])
		copy(content[int(at)%len(content):], patch)
		if keep > 0 {
			content = content[:int(keep)%len(content)]
		}
		n++
		own := filepath.Join(dir, fmt.Sprint(n))
		path := filepath.Join(own, "darkroom.db")
		noError(t, os.MkdirAll(own, 0o700))
		defer os.RemoveAll(own)
		noError(t, os.WriteFile(path, content, 0o600))
		readable := countJobs(path)
		s, err := Open(ctx, path)
		if err != nil {
			t.Fatalf("refused without a way on: %v", err)
		}
		h := s.Health()
		_, _ = s.List(ctx, Query{})
		for i := range 3 {
			_, _ = s.Job(ctx, oldID(i))
		}
		_, _ = s.Due(ctx, testBase, "", noon, 0, 10)
		noError(t, s.Close())
		switch {
		case h.Kept != "":
			if kept, err := os.ReadFile(h.Kept); err != nil || !bytes.Equal(kept, content) {
				t.Fatalf("the kept file has changed: %v %s %+v", err, differences(content, kept), h)
			}
		case !h.Held.IsZero() || !h.ReadOnly.IsZero():
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, content) {
				t.Fatalf("a file that is only read has changed: %v (%+v)", err, h)
			}
		}
		if h.Kept == "" {
			if left := countJobs(path); left < readable {
				t.Fatalf("%d of %d readable jobs are left (%+v)", left, readable, h)
			}
		}
	})
}

// countJobs counts the rows that SQLite alone can read of a file.
func countJobs(path string) int {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro&immutable=1")
	if err != nil {
		return 0
	}
	defer db.Close()
	rows, err := db.Query(`SELECT id FROM jobs NOT INDEXED`)
	if err != nil {
		return 0
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	if rows.Err() != nil {
		return 0
	}
	return n
}

func differences(a, b []byte) string {
	s := fmt.Sprintf("%d and %d bytes:", len(a), len(b))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			s += fmt.Sprintf(" %d: %02x %02x", i, a[i], b[i])
		}
		if len(s) > 500 {
			break
		}
	}
	return s
}
