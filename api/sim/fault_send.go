package sim

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// spoil changes the service's answer, or breaks it off; true means that no
// further fault may change it.
func (x *exchange) spoil(f Fault, a *answer) bool {
	switch f.Do {
	case "reset-after-body":
		f.then()
		x.cut()
	case "hang":
		f.then()
		x.pause(hangTime(f.Delay))
		panic(http.ErrAbortHandler)
	case "h2-goaway":
		f.then()
		x.goAway()
	case "not-http":
		f.then()
		_, _ = x.conn().Write([]byte("\x16\x03\x01\xff\x00SSH-2.0-nothing\r\n\x00\x1b[2J"))
		_ = x.conn().Close()
		panic(http.ErrAbortHandler)
	case "wrong-length":
		f.then()
		x.lie(*a)
	case "late-status":
		a.status, a.media, a.body = f.Status, "application/json", []byte(f.Body)
	case "empty":
		a.status, a.body = cmp.Or(f.Status, http.StatusOK), nil
	case "body":
		a.status, a.media, a.body = cmp.Or(f.Status, http.StatusOK), "application/json", []byte(f.Body)
	case "garbage":
		a.body = []byte("{\"id\": \"\x1b[31m\x00\xff\xfe\u202e" + strings.Repeat("[{", 400) + "\x07\x9b2J")
	case "binary":
		a.media, a.body = x.media(a.job)
	case "no-id":
		a.body = withoutID(a.body, a.job)
	case "wrong-type":
		a.media = "text/html; charset=utf-8"
	case "huge", "slow-body", "truncated", "reset-mid-body", "reset-after-status":
		// send does these.
	default:
		return false
	}
	switch f.Do {
	case "late-status", "empty", "body", "garbage", "binary", "no-id", "wrong-type":
		f.then()
	}
	if len(f.Header) > 0 {
		if a.header = maps.Clone(a.header); a.header == nil {
			a.header = http.Header{}
		}
		maps.Copy(a.header, f.Header)
	}
	return true
}

// hangTime is how long a call hangs; without a Delay longer than anybody waits.
func hangTime(d time.Duration) time.Duration {
	if d <= 0 {
		return 24 * time.Hour
	}
	return d
}

// media is what a service answers that sends the picture itself.
func (x *exchange) media(j *job) (string, []byte) {
	if j == nil {
		j = &job{order: order{kind: api.KindVideo}}
	}
	f := x.s.file(j)
	return f.mediaType, f.data
}

// withoutID takes the job's id out of a JSON answer, at any depth.
func withoutID(body []byte, j *job) []byte {
	var v any
	if j == nil || json.Unmarshal(body, &v) != nil {
		return body
	}
	out, err := json.Marshal(prune(v, j.id))
	if err != nil {
		return body
	}
	return out
}

// prune drops every member and element whose text holds id.
func prune(v any, id string) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if s, ok := member.(string); ok && strings.Contains(s, id) {
				delete(v, name)
			} else {
				v[name] = prune(member, id)
			}
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i], id)
		}
	case string:
		return strings.ReplaceAll(v, id, "")
	}
	return v
}

// lie writes an answer whose Content-Length is half of the truth, past
// net/http, which would not write it.
func (x *exchange) lie(a answer) {
	if x.r.ProtoMajor != 1 {
		x.cut()
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		a.status, http.StatusText(a.status), a.media, len(a.body)/2)
	x.s.note(x.call, func(c *Call) { c.Status = a.status })
	_, _ = x.conn().Write(append([]byte(head), a.body...))
	_ = x.conn().Close()
	panic(http.ErrAbortHandler)
}

// goAway writes a GOAWAY frame that says no stream was processed (RFC 9113,
// 6.8), then closes. The create was accepted all the same: a service may lie.
func (x *exchange) goAway() {
	if x.r.ProtoMajor != 2 {
		x.cut()
	}
	frame := make([]byte, 17)
	frame[2], frame[3] = 8, 7 // length and type
	binary.BigEndian.PutUint32(frame[13:], 0)
	_, _ = x.conn().Write(frame)
	_ = x.conn().Close()
	panic(http.ErrAbortHandler)
}

// send writes the answer, breaking off or pausing where a fault says so.
func (x *exchange) send(a answer, due []Fault) {
	var broken Fault
	for _, f := range due {
		switch f.Do {
		case "huge", "slow-body", "truncated", "reset-mid-body", "reset-after-status":
			if broken.Do == "" {
				broken = f
			}
		}
	}
	x.at("before-status", due)
	x.head(a, broken)
	x.at("after-status", due)
	if broken.Do == "reset-after-status" {
		x.flush()
		broken.then()
		x.cut()
	}
	if x.r.Method == http.MethodHead {
		return
	}
	switch broken.Do {
	case "huge":
		broken.then()
		x.pour(broken.Size)
		return
	case "slow-body":
		broken.then()
		x.dribble(a.body, broken.Delay)
		return
	}
	half := len(a.body) / 2
	x.write(a.body[:half])
	if len(due) > 0 {
		x.flush()
	}
	x.at("mid-body", due)
	switch broken.Do {
	case "truncated":
		broken.then()
		panic(http.ErrAbortHandler)
	case "reset-mid-body":
		broken.then()
		x.cut()
	}
	x.write(a.body[half:])
	if len(due) > 0 {
		x.flush()
	}
	x.at("after-body", due)
}

// head writes status and headers.
func (x *exchange) head(a answer, broken Fault) {
	h := x.w.Header()
	h.Set("X-Request-Id", x.id)
	if a.media != "" && len(a.body) > 0 {
		h.Set("Content-Type", a.media)
	}
	if broken.Do != "huge" {
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	} else {
		h.Set("Content-Type", "application/json")
	}
	for name, values := range a.header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	x.s.note(x.call, func(c *Call) { c.Status = a.status })
	x.w.WriteHeader(a.status)
	if broken.Do != "" {
		x.flush()
	}
}

func (x *exchange) flush() { _ = http.NewResponseController(x.w).Flush() }

// write writes to a caller who may have left.
func (x *exchange) write(b []byte) {
	if _, err := x.w.Write(b); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// pour writes a JSON object of size bytes.
func (x *exchange) pour(size int64) {
	if size <= 0 {
		size = 64 << 20
	}
	x.write([]byte(`{"job":{"status":"PROCESSING"},"padding":"`))
	chunk := []byte(strings.Repeat("lorem ipsum ", 4096))
	for ; size > 0; size -= int64(len(chunk)) {
		x.write(chunk[:min(size, int64(len(chunk)))])
	}
	x.write([]byte(`"}`))
}

// dribble writes a body in pieces over a time.
func (x *exchange) dribble(body []byte, over time.Duration) {
	if over <= 0 {
		over = 5 * time.Second
	}
	const pieces = 20
	for i := range pieces {
		x.write(body[i*len(body)/pieces : (i+1)*len(body)/pieces])
		x.flush()
		x.pause(over / pieces)
	}
}
