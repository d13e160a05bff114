package fault

import (
	"cmp"
	"maps"
	"net/http"
	"strings"
)

// These change the service's answer before it is written.

func lateStatus(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = f.Status, "application/json", []byte(f.Body)
}

func empty(f Fault, a *Answer) { a.Status, a.Body = cmp.Or(f.Status, http.StatusOK), nil }

func otherBody(f Fault, a *Answer) {
	a.Status, a.Type, a.Body = cmp.Or(f.Status, http.StatusOK), "application/json", []byte(f.Body)
}

func garbage(_ Fault, a *Answer) {
	a.Body = []byte("{\"id\": \"\x1b[31m\x00\xff\xfe\u202e" + strings.Repeat("[{", 400) + "\x07\x9b2J")
}

func binaryBody(_ Fault, a *Answer) { a.Type, a.Body = a.File() }

func wrongType(_ Fault, a *Answer) { a.Type = "text/html; charset=utf-8" }

// set adds headers, over what the answer has.
func (a *Answer) set(h http.Header) {
	if len(h) == 0 {
		return
	}
	if a.Header = maps.Clone(a.Header); a.Header == nil {
		a.Header = http.Header{}
	}
	maps.Copy(a.Header, h)
}
