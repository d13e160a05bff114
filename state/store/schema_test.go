package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// openPlain opens a database as the store does; writers wait for each other.
func openPlain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db := must(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)&_txlock=immediate"))(t)
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// TestFilesAreNumbered: each file has the number of the version that it makes,
// so that two that were added apart cannot both be the next one.
func TestFilesAreNumbered(t *testing.T) {
	entries := must(schemaFiles.ReadDir("schema"))(t)
	for i, e := range entries {
		if want := fmt.Sprintf("%02d_", i+1); !strings.HasPrefix(e.Name(), want) {
			t.Errorf("%s stands in the place of a file that begins with %s", e.Name(), want)
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
		"newer":        {newest(), fmt.Sprintf(`PRAGMA user_version=%d`, newest()+1), errNewer},
		"negative":     {newest(), `PRAGMA user_version=-1`, errDamaged},
		"another mark": {newest(), `PRAGMA application_id=7`, errDamaged},
		"no counter":   {newest(), `DELETE FROM counters WHERE name='change'`, errDamaged},
		"no column":    {1, fmt.Sprintf(`PRAGMA user_version=%d`, newest()), errDamaged},
		"other tables": {0, `CREATE TABLE recipes (name TEXT)`, errDamaged},
	} {
		path := filepath.Join(t.TempDir(), "store.db")
		db := openPlain(t, path)
		if c.version > 0 {
			noError(t, upgrade(ctx, db, 0, c.version))
		}
		must(db.Exec(c.change))(t)
		before, _ := os.ReadFile(path)
		if err := (&Store{w: db}).migrate(ctx); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file has changed, %v", name, err)
		}
		if err := recognize(path); (name == "another mark" || name == "other tables") != errors.Is(err, errDamaged) {
			t.Errorf("%s: its header says %v", name, err)
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
		db := openPlain(t, path)
		noError(t, upgrade(ctx, db, 0, 1))
		// Another window is migrating: the others have read version 1 and wait.
		tx := must(db.Begin())(t)
		noError(t, upgrade(ctx, tx, 1, 2))
		var all sync.WaitGroup
		begun := make(chan struct{}, 4)
		for range 4 {
			w := openPlain(t, path)
			all.Go(func() {
				begun <- struct{}{}
				if err := (&Store{w: w}).migrate(ctx); err != nil {
					t.Errorf("a window that waited: %v", err)
				}
			})
		}
		for range 4 {
			<-begun
		}
		time.Sleep(10 * time.Millisecond) // in which most of them read version 1
		noError(t, tx.Commit())
		all.Wait()
	}
}
