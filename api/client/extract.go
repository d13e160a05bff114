package client

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/api/read"
)

// Sizes of media inside of answers, in bytes. A string of JSON that is longer
// than extractFrom and begins like a media file is decoded into a file of its
// own as it streams, so that an answer of any size takes little memory.
const (
	extractFrom  = 64 << 10
	maxExtracted = 256 << 20 // of all media in one answer
	mediaHead    = 512       // bytes by which a string is recognized as media
	stubHead     = 36        // bytes of the media that stand in its place
	stubToken    = 12
)

// extractor writes large media of one answer into files.
type extractor struct {
	newFile func() (*os.File, error)
	begin   func() // called once, when the first media is met
	token   [stubToken]byte
	parts   []string // paths by number; "" for one that could not be kept
	left    int64
}

func newExtractor(newFile func() (*os.File, error), begin func()) *extractor {
	s := &extractor{newFile: newFile, begin: begin, left: maxExtracted}
	rand.Read(s.token[:]) // never fails
	return s
}

// extract copies JSON, up to limit bytes, with a stub in the place of large
// media: base64 of the media's beginning, the answer's token and the number of
// the part. It knows strings and nothing else of JSON, so it hands on whatever
// it is given. It looks no further than the buffer of from, which holds
// extractFrom bytes.
func (s *extractor) extract(from *bufio.Reader, limit int64) ([]byte, error) {
	var out bytes.Buffer
	for quoted, start := false, 0; ; {
		if quoted && out.Len() == start && largeMedia(from) {
			stub, err := s.part(from)
			out.WriteString(stub)
			if quoted = false; err != nil {
				return out.Bytes(), err
			}
		}
		text, err := from.ReadSlice('"')
		if room := limit - int64(out.Len()); int64(len(text)) > room {
			out.Write(text[:room])
			return out.Bytes(), ErrTooLarge
		}
		out.Write(text)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			return out.Bytes(), nil
		case err != nil:
			return out.Bytes(), err
		case !quoted || !escapedEnd(out.Bytes()[start:]):
			quoted, start = !quoted, out.Len()
		}
	}
}

