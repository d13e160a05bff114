package result

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/theme"
)

// maxWords bounds the words of which a common sequence is looked for; longer
// texts are compared by their beginning and end.
const maxWords = 600

// Word is a part of a text: a word, a blank, or a character of a script without
// blanks.
type Word struct {
	Text string
	New  bool // another text does not have it there
}

// Words are the words of a text, with those marked that another text does not
// have in this order. Of texts that have nothing in common none is marked:
// marking all of it says nothing.
func Words(text, other string) []Word {
	mine := wordsOf(text)
	common := inCommon(mine, wordsOf(other))
	words, any := make([]Word, len(mine)), false
	for i, w := range mine {
		words[i] = Word{w, !common[i]}
		any = any || common[i] && strings.TrimSpace(w) != ""
	}
	for i := range words {
		words[i].New = words[i].New && any
	}
	return words
}

// markWords paints text so that the words which the other text does not have in
// this order are in the accent.
func markWords(t *theme.Theme, text, other string) string {
	if text == "" {
		return t.Faint.Paint("–")
	}
	mine, its := wordsOf(text), wordsOf(other)
	common := inCommon(mine, its)
	var b strings.Builder
	for from := 0; from < len(mine); {
		to := from
		for to < len(mine) && common[to] == common[from] {
			to++
		}
		words := strings.Join(mine[from:to], "")
		if common[from] || other == "" {
			t.Text.Write(&b, words)
		} else {
			t.Accent.Write(&b, words)
		}
		from = to
	}
	return b.String()
}

// wordsOf splits a text into words, blanks, and single characters of scripts
// that are written without blanks.
func wordsOf(text string) []string {
	var out []string
	word := false // the last part can be continued by a letter
	for g := uniseg.NewGraphemes(api.CleanLines(text, len(text)).String()); g.Next(); {
		r := g.Runes()[0]
		letter := (unicode.IsLetter(r) || unicode.IsDigit(r)) && r < 0x2e80
		if letter && word {
			out[len(out)-1] += g.Str()
		} else {
			out = append(out, g.Str())
		}
		word = letter
	}
	return out
}

// inCommon tells for each of a's words whether it belongs to the longest
// sequence that b has too.
func inCommon(a, b []string) []bool {
	common := make([]bool, len(a))
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		common[from] = true
		from++
	}
	end := 0
	for end < len(a)-from && end < len(b)-from && a[len(a)-1-end] == b[len(b)-1-end] {
		common[len(a)-1-end] = true
		end++
	}
	a, b = a[from:len(a)-end], b[from:len(b)-end]
	if len(a) == 0 || len(b) == 0 || len(a) > maxWords || len(b) > maxWords {
		return common
	}
	// length[i][j] is how long the sequence of a[i:] and b[j:] is.
	length := make([][]uint16, len(a)+1)
	for i := range length {
		length[i] = make([]uint16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common[from+i] = true
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}
