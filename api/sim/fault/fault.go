// Package fault makes calls of the simulator misbehave: it says which faults
// there are, counts the calls they apply to, and carries them out on a call and
// its answer. It knows the service only as an Exchange.
package fault

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault makes calls of an endpoint misbehave. Help says what each Do does.
type Fault struct {
	Endpoint string        // one of models, estimate, create, job, result, tools, other; "" means every one
	From     int           // the first call it applies to, counted from 1 per endpoint since the fault was added; 0 means 1
	Count    int           // to how many calls; 0 means all from there on
	Do       string        // one of the kinds that Help lists
	Status   int           // with "status", "late-status", "redirect", "html", "body" and "price-refused"
	Delay    time.Duration // with "latency", "slow-body", "slow-binary", "hang"
	Header   http.Header   // sent besides, over what the answer has
	Body     string        // what other kinds take behind "=", and the body with "status", "late-status" and "html"
	Size     int64         // bytes of "huge"; 0 means 64 MiB
	Then     func()        // called at the fault's moment, such as to kill a process

	call int // the number of the call it applies to; set by Set.Due
}

type kind struct {
	name   string
	takes  string // what stands behind "=" on the command line
	words  string
	change func(Fault, *Answer) // changes the service's answer, if that is all it does
}

// kinds are all of them. Those up to "redirect" answer in the place of the
// service, which then never sees the call; the others let it work first. Those
// about prices and results leave an answer without one as it is.
var kinds = []kind{
	{"reset-at-accept", "", "the connection is reset as soon as it is accepted; counts connections, of any endpoint", nil},
	{"reset", "", "reset when the headers are read, before the body; not accepted", nil},
	{"reset-after-headers", "", "reset when half of the body is read; not accepted", nil},
	{"status", takesStatus, "answers with that status; not accepted", nil},
	{"html", "", "answers 200 with a login page, as a hotel's network does; not accepted", nil},
	{"redirect", "URL", "answers 307 to that address; not accepted", nil},
	{"late-status", takesStatus, "accepted, then answered with that status", lateStatus},
	{"latency", takesDuration, "accepted at once, answered that much later", nil},
	{"reset-after-body", "", "accepted, then reset before any answer", nil},
	{"reset-after-status", "", "accepted, reset after status and headers", nil},
	{"reset-mid-body", "", "accepted, reset in the middle of the answer's body", nil},
	{"truncated", "", "accepted, the connection ends in order in the middle of the body", nil},
	{"empty", "", "accepted, answered with 200 and no body", empty},
	{"body", "TEXT", "accepted, answered with 200 and that text as JSON", otherBody},
	{"garbage", "", "accepted, answered with broken JSON full of control bytes", garbage},
	{"not-http", "", "accepted, answered with bytes that are no HTTP at all, then closed", nil},
	{"binary", "", "accepted, answered with a picture or clip instead of JSON", binaryBody},
	{"huge", takesBytes, "accepted, answered with that many bytes of JSON (64 MiB)", nil},
	{"no-id", "", "accepted, answered without the job's id", withoutID},
	{"wrong-length", "", "accepted, Content-Length is half of the body's length (HTTP/1.1)", nil},
	{"wrong-type", takesType, "accepted, another Content-Type (text/html)", wrongType},
	{"slow-body", takesDuration, "accepted, the body trickles over that time (5s)", nil},
	{"slow-binary", takesDuration, "accepted, the picture or clip instead of JSON, trickling over that time (5s)", binaryBody},
	{"price", "JSON", "the price is that value: a number such as -5 or 1e300, null, or text", otherPrice},
	{"price-missing", "", "the answer has no price", withoutPrice},
	{"price-per-second", "", "the price is that of one second, with \"unit\": \"second\" beside it", pricePerSecond},
	{"price-refused", takesCode, "answers with that status (200) a refusal that has a price of 0", priceRefused},
	{"http-result", "URL", "the result has that address, by default one of a public host with http://", httpResult},
	{"html-result", "", "a list of results has one more, whose address ends in .html", htmlResult},
	{"shuffled-results", "", "a list of results has three, in another order at each poll", shuffledResults},
	{"other-id", "ID", "the answer has the id of another job", otherID},
	{"hang", takesDuration, "accepted, no answer for that long (until the caller closes), then closed", nil},
	{"h2-goaway", "", "accepted, then an HTTP/2 GOAWAY that denies it, and closed (HTTP/1.1: as reset-after-body)", nil},
	{"at-accept", "", "nothing but Then, when a connection is accepted; counts connections", nil},
	{"at-headers", "", "nothing but Then, when the headers are read", nil},
	{"at-body", "", "nothing but Then, when the body is read; not yet accepted", nil},
	{"before-status", "", "nothing but Then, accepted, before the status is written", nil},
	{"after-status", "", "nothing but Then, after status and headers are written", nil},
	{"mid-body", "", "nothing but Then, when half of the answer's body is written", nil},
	{"after-body", "", "nothing but Then, when all of the answer is written", nil},
}

func find(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// Names are the faults as they are written down, with what each does; without
// those that do nothing but call Then.
func Names() [][2]string {
	var rows [][2]string
	for _, k := range kinds {
		name := k.name
		if k.takes != "" {
			name += "=" + k.takes
		}
		if !strings.HasPrefix(k.words, "nothing but Then") {
			rows = append(rows, [2]string{name, k.words})
		}
	}
	return rows
}

var endpoints = []string{"models", "estimate", "create", "job", "result", "tools", "other"}

// Check refuses a fault that could never happen.
func (f Fault) Check() error {
	_, known := find(f.Do)
	switch {
	case !known:
		return fmt.Errorf("no fault %q; see the list of faults", f.Do)
	case f.Endpoint != "" && !slices.Contains(endpoints, f.Endpoint):
		return fmt.Errorf("no endpoint %q; there are %s", f.Endpoint, strings.Join(endpoints, ", "))
	case f.Do == "status" && f.Status == 0, f.Do == "late-status" && f.Status == 0:
		return fmt.Errorf("%s needs a status, such as %s=503", f.Do, f.Do)
	case f.Do == "redirect" && f.Body == "":
		return fmt.Errorf("redirect needs an address, such as redirect=https://example.com/")
	case f.Do == "price" && f.Body == "":
		return fmt.Errorf("price needs a value, such as price=-5")
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status %d is not between 200 and 599", f.Status)
	}
	return nil
}

// then calls Then, if there is one.
func (f Fault) then() {
	if f.Then != nil {
		f.Then()
	}
}
