package api

import (
	"maps"
	"slices"
)

// Problem is one finding of a rule: the field it stands beside, a code, and
// the values that the code's sentence needs. The sentences are not of this
// package: whoever shows a problem has them in each language.
type Problem struct {
	Field string `json:"field"` // a Field… constant; "image_files.2" names the second of a list
	Code  string `json:"code"`
	// Early problems cannot be cured by typing on (5,001 characters, an
	// impossible pair); they show at once. The others wait until the field
	// is left or sending is tried.
	Early bool `json:"-"`
	// Args are the values, in the order that the code's comment names: a
	// text, an integer, a MaterialKind, or a list of texts.
	Args []any `json:"-"`
}

// NewProblem makes a problem of a code with its values.
func NewProblem(field, code string, args ...any) Problem {
	return Problem{Field: field, Code: code, Early: problemCodes[code], Args: args}
}

// String gives field and code, for logs.
func (p Problem) String() string { return p.Field + ": " + p.Code }

// ProblemCodes gives every code that a Problem can have, in order.
func ProblemCodes() []string { return slices.Sorted(maps.Keys(problemCodes)) }
