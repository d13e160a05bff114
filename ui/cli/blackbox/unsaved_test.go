//go:build linux

package blackbox

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestAnOutcomeThatTheStoreDidNotTake: a command that cannot keep what the
// service has accepted says its id and does not end as if all were well, or as
// if nothing had been sent.
func TestAnOutcomeThatTheStoreDidNotTake(t *testing.T) {
	t.Parallel()
	execute := func(t *testing.T, file, statements string) *sql.DB {
		db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)")
		must(t, err)
		t.Cleanup(func() { _ = db.Close() })
		db.SetMaxOpenConns(1)
		_, err = db.Exec(statements)
		must(t, err)
		return db
	}
	harms := map[string]func(t *testing.T, file string){
		"data folder removed": func(t *testing.T, file string) { // at once: the program makes files in it
			gone := filepath.Dir(file) + ".gone"
			must(t, os.Rename(filepath.Dir(file), gone))
			must(t, os.RemoveAll(gone))
		},
		"older copy put back": func(t *testing.T, file string) {
			execute(t, file, `DELETE FROM attempts; DELETE FROM details; DELETE FROM jobs`)
		},
	}
	if *long { // the store is waited for
		harms["locked by another program"] = func(t *testing.T, file string) { execute(t, file, `BEGIN IMMEDIATE`) }
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h *home
			service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "create", Do: "at-body", Then: func() {
				harm(t, filepath.Join(h.dir, "data", "darkroom", "darkroom.db"))
			}}}})
			h = newHome(t, service.URL())
			e := h.run("image", "x", "--model", "lumen/still-1", "--yes", "--no-wait").wantCode(t, 4)
			if entries := service.Ledger(); len(entries) != 1 || !strings.Contains(e.stderr, "note the id "+entries[0].ID) {
				t.Errorf("%+v\n%s", entries, e.stderr)
			}
		})
	}
}

// TestAToolNeedsTheStoreToo: a tool that may spend is not called while its call
// cannot be recorded where others see it.
func TestAToolNeedsTheStoreToo(t *testing.T) {
	t.Parallel()
	var h *home
	service := startService(t, simtest.Options{Faults: []simtest.Fault{{Endpoint: "tools", Do: "at-body", From: 1, Count: 1, Then: func() {
		must(t, os.Rename(filepath.Join(h.dir, "data"), filepath.Join(h.dir, "elsewhere")))
	}}}})
	h = newHome(t, service.URL())
	e := h.run("tools", "call", "generate_image", `{"prompt":"x"}`, "--yes")
	if e.code != 4 && e.code != 1 { // where even reading fails by then it is 1
		t.Errorf("exit code %d: %s", e.code, e.stderr)
	}
	if n := len(service.Ledger()); n != 0 {
		t.Errorf("%d jobs", n)
	}
}