// escapedEnd reports whether the last byte of a text is escaped.
func escapedEnd(text []byte) bool {
	before := text[:len(text)-1]
	return (len(before)-len(bytes.TrimRight(before, `\`)))%2 == 1
}

// largeMedia reports whether a string that begins here is base64 of a media
// file, also as a data: URI, and longer than extractFrom.
func largeMedia(from *bufio.Reader) bool {
	head, err := from.Peek(mediaHead)
	if err != nil || bytes.IndexByte(head, '"') >= 0 {
		return false
	}
	text, ok := read.Unescape(string(head))
	if !ok { // the head ends within an escape
		text = strings.ReplaceAll(string(head[:mediaHead/2]), `\/`, "/")
	}
	_, body := splitDataURI(text)
	data, ok := read.DecodeBase64(body[:min(len(body), 64)/4*4])
	if !ok || read.Sniff(data) == "" {
		return false
	}
	whole, err := from.Peek(extractFrom)
	return err == nil && bytes.IndexByte(whole, '"') < 0
}

// resolve puts the files in the place of their stubs and removes the rest.
func (s *extractor) resolve(results []api.Result) []api.Result {
	if s == nil || len(s.parts) == 0 {
		return results
	}
	used := map[int]bool{}
	var kept []api.Result
	for _, r := range results {
		if n := s.number(r.Data); n > 0 {
			if s.parts[n-1] == "" || used[n] {
				continue
			}
			used[n] = true
			r.Data, r.File = nil, s.parts[n-1]
		}
		kept = append(kept, r)
	}
	for i, path := range s.parts {
		if !used[i+1] && path != "" {
			os.Remove(path)
		}
	}
	s.parts = nil
	return kept
}

// part decodes one string into a file of its own, up to and with the closing
// quote, and gives its stub. A medium that cannot be kept does not
// end the answer, which may hold the job's id: its part has no path.
func (s *extractor) part(from *bufio.Reader) (stub string, err error) {
	if s.begin != nil {
		s.begin()
		s.begin = nil
	}
	prefix := takePrefix(from)
	text := &base64Text{from: from, left: s.left/3*4 + 4}
	plain := base64.NewDecoder(base64.RawStdEncoding, text)
	seen := make([]byte, stubHead)
	n, _ := io.ReadFull(plain, seen)
	path := s.keep(seen[:n], plain, text)
	_, err = io.Copy(io.Discard, text) // up to the end of the string, in case it is not base64
	s.left = max(0, text.left/4*3-3)
	s.parts = append(s.parts, path)
	number := len(s.parts)
	seen = append(append(seen[:n], s.token[:]...), byte(number>>8), byte(number))
	return prefix + base64.StdEncoding.EncodeToString(seen) + `"`, err
}

// keep writes a medium into a new file and gives its path, or "" when it is not
// whole.
func (s *extractor) keep(head []byte, rest io.Reader, text *base64Text) string {
	file, err := s.newFile()
	if err != nil {
		return ""
	}
	if _, err = file.Write(head); err == nil {
		_, err = io.Copy(file, rest)
	}
	if closing := file.Close(); err == nil && closing == nil && errors.Is(text.err, io.EOF) {
		return file.Name()
	}
	os.Remove(file.Name())
	return ""
}

// takePrefix reads past the head of a data: URI and gives it.
func takePrefix(from *bufio.Reader) string {
	raw, _ := from.Peek(mediaHead)
	raw = raw[:bytes.IndexByte(raw, ',')+1]
	text, ok := read.Unescape(string(raw))
	prefix, _ := splitDataURI(text)
	if !ok || prefix == "" || !utf8.ValidString(prefix) || strings.ContainsAny(prefix, "\"\\\n\r") {
		return ""
	}
	_, _ = from.Discard(len(raw)) // it is in the buffer
	return prefix
}

// splitDataURI parts "data:image/png;base64," from what follows it.
func splitDataURI(s string) (prefix, body string) {
	if len(s) < 5 || !strings.EqualFold(s[:5], "data:") {
		return "", s
	}
	if i := strings.IndexByte(s[:min(len(s), 200)], ','); i > 0 {
		return s[:i+1], s[i+1:]
	}
	return "", s
}

// number gives the part that a stub stands for, or 0.
func (s *extractor) number(data []byte) int {
	if len(data) < stubToken+2 || !bytes.Equal(data[len(data)-2-stubToken:len(data)-2], s.token[:]) {
		return 0
	}
	if n := int(data[len(data)-2])<<8 | int(data[len(data)-1]); n <= len(s.parts) {
		return n
	}
	return 0
}

// base64Text gives the characters of a JSON string that holds base64, in the
// alphabet of encoding/base64 and without padding or blanks. The string ends
// with its closing quote.
type base64Text struct {
	from *bufio.Reader
	left int64 // characters that may still come
	err  error // sticky; io.EOF after the closing quote
}

// Read gives characters of the string.
func (t *base64Text) Read(p []byte) (n int, err error) {
	for n < len(p) && t.err == nil {
		letter := t.letter()
		if letter = read.Base64Letter(letter); letter < 0 || letter == ' ' || letter == '\t' || t.err != nil {
			continue
		}
		p[n] = byte(letter)
		n++
		if t.left--; t.left < 0 {
			t.err = ErrTooLarge
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// letter reads one character, which may be an escape.
func (t *base64Text) letter() rune {
	c := t.next()
	switch {
	case t.err != nil:
	case c == '"':
		t.err = io.EOF
	case c == '\\':
		escape := []byte{c, t.next()}
		for escape[1] == 'u' && len(escape) < 6 {
			escape = append(escape, t.next())
		}
		plain, ok := read.Unescape(string(escape))
		if !ok || len(plain) != 1 {
			return '?' // not base64
		}
		c = plain[0]
	}
	return rune(c)
}

// next reads a byte; a string that ends without a quote is cut short.
func (t *base64Text) next() byte {
	c, err := t.from.ReadByte()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if t.err == nil {
		t.err = err
	}
	return c
}

// drop removes the parts that are left and the files of results that are not
// used, and gives the other results.
func (s *extractor) drop(results []api.Result) []api.Result {
	s.resolve(nil)
	return slices.DeleteFunc(results, func(r api.Result) bool {
		if r.File != "" {
			os.Remove(r.File)
		}
		return r.File != ""
	})
}
