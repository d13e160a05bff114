package api

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Sentence is an English format, the key of its translation; %v takes each value.
type Sentence string

// Reason is the sentence with its values. They are Reasons, errors, whose reason
// is taken, and whatever %v writes; texts are cleaned.
func (s Sentence) Reason(args ...any) Reason {
	if len(args) == 0 {
		return Reason{format: s}
	}
	values := make([]any, len(args))
	for i, v := range args {
		if err, ok := v.(error); ok {
			v = ReasonOf(err)
		}
		switch v := v.(type) {
		case Reason:
			values[i] = v
		case Text:
			values[i] = v.String()
		default:
			values[i] = Clean(fmt.Sprint(v), MaxErrorText).String()
		}
	}
	text, _ := json.Marshal(values) // texts and reasons can always be written
	return Reason{s, string(text)}
}

// Fault is an error that says the sentence.
func (s Sentence) Fault(cause error, args ...any) *Fault { return &Fault{s.Reason(args...), cause} }

// Reason is a sentence with its values. Reasons can be compared; the zero one is none.
type Reason struct {
	format Sentence
	args   string // JSON: a list of texts and of further reasons; "" without values
}

type reasonJSON struct {
	Say  Sentence        `json:"say"`
	Args json.RawMessage `json:"args,omitempty"`
}

func (r Reason) MarshalJSON() ([]byte, error) {
	return json.Marshal(reasonJSON{r.format, json.RawMessage(r.args)})
}

func (r *Reason) UnmarshalJSON(text []byte) error {
	var in reasonJSON
	err := json.Unmarshal(text, &in)
	*r = Reason{in.Say, string(in.Args)}
	return err
}

// Stored is the reason as a text that ParseReason reads; "" for none.
func (r Reason) Stored() string {
	if r.IsZero() {
		return ""
	}
	text, _ := json.Marshal(r)
	return string(text)
}

// ParseReason reads a stored reason; another text becomes the reason of these words.
func ParseReason(stored, words string) (r Reason) {
	if json.Unmarshal([]byte(stored), &r) == nil && !r.IsZero() {
		return r
	}
	switch {
	case words == "":
		return Reason{}
	case words == stored && strings.HasPrefix(stored, `{"code":`): // it has no words
		return Sentence("an earlier version of darkroom held this back, for a reason that cannot be shown any more").Reason()
	}
	return ReasonText.Reason(CleanLines(words, MaxErrorText))
}

func (r Reason) IsZero() bool { return r.format == "" }

// Is reports whether the reason is a sentence without values, stored ones too.
func (r Reason) Is(s Sentence) bool { return r.String() == string(s) }

func (r Reason) Format() Sentence { return r.format }

func (r Reason) Args() []any {
	var list []json.RawMessage
	_ = json.Unmarshal([]byte(r.args), &list) // there may be none
	args := make([]any, len(list))
	for i, raw := range list {
		var text string
		var inner Reason
		if json.Unmarshal(raw, &text) == nil {
			args[i] = text
		} else if json.Unmarshal(raw, &inner) == nil {
			args[i] = inner
		}
	}
	return args
}

func (r Reason) String() string { return r.In(func(format string) string { return format }) }

// In gives the line in the language into which formats are translated.
func (r Reason) In(translated func(format string) string) string {
	args := r.Args()
	for i, v := range args {
		if inner, ok := v.(Reason); ok {
			line := inner.In(translated)
			if r.format == ReasonThen && i == 0 {
				line = strings.TrimRight(line, ".")
			}
			args[i] = line
		}
	}
	return fmt.Sprintf(translated(string(r.format)), args...)
}

type Fault struct {
	Reason Reason
	Cause  error // its text is not shown; nil when there is none
}

func (f *Fault) Error() string { return f.Reason.String() }
func (f *Fault) Unwrap() error { return f.Cause }
func (f *Fault) Why() Reason   { return f.Reason }

// ReasonOf gives the reason of an error: its own, or its words.
func ReasonOf(err error) Reason {
	switch e := err.(type) {
	case nil:
		return Reason{}
	case interface{ Why() Reason }:
		return e.Why()
	case syscall.Errno:
		if sentence, known := systemReasons[e]; known {
			return sentence.Reason()
		}
	}
	return ReasonText.Reason(CleanLines(err.Error(), MaxErrorText))
}

