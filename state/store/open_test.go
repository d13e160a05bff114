package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// oldStore is the file of a store of a version with three jobs, as bytes.
func oldStore(t testing.TB, v int) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "old.db")
	db := must(sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)"))(t)
	noError(t, upgrade(context.Background(), db, 0, v))
	for i := range 3 {
		must(db.Exec(`INSERT INTO jobs (id, confirm_id, base, kind, model, phase, error, title, body_hash, created_at)
			VALUES (?, ?, ?, 'image', 'acme/paint', 'done', 'as it was', ?, 'hash', 1772366400000)`, oldID(i), fmt.Sprint("c", i), testBase, fmt.Sprint("old job ", i)))(t)
		must(db.Exec(`INSERT INTO details (seq, request, body, estimate) VALUES (?, '{"kind":"image"}', '{}', '{}')`, i+1))(t)
	}
	noError(t, db.Close())
	return must(os.ReadFile(path))(t)
}

func oldID(i int) string { return fmt.Sprint("oldjob", i) }

// TestEveryOldVersionOpens: a store of each earlier version shows its jobs when it can only be read; opened for
// writing, it has them, can be written, and is of the newest version then.
func TestEveryOldVersionOpens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for v := 1; v <= newest(); v++ {
		path := simtest.File(t, filepath.Join(t.TempDir(), "darkroom.db"), oldStore(t, v))
		shows := func(s *Store) {
			t.Helper()
			for i := range 3 {
				j := must(s.Find(ctx, oldID(i), ""))(t)
				expect.All(t, fmt.Sprint("version ", v, " old job ", i, " done as it was"), "version", v, j.Title, j.Phase, j.Error)
			}
			page := must(s.List(ctx, Query{}))(t)
			expect.That(t, len(page.Rows) == 3 && page.Rows[2].Title == "old job 0", "version", v, page)
		}
		old := must(openReadOnly(ctx, path, api.Sentence("the store can only be read, so nothing can be sent").Reason()))(t)
		shows(old)
		expect.Fails(t, expect.Err(old.w.ExecContext(ctx, `UPDATE jobs SET title = 'x'`)), "", "it could be written")
		noError(t, old.Close())
		s := openAt(t, path)
		h := s.Health()
		expect.That(t, h.Held.IsZero() && h.ReadOnly.IsZero() && keptAt(h) == "", "version", v, h)
		shows(s)
		record(t, s, intent(1))
		p := must(s.List(ctx, Query{}))(t)
		expect.That(t, p.All == 4 && p.Active == 1, "version", v, "counts", p)
		expect.Equal(t, must(column[int](s.w.QueryRow(`PRAGMA user_version`)))(t), newest(), "version", v, "becomes")
	}
}

