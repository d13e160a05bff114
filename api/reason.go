package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Sentence is an English format in which %v takes each value. It is the key of its
// translation: a test of ui/words finds each literal that becomes a Sentence.
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
	text, err := json.Marshal(values)
	if err != nil { // texts and reasons can always be written
		panic(err)
	}
	return Reason{s, string(text)}
}

// Fault is an error that says the sentence; cause may be nil.
func (s Sentence) Fault(cause error, args ...any) *Fault { return &Fault{s.Reason(args...), cause} }

// Reason says why something is so, or what to do about it: a sentence with its
// values. Whoever shows it says it in the person's language; String is for logs
// and for programs. Reasons can be compared; the zero one is none.
type Reason struct {
	format Sentence
	args   string // JSON: a list of texts and of further reasons; "" without values
}

// reasonJSON is a Reason as it is stored.
type reasonJSON struct {
	Say  Sentence          `json:"say"`
	Args []json.RawMessage `json:"args,omitempty"`
}

// MarshalJSON writes the format and the values.
func (r Reason) MarshalJSON() ([]byte, error) {
	out := reasonJSON{Say: r.format}
	if r.args != "" {
		if err := json.Unmarshal([]byte(r.args), &out.Args); err != nil {
			return nil, err
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Reason) UnmarshalJSON(text []byte) error {
	var in reasonJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	*r = Reason{format: in.Say}
	if len(in.Args) == 0 {
		return nil
	}
	args, err := json.Marshal(in.Args)
	r.args = string(args)
	return err
}

// Stored is the reason as a text that ParseReason reads; "" for none.
func (r Reason) Stored() string {
	if r.IsZero() {
		return ""
	}
	text, err := json.Marshal(r)
	if err != nil {
		return ""
	}
	return string(text)
}

// ParseReason reads a stored reason. Any other text, such as one that an earlier
// version stored under a code, becomes the reason of these words.
func ParseReason(stored, words string) Reason {
	var r Reason
	if json.Unmarshal([]byte(stored), &r) == nil && !r.IsZero() {
		return r
	}
	switch {
	case words == "":
		return Reason{}
	case words == stored && strings.HasPrefix(stored, `{"code":`): // it has no words
		return reasonEarlier.Reason()
	}
	return ReasonText.Reason(CleanLines(words, MaxErrorText))
}

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.format == "" }

// Is reports whether the reason is this sentence, which takes no values, also
// when it was stored as its words alone.
func (r Reason) Is(s Sentence) bool { return r.String() == string(s) }

// Format is the sentence without its values.
func (r Reason) Format() Sentence { return r.format }

// Args are the values: strings and Reasons.
func (r Reason) Args() []any {
	if r.args == "" {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(r.args), &list) != nil {
		return nil
	}
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

// String gives the English line.
func (r Reason) String() string { return r.In(func(format string) string { return format }) }

// In gives the line in the language of a translation of formats.
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
	f := translated(string(r.format))
	if len(args) == 0 && !strings.Contains(f, "%") {
		return f
	}
	return fmt.Sprintf(f, args...)
}

// Fault is an error that is a reason.
type Fault struct {
	Reason Reason
	Cause  error // its text is not shown; nil when there is none
}

// Error gives the English line.
func (f *Fault) Error() string { return f.Reason.String() }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Why gives the reason.
func (f *Fault) Why() Reason { return f.Reason }

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

// WithoutPath takes the path out of an error of the file system, for a sentence
// that names it already.
func WithoutPath(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Sentences that several packages say; the values that they take are named behind.
const (
	ReasonText = Sentence("%v")     // words that are not ours, such as the service's
	ReasonThen = Sentence("%v; %v") // what happened, what to do

	reasonEarlier = Sentence("an earlier version of darkroom held this back, for a reason that cannot be shown any more")

	ReasonNoKey      = Sentence("there is no API key; type one, or set DARKROOM_API_KEY")
	ReasonNoBase     = Sentence("there is no base URL; set DARKROOM_BASE_URL or give --base-url")
	ReasonOrigin     = Sentence("refused to send the API key to another address than the base URL's")
	ReasonNoBody     = Sentence("the request has no body")
	ReasonPath       = Sentence("the call's path is not one of the service's")
	ReasonNotLocal   = Sentence("the base URL's host is not this machine, and plain http is for this machine alone; use https://")
	ReasonNoAnswer   = Sentence("no answer")
	ReasonIncomplete = Sentence("no complete answer")
	ReasonNoByte     = Sentence("no further byte of the result")
	ReasonWithin     = Sentence("%v within %v") // what did not happen, the limit

	ReasonSilent      = Sentence("there was no answer from %v")                    // the host
	ReasonTooLarge    = Sentence("the answer of %v is larger than darkroom reads") // the host
	ReasonGave        = Sentence("the service at %v gave %v within %v")            // the host, what did not happen, the limit
	ReasonStopped     = Sentence("the call was stopped before it was complete")
	ReasonCertificate = Sentence("the certificate of %v cannot be trusted: %v")                           // the host, why
	ReasonUnreachable = Sentence("the service is not reachable at %v: %v")                                // the host, why
	ReasonMalformed   = Sentence("the answer of %v is no HTTP that can be read: %v")                      // the host, why
	ReasonEnded       = Sentence("the service at %v ended the connection before the answer was complete") // the host
	ReasonCutShort    = Sentence("the result was cut short: %v")                                          // why

	ReasonNoSuchHost  = Sentence("there is no such host name")
	ReasonLookup      = Sentence("its name cannot be looked up")
	ReasonConnRefused = Sentence("connection refused")
	ReasonReset       = Sentence("the connection was reset")
	ReasonNoNetwork   = Sentence("no way to the network")
	ReasonNoTLS       = Sentence("it does not speak TLS")
	ReasonClosed      = Sentence("the connection was closed before the answer was complete")
	ReasonLate        = Sentence("it did not answer in time")
	ReasonTLS         = Sentence("TLS failed: %v") // TLS's own word

	ReasonIssuer   = Sentence("its issuer is not known on this machine")
	ReasonName     = Sentence("it was issued for another name")
	ReasonExpired  = Sentence("it has expired, or this machine's clock is wrong")
	ReasonNotValid = Sentence("it is not valid")

	ReasonRedirect       = Sentence("the service at %v answered %v, a redirect, which darkroom does not follow") // the host, the status
	ReasonNoSuchAnswer   = Sentence("the service at %v answered %v, which is no answer to this call")            // the host, the status
	ReasonEmpty          = Sentence("the service at %v answered %v with nothing in it")                          // the host, the status
	ReasonUnreadable     = Sentence("the service at %v answered %v, which cannot be read")                       // the host, the status
	ReasonUnreadableWhy  = Sentence("the service at %v answered %v, which cannot be read: %v")                   // the host, the status, why
	ReasonResultNotTaken = Sentence("the service answered with the result itself, and nothing was there to take it")
	ReasonResultNotSaved = Sentence("the service answered with the result itself, and it could not be saved: %v") // why
	ReasonNoJobID        = Sentence("the service accepted the request, but its answer holds no job id that can be read")
	ReasonBadJobID       = Sentence("the job's id cannot be asked for: it is empty, a dot path or longer than 128 bytes")
	ReasonNoKnownID      = Sentence("none of the ids in the answer is known to the service")
	ReasonPriceUnit      = Sentence("the service gives this price in %v, not in credits, so there is no figure")       // the unit
	ReasonPriceRate      = Sentence("the service gives this price per %v, not for the request, so there is no figure") // the unit

	ReasonNoToolEntry    = Sentence("no tool-protocol entry was found at the known places of %v") // the host
	ReasonToolArguments  = Sentence("the tool's arguments must be one JSON object")
	ReasonNoTool         = Sentence("the service has no tool of that name")
	ReasonNotToolAnswer  = Sentence("it is not an answer of the tool protocol")
	ReasonToolKeyRefused = Sentence("the tool entry refused the key, although the service takes it")

	AdviseCertificate = Sentence("check the base URL, this machine's clock and any proxy")
	adviseCalls       = Sentence("raise the key's call limit on the service's API key page")
	AdviseToolEntry   = Sentence("if it is elsewhere, set tools_path under [profile] in the settings file")
	AdviseToolList    = Sentence("look at the list of its tools")
	AdviseToolCharged = Sentence("the tool may have run and been charged: look on the service's site before calling it again")
	AdviseToolLogin   = Sentence("look on the service's pages how to log in there")
)

// classReasons say, for each class, what happened and what to do. Only Error gives them.
var classReasons = map[ErrorClass]struct{ happened, advice Sentence }{
	ClassKey: {Sentence("the service refused the API key"),
		Sentence("type the key again, or check it on the service's API key page")},
	ClassCredits: {Sentence("no credits or quota left"),
		Sentence("add credits, or raise the key's quota on the service's API key page")},
	ClassRate: {Sentence("too many calls for this key"),
		Sentence("wait a minute, then try again")},
	ClassInvalid: {Sentence("the service refused the request"),
		Sentence("change it and send it again")},
	ClassModeration: {Sentence("the service refused the content"),
		Sentence("change the prompt or the materials")},
	ClassNotFound: {Sentence("the service does not know this"),
		Sentence("check the base URL and the id")},
	ClassConflict: {Sentence("the service reports a conflict"),
		Sentence("look at the job on the service's site before sending again")},
	ClassServer: {Sentence("the service reports a fault of its own"),
		Sentence("try again later")},
	ClassNetwork: {Sentence("the service is not reachable"),
		Sentence("check the network and the base URL")},
	ClassUnreadable: {Sentence("the service's answer cannot be read"),
		Sentence("check the base URL, or look at the raw answer")},
	ClassCurrency: {Sentence("the service gives its prices in another unit than credits"),
		Sentence("look up what it costs on the service's site")},
}

const (
	reasonStatus = Sentence("%v (%v)")
	reasonWords  = Sentence("%v (%v): %v")
	adviseWait   = Sentence("wait %v, then try again")
)

// systemReasons are the system's reasons that come up often.
var systemReasons = map[syscall.Errno]Sentence{
	syscall.ENOENT: Sentence("no such file or directory"),
	syscall.EACCES: Sentence("permission denied"),
	syscall.ENOSPC: Sentence("no space left on device"),
	syscall.EROFS:  Sentence("read-only file system"),
}