// WithoutPath takes the path out of an error, for a sentence that names it already.
func WithoutPath(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// ConnectionReason says why there was no connection, or it broke; zero when that is not
// known. It repeats no address.
func ConnectionReason(err error) Reason {
	var dns *net.DNSError
	var late interface{ Timeout() bool }
	var call *net.OpError
	switch {
	case errors.As(err, &call) && call.Op == "proxyconnect":
		return ReasonProxy.Reason(cmp.Or(ConnectionReason(call.Err), ReasonText.Reason(Clean(call.Err.Error(), 200))))
	case errors.As(err, &dns) && dns.IsNotFound:
		return Sentence("no such host name").Reason()
	case errors.As(err, &dns):
		return Sentence("its name cannot be looked up").Reason()
	case oneOf(err, syscall.ECONNREFUSED, 10061):
		return Sentence("connection refused").Reason()
	case oneOf(err, syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, 10053, 10054):
		return Sentence("the connection was reset").Reason()
	case oneOf(err, syscall.ENETUNREACH, syscall.EHOSTUNREACH, syscall.ENETDOWN, 10050, 10051, 10065):
		return Sentence("no way to the network").Reason()
	case errors.As(err, new(tls.RecordHeaderError)):
		return Sentence("it does not speak TLS").Reason()
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return Sentence("its certificate cannot be trusted").Reason()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		strings.Contains(err.Error(), "stream error: "), strings.Contains(err.Error(), "GOAWAY"): // net/http exports no types for these
		return Sentence("the connection was closed before the response was complete").Reason()
	case errors.As(err, &late) && late.Timeout():
		return Sentence("it did not answer in time").Reason()
	}
	if _, reason, ok := strings.Cut(err.Error(), "tls: "); ok { // TLS alerts have no type of their own
		return Sentence("TLS failed: %v").Reason(Clean(reason, 200))
	}
	return Reason{}
}

// oneOf reports whether an error is one of these; sockets of Windows have numbers of their own.
func oneOf(err error, all ...syscall.Errno) bool {
	return slices.ContainsFunc(all, func(one syscall.Errno) bool { return errors.Is(err, one) })
}

// Sentences that several packages say; the values that they take are named behind.
const (
	ReasonText = Sentence("%v")     // words that are not ours, such as the service's
	ReasonThen = Sentence("%v; %v") // what happened, what to do

	ReasonPath       = Sentence("the call's path is not one of the service's")
	ReasonNoAnswer   = Sentence("no answer")
	ReasonIncomplete = Sentence("no complete response")
	ReasonStopped    = Sentence("the call was stopped before it was complete")
	ReasonConnFailed = Sentence("the connection failed")
	ReasonProxy      = Sentence("the proxy that HTTPS_PROXY names does not work (%v)")

	ReasonNoToolEntry = Sentence("no tool-protocol entry was found at the known places of %v") // the host
	AdviseToolEntry   = Sentence("if it is elsewhere, set tools_path under [profile] in the settings file")
	AdviseToolCharged = Sentence("the tool may have run and been charged: look on the service's site before calling it again")
)

var classReasons = map[ErrorClass]struct{ happened, advice Sentence }{
	ClassKey:        {"the service refused the API key", "type the key again, or check it on the service's API key page"},
	ClassCredits:    {"no credits or quota left", "add credits, or raise the key's quota on the service's API key page"},
	ClassCalls:      {"no calls left", "raise the key's call limit on the service's API key page"},
	ClassRate:       {"too many calls for this key", "wait a minute, then try again"},
	ClassInvalid:    {"the service refused the request", "change it and send it again"},
	ClassModeration: {"the service refused the content", "change the prompt or the materials"},
	ClassNotFound:   {"the service does not know this", "check the service's address, or the id if you gave one"},
	ClassConflict:   {"the service reports a conflict", "look at the job on the service's site before sending again"},
	ClassServer:     {"the service reports a fault of its own", "try again later"},
	ClassNetwork:    {"the service is not reachable", "check the network and the service's address"},
	ClassUnreadable: {"the service's response cannot be read", "check the service's address, or look at the raw response"},
	ClassCurrency:   {"the service gives its prices in another unit than credits", "look up what it costs on the service's site"},
}

var systemReasons = map[syscall.Errno]Sentence{
	syscall.ENOENT: "no such file or directory",
	syscall.EACCES: "permission denied",
	syscall.ENOSPC: "no space left on device",
	syscall.EROFS:  "read-only file system",
}

// ErrorClass groups refusals by what a person can do about them.
type ErrorClass string

const (
	ClassKey        ErrorClass = "key"        // the key is missing, wrong or switched off
	ClassCredits    ErrorClass = "credits"    // no credits or quota left
	ClassCalls      ErrorClass = "calls"      // no calls left, which more credits do not change
	ClassRate       ErrorClass = "rate"       // too many calls now
	ClassInvalid    ErrorClass = "invalid"    // the request breaks a rule
	ClassModeration ErrorClass = "moderation" // the content was refused
	ClassNotFound   ErrorClass = "not_found"
	ClassConflict   ErrorClass = "conflict"
	ClassServer     ErrorClass = "server"
	ClassNetwork    ErrorClass = "network" // no answer: see Error.Sent
	ClassUnreadable ErrorClass = "unreadable"
	ClassCurrency   ErrorClass = "currency" // a price that is not in credits, or not of the request
)

// UsedUp reports whether the key has nothing left until a person changes that.
func (c ErrorClass) UsedUp() bool { return c == ClassCredits || c == ClassCalls }

type FieldError struct {
	Field string // the spec's field name when it could be matched, else the service's
	Text  Text
}

// Error is a refusal or failure of the service, cleaned and without secrets.
type Error struct {
	Class      ErrorClass
	Status     int    // HTTP status; 0 without an answer
	Code       Text   // the service's own code
	Text       Text   // the service's sentence; empty when Reason says what happened
	Reason     Reason // what happened, when it is found here and not said by the service
	Do         Reason // what to do, when the advice of the class does not fit
	Fields     []FieldError
	RequestID  Text
	RetryAfter time.Duration // asked for by the answer; 0 when not
	Sent       bool          // with ClassNetwork: there was a connection, so bytes may have left
	Raw        []byte        // at most 64 KiB, as received but for the key
	Final      bool          // with ClassNetwork: trying again cannot cure it
	Cause      error         // the transport's error, if any; its text is not shown as it is
}

func (e *Error) Error() string { return e.Why().String() }
func (e *Error) Unwrap() error { return e.Cause }

// Why gives what happened and what to do.
func (e *Error) Why() Reason {
	if advice := e.Advice(); !advice.IsZero() {
		return ReasonThen.Reason(e.Happened(), advice)
	}
	return e.Happened()
}

// Happened gives what happened, without the advice.
func (e *Error) Happened() Reason {
	class, why := cmp.Or(classReasons[e.Class], classReasons[ClassServer]).happened.Reason(), e.Reason
	if why.IsZero() && !e.Text.IsZero() {
		why = ReasonText.Reason(Clean(e.Text.String(), MaxErrorText))
	}
	plain := e.Status == 0 || e.Class == ClassNetwork || e.Class == ClassUnreadable
	switch {
	case plain:
		return cmp.Or(why, class)
	case why.IsZero():
		return Sentence("%v (%v)").Reason(class, e.Status)
	}
	return Sentence("%v (%v): %v").Reason(class, e.Status, why)
}

// Advice gives what to do; zero when there is nothing to advise.
func (e *Error) Advice() Reason {
	switch {
	case !e.Do.IsZero():
		return e.Do
	case (e.Class == ClassKey || e.Class.UsedUp()) && e.Reason.IsZero() && strings.Contains(e.Text.String(), ". "):
		return Reason{} // the service says what to do
	case e.Class == ClassRate && e.RetryAfter > 0:
		return Sentence("wait %v, then try again").Reason((ClampWait(e.RetryAfter) + time.Second - 1).Truncate(time.Second)) // rounded up
	case e.Class == ClassNetwork && e.Final:
		return Reason{}
	}
	return cmp.Or(classReasons[e.Class], classReasons[ClassServer]).advice.Reason()
}

// Bounds of a wait that an answer asks for, and the wait without one.
const (
	MinWait     = time.Second
	MaxWait     = time.Hour
	DefaultWait = 60 * time.Second
)

func ClampWait(d time.Duration) time.Duration { return min(max(d, MinWait), MaxWait) }
