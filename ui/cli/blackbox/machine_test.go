//go:build linux

package blackbox

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim"
)

// refusing makes the store of a home refuse what a condition of a trigger names,
// as a disk that is full or broken from then on does.
func (h *home) refusing(of, when string) {
	h.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, "data", "darkroom", "darkroom.db")+"?_pragma=busy_timeout(5000)")
	must(h.t, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TRIGGER refuses BEFORE UPDATE OF ` + of + ` ON jobs WHEN ` + when + ` BEGIN SELECT RAISE(FAIL, 'disk I/O error'); END`)
	must(h.t, err)
}

// TestAStoreThatRefusesBetweenRecordAndSend: what cannot be marked is not sent,
// and a command ends although the store does not take that either.
func TestAStoreThatRefusesBetweenRecordAndSend(t *testing.T) {
	t.Parallel()
	service := startService(t, sim.Options{})
	h := newHome(t, service.URL())
	h.run("models").wantCode(t, 0)
	h.refusing("phase", "NEW.phase IN ('sending','not_sent')")
	e := h.run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 1)
	if len(service.Ledger()) != 0 || e.took > 30*time.Second || !strings.Contains(e.stderr, "the store could not be written") {
		t.Errorf("%d sent, %v: %s", len(service.Ledger()), e.took, e.stderr)
	}
}

// TestACommandSaysThatTheStoreRefuses what a job it waits for has become: nothing
// can end that job, and a script would wait in silence.
func TestACommandSaysThatTheStoreRefuses(t *testing.T) {
	t.Parallel()
	service := startService(t, sim.Options{})
	h := newHome(t, service.URL())
	h.run("models").wantCode(t, 0)
	h.refusing("owner", "OLD.phase='queued' AND NEW.owner<>''")
	e := h.run("image", "x", "--model", "lumen/still-1", "--yes", "--timeout", "3s").wantCode(t, 7)
	if n := strings.Count(e.stderr, "the store does not answer"); n != 1 {
		t.Errorf("said %d times: %s", n, e.stderr)
	}
	if e := h.run("wait", h.jobs()[0].ID, "--timeout", "3s", "--json").wantCode(t, 7); !strings.Contains(e.stderr, "the store does not answer") {
		t.Errorf("%s", e.stderr)
	}
}

// TestNamesSteerNoTerminal: names of files come from archives and other people.
func TestNamesSteerNoTerminal(t *testing.T) {
	t.Parallel()
	h := newHome(t, "http://127.0.0.1:1")
	for _, args := range [][]string{
		{"image", "@no\x1b]0;x\x07file", "--yes"}, {"image", "x", "--\x1b[31m"}, {"edit", "a\u202eb"}, {"doctor", "--explain", "no\x1bfile"}, {"wait", "\x9b31m"},
	} {
		if e := h.run(args...); e.code == 0 || strings.ContainsAny(e.stdout+e.stderr, "\x1b\x07\u202e\u009b") {
			t.Errorf("%q: %d %q", args, e.code, e.stderr)
		}
	}
}

// TestCompletionOffersPlainNames: a shell may put what several names of a hostile
// service have in common into the command line.
func TestCompletionOffersPlainNames(t *testing.T) {
	t.Parallel()
	service := startService(t, sim.Options{Faults: []sim.Fault{{Endpoint: "models", Do: "body", Body: `{"models":[
	  {"id":"x$(touch /tmp/a)1","type":"image"},{"id":"x$(touch /tmp/a)2","type":"image"},{"id":"-rf","type":"image"},{"id":"e\u001b]0;x","type":"image"},
	  {"id":"a;reboot","type":"image"},{"id":"plain/one-1.5:2 b","type":"image"}]}`}}})
	h := newHome(t, service.URL())
	h.run("models").wantCode(t, 0)
	if e := h.run("__complete", "image", "--model", ""); !strings.HasPrefix(e.stdout, "plain/one-1.5:2 b\n:") {
		t.Errorf("%q", e.stdout)
	}
}
