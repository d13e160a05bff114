//go:build linux

package blackbox

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.left = endpoint, n
}

func (s *hostileService) remaining() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
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
