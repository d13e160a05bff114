package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"syscall"
)

// Reason says why something is so, or what to do about it: a code with its
// values. The sentences that people read are of whoever shows it; String is
// for logs and for programs. Reasons can be compared; the zero one is none.
type Reason struct {
	code string
	args string // JSON: a list of texts and of further reasons; "" without values
}

// reasonJSON is a Reason as it is stored.
type reasonJSON struct {
	Code string            `json:"code"`
	Args []json.RawMessage `json:"args,omitempty"`
}

// NewReason makes a reason of a code. Its values are Reasons, errors, whose
// reason is taken, and whatever %v writes; texts are cleaned.
func NewReason(code string, args ...any) Reason {
	if len(args) == 0 {
		return Reason{code: code}
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
	return Reason{code, string(text)}
}

// MarshalJSON writes the code and the values.
func (r Reason) MarshalJSON() ([]byte, error) {
	out := reasonJSON{Code: r.code}
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
	*r = Reason{code: in.Code}
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

// ParseReason reads a stored reason. Any other text, such as one that was
// stored before reasons had codes, and a code that is not known become the
// reason of these words.
func ParseReason(stored, words string) Reason {
	var r Reason
	if stored != "" && json.Unmarshal([]byte(stored), &r) == nil {
		if _, known := reasonFormats[r.code]; known {
			return r
		}
	}
	if words == "" {
		return Reason{}
	}
	return NewReason(ReasonText, CleanLines(words, MaxErrorText))
}

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.code == "" }

// Code is the code.
func (r Reason) Code() string { return r.code }

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
func (r Reason) String() string {
	return r.In(func(code string) string { return reasonFormats[code] })
}

// In gives the line in the language whose formats it is handed; the English
// one for a code without a format there.
func (r Reason) In(format func(code string) string) string {
	f := format(r.code)
	if f == "" {
		if f = reasonFormats[r.code]; f == "" {
			return r.code
		}
	}
	args := r.Args()
	for i, v := range args {
		if inner, ok := v.(Reason); ok {
			line := inner.In(format)
			if r.code == ReasonThen && i == 0 {
				line = strings.TrimRight(line, ".")
			}
			args[i] = line
		}
	}
	if len(args) == 0 && !strings.Contains(f, "%") {
		return f
	}
	return fmt.Sprintf(f, args...)
}

// ReasonKind makes reasons of one code.
type ReasonKind struct{ code string }

// reasonFormats are the English lines of all reasons, for logs and programs.
var reasonFormats = map[string]string{}

// Declare adds a code with its English format, in which %v takes each value.
// It is for variables of packages, which are set before the program begins; a
// code that is there already panics. Code and format are written out, so that the
// translations can be compared with them.
func Declare(code, english string) ReasonKind {
	if _, twice := reasonFormats[code]; twice {
		panic("two reasons have the code " + code)
	}
	reasonFormats[code] = english
	return ReasonKind{code}
}

// Reason is a reason of this kind.
func (k ReasonKind) Reason(args ...any) Reason { return NewReason(k.code, args...) }

// Fault is an error of this kind; cause may be nil.
func (k ReasonKind) Fault(cause error, args ...any) *Fault {
	return &Fault{k.Reason(args...), cause}
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
		if kind, known := systemReasons[e]; known {
			return kind.Reason()
		}
	}
	return NewReason(ReasonText, CleanLines(err.Error(), MaxErrorText))
}
