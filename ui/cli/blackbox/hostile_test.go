//go:build linux

package blackbox

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/state/keys"
)

// payloads are what must never reach a terminal as it is. Each steers one, or
// turns its reading order, or paints over other lines.
var payloads = []string{
	"\x1b]0;PWN\x07", "\x1b]52;c;UFdO\x07", "\x1b]8;;http://pwn.example\x1b\\", "\x1b[5;31;7mPWN", "\x1b[2J\x1b[1;1HPWN",
	"\x1bPPWN\x1b\\", "\x1b_GPWN\x1b\\", "\x1bcPWN", "\x9b31mPWN", "\u009b31mPWN", "\u009d0;PWN\u009c", "\u0085PWN", "\x00PWN",
	"\x07\x08\x7fPWN", "\r\nPWN\x0bPWN\x0cPWN", "\u202ePWN\u202c", "\u2066PWN\u2069", "\u200e\u200f\u061cPWN", "\u2028PWN\u2029",
	"\U000e0050\U000e0057\U000e004ePWN", "P" + strings.Repeat("\u0301\u200d\u200b", 400) + "WN", "\xff\xfe\xc3PWN\xed\xa0\x80", "\ufeffPWN\ufffe",
}

// hostileWords steer what a reader makes of an answer.
var (
	hostileKeys = []string{"id", "job_id", "status", "state", "url", "result", "results", "output", "error", "message", "data", "credits",
		"cost", "total", "models", "job", "task", "progress", "images", "name", "kind", "type", "parameters", "enum", "default", "price",
		"code", "reason", "fields", "expires_at", "created_at", "request_id", "__proto__", "", "..", "ID", "iD"}
	hostileStatuses = []string{"COMPLETED", "FAILED", "PROCESSING", "PENDING", "completed", "cancelled", "???", "", "succeeded but not"}
	hostileNumbers  = []string{"-1", "0", "1e400", "-1e400", "99999999999999999999999999", "0.1e-400", "3", "1e15", "9223372036854775808",
		strings.Repeat("9", 5000), "01", "NaN", "-"}
)

// hostile makes answers that no sane service gives. The same seed makes the
// same answers.
type hostile struct {
	rng  *rand.Rand
	bomb []byte
}

func newHostile(rng *rand.Rand) *hostile {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(`{"id":"`))
	zeros := make([]byte, 1<<20)
	for range 64 {
		_, _ = z.Write(zeros)
	}
	_ = z.Close()
	return &hostile{rng: rng, bomb: packed.Bytes()}
}

// size is small in most cases and up to n in some: what is large costs the test
// more than the client.
func (h *hostile) size(n int) int { return h.rng.IntN(n) >> h.rng.IntN(12) }

func pick[T any](h *hostile, list []T) T { return list[h.rng.IntN(len(list))] }

