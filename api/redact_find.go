package api

import "bytes"

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

// finder finds every part of one text that has size letters or more.
type finder struct {
	size   int
	fold   *[256]byte
	prefix string // taken along when it stands right before a part
	parts  map[string]bool
	sums   [1 << 10]uint64 // which rolling sums the parts have, as bits
	out    uint32          // the weight of the letter that leaves the window
}

const sumFactor = 0x01000193

func newFinder(size int, fold *[256]byte, prefix, text string) finder {
	f := finder{size: size, fold: fold, prefix: prefix, parts: map[string]bool{}, out: 1}
	folded := foldBytes(text, fold)
	for range size {
		f.out *= sumFactor
	}
	for i := 0; i+size <= len(folded); i++ {
		part := folded[i : i+size]
		f.parts[string(part)] = true
		var sum uint32
		for _, c := range part {
			sum = sum*sumFactor + uint32(c)
		}
		f.sums[sum>>22] |= 1 << (sum >> 16 & 63)
	}
	return f
}

func foldBytes(s string, fold *[256]byte) []byte {
	out := make([]byte, len(s))
	for i := range len(s) {
		out[i] = fold[s[i]]
	}
	return out
}

// find rolls a sum over b and compares letters only where the sum is one of a
// part, so that a megabyte takes milliseconds.
func (f *finder) find(b []byte) []span {
	if f.size == 0 || len(b) < f.size {
		return nil
	}
	var spans []span
	var sum uint32
	window := make([]byte, f.size)
	for i, c := range b {
		sum = sum*sumFactor + uint32(f.fold[c])
		if i >= f.size {
			sum -= f.out * uint32(f.fold[b[i-f.size]])
		}
		if i+1 < f.size || f.sums[sum>>22]&(1<<(sum>>16&63)) == 0 {
			continue
		}
		from := i + 1 - f.size
		for j := range window {
			window[j] = f.fold[b[from+j]]
		}
		if !f.parts[string(window)] {
			continue
		}
		if n := len(spans); n > 0 && from <= spans[n-1].to {
			spans[n-1].to = i + 1
			continue
		}
		spans = append(spans, span{f.before(b, from), i + 1})
	}
	return spans
}

// before gives where the span starts when the prefix belongs to it.
func (f *finder) before(b []byte, from int) int {
	n := len(f.prefix)
	if n > 0 && from >= n && bytes.EqualFold(b[from-n:from], []byte(f.prefix)) {
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

func hexValue(digits []byte) (int, bool) {
	v := 0
	for _, c := range digits {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		v = v<<4 | int(c)
	}
	return v, true
}
