package fault

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"time"
)

// maxBody is how much of a request body is read in the place of the service.
const maxBody = 1<<20 + 1

// Run answers the call, with the faults that are due.
func Run(x Exchange, due []Fault) {
	r := &runner{x, due}
	r.moment("at-headers")
	for _, f := range due {
		if a, replaced := r.replace(f); replaced {
			r.send(a)
			return
		}
	}
	r.readAhead()
	a := x.Answer()
	for _, f := range due {
		if f.Do == "latency" {
			f.then()
			Pause(x, f.Delay)
		}
	}
	for _, f := range due {
		if a.Stream != nil && f.Do != "hang" {
			continue
		}
		if r.spoil(f, &a) {
			break
		}
	}
	if a.Stream != nil {
		a.Stream()
		return
	}
	r.send(a)
}

// moment calls Then of the faults whose moment this is.
func (r *runner) moment(name string) {
	for _, f := range r.due {
		if f.Do == name {
			f.then()
		}
	}
}

// readAhead reads the body when a fault waits for that moment.
func (r *runner) readAhead() {
	read := false
	for _, f := range r.due {
		if f.Do != "at-body" {
			continue
		}
		if request := r.Request(); !read {
			body, _ := io.ReadAll(io.LimitReader(request.Body, maxBody))
			request.Body = io.NopCloser(bytes.NewReader(body))
			read = true
		}
		f.then()
	}
}

// replace answers in the place of the service.
func (r *runner) replace(f Fault) (Answer, bool) {
	a := Answer{Status: cmp.Or(f.Status, http.StatusOK), Header: f.Header, Type: "application/json", Body: []byte(f.Body)}
	switch f.Do {
	case "reset":
		f.then()
		r.cut()
	case "reset-after-headers":
		_, _ = io.CopyN(io.Discard, r.Request().Body, max(1, r.Request().ContentLength/2))
		f.then()
		r.cut()
	case "status":
	case "html":
		a.Type = "text/html; charset=utf-8"
		if f.Body == "" {
			a.Body = []byte("<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>Sign in to use this network</h1></body></html>")
		}
	case "redirect":
		a.Status, a.Body = cmp.Or(f.Status, http.StatusTemporaryRedirect), nil
		a.Header = f.Header.Clone()
		if a.Header == nil {
			a.Header = http.Header{}
		}
		a.Header.Set("Location", f.Body)
	default:
		return Answer{}, false
	}
	body, _ := io.ReadAll(io.LimitReader(r.Request().Body, maxBody))
	r.Received(body)
	f.then()
	return a, true
}

// spoil changes the service's answer, or breaks it off; true means that no
// further fault may change it.
func (r *runner) spoil(f Fault, a *Answer) bool {
	switch f.Do {
	case "reset-after-body":
		f.then()
		r.cut()
	case "hang":
		f.then()
		Pause(r, cmp.Or(max(0, f.Delay), 24*time.Hour)) // longer than anybody waits
		panic(http.ErrAbortHandler)
	case "h2-goaway":
		f.then()
		r.goAway()
	case "not-http":
		f.then()
		_, _ = r.conn().Write([]byte("\x16\x03\x01\xff\x00SSH-2.0-nothing\r\n\x00\x1b[2J"))
		r.closeConn()
	case "wrong-length":
		f.then()
		r.sendHalfLength(*a)
	case "huge", "slow-body", "truncated", "reset-mid-body", "reset-after-status":
		// send does these.
	default:
		k, _ := find(f.Do)
		if k.change == nil {
			return false
		}
		k.change(f, a)
		f.then()
	}
	a.set(f.Header)
	return true
}
