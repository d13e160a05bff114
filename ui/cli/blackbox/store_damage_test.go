//go:build linux

package blackbox

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// TestStoreOfAnotherKind: what is not a store of ours is kept byte for byte
// under another name, said, and nothing is sent until the person chooses.
func TestStoreOfAnotherKind(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string){
		"random bytes": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, bytes.Repeat([]byte{0xde, 0xad, 0x00, 0x17}, 5000), 0o600))
		},
		"truncated":                 func(t *testing.T, path string) { must(t, os.Truncate(path, 5000)) },
		"overwritten in the middle": func(t *testing.T, path string) { patch(t, path, 4096, bytes.Repeat([]byte("damage! "), 4096)...) },
		"of another program":        func(t *testing.T, path string) { patch(t, path, 68, 0x41, 0x42, 0x43, 0x44) },
	} {
		t.Run(name, func(t *testing.T) {
			service, h := begin(t, simtest.Options{})
			h.run("image", "before the damage", "--yes").wantCode(t, 0)
			path := h.storePath()
			spoil(t, path)
			before := simtest.Must(os.ReadFile(path))(t)
			e := h.run("image", "x", "--yes").wantCode(t, 4)
			t.Logf("says: %s", e.stderr)
			e.says(t, "kept")
			wantCreates(t, service, 1)
			expect.That(t, keptSomewhere(t, filepath.Dir(path), before), "the file was not kept byte for byte")
			h.run("jobs").wantCode(t, 4)                // the new, empty one is no answer
			h.run("image", "x", "--yes").wantCode(t, 4) // a restart chooses nothing
			wantDoctor(t, h, "kept as")
			s := h.open(120, 34)
			s.waitFor("Continue with a new database", "kept as")
			s.keys("<esc>")
			s.waitUntil("the question is put off", func(screen string) bool { return !strings.Contains(screen, "Continue with a new database") })
			s.keysTo("nothing yet", "nothing yet", "credits")
			s.keysTo("<ctrl+s><enter>", "kept as")
			s.quit()
			wantCreates(t, service, 1)
			choose(t, h, name == "truncated")
			h.run("image", "after the choice", "--yes").wantCode(t, 0)
			expect.That(t, keptSomewhere(t, filepath.Dir(path), before), "the choice took the kept file away")
			h.run("doctor", "--new-store").wantCode(t, 2) // there is nothing to choose now
		})
	}
	t.Run("zero length", func(t *testing.T) {
		_, h := begin(t, simtest.Options{})
		dir := filepath.Join(h.dir, "data", "darkroom")
		must(t, os.MkdirAll(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "darkroom.db"), nil, 0o644))
		h.run("image", "x", "--yes").wantCode(t, 0) // as a new one: nothing was in it
	})
	t.Run("newer", func(t *testing.T) {
		_, h := begin(t, simtest.Options{})
		h.run("image", "made by a newer one", "--yes").wantCode(t, 0)
		path := h.storePath()
		patch(t, path, 60, 0, 0, 3, 0x84) // user_version 900
		before := simtest.Must(os.ReadFile(path))(t)
		h.run("image", "x", "--yes").wantCode(t, 4).says(t, "newer")
		h.run("watch").says(t, "newer")
		expect.Equal(t, len(h.jobs()), 1, "jobs in the newer store")
		after := simtest.Must(os.ReadFile(path))(t)
		expect.That(t, bytes.Equal(before, after), "the newer store was changed")
		wantDoctor(t, h, "newer")
		h.run("doctor", "--new-store").wantCode(t, 0)
		h.run("image", "after the choice", "--yes").wantCode(t, 0)
		expect.That(t, keptSomewhere(t, filepath.Dir(path), before), "the newer file was not kept byte for byte")
	})
	t.Run("damaged on a full disk", func(t *testing.T) {
		service, h, disk := diskHome(t, simtest.Options{})
		path := filepath.Join(disk, "darkroom", "darkroom.db")
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		before := bytes.Repeat([]byte("not a store "), 9000)
		must(t, os.WriteFile(path, before, 0o600))
		must(t, fill(disk))
		e := h.run("image", "x", "--yes").wantCode(t, 4)
		t.Logf("says: %s", e.stderr)
		must(t, empty(disk))
		h.run("image", "x", "--yes").wantCode(t, 4) // it asks still
		wantDoctor(t, h, "kept as")
		wantCreates(t, service, 0)
		expect.That(t, keptSomewhere(t, filepath.Dir(path), before), "the file was not kept byte for byte")
	})
}

