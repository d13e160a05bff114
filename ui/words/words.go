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
	says map[string]string // by the English; nil for English
}

// For returns the words for "en" or "zh"; anything else is English.
func For(lang string) *Words {
	if lang == "zh" {
		return &Words{lang: "zh", says: chinese()}
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
		chineseShell(), chineseJobs(), chinesePrices(), chineseCreate(), chineseTools(), chineseCommands(), chineseLines(), chineseDoctor(),
		chineseMaterials(),
		chineseGallery(),
		chinesePictures(),
		chineseRecent(),
		chineseKeys(),
		chinesePricing(),
		chineseQueue(),
		chinesePrompts(),
		chineseInstall(),
		chineseHelp(), chineseFlags(), chineseFaults(),
	} {
		for k, v := range part {
			all[k] = v
		}
	}
	return all
}
