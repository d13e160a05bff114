// Package words is what the screens and commands say, in English and 简体中文. English
// formats are the keys of the other catalogue; a format that is missing there
// is said in English.
package words

import (
	"fmt"
	"strings"
)

// Words says sentences in one language.
type Words struct {
	lang string
	below
}

// For returns the words for "en" or "zh"; anything else is English.
func For(lang string) *Words {
	if lang == "zh" {
		return &Words{lang: "zh", below: below{says: chinese()}}
	}
	return &Words{lang: "en"}
}

// Lang is "en" or "zh".
func (w *Words) Lang() string { return w.lang }

// Say says an English format with its arguments in this language. Formats are
// literals at the call: a test finds them in the source and looks each up.
func (w *Words) Say(format string, args ...any) string {
	if said, ok := w.says[format]; ok {
		format = said
	}
	if len(args) == 0 && strings.IndexByte(format, '%') < 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Look says a sentence that came from the rooms below: translated when it is
// known, else as it is.
func (w *Words) Look(sentence string) string {
	if w.says == nil || sentence == "" {
		return sentence
	}
	if said, ok := w.says[sentence]; ok {
		return said
	}
	return w.look(sentence, 0)
}

// Count says one for a number of 1 and many otherwise; both take the number.
func (w *Words) Count(n int, one, many string) string {
	if n == 1 {
		return w.Say(one, n)
	}
	return w.Say(many, n)
}

func chinese() map[string]string {
	all := make(map[string]string, 512)
	for _, part := range []map[string]string{
		chineseShell(), chineseJobs(), chinesePrices(), chineseProblems(), chineseCreate(), chineseTools(), chineseCommands(), chineseLines(), chineseDoctor(),
		chineseMaterials(),
		chineseGallery(),
		chinesePictures(),
		chinesePricing(),
	} {
		for k, v := range part {
			all[k] = v
		}
	}
	return all
}
