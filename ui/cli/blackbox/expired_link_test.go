//go:build linux

package blackbox

import (
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// TestAnExpiredLinkIsAskedForAnew: a result whose link has expired becomes a
// material by a fresh one, for which the service is asked once.
func TestAnExpiredLinkIsAskedForAnew(t *testing.T) {
	t.Parallel()
	service := startService(t, simtest.Options{})
	h := newHome(t, service.URL())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	db := openStore(t, h.storePath())
	defer db.Close()
	// As a day later.
	if _, err := db.Exec(`UPDATE files SET url = substr(url, 1, instr(url, '?')) || 'expires=1600000000000&signature=old'`); err != nil {
		t.Fatal(err)
	}
	polls := len(ofEndpoint(service.Calls(), "job"))
	s := h.open(120, 40)
	s.waitFor("Prompt")
	s.toJobs()
	s.waitFor("● done", "a kettle")
	s.keys("u")
	s.waitFor("Added as Image. Link expires in")
	if n := len(ofEndpoint(service.Calls(), "job")) - polls; n != 1 {
		t.Errorf("%d polls", n)
	}
	var address string
	must(t, db.QueryRow(`SELECT url FROM files`).Scan(&address))
	if !strings.Contains(address, "expires=") || strings.Contains(address, "expires=1600000000000") {
		t.Errorf("the store has %s", address)
	}
}
