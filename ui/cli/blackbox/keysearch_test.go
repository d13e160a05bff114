//go:build linux

package blackbox

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// keyForm is one shape in which a key could lie around.
type keyForm struct {
	name string
	text []byte
}

// keyForms are the key itself, its encodings, and every 8 letters of its
// secret part, which alone would give most of it away.
func keyForms(key string) []keyForm {
	forms := []keyForm{
		{"raw", []byte(key)},
		{"hex", []byte(hex.EncodeToString([]byte(key)))},
		{"HEX", []byte(strings.ToUpper(hex.EncodeToString([]byte(key))))},
		{"URL", []byte(url.QueryEscape(key))},
		{"percent", []byte(percent(key))},
		{"UTF-16", utf16le(key)},
	}
	for _, code := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for shift := range 3 { // where it stands among other letters
			text := code.EncodeToString([]byte(strings.Repeat("x", shift) + key))
			from, to := (shift*8+5)/6, len(text)-4
			forms = append(forms, keyForm{"base64 at " + strconv.Itoa(shift), []byte(text[from:to])})
		}
	}
	secret := strings.TrimPrefix(key, "ak_")
	for i := 0; i+8 <= len(secret); i++ {
		forms = append(forms, keyForm{"part at " + strconv.Itoa(i), []byte(secret[i : i+8])})
	}
	return forms
}

func percent(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

func utf16le(s string) []byte {
	var b []byte
	for _, c := range []byte(s) {
		b = append(b, c, 0)
	}
	return b
}

func searchBytes(where string, content []byte, forms []keyForm) (found []string) {
	for _, f := range forms {
		if i := bytes.Index(content, f.text); i >= 0 {
			found = append(found, fmt.Sprintf("%s: %s at byte %d", where, f.name, i))
		}
	}
	return found
}

// searched is what a search saw.
type searched struct {
	files int
	bytes int64
	found []string
}

// searchTree looks for the forms in every file under a folder, and in names.
func searchTree(t *testing.T, dir string, forms []keyForm) searched {
	t.Helper()
	var s searched
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, such as a lock file
		}
		s.found = append(s.found, searchBytes("name of "+path, []byte(path), forms)...)
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		s.files++
		s.bytes += int64(len(content))
		s.found = append(s.found, searchBytes(path, content, forms)...)
		return nil
	})
	must(t, err)
	return s
}

