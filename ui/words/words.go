// Package words says the sentences of darkroom in English and 简体中文. The English
// stands in the code that says it; zh.json has the Chinese of each
// English format. A format without an entry is said in English.
package words

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
)

//go:embed zh.json
var zhFile []byte

var chinese = sync.OnceValue(func() (formats map[string]string) {
	_ = json.Unmarshal(zhFile, &formats) // embedded: a test sees it
	return formats
})

// Words says sentences in one language.
type Words struct {
	Lang    string            // "zh" or "en"
	formats map[string]string // by the English format; none for English
	Credit  api.Money         // of which commands write credits too
}

// For returns the words for "zh", else those for English.
func For(lang string) *Words {
	if lang == "zh" {
		return &Words{Lang: "zh", formats: chinese()}
	}
	return &Words{Lang: "en"}
}

func (w *Words) format(english string) string { return cmp.Or(w.formats[english], english) }

// Say says an English format, which is a literal at the call: a test looks each up. Errors
// and reasons among the arguments are said too.
func (w *Words) Say(format string, args ...any) string {
	format = w.format(format)
	if strings.IndexByte(format, '%') < 0 {
		return format
	}
	for i, arg := range args {
		switch arg := arg.(type) {
		case error:
			args[i] = api.OneLine(w.Error(arg))
		case api.Reason:
			args[i] = api.OneLine(w.Reason(arg))
		}
	}
	return fmt.Sprintf(format, args...)
}

// SayIf says what Say does if it is true, else nothing.
func (w *Words) SayIf(is bool, format string, args ...any) string {
	if is {
		return w.Say(format, args...)
	}
	return ""
}

// Count says one for 1 and many otherwise; both take the number.
func (w *Words) Count(n int, one, many string) string {
	if n == 1 {
		return w.Say(one, n)
	}
	return w.Say(many, n)
}

// Capital is a text that begins with a capital letter.
func Capital(s string) string {
	if r, n := utf8.DecodeRuneInString(s); n > 0 {
		s = string(unicode.ToUpper(r)) + s[n:]
	}
	return s
}

// Error says an error that says itself, is made of several or has a reason.
func (w *Words) Error(err error) string {
	switch e := err.(type) {
	case interface{ In(*Words) string }:
		return e.In(w)
	case interface{ Unwrap() []error }:
		if strings.Contains(err.Error(), "\n") {
			return strings.Join(api.Map(e.Unwrap(), w.Error), " ")
		}
	}
	return w.Reason(api.ReasonOf(err))
}

func (w *Words) Reason(r api.Reason) string { return r.In(w.format) }

// Problem says what is wrong, then what to do.
func (w *Words) Problem(p api.Problem) string {
	if p.Sentence() == "" {
		return p.String()
	}
	said := w.Say(string(p.Sentence()), api.Map(p.Args, w.value)...)
	for _, arg := range p.Args {
		names, _ := arg.([]string)
		if near := api.Near(p.Value, names); len(near) == 1 && len(p.Value) > 1 { // a digit is near to every other
			said += w.Say(" Did you mean %s?", api.Clean(near[0], 60).String())
		}
	}
	return said
}

// materialNouns complete "add …".
var materialNouns = map[api.MaterialKind]string{
	api.MaterialImage: "an image", api.MaterialVideo: "a video", api.MaterialAudio: "an audio",
}

const maxListed = 12

func (w *Words) value(v any) any {
	switch v := v.(type) {
	case api.MaterialKind:
		return w.Say(materialNouns[v])
	case []string:
		text, more := strings.Join(v[:min(len(v), maxListed)], ", "), len(v)-maxListed
		return api.Clean(text+w.SayIf(more > 0, " (%d more)", more), 200).String()
	case int, int64:
		return api.Apart(fmt.Sprint(v))
	}
	return v
}
