package simtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/sim"
)

// Fault makes calls of an endpoint misbehave. kinds says what each Do does.
type Fault struct {
	Endpoint string        // one of models, estimate, create, job, result, tools, other; "" means every one
	From     int           // the first call it applies to, counted from 1 per endpoint since the fault was added; 0 means 1
	Count    int           // to how many calls; 0 means all from there on
	Do       string        // one of kinds
	Status   int           // with "status", "late-status", "redirect", "html", "body" and "empty"
	Delay    time.Duration // with "latency", "slow-body", "slow-binary", "hang"
	Header   http.Header   // sent besides, over what the answer has
	Body     string        // of the answer; with "redirect" and "http-result" the address, with "other-id" the id, with "price" the price
	Size     int64         // bytes of "huge"; 0 means 64 MiB
	Then     func()        // called at the fault's moment, such as to kill a process

	call int // the number of the call it applies to; set by Server.due
}

// then calls Then, if there is one.
func (f Fault) then() {
	if f.Then != nil {
		f.Then()
	}
}

// kinds are the values of Do. Of the faults due on a call, the first that
// changes or breaks the answer counts; "latency" and faults with nothing but
// Then happen too.
var kinds = map[string]bool{
	// These count connections, of any endpoint.
	"at-accept":       true, // nothing but Then, when a connection is accepted
	"reset-at-accept": true, // the connection is reset as soon as it is accepted

	// These do nothing but Then.
	"at-headers":    true, // when the headers are read
	"at-body":       true, // when the body is read; not yet accepted
	"before-status": true, // accepted, before the status is written
	"after-status":  true, // after status and headers are written
	"mid-body":      true, // when half of the answer's body is written
	"after-body":    true, // when all of the answer is written

	// These answer in the place of the service, which never sees the call.
	"reset":               true, // reset when the headers are read, before the body
	"reset-after-headers": true, // reset when half of the body is read
	"status":              true, // answers with that status, headers and body
	"html":                true, // answers 200 with a login page, as a hotel's network does
	"redirect":            true, // answers 307 to an address

	// With these the service has accepted the call.
	"late-status":        true, // answered with that status
	"latency":            true, // answered that much later
	"empty":              true, // answered with 200 and no body
	"body":               true, // answered with 200 and that text as JSON
	"garbage":            true, // answered with broken JSON full of control bytes
	"binary":             true, // answered with a picture instead of JSON
	"slow-binary":        true, // the same, trickling over that time
	"wrong-type":         true, // another Content-Type
	"no-id":              true, // answered without the job's id
	"other-id":           true, // the answer has the id of another job
	"http-result":        true, // the result has that address, by default one of a public host with http://
	"html-result":        true, // a list of results has one more, whose address ends in .html
	"shuffled-results":   true, // a list of results has three, in another order at each call
	"price":              true, // the price is that text
	"reset-after-body":   true, // reset before any answer
	"reset-after-status": true, // reset after status and headers
	"reset-mid-body":     true, // reset in the middle of the answer's body
	"truncated":          true, // the connection ends in order in the middle of the body
	"slow-body":          true, // the body trickles over that time
	"huge":               true, // answered with that many bytes of JSON
	"wrong-length":       true, // Content-Length is half of the body's length (HTTP/1.1)
	"not-http":           true, // answered with bytes that are not HTTP, then closed
	"hang":               true, // no answer for that long (until the caller closes), then closed
	"h2-goaway":          true, // an HTTP/2 GOAWAY that denies it, and closed (HTTP/1.1: as reset-after-body)
}

// call is a call with the faults that are due on it.
type call struct {
	*sim.Exchange
	s       *Server
	kept    *Call
	due     []Fault
	main    Fault       // the one that changes or breaks the answer; without Do when there is none
	header  http.Header // sent besides, over what the answer has
	streams bool        // the service writes the answer by itself
}

// serve answers a call, with the faults that are due.
func (s *Server) serve(x *sim.Exchange) {
	c := s.begin(x)
	defer c.record(func(kept *Call) { kept.Done = time.Now() })
	moments := []string{"at-headers", "at-body", "before-status", "after-status", "mid-body", "after-body", "latency"}
	if i := slices.IndexFunc(c.due, func(f Fault) bool { return !slices.Contains(moments, f.Do) }); i >= 0 {
		c.main = c.due[i]
	}
	c.moment("at-headers")
	a, replaced := c.early()
	if !replaced {
		c.moment("at-body")
		s.translateKey(x.Request.Header)
		a = s.answer(x)
		if job, ok := a.Means.(sim.Job); ok && x.Endpoint == "create" {
			c.record(func(kept *Call) { kept.JobID = job.ID })
		}
		c.moment("latency")
		if c.streams = a.Stream != nil; !c.streams || c.main.Do == "hang" {
			c.spoil(&a)
		}
	}
	x.Send(a)
	c.moment("after-body")
}

