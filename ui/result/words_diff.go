package result

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/ui/theme"
)

// Word is a word, a blank, or a character of a script without blanks.
type Word struct {
	Text string
	New  bool // another text does not have it there
}

// Words are the words of a text, with those marked that another text does not
// have in this order. Of texts that have nothing in common none is marked:
// marking all of it says nothing.
func Words(text, other string) []Word {
	words, any := diff(text, other), false
	for _, w := range words {
		any = any || !w.New && strings.TrimSpace(w.Text) != ""
	}
	for i := range words {
		words[i].New = words[i].New && any
	}
	return words
}

// diff are the words of a text, marked if another text lacks them in this order.
func diff(text, other string) []Word {
	mine := wordsOf(text)
	words := make([]Word, len(mine))
	for i, w := range mine {
		words[i].Text = w
	}
	for _, d := range lcs.DiffLines(mine, wordsOf(other)) {
		for i := range words[d.Start:d.End] {
			words[d.Start+i].New = true
		}
	}
	return words
}

// markWords paints text, on a ground or in the accent what the other lacks in this order.
func markWords(t *theme.Theme, ground theme.Ground, text, other string) string {
	if text == "" {
		return t.Faint.Paint("–")
	}
	var b strings.Builder
	words := diff(text, other)
	for len(words) > 0 {
		style, under, run := t.Text, theme.Ground{}, words[0]
		if run.New && other != "" && t.Grounds() {
			style, under = t.Strong, ground
		} else if run.New && other != "" {
			style = t.Accent
		}
		for words = words[1:]; len(words) > 0 && words[0].New == run.New; words = words[1:] {
			run.Text += words[0].Text
		}
		b.WriteString(under.Lay(style.Paint(run.Text)))
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
