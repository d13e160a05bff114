package fault

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"darkroom/api"
)

// Exchange is a call while the service answers it. Its server has to use
// Set.ConnContext.
type Exchange interface {
	Request() *http.Request
	Writer() http.ResponseWriter
	// Answer lets the service work on the call and returns its answer.
	Answer() Answer
	// Received records a request body that the service itself does not see.
	Received(body []byte)
	// Answered records the status that is written.
	Answered(status int)
	// Closed is closed when the server is.
	Closed() <-chan struct{}
}

// Answer is what a call is answered with.
type Answer struct {
	Status int
	Header http.Header // besides Content-Type and Content-Length
	Type   string      // Content-Type
	Body   []byte
	JobID  string  // of the job that it is about, if any
	Result *Result // that it names, if any
	Price  *Price  // that it states, if any
	// File is what a service answers that sends the picture itself.
	File func() (mediaType string, data []byte)
	// Stream writes the answer by itself; all fields above are unused then.
	Stream func()
}

// Result is a job's result as an answer names it.
type Result struct {
	URL  string
	Link func(name string) string // the address of another file of the job
}

// Price is a price that an answer states.
type Price struct {
	Credits api.Credits
	Seconds int // of the video that it is for; 0 for an image
}

// Pause waits, unless the caller or the server closes the connection: then it
// ends the handler.
func Pause(x Exchange, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-x.Request().Context().Done():
		panic(http.ErrAbortHandler)
	case <-x.Closed():
		panic(http.ErrAbortHandler)
	}
}

// runner carries out the faults that are due on a call.
type runner struct {
	Exchange
	due []Fault
}

func (r *runner) conn() net.Conn {
	return r.Request().Context().Value(connKey{}).(net.Conn)
}

// cut resets the call's connection and ends its handler.
func (r *runner) cut() {
	reset(r.conn())
	panic(http.ErrAbortHandler)
}

// closeConn ends the call's connection in order, and its handler.
func (r *runner) closeConn() {
	_ = r.conn().Close()
	panic(http.ErrAbortHandler)
}

// send writes the answer, breaking off or pausing where a fault says so.
func (r *runner) send(a Answer) {
	broken := r.breaking()
	r.moment("before-status")
	r.head(a, broken)
	r.moment("after-status")
	if broken.Do == "reset-after-status" {
		r.flush()
		broken.then()
		r.cut()
	}
	if r.Request().Method == http.MethodHead {
		return
	}
	switch broken.Do {
	case "huge":
		broken.then()
		r.writeHuge(broken.Size)
		return
	case "slow-body":
		broken.then()
		fallthrough
	case "slow-binary": // its moment was when the body was changed
		r.trickle(a.Body, broken.Delay)
		return
	}
	half := len(a.Body) / 2
	r.write(a.Body[:half])
	r.moment("mid-body")
	switch broken.Do {
	case "truncated":
		broken.then()
		panic(http.ErrAbortHandler)
	case "reset-mid-body":
		broken.then()
		r.cut()
	}
	r.write(a.Body[half:])
	r.moment("after-body")
}

// breaking is the first fault that happens while the answer is written.
func (r *runner) breaking() Fault {
	for _, f := range r.due {
		switch f.Do {
		case "huge", "slow-body", "slow-binary", "truncated", "reset-mid-body", "reset-after-status":
			return f
		}
	}
	return Fault{}
}

// head writes status and headers.
func (r *runner) head(a Answer, broken Fault) {
	h := r.Writer().Header()
	if a.Type != "" && len(a.Body) > 0 {
		h.Set("Content-Type", a.Type)
	}
	if broken.Do != "huge" {
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	} else {
		h.Set("Content-Type", "application/json")
	}
	for name, values := range a.Header {
		h[http.CanonicalHeaderKey(name)] = values
	}
	r.Answered(a.Status)
	r.Writer().WriteHeader(a.Status)
	if broken.Do != "" {
		r.flush()
	}
}

func (r *runner) flush() { _ = http.NewResponseController(r.Writer()).Flush() }

// write writes to a caller who may have closed the connection. With faults due
// what was written goes out at once.
func (r *runner) write(b []byte) {
	if _, err := r.Writer().Write(b); err != nil {
		panic(http.ErrAbortHandler)
	}
	if len(r.due) > 0 {
		r.flush()
	}
}

// writeHuge writes a JSON object of size bytes.
func (r *runner) writeHuge(size int64) {
	if size <= 0 {
		size = 64 << 20
	}
	r.write([]byte(`{"job":{"status":"PROCESSING"},"padding":"`))
	chunk := []byte(strings.Repeat("lorem ipsum ", 4096))
	for ; size > 0; size -= int64(len(chunk)) {
		r.write(chunk[:min(size, int64(len(chunk)))])
	}
	r.write([]byte(`"}`))
}

// trickle writes a body in pieces over a time.
func (r *runner) trickle(body []byte, over time.Duration) {
	if over <= 0 {
		over = 5 * time.Second
	}
	const pieces = 20
	for i := range pieces {
		r.write(body[i*len(body)/pieces : (i+1)*len(body)/pieces])
		Pause(r, over/pieces)
	}
}

// sendHalfLength writes an answer whose Content-Length is half of the body's
// length, past net/http, which would not write it.
func (r *runner) sendHalfLength(a Answer) {
	if r.Request().ProtoMajor != 1 {
		r.cut()
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		a.Status, http.StatusText(a.Status), a.Type, len(a.Body)/2)
	r.Answered(a.Status)
	_, _ = r.conn().Write(append([]byte(head), a.Body...))
	r.closeConn()
}

// goAway writes a GOAWAY frame that says no stream was processed (RFC 9113,
// 6.8), then closes. The create was accepted all the same: a service may lie.
func (r *runner) goAway() {
	if r.Request().ProtoMajor != 2 {
		r.cut()
	}
	frame := make([]byte, 17)
	frame[2], frame[3] = 8, 7 // length and type
	binary.BigEndian.PutUint32(frame[13:], 0)
	_, _ = r.conn().Write(frame)
	r.closeConn()
}