// moment carries out the faults whose moment this is.
func (c *call) moment(name string) {
	for _, f := range c.due {
		if f.Do != name {
			continue
		}
		if name == "at-body" {
			c.readBody()
		}
		f.then()
		if name == "latency" {
			c.Pause(f.Delay)
		}
	}
}

// early answers in the place of the service.
func (c *call) early() (sim.Answer, bool) {
	f := c.main
	a := sim.Answer{Status: cmp.Or(f.Status, http.StatusOK), Type: "application/json", Body: []byte(f.Body)}
	c.header = f.Header
	switch f.Do {
	case "reset":
		f.then()
		c.cut()
	case "reset-after-headers":
		_, _ = io.CopyN(io.Discard, c.Request.Body, max(1, c.Request.ContentLength/2))
		f.then()
		c.cut()
	case "status":
	case "html":
		a.Type = "text/html; charset=utf-8"
		a.Body = []byte(cmp.Or(f.Body, "<!DOCTYPE html><html><body><h1>Sign in to use this network</h1></body></html>"))
	case "redirect":
		a = sim.Answer{Status: cmp.Or(f.Status, http.StatusTemporaryRedirect)}
		c.Writer.Header().Set("Location", f.Body)
	default:
		return a, false
	}
	c.readBody()
	f.then()
	return a, true
}

// readBody reads the request's body before the service does, or in its place.
func (c *call) readBody() {
	b, _ := io.ReadAll(c.Request.Body)
	c.Request.Body = io.NopCloser(bytes.NewReader(b))
}

// spoil changes the service's answer, or breaks the call off.
func (c *call) spoil(a *sim.Answer) {
	f := c.main
	switch f.Do {
	case "", "huge", "slow-body", "truncated", "reset-mid-body", "reset-after-status": // the writer's
	default:
		changeAnswer(f, a)
		f.then()
	}
	switch f.Do {
	case "reset-after-body":
		c.cut()
	case "hang":
		c.Pause(cmp.Or(f.Delay, 24*time.Hour)) // longer than anybody waits
		panic(http.ErrAbortHandler)
	case "not-http":
		c.sendRaw(1, []byte("\x16\x03\x01\xff\x00SSH-2.0-nothing\r\n\x00\x1b[2J"))
	case "wrong-length":
		c.answered(a.Status)
		head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
			a.Status, http.StatusText(a.Status), a.Type, len(a.Body)/2)
		c.sendRaw(1, append([]byte(head), a.Body...))
	case "h2-goaway": // says that no stream was processed (RFC 9113, 6.8)
		frame := make([]byte, 17)
		frame[2], frame[3] = 8, 7 // length and type; the last stream and the error are 0
		c.sendRaw(2, frame)
	}
}

// kept is the answer to a call, of a file with its content, which faults change, and its header.
func kept(x *sim.Exchange) (sim.Answer, http.Header) {
	a := x.Answer()
	if x.Endpoint != "result" || a.Stream == nil {
		return a, nil
	}
	w, method := httptest.NewRecorder(), x.Request.Method
	x.Request.Method = http.MethodGet // Send leaves the body out where there is none
	a.Stream(w)
	x.Request.Method = method
	h := w.Header()
	a = sim.Answer{Status: w.Code, Type: h.Get("Content-Type"), Body: w.Body.Bytes()}
	h.Del("Content-Type")
	h.Del("Content-Length") // Send sets both, of what a fault made of the answer
	return a, h
}

// changeAnswer carries out the faults that change an answer and no more. One
// without a job, a result or a price stays as it is.
func changeAnswer(f Fault, a *sim.Answer) {
	job, _ := a.Means.(sim.Job)
	other := func(name string) string {
		return strings.Replace(job.URL, "/"+path.Base(strings.Split(job.URL, "?")[0]), "/"+name, 1)
	}
	switch f.Do {
	case "late-status":
		a.Status, a.Type, a.Body = f.Status, "application/json", []byte(f.Body)
	case "empty":
		a.Status, a.Body = cmp.Or(f.Status, http.StatusOK), nil
	case "body":
		a.Status, a.Type, a.Body = cmp.Or(f.Status, http.StatusOK), "application/json", []byte(f.Body)
	case "garbage":
		a.Body = []byte("{\"id\": \"\x1b[31m\x00\xff\xfe\u202e" + strings.Repeat("[{", 400) + "\x07\x9b2J")
	case "binary", "slow-binary":
		a.Type, a.Body = "image/png", picture(job.ID)
	case "wrong-type":
		a.Type = "text/html; charset=utf-8"
	case "price":
		a.Body = regexp.MustCompile(`("estimated_credits":)[^,}]*`).ReplaceAll(a.Body, []byte("${1}"+f.Body))
	}
	if job.ID == "" {
		return
	}
	switch f.Do {
	case "no-id":
		a.Body = regexp.MustCompile(`("\w+":)?"[^"]*`+job.ID+`[^"]*",?`).ReplaceAll(a.Body, nil)
		a.Body = regexp.MustCompile(`,([}\]])`).ReplaceAll(a.Body, []byte("$1"))
	case "other-id": // addresses stay as they are
		a.Body = bytes.ReplaceAll(a.Body, []byte(`"`+job.ID+`"`), []byte(`"`+cmp.Or(f.Body, "job_of_somebody_else")+`"`))
	}
	if job.URL == "" {
		return
	}
	switch f.Do {
	case "http-result":
		name := path.Base(strings.Split(job.URL, "?")[0])
		a.Body = bytes.ReplaceAll(a.Body, []byte(job.URL), []byte(cmp.Or(f.Body, "http://media.example.com/"+name)))
	case "html-result":
		listResults(a, job.URL, job.URL, other("viewer.html"))
	case "shuffled-results":
		urls := []string{job.URL, other("image-2.png"), other("image-3.png")}
		first := f.call % len(urls)
		listResults(a, job.URL, slices.Concat(urls[first:], urls[:first])...)
	}
}