// word is a string with a payload in most cases, as the bytes of JSON.
func (h *hostile) word(b *bytes.Buffer) {
	text := pick(h, payloads)
	switch h.rng.IntN(8) {
	case 0:
		text = pick(h, hostileStatuses)
	case 1:
		text = "https://127.0.0.1:9/" + text
	case 2:
		text = "/files/" + text + ".png"
	case 3:
		text = strings.Repeat(text+" ", 1+h.rng.IntN(300))
	case 4:
		text = "../../../" + text
	}
	if h.rng.IntN(4) == 0 { // as the bytes are, which is not JSON at all
		b.WriteByte('"')
		b.WriteString(strings.NewReplacer(`"`, "", `\`, "").Replace(text))
		b.WriteByte('"')
		return
	}
	quoted, _ := json.Marshal(text)
	b.Write(quoted)
}

func (h *hostile) value(b *bytes.Buffer, depth int) {
	n := h.rng.IntN(10)
	if depth > 6 && n < 4 {
		n += 4
	}
	switch n {
	case 0, 1, 2:
		h.object(b, depth)
	case 3:
		b.WriteByte('[')
		for i := range h.rng.IntN(6) {
			if i > 0 {
				b.WriteByte(',')
			}
			h.value(b, depth+1)
		}
		b.WriteByte(']')
	case 4:
		b.WriteString(pick(h, hostileNumbers))
	case 5:
		b.WriteString(pick(h, []string{"true", "false", "null"}))
	default:
		h.word(b)
	}
}

// object may hold the same name more than once.
func (h *hostile) object(b *bytes.Buffer, depth int) {
	b.WriteByte('{')
	for i := range 1 + h.rng.IntN(7) {
		if i > 0 {
			b.WriteByte(',')
		}
		if h.rng.IntN(12) == 0 {
			h.word(b)
		} else {
			fmt.Fprintf(b, "%q", pick(h, hostileKeys))
		}
		b.WriteByte(':')
		h.value(b, depth+1)
	}
	b.WriteByte('}')
}

// shaped is what the endpoint could answer, with a payload in every string.
func (h *hostile) shaped(endpoint string) string {
	say := func() string {
		quoted, _ := json.Marshal("x" + pick(h, payloads) + "y")
		return string(quoted)
	}
	switch endpoint {
	case "models":
		if h.rng.IntN(20) == 0 { // far more than anybody offers, with all that a model has
			one := fmt.Sprintf(`,"kind":"image","name":%s,"price":3,"parameters":{"size":{"enum":[%s]}}}`, say(), strings.Repeat(say()+",", 20)+say())
			var b strings.Builder
			for i := range 1 + h.size(8000) {
				fmt.Fprintf(&b, `{"id":"many/%d"%s,`, i, one)
			}
			return `{"models":[` + b.String() + `{"id":"x"}]}`
		}
		return fmt.Sprintf(`{"models":[{"id":"m%d","kind":"image","name":%s,"description":%s,"parameters":{"size":{"type":"string","enum":[%s,%s]}}},{"id":%s,"kind":"video"}]}`,
			h.rng.IntN(9), say(), say(), say(), say(), say())
	case "estimate":
		return fmt.Sprintf(`{"credits":%s,"currency":%s,"breakdown":[{"label":%s,"credits":1}]}`, pick(h, hostileNumbers), say(), say())
	case "create":
		return fmt.Sprintf(`{"id":%s,"status":%s,"message":%s}`, say(), say(), say())
	}
	return fmt.Sprintf(`{"id":%s,"status":%s,"error":{"code":%s,"message":%s},"progress":%s}`,
		say(), pick(h, []string{`"FAILED"`, `"PROCESSING"`, say()}), say(), say(), pick(h, hostileNumbers))
}

// answer is one hostile answer.
type answer struct {
	status int
	header http.Header
	body   []byte
	slow   time.Duration // between the halves of the body
	cut    bool          // the connection ends in the middle
}

func (h *hostile) answer(endpoint string) answer {
	var b bytes.Buffer
	a := answer{status: 200, header: http.Header{"Content-Type": {"application/json"}}}
	switch h.rng.IntN(18) {
	case 0, 1, 2, 3, 4:
		b.WriteString(h.shaped(endpoint))
	case 5:
		h.value(&b, 0)
	case 6:
		h.object(&b, 0)
		b.Truncate(h.rng.IntN(b.Len() + 1))
	case 7:
		n := 1 + h.rng.IntN(20000)
		b.WriteString(strings.Repeat(pick(h, []string{"[", `{"a":`, `[{"id":`}), n))
	case 8:
		fmt.Fprintf(&b, `{"id":"%s","status":"PROCESSING"}`, strings.Repeat("i", h.size(1<<20)))
	case 9:
		fmt.Fprintf(&b, `{"results":[%s1]}`, strings.Repeat("1,", h.size(200000)))
	case 10:
		a.header.Set("Content-Type", "text/html")
		fmt.Fprintf(&b, "<!doctype html><title>%s</title>%s", pick(h, payloads), pick(h, payloads))
	case 11:
		a.header.Set("Content-Type", pick(h, []string{"application/octet-stream", "application/json", "image/png"}))
		for range h.rng.IntN(3000) {
			b.WriteByte(byte(h.rng.Uint32()))
		}
	case 12:
		a.header.Set("Content-Encoding", "gzip")
		bomb := h.bomb
		if h.rng.IntN(4) > 0 {
			bomb = bomb[:h.rng.IntN(1000)] // cut short, and small
		}
		b.Write(bomb)
	case 13:
		a.status = pick(h, []int{400, 402, 404, 409, 410, 418, 422, 429, 500, 503, 201, 202, 204, 206, 301, 307})
		a.header.Set("Location", pick(h, []string{"http://169.254.169.254/", "/elsewhere", "\tx"}))
		a.header.Set("Retry-After", pick(h, []string{"0", "1", "0.5", "-5", "soon", "20", "Thu, 01 Jan 1970 00:00:00 GMT"}))
		if a.status != 204 {
			b.WriteString(h.shaped(endpoint))
		}
	case 14:
		h.object(&b, 0)
		a.slow = time.Duration(h.rng.IntN(3)) * 20 * time.Millisecond
	case 15: // small, whole, and the work of a careless reader doubles with every level
		around := pick(h, [][2]string{{`{"models":[`, `]}`}, {`{"videos":[{"models":[`, `]}]}`}, {`{"data":`, `}`}, {`[`, `]`},
			{`{"error":{"message":[`, `]}}`}, {`{"id":"m","parameters":{"schema":`, `}}`}, {`{"result":[{"output":`, `}]}`}})
		n := 1 + h.rng.IntN(40)
		b.WriteString(strings.Repeat(around[0], n))
		h.word(&b)
		b.WriteString(strings.Repeat(around[1], n))
	case 16: // wide: the work of a careless reader grows with the square
		fmt.Fprintf(&b, `{"id":"m","status":"done",%s"result":1}`, strings.Repeat(pick(h, []string{`"min":1,`, `"imageurl":1,`,
			`"x_price":0,`, `"image":"http://127.0.0.1:9/a",`, `"a_job_id":"x",`, `"error":{},`}), h.size(40000)))
	default:
		h.object(&b, 0)
		a.cut = true
	}
	a.header.Set("X-Request-Id", "r"+strconv.Itoa(h.rng.IntN(99)))
	a.body = b.Bytes()
	return a
}

func (a answer) write(w http.ResponseWriter, r *http.Request) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.cut {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)+100))
	}
	w.WriteHeader(a.status)
	half := len(a.body) / 2
	_, _ = w.Write(a.body[:half])
	if a.slow > 0 {
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(a.slow):
		case <-r.Context().Done():
		}
	}
	_, _ = w.Write(a.body[half:])
	if a.cut {
		panic(http.ErrAbortHandler)
	}
}

// hostileService answers one endpoint at a time with hostility and the others
// as a service should, so that every endpoint is reached.
type hostileService struct {
	*httptest.Server
	mu      sync.Mutex
	hostile *hostile
	at      string         // the endpoint that is hostile; "*" for all
	left    int            // hostile answers still to give
	given   map[string]int // by endpoint
	bodies  map[string]int // creates by body
	rated   map[string]int // 429 answers to creates, by body
	jobs    int
}

func startHostile(t *testing.T) *hostileService {
	t.Helper()
	s := &hostileService{hostile: newHostile(random(t)), given: map[string]int{}, bodies: map[string]int{}, rated: map[string]int{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = quietLog()
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// turn makes an endpoint hostile for n answers.
func (s *hostileService) turn(endpoint string, n int) {
	simtest.Locked(&s.mu, func() { s.at, s.left = endpoint, n })
}

func (s *hostileService) remaining() int {
	return simtest.Read(&s.mu, func() int { return s.left })
}

func (s *hostileService) serve(w http.ResponseWriter, r *http.Request) {
	endpoint := endpointOf(r.URL.Path)
	var body bytes.Buffer
	_, _ = body.ReadFrom(http.MaxBytesReader(w, r.Body, 1<<20))
	s.mu.Lock()
	if endpoint == "create" {
		s.bodies[body.String()]++
	}
	var a answer
	if s.left > 0 && (s.at == endpoint || s.at == "*") {
		s.left--
		s.given[endpoint]++
		a = s.hostile.answer(endpoint)
		if endpoint == "create" && a.status == http.StatusTooManyRequests {
			s.rated[body.String()]++
		}
	} else {
		_, id, _ := strings.Cut(r.URL.Path, "/jobs/")
		a = s.polite(endpoint, id)
	}
	s.mu.Unlock()
	a.write(w, r)
}

// polite is a plain answer. Jobs end at once: while results are hostile with
// some to fetch, else without. id is the job's that was asked for.
func (s *hostileService) polite(endpoint, id string) answer {
	s.jobs++
	var text string
	switch endpoint {
	case "models":
		text = `{"models":[{"id":"lumen/still-1","kind":"image"},{"id":"seedance2","kind":"video"}]}`
	case "estimate":
		text = `{"credits":7}`
	case "create":
		text = fmt.Sprintf(`{"id":"job_%d","status":"PENDING"}`, s.jobs)
	case "job":
		quoted, _ := json.Marshal(id)
		text = fmt.Sprintf(`{"id":%s,"status":"FAILED","error":"it could not be made"}`, quoted)
		if s.at == "result" && s.left > 0 {
			text = fmt.Sprintf(`{"id":%s,"status":"COMPLETED","result":{"images":[{"url":"/files/%d/a.png"},{"url":"/files/%d/b.png"}]}}`, quoted, s.jobs, s.jobs)
		}
	default:
		return answer{status: 404, header: http.Header{}, body: []byte("gone")}
	}
	return answer{status: 200, header: http.Header{"Content-Type": {"application/json"}}, body: []byte(text)}
}

func endpointOf(path string) string {
	switch {
	case strings.HasSuffix(path, "/models"):
		return "models"
	case strings.HasSuffix(path, "/pricing/estimate"):
		return "estimate"
	case strings.HasSuffix(path, "/generations"):
		return "create"
	case strings.Contains(path, "/jobs/"):
		return "job"
	}
	return "result"
}

// TestHostileAnswersOnScreen shows hostile answers in a terminal: by the
// screens, on which a hasty hand walks about, and by every command that prints
// what the service said.
func TestHostileAnswersOnScreen(t *testing.T) {
	t.Parallel()
	service := startHostile(t)
	h := newHome(t, service.URL).with("DARKROOM_TIME_SCALE", "0.001")
	want := times(25, 1000)
	service.turn("*", want)
	began := time.Now()
	s := h.open(110, 32)
	s.waitUntil("something is drawn", func(screen string) bool { return len(strings.TrimSpace(screen)) > 0 })
	before, ran := rss(s), 0
	left, given := want, began // and when one was given last
	for round := 0; left > 0; round++ {
		if n := service.remaining(); n < left {
			left, given = n, time.Now()
		} else if time.Since(given) > runLimit {
			t.Fatalf("after %v %d hostile answers are left, none was given within %v. The screen:\n%s", time.Since(began), left, runLimit, s.text())
		}
		walk(s, h, round)
		ran += printing(t, h, round)
		checkScreen(t, s)
	}
	grown := rss(s) - before
	expect.That(t, grown <= mostGrowth, "the program grew by", grown>>20, "MiB, want at most 32")
	leave(s)
	expect.Equal(t, s.end(), 0, "exit code after all that", s.text())
	checkStream(t, s.bytes())
	expect.Equal(t, crashNotes(t, h), "")
	service.mu.Lock()
	defer service.mu.Unlock()
	for body, n := range service.bodies {
		expect.That(t, n <= 1+service.rated[body], "sent", n, "times", body)
	}
	t.Logf("%v hostile answers shown by one window and %d commands in %v: %d bodies sent, the window grew by %d KiB, wrote %d KiB",
		service.given, ran, time.Since(began).Round(time.Millisecond), len(service.bodies), grown>>10, len(s.bytes())>>10)
}

// TestPathsSteerNoTerminal: folders and files whose names hold what steers a terminal
// or turns the reading order are shown without it, by every command, in the linear
// mode and on the screens.
func TestPathsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	const name = "a\x1b[31mb\u202ec"
	h := homeAt(t, filepath.Join(t.TempDir(), name), startService(t, simtest.Options{}).URL()).
		with("DARKROOM_OPENER", "/bin/true", "HOME", t.TempDir())
	h.run("image", "a kettle", "--yes").wantCode(t, 0)
	done := h.jobs()[0]
	check := func(s *terminal, what string) {
		if stream := s.bytes(); bytes.Contains(stream, []byte(name[1:])) {
			t.Errorf("%s writes %q", what, around(stream, bytes.Index(stream, []byte(name[1:]))))
		} else {
			checkStream(t, stream)
		}
	}
	missing := filepath.Join(h.dir, name)
	lines := [][]string{
		{"edit", missing}, {"image", "@" + missing, "--yes"}, {"image", "x", "--output", missing + "/", "--yes"}, {"image", missing, "--yes"},
		{"image", "x", "--image-url", "/" + name, "--yes"}, {"tools", "call", "list_models", "@" + missing}, {"export", "--html", h.dir},
		{"job", name}, {name}, {"jobs", "--" + name}, {"jobs", "--filter", name}, {"jobs", "--limit", name}, {"tools", "config", name},
	}
	for _, path := range slices.Sorted(maps.Keys(helpPages())) {
		if c := (commandUse{t: t, path: path, use: uses[path], job: done}); c.use.code != 3 && path != "darkroom simulate" && path != "darkroom mcp" && path != "darkroom watch" {
			lines = append(lines, c.line())
		}
	}
	for _, args := range append(lines, []string{"doctor", "--report"}, []string{"fetch", done.ID, "--json"}) {
		s := h.open(100, 30, args...)
		s.end()
		check(s, strings.Join(args, " "))
	}
	l := h.lines()
	for _, typed := range [][2]string{
		{"/job " + done.ID, "file  "}, {"/fetch " + done.ID, ".png"}, {"a kite", "Send it? [y/N]"}, {"y", "· done · image · a kite"}, {"/doctor", "tool protocol"},
	} {
		l.says(typed[0], typed[1])
	}
	l.write("/quit\r")
	l.end()
	check(l, "the linear mode")
	s := h.screens(130, 40)
	s.toJobs()
	s.keysTo("i", "a\ufffd[31mb\ufffdc/pictures")
	press(s, "<esc>", "<enter>", "i", "<esc>", "<esc>", "E", "<enter>", "<alt+4>", "c", "<esc>")
	checkScreen(t, s)
	leave(s)
	check(s, "the screen")
}

// press sends keys one by one, as a hasty hand does. An escape that is followed
// within 50 ms by another key is that key with alt. Only before enter there is
// the pause without which it confirms nothing.
func press(s *terminal, keys ...string) {
	for _, key := range keys {
		if key == "<enter>" {
			s.keys(key)
		} else {
			s.write(key)
		}
		pause := 15 * time.Millisecond
		if key == "<esc>" {
			pause = 80 * time.Millisecond
		}
		select {
		case <-s.done:
		case <-time.After(pause):
		}
	}
}

// leave quits as a person does who waits for what a key does, and presses again
// when a busy machine took escape and the next key for one.
func leave(s *terminal) {
	for range 10 {
		for _, key := range []string{"<esc>", "<esc>", "<ctrl+q>"} {
			s.keys(key)
			select {
			case <-s.done:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
}

// walk presses keys on every screen, with a moment for each to be drawn.
func walk(s *terminal, h *home, round int) {
	for _, keys := range []string{
		"<alt+1>", fmt.Sprintf("screen picture %d ", round), "<ctrl+s>", "<enter>", "<esc>", "<esc>",
		"<alt+2>", "r", "i", "<esc>", "j", "i", "<esc>", "R", "<alt+3>", "<down>", "<alt+2>",
	} {
		select {
		case <-s.done:
			s.t.Fatalf("the program ended by itself. The screen:\n%s%s", s.text(), crashNotes(s.t, h))
		default:
		}
		press(s, keys)
		if strings.Contains(s.text(), "API key") && strings.Contains(s.text(), "refused") {
			s.keys(testKey + "<enter>")
		}
	}
}

// crashNotes is what the program wrote down when it broke.
func crashNotes(t *testing.T, h *home) string {
	t.Helper()
	paths := simtest.Must(filepath.Glob(filepath.Join(h.env["XDG_STATE_HOME"], "darkroom", "*crash*")))(t)
	var all strings.Builder
	for _, path := range paths {
		note := simtest.Must(os.ReadFile(path))(t)
		all.Write(note)
	}
	return all.String()
}

// printing runs commands in a terminal, each to its end.
func printing(t *testing.T, h *home, round int) int {
	t.Helper()
	list := [][]string{
		{"models"},
		{"image", fmt.Sprintf("printed picture %d", round), "--model", "lumen/still-1", "--yes", "--timeout", "300ms"},
		{"estimate", "image", "x", "--model", "lumen/still-1"},
		{"jobs"},
	}
	for _, args := range list {
		s := h.open(100, 30, args...)
		s.end() // any code, but an end
		stream := s.bytes()
		checkStream(t, stream)
		expect.Must(t, !bytes.Contains(stream, []byte("goroutine ")), "darkroom", args, "panicked", string(stream))
	}
	return len(list)
}

// rss is the memory of the program in bytes.
func rss(s *terminal) int64 { return int64(statusMiB(s.cmd.Process.Pid, "VmRSS:") * (1 << 20)) }

// checkScreen looks at what the emulator made of it.
func checkScreen(t *testing.T, s *terminal) {
	t.Helper()
	for line := range strings.Lines(s.text()) {
		found := steering(strings.TrimRight(line, "\n"))
		expect.Must(t, found == "", "the screen shows", found, line)
	}
}

// checkStream reads all that was written as a terminal does and finds what the
// renderer would never write by itself.
func checkStream(t *testing.T, stream []byte) {
	t.Helper()
	for _, p := range payloads {
		steers := func(r rune) bool { return r == 0x1b || r >= 0x80 && r <= 0x9f || r >= 0x2000 && r < 0x2070 }
		expect.Must(t, !strings.ContainsFunc(p, steers) || !bytes.Contains(stream, []byte(p)), "the payload", p, "reached the terminal")
	}
	for i := 0; i < len(stream); {
		if stream[i] == 0x1b {
			n, text := sequence(stream[i:])
			for _, mark := range []string{"PWN", "UFdO", "pwn."} {
				expect.Lacks(t, string(text), mark, "a payload steers the terminal")
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRune(stream[i:])
		if r == utf8.RuneError && n == 1 {
			if len(stream)-i < utf8.UTFMax {
				return // cut at the end
			}
			t.Fatalf("bytes that are no text reached the terminal: %q", around(stream, i))
		}
		switch r {
		case '\n', '\r', '\t', '\b':
		default:
			if found := steering(string(r)); found != "" {
				t.Fatalf("%s reached the terminal: %q", found, around(stream, i))
			}
		}
		i += n
	}
}

// sequence is the escape sequence at the beginning: its length and bytes.
func sequence(b []byte) (int, []byte) {
	if len(b) < 2 {
		return len(b), b
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1, b[:i+1]
			}
		}
		return len(b), b
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			if b[i] == 0x07 {
				return i + 1, b[:i+1]
			}
			if b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\' {
				return i + 2, b[:i+2]
			}
		}
		return len(b), b
	}
	return 2, b[:2]
}

func around(b []byte, i int) []byte { return b[max(0, i-120):min(len(b), i+40)] }

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// mostGrowth is what a session may hold more after all answers than before.
const mostGrowth = 32 << 20

// TestHostileAnswersToSession gives a session, with its store, poller and
// downloads, answers that no sane service gives: 5,000 in the long form. A panic
// in it ends the test; a hang runs into a limit.
func TestHostileAnswersToSession(t *testing.T) {
	each := times(25, 1000)
	for _, endpoint := range []string{"models", "estimate", "create", "job", "result"} {
		t.Run(endpoint, func(t *testing.T) {
			d := newHostileDrive(t)
			d.service.turn(endpoint, each)
			before := heapNow()
			began := time.Now()
			for d.service.remaining() > 0 {
				d.step(endpoint)
			}
			d.settle()
			grown := heapNow() - before
			expect.That(t, grown <= mostGrowth, "the heap grew by", grown>>20, "MiB, want at most 32")
			d.checkSentOnce()
			d.checkText()
			t.Logf("%d hostile answers to %s in %v: %d jobs, the heap grew by %d KiB", d.service.given[endpoint], endpoint,
				time.Since(began).Round(time.Millisecond), d.sent, grown>>10)
		})
	}
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// hostileDrive uses a session as the screens do.
type hostileDrive struct {
	t       *testing.T
	service *hostileService
	s       *state.Session
	sent    int
	key     api.Key
	files   string
}

func newHostileDrive(t *testing.T) *hostileDrive {
	t.Helper()
	d := &hostileDrive{t: t, service: startHostile(t), files: filepath.Join(t.TempDir(), "pictures")}
	d.key = simtest.Must(api.ParseKey(testKey))(t)
	d.s = openSession(t, state.Settings{BaseURL: d.service.URL, Downloads: d.files})
	return d
}

// openSession opens a session with what is left to say of its settings.
func openSession(t *testing.T, at state.Settings) *state.Session {
	t.Helper()
	at.BaseFrom, at.EnvKey, at.TimeScale, at.DataDir, at.Recipes = "environment", testKey, 0.001, filepath.Join(t.TempDir(), "data"), true
	s := simtest.Must(state.Open(t.Context(), state.Options{
		Settings: at, Env: func(string) string { return "" }, Keyring: simtest.NoRing{None: keys.ErrNone}, Poll: true,
	}))(t)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

// limited bounds one call: a hang is a failure, not an endless test.
func (d *hostileDrive) limited(do func(ctx context.Context)) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), screenLimit)
	defer cancel()
	do(ctx)
	expect.Must(d.t, ctx.Err() == nil, "hung for", screenLimit, "with", d.service.remaining(), "hostile answers left")
}

func (d *hostileDrive) request() api.Request {
	d.sent++
	return api.Request{Kind: api.KindImage, Model: "lumen/still-1", Prompt: fmt.Sprintf("hostile picture %d", d.sent),
		Size: fmt.Sprintf("%dx1024", d.sent)} // a size of its own has a price of its own
}

func (d *hostileDrive) step(endpoint string) {
	d.t.Helper()
	if d.s.Health().KeyRefused { // an answer may well say so
		_ = d.s.UseKey(d.t.Context(), d.service.URL, d.key, false)
	}
	d.limited(func(ctx context.Context) {
		switch endpoint {
		case "models":
			if d.s.Models(ctx).Err != nil {
				d.awaitGate(ctx)
			}
		case "estimate":
			if _, err := d.s.Estimate(ctx, d.request()); err != nil {
				d.awaitGate(ctx)
			}
		default:
			d.submit(ctx, endpoint)
		}
	})
}

// awaitGate waits until the service's wish for a rest is fulfilled.
func (d *hostileDrive) awaitGate(ctx context.Context) {
	for errors.Is(expect.Err(d.s.Remote.Ready()), state.ErrRests) && state.Sleep(ctx, time.Millisecond) {
	}
}

// submit sends a few jobs and waits until none goes on.
func (d *hostileDrive) submit(ctx context.Context, endpoint string) {
	d.t.Helper()
	at := 8
	if endpoint == "create" {
		at = 2
	}
	var ids []string
	for range at {
		c := state.Confirmed{Agreed: state.Agreed{ConfirmID: state.NewConfirmID(), Request: d.request(), Again: true}}
		var unasked error // while the service wants a rest
		c.Estimate, unasked = d.s.Estimate(ctx, c.Request)
		j, err := d.s.Submit(ctx, c)
		if err == nil {
			ids = append(ids, j.ID)
		} else if refusal := new(state.Refusal); unasked == nil && errors.As(err, &refusal) && refusal.Code == "price" {
			d.t.Fatalf("a price that was just asked for is not taken: %v", err)
		}
	}
	for _, id := range ids {
		if _, err := d.s.Sent(ctx, id); err != nil {
			d.t.Fatalf("a create hung: %v", err)
		}
	}
	if endpoint == "create" {
		return
	}
	for _, id := range ids {
		d.await(ctx, id)
	}
}

// await waits for a job's end, or for the end of the hostile answers, or for
// the key to be asked for.
func (d *hostileDrive) await(ctx context.Context, id string) {
	for ctx.Err() == nil && d.service.remaining() > 0 && !d.s.Health().KeyRefused {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		_, err := d.s.Ended(short, id)
		cancel()
		if err == nil {
			return
		}
	}
}

// settle waits until every job has ended by the polite answers, so that what
// the session still holds is what it keeps.
func (d *hostileDrive) settle() {
	d.t.Helper()
	d.limited(func(ctx context.Context) {
		for ctx.Err() == nil {
			if d.s.Health().KeyRefused {
				_ = d.s.UseKey(ctx, d.service.URL, d.key, false)
			}
			p, err := d.s.Jobs(ctx, state.Query{Limit: 1})
			if err == nil && p.Active == 0 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		p, _ := d.s.Jobs(context.Background(), state.Query{Limit: 5})
		for _, r := range p.Rows {
			d.t.Logf("%s %s %s %s", r.ID, r.Phase, r.Status, r.Error)
		}
		d.t.Logf("health %+v", d.s.Health())
	})
}

// checkSentOnce counts the creates of each body. A 429 alone lets a body leave
// up to three times more.
func (d *hostileDrive) checkSentOnce() {
	d.t.Helper()
	d.service.mu.Lock()
	defer d.service.mu.Unlock()
	twice := 0
	for body, n := range d.service.bodies {
		if n > 1 && d.service.rated[body] < n-1 {
			twice++
			d.t.Errorf("sent %d times with %d refusals for want of calls: %s", n, d.service.rated[body], body)
		}
	}
}

// checkText looks through all that a screen could show of the store.
func (d *hostileDrive) checkText() {
	d.t.Helper()
	ctx := d.t.Context()
	p := simtest.Must(d.s.Jobs(ctx, state.Query{Limit: 100000}))(d.t)
	for _, r := range p.Rows {
		for _, text := range []string{r.Title, r.Status.String(), r.Error.String(), r.Model} {
			found := steering(strings.ReplaceAll(text, "\n", ""))
			expect.Must(d.t, found == "", "job", r.ID, "would show", found, text)
		}
	}
	for _, m := range d.s.KnownModels(ctx).Models {
		found := steering(m.Label)
		expect.Must(d.t, found == "", "model", m.Label, "would show", found)
	}
	entries, err := os.ReadDir(d.files)
	expect.Must(d.t, err == nil || os.IsNotExist(err), err)
	for _, e := range entries {
		expect.Must(d.t, steering(e.Name()) == "" && e.Type().IsRegular(), "a file is named", e.Name())
	}
}

// steering names what in a text could steer a terminal, turn the reading order
// or hide in it; "" when nothing does.
func steering(text string) string {
	zero := 0
	for _, r := range text {
		switch {
		case r < ' ', r >= 0x7f && r <= 0x9f:
			return fmt.Sprintf("the control %U", r)
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return fmt.Sprintf("the direction mark %U", r)
		case r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
			return fmt.Sprintf("the mark %U", r)
		case r == 0x0301, r == 0x200d, r == 0x200b, r == 0xfeff:
			if zero++; zero > 4 {
				return "a pile of marks without width"
			}
			continue
		}
		zero = 0
	}
	return ""
}
