package api

import (
	"fmt"
	"maps"
	"strings"
)

// Reason says why something is so, or what to do about it: a code with its
// values. The sentences that people read are of whoever shows it; String is
// for logs and for programs.
type Reason struct {
	Code string
	Args []any // cleaned texts, integers, lengths of time, or further Reasons
}

// NewReason makes a reason of a code; texts among its values are cleaned.
func NewReason(code string, args ...any) Reason {
	for i, v := range args {
		if s, ok := v.(string); ok {
			args[i] = Clean(s, MaxErrorText)
		}
	}
	return Reason{code, args}
}

// IsZero reports whether there is no reason.
func (r Reason) IsZero() bool { return r.Code == "" }

// String gives the English line.
func (r Reason) String() string {
	format, ok := reasonFormats[r.Code]
	if !ok {
		return r.Code
	}
	if len(r.Args) == 0 && !strings.Contains(format, "%") {
		return format
	}
	return fmt.Sprintf(format, r.Args...)
}

// ReasonFormats gives the English format of every code, for translations. Each
// value is taken by %v.
func ReasonFormats() map[string]string { return maps.Clone(reasonFormats) }