// listResults puts results in the place of the one that a list of the answer
// holds, each in the same shape.
func listResults(a *sim.Answer, result string, urls ...string) {
	list := regexp.MustCompile(`\[\{[^\[\]]*` + regexp.QuoteMeta(result) + `[^\[\]]*\}\]`)
	a.Body = list.ReplaceAllFunc(a.Body, func(found []byte) []byte {
		shape := strings.Trim(string(found), "[]")
		all := api.Map(urls, func(u string) string { return strings.ReplaceAll(shape, result, u) })
		return []byte("[" + strings.Join(all, ",") + "]")
	})
}

func (c *call) conn() net.Conn { return c.Request.Context().Value(connKey{}).(net.Conn) }

// cut resets the call's connection and ends its handler.
func (c *call) cut() {
	Reset(c.conn())
	panic(http.ErrAbortHandler)
}

// sendRaw writes past net/http, closes the connection in order and ends the
// handler; in another version of HTTP it resets the connection.
func (c *call) sendRaw(version int, b []byte) {
	if c.Request.ProtoMajor != version {
		c.cut()
	}
	_, _ = c.conn().Write(b)
	_ = c.conn().Close()
	panic(http.ErrAbortHandler)
}

// writer writes the answer of a call with the faults that happen meanwhile, and
// records its status. What was written goes out at once.
type writer struct {
	http.ResponseWriter
	c *call
}

func (w writer) WriteHeader(status int) {
	w.c.answered(status)
	if w.c.streams {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.c.moment("before-status")
	for name, values := range w.c.header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if w.c.main.Do == "huge" {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Del("Content-Length")
	}
	w.ResponseWriter.WriteHeader(status)
	if w.c.main.Do != "" {
		w.Flush()
	}
	w.c.moment("after-status")
	if w.c.main.Do == "reset-after-status" {
		w.c.main.then()
		w.c.cut()
	}
}

func (w writer) Write(b []byte) (int, error) {
	f := w.c.main
	switch {
	case w.c.streams:
		w.c.answered(http.StatusOK)
		return w.ResponseWriter.Write(b)
	case w.c.Request.Method == http.MethodHead:
		return len(b), nil
	}
	switch f.Do {
	case "huge":
		f.then()
		w.pad(cmp.Or(f.Size, 64<<20))
		return len(b), nil
	case "slow-body":
		f.then()
		fallthrough
	case "slow-binary": // its moment was when the body was changed
		const pieces = 20
		for i := range pieces {
			w.put(b[i*len(b)/pieces : (i+1)*len(b)/pieces])
			w.c.Pause(cmp.Or(f.Delay, 5*time.Second) / pieces)
		}
		return len(b), nil
	}
	w.put(b[:len(b)/2])
	w.c.moment("mid-body")
	switch f.Do {
	case "truncated":
		f.then()
		panic(http.ErrAbortHandler)
	case "reset-mid-body":
		f.then()
		w.c.cut()
	}
	w.put(b[len(b)/2:])
	return len(b), nil
}

// Flush sends what was written; with Unwrap it lets the tool entry stream.
func (w writer) Flush()                      { _ = http.NewResponseController(w.ResponseWriter).Flush() }
func (w writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// put writes to a caller who may have closed the connection.
func (w writer) put(b []byte) {
	if _, err := w.ResponseWriter.Write(b); err != nil {
		panic(http.ErrAbortHandler)
	}
	if len(w.c.due) > 0 {
		w.Flush()
	}
}

// pad writes a JSON object of size bytes.
func (w writer) pad(size int64) {
	w.put([]byte(`{"job":{"status":"PROCESSING"},"padding":"`))
	chunk := []byte(strings.Repeat("lorem ipsum ", 4096))
	for ; size > 0; size -= int64(len(chunk)) {
		w.put(chunk[:min(size, int64(len(chunk)))])
	}
	w.put([]byte(`"}`))
}
