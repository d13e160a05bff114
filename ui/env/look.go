package env

import (
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// Look is what every drawing depends on besides its content. It is a part of
// the keys of memos.
type Look struct {
	Theme *theme.Theme
	Words *words.Words
	day   int // times of today are written without their date
}

// Look is the look of now.
func (k *Env) Look() Look { return Look{k.Theme, k.Words, k.At.Year()*1000 + k.At.YearDay()} }
