package api

import "encoding/json"

// Text is text from outside that has passed the cleaner; only Clean and
// CleanLines make one. It is valid UTF-8 without controls, bidi controls or
// tags, so it can be written to a terminal as it is.
type Text struct{ s string }

// String gives the clean text.
func (t Text) String() string { return t.s }

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.s == "" }

// MarshalJSON writes the clean text as a JSON string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.s) }

// UnmarshalJSON cleans what it reads, keeping line feeds.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*t = CleanLines(s, len(s))
	return nil
}

// Length caps of cleaned texts, in runes.
const (
	MaxIDText      = 128
	MaxStatusText  = 32
	MaxErrorText   = 2000
	MaxAddressText = 4096
)
