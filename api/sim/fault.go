package sim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes calls of an endpoint misbehave. FaultHelp says what each Do
// does; Server.Ledger says whether a create was accepted all the same.
type Fault struct {
	Endpoint string        // as Call.Endpoint; "" means every one
	From     int           // the first call it applies to, counted from 1 per endpoint since the fault was added; 0 means 1
	Count    int           // to how many calls; 0 means all from there on
	Do       string        // one of the kinds that FaultHelp lists
	Status   int           // with "status", "late-status", "redirect", "html" and "body"
	Delay    time.Duration // with "latency", "slow-body", "hang"
	Header   http.Header   // sent besides, over what the answer has
	Body     string        // with "status", "late-status", "html" and "body"; the address with "redirect"
	Size     int64         // bytes of "huge"; 0 means 64 MiB
	Then     func()        // called at the fault's moment, such as to kill a process
}

// faultKind is what a Do means.
type faultKind struct {
	name  string
	takes string // what stands behind "=" on the command line
	words string
}

// faultKinds are all of them. Those up to "redirect" answer in the place of
// the service, which then never sees the call; the others let it work first.
var faultKinds = []faultKind{
	{"reset-at-accept", "", "the connection is reset as soon as it is accepted; counts connections, of any endpoint"},
	{"reset", "", "reset when the headers are read, before the body; not accepted"},
	{"reset-after-headers", "", "reset when half of the body is read; not accepted"},
	{"status", "CODE[,NAME: VALUE…][,body=TEXT]", "answers with that status; not accepted"},
	{"html", "", "answers 200 with a login page, as a hotel's network does; not accepted"},
	{"redirect", "URL", "answers 307 to that address; not accepted"},
	{"late-status", "CODE[,NAME: VALUE…][,body=TEXT]", "accepted, then answered with that status"},
	{"latency", "DURATION", "accepted at once, answered that much later"},
	{"reset-after-body", "", "accepted, then reset before any answer"},
	{"reset-after-status", "", "accepted, reset after status and headers"},
	{"reset-mid-body", "", "accepted, reset in the middle of the answer's body"},
	{"truncated", "", "accepted, the connection ends in order in the middle of the body"},
	{"empty", "", "accepted, answered with 200 and no body"},
	{"body", "TEXT", "accepted, answered with 200 and that text as JSON"},
	{"garbage", "", "accepted, answered with broken JSON full of control bytes"},
	{"not-http", "", "accepted, answered with bytes that are no HTTP at all, then closed"},
	{"binary", "", "accepted, answered with a picture or clip instead of JSON"},
	{"huge", "BYTES", "accepted, answered with that many bytes of JSON (64 MiB)"},
	{"no-id", "", "accepted, answered without the job's id"},
	{"wrong-length", "", "accepted, Content-Length tells half of the body's length (HTTP/1.1)"},
	{"wrong-type", "TYPE", "accepted, another Content-Type (text/html)"},
	{"slow-body", "DURATION", "accepted, the body dribbles over that time (5s)"},
	{"hang", "DURATION", "accepted, no answer for that long (until the caller leaves), then closed"},
	{"h2-goaway", "", "accepted, then an HTTP/2 GOAWAY that denies it, and closed (HTTP/1.1: as reset-after-body)"},
	{"at-accept", "", "nothing but Then, when a connection is accepted; counts connections"},
	{"at-headers", "", "nothing but Then, when the headers are read"},
	{"at-body", "", "nothing but Then, when the body is read; not yet accepted"},
	{"before-status", "", "nothing but Then, accepted, before the status is written"},
	{"after-status", "", "nothing but Then, after status and headers are written"},
	{"mid-body", "", "nothing but Then, when half of the answer's body is written"},
	{"after-body", "", "nothing but Then, when all of the answer is written"},
}

// FaultHelp explains the faults, for 'darkroom simulate --fault'.
func FaultHelp() string {
	var b strings.Builder
	b.WriteString("A fault is ENDPOINT[@FROM[+COUNT]]:DO[=VALUE], such as create@2+1:reset-after-body.\n" +
		"ENDPOINT is models, estimate, create, job, result, tools, other or * for all.\n" +
		"FROM is the first call it applies to (1), COUNT to how many (all). DO is one of:\n")
	for _, k := range faultKinds {
		name := k.name
		if k.takes != "" {
			name += "=" + k.takes
		}
		fmt.Fprintf(&b, "  %-19s  %s\n", name, k.words)
	}
	b.WriteString("At tools only these happen: those that are not accepted, latency, hang and the moments up to at-body.\n")
	return b.String()
}

// endpoints are the names that Call.Endpoint has.
var endpoints = []string{"models", "estimate", "create", "job", "result", "tools", "other"}

// check refuses a fault that could never happen.
func (f Fault) check() error {
	known := slices.ContainsFunc(faultKinds, func(k faultKind) bool { return k.name == f.Do })
	switch {
	case !known:
		return fmt.Errorf("no fault %q; see the list of faults", f.Do)
	case f.Endpoint != "" && !slices.Contains(endpoints, f.Endpoint):
		return fmt.Errorf("no endpoint %q; there are %s", f.Endpoint, strings.Join(endpoints, ", "))
	case f.Do == "status" && f.Status == 0, f.Do == "late-status" && f.Status == 0:
		return fmt.Errorf("%s needs a status, such as %s=503", f.Do, f.Do)
	case f.Do == "redirect" && f.Body == "":
		return fmt.Errorf("redirect needs an address, such as redirect=https://example.com/")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	}
	return nil
}

// ParseFault reads a fault as the command line writes it:
// ENDPOINT[@FROM[+COUNT]]:DO[=VALUE], such as "create@2+1:reset-after-body".
// FaultHelp has the whole grammar.
func ParseFault(text string) (Fault, error) {
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
	return f, f.check()
}

// read reads what stands behind "=".
func (f *Fault) read(value string) (err error) {
	switch f.Do {
	case "status", "late-status":
		return f.readStatus(value)
	case "latency", "slow-body", "hang":
		f.Delay, err = time.ParseDuration(value)
	case "redirect", "body":
		f.Body = value
	case "huge":
		f.Size, err = strconv.ParseInt(value, 10, 64)
	case "wrong-type":
		f.Header = http.Header{"Content-Type": {value}}
	default:
		return fmt.Errorf("%s takes no value", f.Do)
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

// armedFault is a fault that counts the calls it could apply to.
type armedFault struct {
	Fault
	seen int
}

// AddFault adds a fault while the server runs. It panics when there is no such
// kind of fault, for only tests write one down.
func (s *Server) AddFault(f Fault) {
	if err := f.check(); err != nil {
		panic(err)
	}
	f.Header = maps.Clone(f.Header)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &armedFault{Fault: f})
}

// ClearFaults takes all faults away.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// dueFaults counts a call and returns the faults that apply to it, in the
// order in which they were added. The lock is held.
func (s *Server) dueFaults(endpoint string) (due []Fault) {
	for _, f := range s.faults {
		ofConnection := strings.HasSuffix(f.Do, "at-accept")
		if ofConnection != (endpoint == "connection") || !ofConnection && f.Endpoint != "" && f.Endpoint != endpoint {
			continue
		}
		f.seen++
		if from := max(1, f.From); f.seen >= from && (f.Count == 0 || f.seen < from+f.Count) {
			due = append(due, f.Fault)
		}
	}
	return due
}