// keptAt is where a damaged file was kept.
func keptAt(h Health) string {
	if h.Held.Format() != whyKept {
		return ""
	}
	return h.Held.Args()[0].(string)
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
		defer os.RemoveAll(own)
		path := simtest.File(t, filepath.Join(own, "darkroom.db"), content)
		readable := countJobs(path)
		s := must(Open(ctx, path))(t) // whatever it is, there is a way on
		h := s.Health()
		_, _ = s.List(ctx, Query{})
		for i := range 3 {
			_, _ = s.Job(ctx, oldID(i))
		}
		_, _ = s.Due(ctx, testBase, "", noon, 0, 10)
		noError(t, s.Close())
		switch {
		case keptAt(h) != "":
			kept := must(os.ReadFile(keptAt(h)))(t)
			expect.Must(t, bytes.Equal(kept, content), "the kept file has changed", differences(content, kept), h)
		case !h.Held.IsZero() || !h.ReadOnly.IsZero():
			now, err := os.ReadFile(path)
			expect.Must(t, err == nil && bytes.Equal(now, content), "a file that is only read has changed", err, h)
		}
		if keptAt(h) == "" {
			expect.Must(t, countJobs(path) >= readable, countJobs(path), "of", readable, "readable jobs are left", h)
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

// TestACopySendsNothingByItself: what waited to be sent when a store was copied waits for the person in the copy and
// says why, since the other one may send it; a store that was only moved goes on.
func TestACopySendsNothingByItself(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	path := filepath.Join(dir, "darkroom.db")
	s := openAt(t, path)
	held := Held{ConfirmID: "c1", Job: Job{Row: Row{ID: "held1"}, Request: api.Request{Kind: api.KindImage, Prompt: "x"}, Body: []byte("{}")}}
	agreed := Agreement{ID: "a", Instance: "me", Base: testBase, Held: []Held{held}, Now: noon}
	expect.That(t, must(s.Hold(ctx, agreed))(t), "it is not held")
	noError(t, s.AwaitEvents(ctx, ",sending,", "", false))
	j := record(t, s, intent(1))
	noError(t, s.Close())
	state := func(path string) (Held, Job) {
		t.Helper()
		s := openAt(t, path)
		defer s.Close()
		return must(s.HeldOf(ctx, "held1"))(t)[0], must(s.Job(ctx, j.ID))(t)
	}
	moved := filepath.Join(dir, "moved.db")
	noError(t, os.Rename(path, moved))
	h, j := state(moved)
	expect.That(t, h.Owner == "me" && h.Code == "" && j.Phase == api.PhaseIntent, "moved: held by", h.Owner, "as", h.Code, j.Phase)
	content := must(os.ReadFile(moved))(t)
	noError(t, os.Remove(moved)) // its number may be given to the copy
	noError(t, os.WriteFile(path, content, 0o600))
	e, ok, err := openAt(t, path).TakeEvent(ctx, ",sending,")
	expect.That(t, !ok && err == nil, "copied: a hook runs on", e, err)
	for range 2 { // once noticed it stays
		h, now := state(path)
		expect.That(t, h.Owner == "" && h.Code == CodeCopied && h.Error == whyHeldCopied.Reason() && now.Phase == api.PhaseSending &&
			now.Version > j.Version, "copied: held by", h, now.Phase, "change", now.Version, "after", j.Version)
	}
}

// TestACopyThatCannotBeMarkedIsOnlyRead: while the store refuses to note that it is
// a copy, nothing can be sent from it.
func TestACopyThatCannotBeMarkedIsOnlyRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "darkroom.db")
	s := openAt(t, path)
	j := record(t, s, intent(1))
	// As a disk that is full, or another program that writes for long.
	must(s.w.Exec(`UPDATE notes SET value='1 2.3' WHERE name='file'`))(t)
	must(s.w.Exec(`CREATE TRIGGER refuses BEFORE UPDATE ON notes BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
	noError(t, s.Close())
	s = openAt(t, path)
	_, err := s.MarkSending(t.Context(), j.ID, "me", noon)
	expect.That(t, !s.Health().ReadOnly.IsZero() && err != nil, s.Health(), "marked", err)
}

// A program that ended between putting the damaged file aside and making the
// new store must not leave one that asks nothing.
func TestNewStoreBesideADamagedOneAsks(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path, link := filepath.Join(t.TempDir(), "darkroom.db"), filepath.Join(t.TempDir(), "darkroom.db")
	noError(t, os.Symlink(path, link)) // the file is kept, not what leads to it
	kept := path + ".damaged-20260301-101112"
	for _, name := range []string{path, kept, kept + "-wal"} { // the first: made, and not filled
		noError(t, os.WriteFile(name, nil, 0o600))
	}
	s := openAt(t, link)
	expect.Contains(t, s.Health().Held.String(), kept+" ")
	must(s.Choose(ctx))(t)
	expect.That(t, openAt(t, link).Health().Held.IsZero(), "it asks again after the choice")
	// The file of a newer darkroom is put aside for a new one.
	noError(t, os.Remove(kept))
	record(t, s, intent(1))
	must(s.w.ExecContext(ctx, fmt.Sprintf(`DROP INDEX jobs_due; PRAGMA user_version = %d`, newest()+1)))(t) // it may have another one
	noError(t, s.Close())
	s = openAt(t, link)
	h := s.Health()
	expect.That(t, !h.ReadOnly.IsZero() && h.Choice && !h.Hidden && must(s.List(ctx, Query{Base: "x"}))(t).Total == 1, "health", h)
	other := openAt(t, link)
	s = must(s.Choose(ctx))(t)
	defer s.Close()
	other = must(other.Choose(ctx))(t) // a window that still asks goes on with the same one
	defer other.Close()
	record(t, other, intent(2))
	expect.That(t, len(must(filepath.Glob(path+".newer-*"))(t)) > 0, "it is not kept")
	expect.Equal(t, must(s.List(ctx, Query{}))(t).All, 1, "jobs")
	// One that is damaged where no start looks is kept when the person has been told.
	s.Examine(ctx)
	expect.That(t, !s.Health().Choice, "a sound one", s.Health())
	must(s.w.ExecContext(ctx, `PRAGMA writable_schema=1; UPDATE sqlite_schema SET sql='CREATE INDEX jobs_version ON jobs(title)' WHERE name='jobs_version'`))(t)
	noError(t, s.Close())
	s = openAt(t, link)
	s.Examine(ctx)
	expect.That(t, s.Health().Choice, "a damaged one", s.Health())
	s = must(s.Choose(ctx))(t)
	defer s.Close()
	record(t, s, intent(3))
	expect.That(t, len(must(filepath.Glob(path+".damaged-*"))(t)) > 0, "it is not kept")
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
		s := must(Open(ctx, path))(t)
		h := s.Health()
		must(s.List(ctx, Query{}))(t)
		_, _, err := s.Record(ctx, intent(1))
		expect.That(t, (err == nil) == (h.Held.IsZero() && h.ReadOnly.IsZero()), "record", err, "with", h)
		_ = s.Close()
		if keptAt(h) != "" {
			kept, _ := os.ReadFile(keptAt(h))
			expect.Must(t, bytes.Equal(kept, before), "the kept file has changed", differences(before, kept), h)
		}
	})
}

// TestOpenTogether lets many windows begin the same new store at once, or migrate an
// old one: none is told that it cannot be used.
func TestOpenTogether(t *testing.T) {
	t.Parallel()
	old := oldStore(t, 1)
	for round := range 10 {
		path := filepath.Join(t.TempDir(), "darkroom.db")
		if round%2 == 1 {
			noError(t, os.WriteFile(path, old, 0o600))
		}
		begin := make(chan struct{})
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				<-begin
				s, err := Open(t.Context(), path)
				if expect.Is(t, err, nil); err != nil {
					return
				}
				defer s.Close()
				expect.That(t, s.Health().ReadOnly.IsZero() && keptAt(s.Health()) == "", s.Health())
			})
		}
		close(begin)
		all.Wait()
	}
}

// TestFilesAreNumbered: each file has the number of the version that it makes,
// so that two that were added apart cannot both be the next one.
func TestFilesAreNumbered(t *testing.T) {
	entries := must(schemaFiles.ReadDir("schema"))(t)
	for i, e := range entries {
		want := fmt.Sprintf("%02d_", i+1)
		expect.That(t, strings.HasPrefix(e.Name(), want), e.Name(), "stands in the place of a file that begins with", want)
	}
}

// TestWhatIsNotOursIsRefused: a newer file, another program's, and one that lacks
// what its version promises stay as they are.
func TestWhatIsNotOursIsRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, c := range map[string]struct {
		version int
		change  string
		want    error
	}{
		"newer":        {newest(), fmt.Sprintf(`PRAGMA user_version=%d`, newest()+1), errNewer},
		"negative":     {newest(), `PRAGMA user_version=-1`, errDamaged},
		"another mark": {newest(), `PRAGMA application_id=7`, errDamaged},
		"no counter":   {newest(), `DELETE FROM counters WHERE name='change'`, errDamaged},
		"no column":    {1, fmt.Sprintf(`PRAGMA user_version=%d`, newest()), errDamaged},
		"other tables": {0, `CREATE TABLE recipes (name TEXT)`, errDamaged},
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := must(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_txlock=immediate"))(t)
		db.SetMaxOpenConns(1)
		defer db.Close()
		if c.version > 0 {
			noError(t, upgrade(ctx, db, 0, c.version))
		}
		must(db.Exec(c.change))(t)
		before, _ := os.ReadFile(path)
		expect.Is(t, (&Store{w: db}).migrate(ctx), c.want, name)
		expect.Equal(t, string(must(os.ReadFile(path))(t)), string(before), name, "the file has changed")
	}
}
