//go:build linux

package blackbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"darkroom/api/sim/simtest"
)

// unreadable are answers in which nothing is to be found, and what of each has
// to be seen again in raw.
var unreadable = []struct{ name, body, media, raw string }{
	{"page", "<!doctype html><html><body>Sign in to <b>Hotel Net</b>\u202e</body></html>", "text/html", "Hotel Net"},
	{"empty object", `{}`, "application/json", "{}"},
	{"unknown shape", `{"weather":{"sky":"cloudy","wind":7},"stations":[{"place":"pier"}]}`, "application/json", "cloudy"},
}

func answering(t *testing.T, endpoint, body, media string) (*simtest.Server, *home) {
	t.Helper()
	service := startService(t, simtest.Options{LongSide: 64, Faults: []simtest.Fault{
		{Endpoint: endpoint, Do: "body", Body: body, Header: http.Header{"Content-Type": {media}}},
	}})
	return service, newHome(t, service.URL())
}

// An answer that cannot be read is shown as it came, and nothing is made of it.
func TestUnreadableAnswers(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, c := range unreadable {
		raw := func(t *testing.T, what string, got json.RawMessage) {
			t.Helper()
			if !strings.Contains(string(got), c.raw) || strings.ContainsRune(string(got), '\u202e') {
				t.Errorf("%s: raw is %s, want all of it with %q, cleaned", what, got, c.raw)
			}
			looked++
		}
		t.Run("create "+c.name, func(t *testing.T) {
			service, h := answering(t, "create", c.body, c.media)
			e := h.run("image", "a pier", "--yes", "--json").wantCode(t, 6)
			j := document[struct {
				job
				Raw json.RawMessage `json:"raw"`
			}](t, e)
			want := "unread"
			if c.media == "text/html" {
				want = "unknown"
			}
			if j.Phase != want || j.RemoteID != nil || len(j.Files) != 0 || creates(service) != 1 {
				t.Errorf("phase %s id %v files %v after %d creates: %s", j.Phase, j.RemoteID, j.Files, creates(service), e.stdout)
			}
			raw(t, "image --json", j.Raw)
			shown := document[struct{ Raw json.RawMessage }](t, h.run("job", j.ID, "--json").wantCode(t, 0))
			raw(t, "job --json", shown.Raw)
			plain := h.run("job", j.ID, "--raw").wantCode(t, 0).stdout
			if !strings.Contains(plain, c.raw) || strings.ContainsRune(plain, '\u202e') {
				t.Errorf("job --raw printed %q", plain)
			}
			screen := h.open(120, 40)
			screen.waitFor("Create")
			screen.keys("\x1b2") // alt+2: Jobs
			screen.waitFor("all 1")
			screen.keys("i")
			screen.waitFor(c.raw)
			screen.keys("\x11") // ctrl+q
			screen.end()
		})
		t.Run("job "+c.name, func(t *testing.T) {
			_, h := answering(t, "job", c.body, c.media)
			e := h.run("image", "a pier", "--yes", "--json", "--timeout", "1s").wantCode(t, 7)
			j := document[job](t, e)
			if j.Phase != "queued" && j.Phase != "running" || j.RemoteID == nil || len(j.Files) != 0 {
				t.Errorf("phase %s id %v files %v", j.Phase, j.RemoteID, j.Files)
			}
			shown := document[struct{ Raw json.RawMessage }](t, h.run("job", j.ID, "--raw", "--json").wantCode(t, 0))
			raw(t, "job --raw --json", shown.Raw)
		})
		t.Run("models "+c.name, func(t *testing.T) {
			_, h := answering(t, "models", c.body, c.media)
			failure := document[struct {
				Error string
				Raw   json.RawMessage
			}](t, h.run("models", "--json").wantCode(t, 1))
			if failure.Error == "" {
				t.Error("there is no error")
			}
			raw(t, "models --json", failure.Raw)
		})
		t.Run("estimate "+c.name, func(t *testing.T) {
			service, h := answering(t, "estimate", c.body, c.media)
			failure := document[struct {
				Error string
				Raw   json.RawMessage
			}](t, h.run("estimate", "image", "a pier", "--json").wantCode(t, 1))
			if failure.Error == "" {
				t.Error("there is no error")
			}
			raw(t, "estimate image --json", failure.Raw)
			// The rate table has a figure for seedance2 whatever the service says.
			table := document[struct {
				Credits float64
				Source  string
				Raw     json.RawMessage
			}](t, h.run("estimate", "video", "a pier", "--duration", "5", "--video-model", "fast", "--resolution", "720p", "--json").wantCode(t, 0))
			if table.Source != "table" || table.Credits <= 0 {
				t.Errorf("%+v", table)
			}
			raw(t, "estimate video --json", table.Raw)
			if n := creates(service); n != 0 {
				t.Errorf("%d creates", n)
			}
		})
	}
	t.Logf("%d answers × create, job, models, estimate: nothing guessed, raw seen in %d documents and on %d screens", len(unreadable), looked, len(unreadable))
}
