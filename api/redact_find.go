package api

import (
	"bytes"
	"strconv"
)

// fold tables make letters equal that a form of the key does not tell apart.
var foldCase, foldBase64 = foldTables()

func foldTables() (letters, base64 [256]byte) {
	for i := range 256 {
		c := byte(i)
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		letters[i], base64[i] = c, c
	}
	base64['-'], base64['_'] = '+', '/'
	return letters, base64
}

// finder finds the parts of several texts, each of which is a form of the key.
type finder struct {
	forms  []form
	window int             // letters of the shortest part
	sums   [1 << 10]uint64 // which rolling sums a part can begin with, as bits
	out    uint32          // the weight of the oldest letter of the window
}

// form is one text of which every part of size letters is to be found.
type form struct {
	size   int
	fold   *[256]byte
	prefix string // taken along when it stands right before a part
	parts  map[string]bool
}

const sumFactor = 0x01000193

// add has the finder look for the parts of a text too.
func (f *finder) add(size int, fold *[256]byte, prefix, text string) {
	if size == 0 {
		return
	}
	m := form{size, fold, prefix, map[string]bool{}}
	for i := 0; i+size <= len(text); i++ {
		m.parts[string(foldBytes([]byte(text[i:i+size]), fold))] = true
	}
	f.forms = append(f.forms, m)
}

// ready computes the sums after the last text was added.
func (f *finder) ready() {
	f.window, f.out = f.forms[0].size, 1
	for _, m := range f.forms {
		f.window = min(f.window, m.size)
	}
	for range f.window {
		f.out *= sumFactor
	}
	for _, m := range f.forms {
		for part := range m.parts {
			var sum uint32
			for i := range f.window {
				sum = sum*sumFactor + uint32(foldBase64[part[i]])
			}
			f.sums[sum>>22] |= 1 << (sum >> 16 & 63)
		}
	}
}

func foldBytes(b []byte, fold *[256]byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = fold[c]
	}
	return out
}

// find rolls a sum over b and compares letters only where the sum is one of a
// part, so that a megabyte takes milliseconds. The spans are in no order.
func (f *finder) find(b []byte) []span {
	var spans []span
	var sum uint32
	for i, c := range b {
		sum = sum*sumFactor + uint32(foldBase64[c])
		if i >= f.window {
			sum -= f.out * uint32(foldBase64[b[i-f.window]])
		}
		if i+1 >= f.window && f.sums[sum>>22]&(1<<(sum>>16&63)) != 0 {
			from := i + 1 - f.window
			for _, m := range f.forms {
				if to := from + m.size; to <= len(b) && m.parts[string(foldBytes(b[from:to], m.fold))] {
					spans = append(spans, span{m.before(b, from), to})
				}
			}
		}
	}
	return spans
}

// before gives where the span starts when the prefix belongs to it.
func (m *form) before(b []byte, from int) int {
	n := len(m.prefix)
	if n > 0 && from >= n && bytes.EqualFold(b[from-n:from], []byte(m.prefix)) {
		return from - n
	}
	return from
}

// unescapeLayer takes one layer of URL and JSON escapes off text. at maps positions
// of text to the original (nil: they are the same); the result maps likewise
// and has one entry more than there are bytes. Without escapes it gives nil.
func unescapeLayer(text []byte, at []int) ([]byte, []int) {
	first := bytes.IndexAny(text, `%\`)
	if first < 0 {
		return nil, nil
	}
	origin := func(i int) int {
		if at == nil {
			return i
		}
		return at[i]
	}
	out := make([]byte, 0, len(text))
	where := make([]int, 0, len(text)+1)
	changed := false
	for i := 0; i < len(text); {
		c, size := unescapeOne(text[i:])
		out = append(out, c)
		where = append(where, origin(i))
		changed = changed || size > 1
		i += size
	}
	if !changed {
		return nil, nil
	}
	return out, append(where, origin(len(text)))
}

// unescapeOne reads one byte and how many bytes of text stood for it.
func unescapeOne(text []byte) (byte, int) {
	switch {
	case text[0] == '%' && len(text) >= 3:
		if v, ok := hexValue(text[1:3]); ok {
			return byte(v), 3
		}
	case text[0] == '\\' && len(text) >= 6 && text[1] == 'u':
		if v, ok := hexValue(text[2:6]); ok && v < 0x80 {
			return byte(v), 6
		}
	case text[0] == '\\' && len(text) >= 4 && text[1] == 'x':
		if v, ok := hexValue(text[2:4]); ok {
			return byte(v), 4
		}
	case text[0] == '\\' && len(text) >= 2 && bytes.IndexByte([]byte(`"\/'`), text[1]) >= 0:
		return text[1], 2
	}
	return text[0], 1
}

func hexValue(digits []byte) (uint64, bool) {
	v, err := strconv.ParseUint(string(digits), 16, 16)
	return v, err == nil
}
