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