// watchProcesses reads the arguments of every process until stop is closed,
// and the environment of those that darkroom itself started.
func watchProcesses(forms []keyForm, stop <-chan struct{}, seen *watched, found chan<- string) {
	for {
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			pid, err := strconv.Atoi(e.Name())
			if err != nil {
				continue
			}
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			if len(line) == 0 { // the kernel's own, and what has ended
				continue
			}
			seen.bytes.Add(int64(len(line)))
			hits := searchBytes("arguments of "+e.Name(), line, forms)
			// A child that has not become another program yet shows darkroom's own.
			if !isDarkroom(pid) && startedByDarkroom(pid) {
				env, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
				seen.bytes.Add(int64(len(env)))
				seen.children.Store(pid, string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
				hits = append(hits, searchBytes("environment of "+string(line), env, forms)...)
				_ = os.WriteFile(filepath.Join(seen.folder, "seen-"+e.Name()), nil, 0o600)
			}
			for _, hit := range hits {
				select {
				case found <- hit:
				default:
				}
			}
		}
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// watched is what watchProcesses looked at.
type watched struct {
	folder   string // has a file seen-PID for each child
	bytes    atomic.Int64
	children sync.Map // process id to command line
}

func (w *watched) count() (n int) {
	w.children.Range(func(any, any) bool { n++; return true })
	return n
}

// isDarkroom reports whether a process runs the program under test, with or
// without the places where it breaks.
func isDarkroom(pid int) bool {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && filepath.Dir(path) == filepath.Dir(binary)
}

// startedByDarkroom reports whether a process descends from the program under
// test: an editor is started by a shell, which may stay beside it.
func startedByDarkroom(pid int) bool {
	for pid = parentOf(pid); pid > 1; pid = parentOf(pid) {
		if isDarkroom(pid) {
			return true
		}
	}
	return false
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// TestKeyForms shows that the search would find what it looks for.
func TestKeyForms(t *testing.T) {
	t.Parallel()
	forms := keyForms(testKey)
	for shift := range 7 {
		text := strings.Repeat("y", shift) + testKey + "zz"
		for name, hidden := range map[string]string{
			"raw": text, "hex": hex.EncodeToString([]byte(text)), "base64": base64.StdEncoding.EncodeToString([]byte(text)),
			"raw URL base64": base64.RawURLEncoding.EncodeToString([]byte(text)), "UTF-16": string(utf16le(text)),
			"part": text[shift+5 : shift+13],
		} {
			expect.That(t, len(searchBytes("", []byte("before "+hidden+" after"), forms)) != 0, name, "at", shift, "is not found")
		}
	}
	expect.Len(t, searchBytes("", []byte("Bearer ak_…Ls8 and nothing else"), forms), 0, "found in nothing")
}

// TestKeySearch is a whole session that meets the key wherever it could leak,
// and then a search for it wherever it could have gone.
func TestKeySearch(t *testing.T) {
	program := needCrashBinary(t)
	service, h := begin(t, simtest.Options{Key: testKey, TimeScale: 0.05})
	h.configure("log = true\non_done = \"nothing\"\n") // the picture of what is done would hide its row
	h = h.with("DARKROOM_OPENER", recorder(t, h, "opener"), "EDITOR", recorder(t, h, "editor"))
	forms := keyForms(testKey)
	seen := watched{folder: h.dir}
	stop, found := make(chan struct{}), make(chan string, 100)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		watchProcesses(forms, stop, &seen, found)
	}()

	var streams [][]byte
	streams = append(streams, typedKeySession(t, h), childrenSession(t, h))
	echoingSession(t, h, service)
	for _, where := range []string{"send@1", "download@1", "update@20"} {
		for _, j := range h.jobs() { // else the download of an earlier job crashes the program before it is seen
			if slices.Contains([]string{"queued", "running", "fetching"}, j.Phase) {
				h.run("wait", j.ID)
			}
		}
		s := h.with("DARKROOM_CRASH", where).openProgram(program, 110, 34, false)
		if strings.HasPrefix(where, "update") {
			s.keys(strings.Repeat("typed ", 5))
		} else {
			s.submit("crash_at_" + where) // one word: it follows the draft before it, and stays on one line
		}
		s.end()
		streams = append(streams, s.bytes())
	}
	streams = append(streams, commandOutputs(h))
	close(stop)
	<-watching

	result := searchTree(t, h.dir, forms)
	for i, stream := range streams {
		result.bytes += int64(len(stream))
		result.found = append(result.found, searchBytes("terminal stream "+strconv.Itoa(i), stream, forms)...)
	}
	result.bytes += seen.bytes.Load()
	for len(found) > 0 {
		result.found = append(result.found, <-found)
	}
	t.Logf("key search: %d forms in %d files, %d streams, the process list and the environments of %d children, %d bytes: %d hits",
		len(forms), result.files, len(streams), seen.count(), result.bytes, len(result.found))
	for _, hit := range result.found {
		t.Error(hit)
	}
	checkSearched(t, h, &seen)
}

// checkSearched shows that the places where the key could have gone were there
// and were read: the store with the session's prompts, the crash notes, the
// environments of what darkroom started.
func checkSearched(t *testing.T, h *home, seen *watched) {
	t.Helper()
	expect.That(t, seen.count() >= 2, "the environments of", seen.count(), "children were seen, want the opener's and the editor's")
	prompts := searchTree(t, filepath.Join(h.dir, "data"), []keyForm{{"prompt", []byte("a lamp in the fog")}})
	expect.That(t, len(prompts.found) > 0, "no store with the prompt was searched")
	lines := searchTree(t, filepath.Join(h.dir, "state"), []keyForm{{"call", []byte("POST /api/v1/images/generations")}})
	expect.That(t, len(lines.found) > 0, "the log that was searched holds no call")
	expect.Len(t, simtest.Must(filepath.Glob(filepath.Join(h.dir, "state", "darkroom", "crash-*.txt")))(t), 3, "crash notes")
}

// typedKeySession types the key on the key screen and uses every screen.
func typedKeySession(t *testing.T, h *home) []byte {
	t.Helper()
	s := h.with("DARKROOM_API_KEY", "").open(120, 40)
	s.waitFor("Key", "session")
	s.keysTo(testKey+"<enter>", "/ 5,000")
	s.keysTo("a lamp in the fog", "a lamp in the fog", "credits")
	s.review()
	s.keysTo("cc", "curl --request POST")
	s.keys("y")
	s.keys("<enter>")
	s.toJobs()
	s.waitFor("● done")
	s.keysTo("i", "Details and raw response")
	s.keys("<esc>")
	s.waitUntil("the answer is put away", func(screen string) bool { return !strings.Contains(screen, "Details and raw response") })
	s.keysTo("<alt+3>", "seedance2")
	s.keysTo("<alt+4>", "Tools")
	s.keysTo("<alt+1>", "/ 5,000")
	s.keys("<ctrl+t>") // the other kind
	s.keysTo("a boat of paper", "a boat of paper", "credits")
	s.review()
	s.keys("<enter>")
	s.toJobs()
	s.waitUntil("two jobs are done", func(screen string) bool {
		return strings.Contains(screen, "a lamp in the fog") && strings.Contains(screen, "a boat of paper") &&
			strings.Contains(screen, "● done")
	})
	s.quits()
	kinds := map[string]int{}
	for _, j := range h.jobs() {
		kinds[j.Kind]++
	}
	expect.That(t, kinds["image"] == 1 && kinds["video"] == 1, "jobs by kind", kinds, "want one of each")
	return s.bytes()
}

// childrenSession has the key in the environment and starts every other
// program that darkroom starts.
func childrenSession(t *testing.T, h *home) []byte {
	t.Helper()
	s := h.screens(120, 40)
	s.keysTo("a draft ", "a draft")
	s.keysTo("<ctrl+o>", "written by the editor")
	checkRecord(t, h, "editor", func(arg string) bool { return strings.HasPrefix(arg, filepath.Join(h.dir, "tmp")) })
	s.keysTo("<alt+2>", "/ filter", "● done")
	s.keys("o")
	checkRecord(t, h, "opener", filepath.IsAbs)
	s.quits()
	h.run("open", h.jobs()[0].ID).wantCode(t, 0)
	checkRecord(t, h, "opener", filepath.IsAbs)
	return s.bytes()
}

// echoingSession lets the service send the key back in every way it could.
func echoingSession(t *testing.T, h *home, service *simtest.Server) {
	t.Helper()
	echo := fmt.Sprintf(`{"error":{"code":"bad_request","message":"cannot take %s or %s","authorization":"Bearer %s","link":"/?key=%s"},"id":"%s"}`,
		testKey, percent(testKey), testKey, url.QueryEscape(testKey), testKey)
	for i, f := range []simtest.Fault{
		{Endpoint: "create", Count: 1, Do: "status", Status: 422, Body: echo},
		{Endpoint: "create", Count: 1, Do: "status", Status: 500, Body: echo},
		{Endpoint: "create", Count: 1, Do: "late-status", Status: 400, Body: echo, Header: map[string][]string{"X-Request-Id": {testKey}, "Location": {"/" + testKey}}},
		{Endpoint: "create", Count: 1, Do: "body", Body: echo},
		{Endpoint: "job", Count: 1, Do: "status", Status: 500, Body: echo},
		{Endpoint: "estimate", Count: 1, Do: "status", Status: 400, Body: echo},
		{Endpoint: "result", Count: 1, Do: "status", Status: 404, Body: echo},
	} {
		service.ClearFaults()
		service.AddFault(f)
		e := h.run("image", fmt.Sprintf("echo %d", i), "--yes", "--json", "--timeout", "1500ms")
		expect.Len(t, searchBytes("output", []byte(e.stdout+e.stderr), keyForms(testKey)), 0, "echo", i, "printed", e.stdout, e.stderr)
	}
	service.ClearFaults()
	service.AddFault(simtest.Fault{Endpoint: "tools", Do: "status", Status: 500, Body: echo})
	e := h.run("tools", "--json")
	hits := searchBytes("output", []byte(e.stdout+e.stderr), keyForms(testKey))
	expect.Len(t, hits, 0, "the tool entry's echo is printed", e.stdout, e.stderr)
	service.ClearFaults()
}

// commandOutputs are what the reading commands print.
func commandOutputs(h *home) []byte {
	var all []byte
	for _, args := range [][]string{
		{"jobs", "--json"}, {"jobs"}, {"models", "--json"}, {"doctor"}, {"doctor", "--json"}, {"image", "x", "--dry-run"}, {"help"}, {"version"},
		{"prices"}, {"estimate", "video", "x", "--json"}, {"tools"}, {"tools", "--json"}, {"tools", "config"},
	} {
		e := h.run(args...)
		all = append(all, e.stdout+e.stderr...)
	}
	login := h.with("DARKROOM_API_KEY", "").runWith(testKey+"\n", "login")
	all = append(all, login.stdout+login.stderr...)
	for _, j := range h.jobs() {
		e := h.run("job", j.ID, "--json")
		all = append(all, e.stdout+e.stderr...)
	}
	return all
}

// recorder makes a program that writes down its arguments and environment,
// adds words to a text that it was given, and stays until it was looked at.
func recorder(t *testing.T, h *home, name string) string {
	t.Helper()
	path := filepath.Join(h.dir, name)
	return program(t, path, "{ echo \"$# $*\"; env; } > '"+path+".new'", "case \"$1\" in *.txt) echo 'written by the editor' >> \"$1\";; esac",
		"for i in $(seq 200); do [ -e '"+h.dir+"'/seen-$$ ] && break; sleep 0.1; done", "mv '"+path+".new' '"+path+".record'")
}

// checkRecord looks at what the program was given, and puts it away.
func checkRecord(t *testing.T, h *home, name string, right func(arg string) bool) {
	t.Helper()
	path := filepath.Join(h.dir, name+".record")
	await(t, path+" is written", func() bool { info, err := os.Stat(path); return err == nil && info.Size() > 0 })
	record := simtest.Must(os.ReadFile(path))(t)
	first, rest, _ := strings.Cut(string(record), "\n")
	count, arg, _ := strings.Cut(first, " ")
	expect.That(t, count == "1" && right(arg), "the", name, "got", first, "want one absolute path")
	expect.Lacks(t, rest, "DARKROOM_", "the variables of the", name)
	expect.Contains(t, rest, "HOME=", name, "no environment")
	must(t, os.Rename(path, path+"."+strconv.FormatInt(time.Now().UnixNano(), 36))) // searched as well
}
