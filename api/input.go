package api

import (
	"strings"
	"unicode/utf8"
)

// CleanInput makes text from a keyboard or a clipboard fit to be kept and sent:
// valid UTF-8, one kind of line end, nothing that steers a terminal, turns the
// reading order or hides. Where Clean shows that something was there, CleanInput
// leaves it out, for what it returns goes to the service. In one line, line ends
// become blanks.
func CleanInput(s string, lines bool) string {
	if isCleanInput(s, lines) {
		return s
	}
	end := byte(' ')
	if lines {
		end = '\n'
	}
	var b strings.Builder
	b.Grow(len(s))
	afterReturn := false
	for _, r := range s {
		if afterReturn && r == '\n' {
			afterReturn = false
			continue
		}
		afterReturn = r == '\r'
		switch {
		case endsLine(r):
			b.WriteByte(end)
		case r == '\t':
			b.WriteByte(' ')
		case r == utf8.RuneError, forbidden(r), invisible(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isCleanInput(s string, lines bool) bool {
	for _, r := range s {
		if r == '\n' && lines {
			continue
		}
		if r == utf8.RuneError || forbidden(r) || invisible(r) {
			return false
		}
	}
	return true
}

func endsLine(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// invisible reports whether r shows nothing and may mislead; joiners, which
// emoji and scripts need, are not among these.
func invisible(r rune) bool {
	switch {
	case r == 0xad, r == 0x200b, r == 0x2060, r == 0xfeff:
		return true
	case r >= 0x206a && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return false
}
