// Package words is what the screens and commands say, in English and 简体中文. The
// English stands in the code; zh.json has the Chinese by the English format, and
// by the code of a reason or problem. What is missing there is said in English.
package words

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"darkroom/api"
)

//go:embed zh.json
var zhFile []byte

// catalogue is what is said in one language.
type catalogue struct {
	Sentences map[string]string `json:"sentences"` // by the English format
	Reasons   map[string]string `json:"reasons"`   // by code
	Problems  map[string]string `json:"problems"`  // by code
}

// chinese reads the catalogue when it is first asked for.
var chinese = sync.OnceValue(func() (c catalogue) {
	if err := json.Unmarshal(zhFile, &c); err != nil {
		panic(err) // the file is part of the program
	}
	return c
})

// Words says sentences in one language.
type Words struct {
	lang string
	zh   catalogue // empty for English
}

// For returns the words for "en" or "zh"; anything else is English.
func For(lang string) *Words {
	if lang == "zh" {
		return &Words{lang: "zh", zh: chinese()}
	}
	return &Words{lang: "en"}
}

// Lang is "en" or "zh".
func (w *Words) Lang() string { return w.lang }

// Say says an English format with its arguments in this language. Formats are
// literals at the call: a test finds them in the source and looks each up.
func (w *Words) Say(format string, args ...any) string {
	if said, ok := w.zh.Sentences[format]; ok {
		format = said
	}
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Count says one for a number of 1 and many otherwise; both take the number.
func (w *Words) Count(n int, one, many string) string {
	if n == 1 {
		return w.Say(one, n)
	}
	return w.Say(many, n)
}

// Error says an error in this language when it is one of ours; else as it is.
func (w *Words) Error(err error) string { return w.Reason(api.ReasonOf(err)) }

// Reason says why something is so. The English is api's own, which logs and
// programs get too.
func (w *Words) Reason(r api.Reason) string {
	if w.zh.Reasons == nil {
		return r.String()
	}
	return r.In(func(code string) string { return w.zh.Reasons[code] })
}