// choose goes on with a new store, on screen or by command.
func choose(t *testing.T, h *home, screen bool) {
	t.Helper()
	if !screen {
		h.run("doctor", "--new-store").wantCode(t, 0)
		return
	}
	s := h.open(120, 34)
	s.t = t
	s.waitFor("Continue with a new database")
	s.keysTo("y", "A new database is in use")
	s.quit()
}

// wantDoctor wants the doctor to find the store unwell, in these words, and to
// say how to go on.
func wantDoctor(t *testing.T, h *home, words string) {
	t.Helper()
	e := h.run("doctor").wantCode(t, 1)
	said := slices.ContainsFunc(strings.Split(e.stdout, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "✗ store") && strings.Contains(line, words)
	})
	expect.That(t, said && strings.Contains(e.stdout, "doctor --new-store"), "the doctor says nothing of", words, e.stdout)
}

func patch(t *testing.T, path string, at int64, content ...byte) {
	t.Helper()
	f := simtest.Must(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()
	simtest.Must(f.WriteAt(content, at))(t)
}

func keptSomewhere(t *testing.T, dir string, content []byte) bool {
	t.Helper()
	return slices.ContainsFunc(simtest.Must(os.ReadDir(dir))(t), func(e os.DirEntry) bool {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		return err == nil && bytes.Equal(got, content) && e.Name() != "darkroom.db"
	})
}

// misplaced are runs in which the key, or a password, stands where none
// belongs: what is printed must not repeat it.
var misplaced = []struct {
	name string
	env  []string
	args []string
	code int
}{
	{"key in the address's query", []string{"DARKROOM_BASE_URL", "https://host.example/?token=" + strayKey}, []string{"models"}, 2},
	{"key in the address's query, doctor", []string{"DARKROOM_BASE_URL", "https://host.example/?token=" + strayKey}, []string{"doctor"}, 1},
	{"key in the address's user", []string{"DARKROOM_BASE_URL", "https://" + strayKey + "@host.example"}, []string{"doctor"}, 1},
	{"password in the address", []string{"DARKROOM_BASE_URL", "https://me:" + testPassword + "@host.example"}, []string{"doctor", "--json"}, 1},
	{"password in an address that cannot be read", []string{"DARKROOM_BASE_URL", "https://me:" + testPassword + "@ho st:x/"}, []string{"doctor"}, 1},
	{"password in the address, report", []string{"DARKROOM_BASE_URL", "https://me:" + testPassword + "@host.example", "TERM", strayKey}, []string{"doctor", "--report"}, 1},
	{"password with a slash", []string{"DARKROOM_BASE_URL", "https://me:a/" + testPassword + "@host"}, []string{"doctor"}, 1},
	{"key as the address", []string{"DARKROOM_BASE_URL", strayKey}, []string{"doctor"}, 1},
	{"key in --base-url", nil, []string{"models", "--base-url", "https://h/?k=" + strayKey}, 2},
	{"key as a command", nil, []string{strayKey}, 2},
	{"key as an argument of login", nil, []string{"login", strayKey}, 2},
	{"key as an argument, JSON", nil, []string{"models", "--json", strayKey}, 2},
	{"key as a flag", nil, []string{"models", "--" + strayKey}, 2},
	{"key as a flag's value", nil, []string{"image", "x", "--max-credits", strayKey}, 2},
	{"key as a job's id", nil, []string{"job", strayKey}, 2},
	{"key as a model", nil, []string{"image", "x", "--model", strayKey, "--yes"}, 2},
	{"key as a size", nil, []string{"image", "x", "--size", strayKey, "--yes"}, 2},
	{"key in the prompt", nil, []string{"image", "a sign that says " + strayKey, "--yes"}, 2},
	{"key in one of several prompts", nil, []string{"image", "{a boat|" + strayKey + "}", "--expand", "--yes"}, 2},
	{"key in a dry run", nil, []string{"image", strayKey, "--dry-run", "--json"}, 2},
	{"key as a picture's address", nil, []string{"image", "x", "--image-url", "https://h.example/?k=" + strayKey, "--yes"}, 2},
	{"key as a tool", nil, []string{"tools", "call", strayKey}, 2},
	{"key as a tool's arguments", nil, []string{"tools", "call", "get_job", strayKey}, 2},
	{"key in a tool's arguments", nil, []string{"tools", "call", "generate_image", `{"prompt":"` + strayKey + `"}`, "--yes"}, 2},
	{"key as the name of a tool's argument", nil, []string{"tools", "call", "get_job", `{"` + strayKey + `":1}`, "--json"}, 2},
	{"key in all settings", []string{"DARKROOM_LANG", strayKey, "DARKROOM_BUDGET", strayKey, "DARKROOM_OPENER", strayKey,
		"DARKROOM_DOWNLOADS", strayKey, "DARKROOM_TIME_SCALE", strayKey}, []string{"jobs"}, 0},
}

// strayKey is not testKey, whose search looks at every process of the machine.
const (
	strayKey     = "ak_Wd5pLr8TfQ2xVn7JgC4yMe1B"
	testPassword = "pw0rd-Of-A-Person"
)

// TestKeyWhereNoneBelongs puts the key where people put it by mistake.
func TestKeyWhereNoneBelongs(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_API_KEY", strayKey)
	forms := append(keyForms(strayKey), keyForm{"password", []byte(testPassword)})
	for _, c := range misplaced {
		e := h.with(c.env...).run(c.args...)
		e.wantCode(t, c.code)
		expect.Len(t, searchBytes(c.name, []byte(e.stdout+e.stderr), forms), 0, "printed", e.stdout, e.stderr)
	}
	for _, text := range []string{
		"api_key = \"" + strayKey + "\"\n", "base_url = \"https://me:" + testPassword + "@h\"\n", "budget = \"" + strayKey + "\"\n", "lang = " + strayKey + "\n", strayKey + "\n",
	} {
		h.configure(text)
		e := h.with("DARKROOM_BASE_URL", "").run("doctor")
		expect.Len(t, searchBytes(text, []byte(e.stdout+e.stderr), forms), 0, "settings file: printed", e.stdout, e.stderr)
	}
	must(t, os.Remove(h.configFile()))
	wantCreates(t, service, 0)
	for _, call := range service.Calls() {
		expect.Len(t, searchBytes(call.Method+" "+call.Path, append([]byte(call.Path), call.Body...), forms[:1]), 0, "sent")
	}
	result := searchTree(t, h.dir, forms)
	expect.Len(t, result.found, 0, "kept")
	t.Logf("%d misplaced keys and 5 settings files: 0 printed, 0 sent, %d files searched", len(misplaced), result.files)
}

// TestKeyInTheDraft: a key that is pasted into the prompt is neither kept nor
// sent, also not to ask for the price.
func TestKeyInTheDraft(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_API_KEY", strayKey)
	s := h.screens(120, 36, "credits")
	s.keysTo("\x1b[200~a sign that says "+strayKey+"\x1b[201~", "The request holds your API key")
	s.keysTo("<ctrl+s>", "Send this")
	s.keysTo("<enter><enter>", "take it out")
	s.quit()
	wantCreates(t, service, 0)
	for _, call := range service.Calls() {
		expect.Lacks(t, call.Path+string(call.Body), strayKey, "sent", call.Method, call.Endpoint)
	}
	expect.Len(t, searchTree(t, h.dir, keyForms(strayKey)).found, 0, "kept")
}

// TestAddressWithAPasswordOnScreen: the key screen does not show it.
func TestAddressWithAPasswordOnScreen(t *testing.T) {
	t.Parallel()
	h := newHome(t, "https://me:"+testPassword+"@host.example/?token="+strayKey).with("DARKROOM_API_KEY", strayKey)
	s := h.open(110, 34)
	s.waitFor("must not hold a user name or password")
	s.keysTo("<alt+1>", "/ 5,000")
	s.keysTo("x<ctrl+s>", "✗")
	s.quit()
	expect.Len(t, searchBytes("stream", s.bytes(), append(keyForms(strayKey), keyForm{"password", []byte(testPassword)})), 0, "shown")
}

// TestDebugOfTheLibrary: Go's own debugging of HTTP/2 writes headers to the
// log, the key among them.
func TestDebugOfTheLibrary(t *testing.T) {
	service, h := begin(t, simtest.Options{TLS: true}, "DARKROOM_API_KEY", strayKey, "GODEBUG", "http2debug=2")
	e := h.trusting(service).run("image", "x", "--model", "lumen/still-1", "--yes").wantCode(t, 0)
	calls := service.Calls()
	n := len(calls)
	expect.Must(t, n > 0 && calls[n-1].Proto == "HTTP/2.0", "no call by HTTP/2, so the test sees nothing", calls)
	expect.Len(t, searchBytes("output", []byte(e.stdout+e.stderr), keyForms(strayKey)), 0, "printed")
	expect.Lacks(t, e.stderr, "http2:", "the library's log reaches the person")
}

// rebuiltKey takes the place of testKey on the service's page.
const rebuiltKey = "ak_Jd5pWq8sVn2Fg7Tz0LmXe4Hc"

// TestKeyRefusedMidway: the key is rebuilt on the service's page while a job
// runs. Every call stops, the job keeps its phase, and a new key typed in place
// goes on with it.
func TestKeyRefusedMidway(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: 2})
	h.configure("on_done = \"nothing\"\n") // a picture of what ends would hide the list
	s := h.open(120, 36)
	s.submit("outlives a key")
	s.toJobs()
	s.waitFor("running")
	service.Rebuild(testKey, rebuiltKey)
	s.waitFor("refused the key ak_…3Ls8")
	refused := len(service.Calls())
	time.Sleep(500 * time.Millisecond) // a poll is due each 20 ms: none may come
	rested := len(service.Calls())
	expect.That(t, rested <= refused+4, rested-refused, "calls with a refused key") // four were in flight
	jobs := h.with("DARKROOM_API_KEY", "").jobs()
	expect.That(t, len(jobs) == 1 && (jobs[0].Phase == "running" || jobs[0].Phase == "queued"), "the job did not keep its phase", jobs)
	s.keys(testKey + "<enter>") // the old one once more
	s.waitFor("✕ The service refused")
	s.keys(strings.Repeat("\x7f", len(testKey)))
	s.keysTo(rebuiltKey+"<enter>", "The key works")
	s.keysTo("<alt+2>", "v video from this") // of a finished job alone
	wantCreates(t, service, 1)
	s.quits()
	t.Logf("%d calls until the refusal, %d in the half second after it, %d in all, 1 create", refused, rested-refused, len(service.Calls()))
	expect.Len(t, searchBytes("stream", s.bytes(), append(keyForms(testKey), keyForms(rebuiltKey)...)), 0, "a key was shown")
}

