package client

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"strings"

	"darkroom/api"
	"darkroom/api/read"
)

// Sizes of media inside of answers, in bytes. A string of JSON that is longer
// than spillFrom and begins like a media file is decoded into a file of its
// own as it streams, so that an answer of any size takes little memory.
const (
	spillFrom = 64 << 10
	maxSpill  = 256 << 20 // of all media in one answer
	stubHead  = 36        // bytes of the media that stand in its place
	stubToken = 12
)

// spill carves large media out of one answer.
type spill struct {
	make  func() (*os.File, error)
	begin func() // called once, when the first media is met
	token [stubToken]byte
	parts []string // paths by number; "" for one that could not be kept
	left  int64
}

func newSpill(file func() (*os.File, error), begin func()) *spill {
	s := &spill{make: file, begin: begin, left: maxSpill}
	rand.Read(s.token[:]) // never fails
	return s
}

// carve copies JSON from one to the other, up to limit bytes, with a stub in
// the place of large media: base64 of the media's beginning, the answer's
// token and the number of the part. It knows strings and nothing else of JSON,
// so it hands on whatever it is given.
func (s *spill) carve(from *bufio.Reader, limit int64) ([]byte, error) {
	var out bytes.Buffer
	quoted, escaped, looked, start := false, false, false, 0
	for {
		c, err := from.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return out.Bytes(), err
		}
		if int64(out.Len()) >= limit {
			return out.Bytes(), ErrTooLarge
		}
		out.WriteByte(c)
		switch {
		case !quoted:
			quoted, looked, start = c == '"', false, out.Len()
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			quoted = false
		case out.Len()-start >= spillFrom && !looked:
			looked = true
			if text := out.Bytes()[start:]; mediaText(text) {
				stub, err := s.part(bytes.Clone(text), from)
				out.Truncate(start)
				out.WriteString(stub)
				quoted = false
				if err != nil {
					return out.Bytes(), err
				}
			}
		}
	}
}

// mediaText tells the beginning of base64 of a media file, also as a data: URI.
func mediaText(text []byte) bool {
	head, ok := read.Unescape(string(text[:min(len(text), 512)]))
	if !ok {
		head = strings.ReplaceAll(string(text[:256]), `\/`, "/")
	}
	_, body := splitDataURI(head)
	data, ok := read.DecodeBase64(body[:min(len(body), 64)/4*4])
	return ok && read.TypeKind(read.Sniff(data)) != ""
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

// part decodes one string into a file of its own, up to and with the closing
// quote, and gives what stands for it. A medium that cannot be kept does not
// end the answer, which may hold the job's id: its part has no path.
func (s *spill) part(begun []byte, from *bufio.Reader) (stub string, err error) {
	if s.begin != nil {
		s.begin()
		s.begin = nil
	}
	text := &unescaper{begun: begun, from: from}
	text.prefix()
	d := &decoder{left: s.left}
	if d.file, d.err = s.make(); d.err != nil {
		d.file = nil
	}
	for {
		var c byte
		if c, err = text.next(); err != nil {
			break
		}
		if d.take(c); d.size > d.left {
			err = ErrTooLarge
			break
		}
	}
	if errors.Is(err, io.EOF) { // the closing quote
		err = nil
	}
	path := d.end(err == nil && text.broken == nil)
	s.left -= d.size
	s.parts = append(s.parts, path)
	number := len(s.parts)
	stubBytes := append(bytes.Clone(d.head), s.token[:]...)
	stubBytes = append(stubBytes, byte(number>>8), byte(number))
	if err == nil {
		err = text.broken
	}
	return text.told + base64.StdEncoding.EncodeToString(stubBytes) + `"`, err
}

// resolve puts the files in the place of their stubs and removes those that
// are no result.
func (s *spill) resolve(results []api.Result) []api.Result {
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

// dropAll removes the parts that are left and the files of results that are
// not used.
func (s *spill) dropAll(results []api.Result) {
	s.resolve(nil)
	for _, r := range results {
		if r.File != "" {
			os.Remove(r.File)
		}
	}
}

// withoutFiles leaves out results whose files are gone.
func withoutFiles(results []api.Result) []api.Result {
	var kept []api.Result
	for _, r := range results {
		if r.File == "" {
			kept = append(kept, r)
		}
	}
	return kept
}

// number gives the part that a stub stands for, or 0.
func (s *spill) number(data []byte) int {
	if len(data) < stubToken+2 || !bytes.Equal(data[len(data)-2-stubToken:len(data)-2], s.token[:]) {
		return 0
	}
	if n := int(data[len(data)-2])<<8 | int(data[len(data)-1]); n <= len(s.parts) {
		return n
	}
	return 0
}
