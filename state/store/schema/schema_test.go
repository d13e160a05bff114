package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

const probe = `SELECT id, reason, unseen, agreement FROM jobs ORDER BY seq DESC LIMIT 1`

func nothingMade(context.Context, *sql.Tx) error { return nil }

// openFile opens a database as the store does; writers wait for each other.
func openFile(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// TestFilesAreNumbered: each file has the number of the version that it makes,
// so that two that were added apart cannot both be the next one.
func TestFilesAreNumbered(t *testing.T) {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if want := fmt.Sprintf("%02d_", i+1); !strings.HasPrefix(e.Name(), want) {
			t.Errorf("%s stands in the place of a file that begins with %s", e.Name(), want)
		}
	}
}

// TestEveryVersionMigrates: an empty file and one of each version become the
// newest, and made is called for the empty one alone.
func TestEveryVersionMigrates(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for v := range Newest() + 1 {
		db := openFile(t, filepath.Join(t.TempDir(), "store.db"))
		if v > 0 {
			if err := Upgrade(ctx, db, 0, v); err != nil {
				t.Fatal(err)
			}
		}
		made := 0
		if err := Migrate(ctx, db, probe, func(context.Context, *sql.Tx) error { made++; return nil }); err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		if got, err := version(ctx, db); err != nil || got != Newest() || (made == 1) != (v == 0) {
			t.Errorf("version %d became %d, %v; made %d times", v, got, err, made)
		}
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
		"newer":        {Newest(), fmt.Sprintf(`PRAGMA user_version=%d`, Newest()+1), ErrNewer},
		"negative":     {Newest(), `PRAGMA user_version=-1`, ErrDamaged},
		"another mark": {Newest(), `PRAGMA application_id=7`, ErrDamaged},
		"no counter":   {Newest(), `DELETE FROM counters WHERE name='change'`, ErrDamaged},
		"no column":    {1, fmt.Sprintf(`PRAGMA user_version=%d`, Newest()), ErrDamaged},
		"other tables": {0, `CREATE TABLE recipes (name TEXT)`, ErrDamaged},
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := openFile(t, path)
		if c.version > 0 {
			if err := Upgrade(ctx, db, 0, c.version); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Exec(c.change); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		if err := Migrate(ctx, db, probe, nothingMade); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
		if err := Recognize(path); (name == "another mark" || name == "other tables") != errors.Is(err, ErrDamaged) {
			t.Errorf("%s: its header says %v", name, err)
		}
	}
}

// TestOlderVersionsAnswer: shown as the newest version, a file of each earlier
// one has all tables and columns.
func TestOlderVersionsAnswer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for v := 1; v < Newest(); v++ {
		db := openFile(t, filepath.Join(t.TempDir(), "store.db"))
		if err := Upgrade(ctx, db, 0, v); err != nil {
			t.Fatal(err)
		}
		if err := ShowOlder(ctx, db); err != nil {
			t.Fatalf("version %d: %v", v, err)
		}
		for _, query := range []string{probe, `SELECT * FROM held`, `SELECT * FROM plans`, `SELECT * FROM uses`} {
			if _, err := db.Exec(query); err != nil {
				t.Errorf("version %d: %v", v, err)
			}
		}
	}
}

// TestAnOldFileIsMigratedOnce: windows that open an old file at the same time
// migrate it once, because the version is read again inside the transaction.
func TestAnOldFileIsMigratedOnce(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for range 8 {
		path := filepath.Join(t.TempDir(), "store.db")
		db := openFile(t, path)
		if err := Upgrade(ctx, db, 0, 1); err != nil {
			t.Fatal(err)
		}
		// Another window is migrating: the others have read version 1 and wait.
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if err := Upgrade(ctx, tx, 1, 2); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		begun := make(chan struct{}, 4)
		for range 4 {
			w := openFile(t, path)
			all.Go(func() {
				if err := migrate(ctx, w, probe, nothingMade, func() { begun <- struct{}{} }); err != nil {
					t.Errorf("a window that waited: %v", err)
				}
			})
		}
		for range 4 {
			<-begun
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		all.Wait()
	}
}