// TestKeyRefusedWhileWaiting is the same on the command line: exit code 5, and
// the way back to the job, which a new key finishes.
func TestKeyRefusedWhileWaiting(t *testing.T) {
	service, h := begin(t, simtest.Options{TimeScale: 2})
	service.AddFault(simtest.Fault{Endpoint: "job", From: 2, Count: 1, Do: "at-headers", Then: func() { service.Rebuild(testKey, rebuiltKey) }})
	e := h.run("image", "outlives a key", "--yes").wantCode(t, 5).says(t, "wait")
	named := strings.Contains(e.stderr, "login") || strings.Contains(e.stderr, "DARKROOM_API_KEY")
	expect.That(t, named, "it does not say how to go on", e.stderr)
	t.Logf("says: %s", e.stderr)
	h.run("image", "not with this key", "--yes").wantCode(t, 5)
	other := h.with("DARKROOM_API_KEY", rebuiltKey)
	before := other.jobs()
	expect.Must(t, len(service.Ledger()) == 1 && len(before) > 0, "accepted", len(service.Ledger()), "jobs", len(before))
	for _, j := range before {
		if j.RemoteID != nil {
			other.run("wait", j.ID).wantCode(t, 0)
			sameAsServed(t, service, other.jobs()[len(before)-1])
		}
	}
	expect.Equal(t, len(service.Ledger()), 1, "accepted jobs")
}
