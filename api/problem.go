package api

import (
	"fmt"
	"slices"
)

// Problem is one finding of a rule: the field it stands beside, a code for
// programs, and a sentence that says how to put it right. Format and Args are
// kept apart so that a screen can say the sentence in another language.
type Problem struct {
	Field string `json:"field"` // a Field… constant; "image_files.2" names the second of a list
	Code  string `json:"code"`
	// Early problems cannot be cured by typing on (5,001 characters, an
	// impossible pair); they show at once. The others wait until the field
	// is left or sending is tried.
	Early  bool   `json:"-"`
	Format string `json:"-"`
	Args   []any  `json:"-"`
}

// Sentence gives the English sentence.
func (p Problem) Sentence() string { return fmt.Sprintf(p.Format, p.Args...) }

// Sentences gives the Format of every problem there can be, for translations.
func Sentences() []string { return slices.Clone(sentences) }
