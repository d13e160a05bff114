package fault

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// What kinds take behind "=" that is not kept as text.
const (
	takesStatus   = "CODE[,NAME: VALUE…][,body=TEXT]"
	takesCode     = "CODE"
	takesDuration = "DURATION"
	takesBytes    = "BYTES"
	takesType     = "TYPE"
)

// Parse reads a fault as the command line writes it:
// ENDPOINT[@FROM[+COUNT]]:DO[=VALUE], such as "create@2+1:reset-after-body".
// Help has the whole grammar.
func Parse(text string) (Fault, error) {
	where, what, ok := strings.Cut(text, ":")
	if !ok {
		return Fault{}, fmt.Errorf("%q is not a fault: write ENDPOINT[@FROM[+COUNT]]:DO[=VALUE]", text)
	}
	var f Fault
	name, calls, some := strings.Cut(where, "@")
	if f.Endpoint = name; name == "*" {
		f.Endpoint = ""
	}
	if some {
		from, count, more := strings.Cut(calls, "+")
		var err error
		if f.From, err = strconv.Atoi(from); err != nil || f.From < 1 {
			return Fault{}, fmt.Errorf("%q is not a number of a call", from)
		}
		if f.Count = 0; more {
			if f.Count, err = strconv.Atoi(count); err != nil || f.Count < 1 {
				return Fault{}, fmt.Errorf("%q is not a number of calls", count)
			}
		}
	}
	var value string
	var given bool
	f.Do, value, given = strings.Cut(what, "=")
	if given {
		if err := f.read(value); err != nil {
			return Fault{}, err
		}
	}
	return f, f.Check()
}

// read reads what stands behind "=", as the kind takes it.
func (f *Fault) read(value string) (err error) {
	k, known := find(f.Do)
	switch {
	case !known: // Check refuses it
	case k.takes == "":
		return fmt.Errorf("%s takes no value", f.Do)
	case k.takes == takesStatus:
		return f.readStatus(value)
	case k.takes == takesCode:
		f.Status, err = strconv.Atoi(value)
	case k.takes == takesDuration:
		f.Delay, err = time.ParseDuration(value)
	case k.takes == takesBytes:
		f.Size, err = strconv.ParseInt(value, 10, 64)
	case k.takes == takesType:
		f.Header = http.Header{"Content-Type": {value}}
	default:
		f.Body = value
	}
	if err != nil {
		return fmt.Errorf("%s: %q is not what it takes", f.Do, value)
	}
	return nil
}

// readStatus reads CODE[,NAME: VALUE…][,body=TEXT].
func (f *Fault) readStatus(value string) (err error) {
	value, f.Body, _ = strings.Cut(value, ",body=")
	parts := strings.Split(value, ",")
	if f.Status, err = strconv.Atoi(parts[0]); err != nil {
		return fmt.Errorf("%q is not a status", parts[0])
	}
	for _, part := range parts[1:] {
		name, text, ok := strings.Cut(part, ":")
		if !ok {
			return fmt.Errorf("%q is not a header; write NAME: VALUE", part)
		}
		if f.Header == nil {
			f.Header = http.Header{}
		}
		f.Header.Add(strings.TrimSpace(name), strings.TrimSpace(text))
	}
	return nil
}

// Set holds the faults of a server and counts the calls that each could apply
// to. Its zero value holds none; its methods may be called by any goroutine.
type Set struct {
	mu    sync.Mutex
	armed []*armed
}

// armed is a fault with the number of calls that it could have applied to.
type armed struct {
	Fault
	seen int
}

// Add adds a fault, which counts calls from now on.
func (s *Set) Add(f Fault) error {
	if err := f.Check(); err != nil {
		return err
	}
	f.Header = maps.Clone(f.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = append(s.armed, &armed{Fault: f})
	return nil
}

// Clear takes all faults away.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = nil
}

// connection stands for the endpoint where a connection was just accepted.
const connection = "connection"

// Due counts a call of an endpoint and returns the faults that apply to it, in
// the order in which they were added.
func (s *Set) Due(endpoint string) (due []Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.armed {
		ofConnection := strings.HasSuffix(a.Do, "at-accept")
		if ofConnection != (endpoint == connection) || !ofConnection && a.Endpoint != "" && a.Endpoint != endpoint {
			continue
		}
		a.seen++
		if from := max(1, a.From); a.seen >= from && (a.Count == 0 || a.seen < from+a.Count) {
			f := a.Fault
			f.call = a.seen
			due = append(due, f)
		}
	}
	return due
}

// connKey finds a call's connection in its context.
type connKey struct{}

// ConnContext is for http.Server.ConnContext: it remembers the connection, so
// that faults can break it, and carries out the faults that are due when it is
// accepted.
func (s *Set) ConnContext(ctx context.Context, c net.Conn) context.Context {
	for _, f := range s.Due(connection) {
		f.then()
		if f.Do == "reset-at-accept" {
			reset(c)
		}
	}
	return context.WithValue(ctx, connKey{}, c)
}

// reset cuts a connection so that the other side sees a reset, not an end.
func reset(c net.Conn) {
	if t, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
