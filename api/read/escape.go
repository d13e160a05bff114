package read

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

func Unescape(s string) (string, bool) {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			j := strings.IndexByte(s[i:], '\\')
			if j < 0 {
				j = len(s) - i
			}
			b.WriteString(s[i : i+j])
			i += j
			continue
		}
		if i+1 >= len(s) {
			return "", false
		}
		if s[i+1] == 'u' {
			r, ok := hex4(s, i)
			if !ok {
				return "", false
			}
			i += 6
			if utf16.IsSurrogate(r) {
				low, ok := hex4(s, i)
				if whole := utf16.DecodeRune(r, low); ok && whole != utf8.RuneError {
					r, i = whole, i+6
				} else {
					r = utf8.RuneError
				}
			}
			b.WriteRune(r)
			continue
		}
		k := strings.IndexByte(`"\/bfnrt`, s[i+1])
		if k < 0 {
			return "", false
		}
		b.WriteByte("\"\\/\b\f\n\r\t"[k])
		i += 2
	}
	return b.String(), true
}

func hex4(s string, i int) (rune, bool) {
	if i+6 > len(s) || s[i] != '\\' || s[i+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[i+2:i+6], 16, 16)
	return rune(v), err == nil
}

func (p *parser) fold(key string) string {
	f, ok := p.folds[key]
	if !ok {
		f = fold(key)
		if len(p.folds) < 4096 {
			p.folds[key] = f
		}
	}
	return f
}

// fold makes task_id, taskId and Task-ID equal: lower case, letters and digits
// only.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
