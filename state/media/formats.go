package media

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/state/store"
)

type mediaType struct {
	ext  string
	name string
	is   func(head []byte) bool
}

const pngMark = "\x89PNG\r\n\x1a\n"

// mediaTypes are the types that darkroom saves under their own extension and
// opens. Everything else, the last type, is kept as .bin and never opened.
var mediaTypes = [...]mediaType{
	{".png", "image/png", starts(pngMark)},
	{".jpg", "image/jpeg", starts("\xff\xd8\xff")},
	{".webp", "image/webp", func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	}},
	{".gif", "image/gif", starts("GIF8")},
	{".mp4", "video/mp4", func(h []byte) bool {
		brands := []string{"iso", "mp4", "avc", "M4V", "MSNV", "dash", "f4v", "3gp", "3g2", "hvc", "av01", "XAVC", "cmf"}
		// Still pictures of the same family (avif, heic) are not video.
		return slices.ContainsFunc(brands, func(b string) bool { return strings.HasPrefix(box(h, "ftyp"), b) })
	}},
	{".webm", "video/webm", func(h []byte) bool {
		return starts("\x1a\x45\xdf\xa3")(h) && bytes.Contains(h, []byte("\x42\x82\x84webm"))
	}},
	{".mov", "video/quicktime", func(h []byte) bool {
		return box(h, "ftyp") == "qt  " || box(h, "moov") != "" || box(h, "wide") != ""
	}},
	unknownType,
}

var unknownType = mediaType{".bin", "application/octet-stream", func([]byte) bool { return true }}

func sniff(head []byte) mediaType {
	return mediaTypes[slices.IndexFunc(mediaTypes[:], func(t mediaType) bool { return t.is(head) })]
}

func starts(magic string) func([]byte) bool {
	return func(h []byte) bool { return bytes.HasPrefix(h, []byte(magic)) }
}

// box gives the 4 bytes after the header of a first ISO box of this name.
func box(h []byte, name string) string {
	if len(h) < 12 || string(h[4:8]) != name || h[0] != 0 && name == "ftyp" {
		return ""
	}
	return string(h[8:12])
}

// cutShort reports whether the structure of a file proves that its end is missing:
// a Content-Length that tells too little looks like a whole answer. Trailing bytes
// and breaches of a format are not a proof.
func cutShort(f io.ReaderAt, size int64, ext string) bool {
	head := readAt(f, 0, 16)
	switch {
	case ext == ".gif":
		return cutGIF(bufio.NewReader(io.NewSectionReader(f, 0, size)))
	case len(head) < 16:
		return ext != unknownType.ext
	case ext == ".png" && string(head[12:]) == "IHDR":
		return cutPieces(f, size, 8, "IEND")
	case ext == ".mp4", ext == ".mov":
		return cutPieces(f, size, 0, "moov")
	case ext == ".webp": // the length that it tells may leave out the padding byte
		return int64(binary.LittleEndian.Uint32(head[4:]))+8 > size+1
	case ext == ".jpg":
		return cutJPEG(bufio.NewReader(io.NewSectionReader(f, 2, size-2)))
	}
	return false
}

// outerBoxes are the names that a box of the outermost level has in MP4 and QuickTime.
const outerBoxes = "ftyp styp moov mdat moof mfra free skip wide uuid meta sidx ssix pdin udta prft emsg imda "

func readAt(r io.ReaderAt, offset int64, n int) []byte {
	b := make([]byte, n)
	n, _ = r.ReadAt(b, offset)
	return b[:n]
}

// cutPieces walks the chunks of a PNG up to its end mark, or all outer boxes of a
// video, among which its index has to be.
func cutPieces(f io.ReaderAt, size, offset int64, needed string) bool {
	found := false
	for n := 0; offset < size; n++ {
		head := readAt(f, offset, 16)
		if len(head) < 8 {
			break // the end, or a few bytes behind the last box
		}
		name, length := string(head[4:8]), int64(binary.BigEndian.Uint32(head))
		switch found = found || name == needed; {
		case needed == "IEND":
			length += 12
		case !strings.Contains(outerBoxes, name+" "), length == 0: // bytes behind the last box, or one up to the end, wherever that is
			return !found
		case length == 1 && len(head) == 16:
			length = int64(binary.BigEndian.Uint64(head[8:]))
		}
		switch {
		case length < 8 || n == maxWalk:
			return false
		case length > size-offset || name == "IEND":
			return length > size-offset
		}
		offset += length
	}
	return !found
}

// cutJPEG walks the segments up to the picture's own bytes.
func cutJPEG(r *bufio.Reader) bool {
	for {
		head, err := r.Peek(4)
		switch {
		case err != nil:
			return true
		case head[0] != 0xff || head[1] < 0xc0 || head[1] == 0xff || head[1] >= 0xd0 && head[1] <= 0xd9: // not a segment
			return false
		case head[1] == 0xda:
			for last := byte(0); ; {
				b, err := r.ReadByte()
				if err != nil || last == 0xff && b == 0xd9 {
					return err != nil
				}
				last = b
			}
		}
		if n := 2 + int(binary.BigEndian.Uint16(head[2:])); !skips(r, n) {
			return true
		}
	}
}

func skips(r *bufio.Reader, n int) bool {
	_, err := r.Discard(n)
	return err == nil
}

// cutGIF walks the blocks up to the end mark. An end between two blocks, with a
// picture before it, is not a cut: some writers leave the mark out.
func cutGIF(r *bufio.Reader) bool {
	colours := func(flags byte) int { return int(flags>>7) * 3 << (flags&7 + 1) } // bytes of a table of colours
	head := make([]byte, 13)
	_, err := io.ReadFull(r, head)
	whole, picture := err == nil && skips(r, colours(head[10])), false
	for whole {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return !picture
		case kind == 0x21: // an extension: its label
			whole = skips(r, 1)
		case kind == 0x2c: // a picture: where it is, its colours, its code size
			_, err = io.ReadFull(r, head[:9])
			whole, picture = err == nil && skips(r, colours(head[8])+1), true
		default: // the end mark, or bytes that are not a block
			return false
		}
		for n := byte(1); whole && n > 0; { // its data, up to an empty part
			n, err = r.ReadByte()
			whole = err == nil && skips(r, int(n))
		}
	}
	return true
}

const (
	sniffLen     = 512     // bytes that decide on a type
	maxWalk      = 1 << 16 // pieces of a file that are looked at
	maxSlug      = 60      // bytes
	shortLen     = 8       // of a job id, in names: 40 bits
	defaultNames = "{date}-{title}-{id}-{n}"
)

// fileName is the name of a result, by a pattern that the settings have checked:
// 20260301-harbour-at-dawn-k3v9q2mx-1.png. It is made from our own words and
// those of the request, never from a header or an address. copies above 0 makes
// another name for the same result.
func fileName(pattern string, w Want, copies int, ext string) string {
	title := cmp.Or(slugOf(w.Job.Title), string(w.Job.Kind), "result")
	end := nameEnd(w.Job.ID, w.N)
	if copies > 0 {
		end = fmt.Sprintf("-copy%d", copies) + end
	}
	at := w.Job.CreatedAt.Local()
	stem := strings.NewReplacer("{date}", at.Format("20060102"), "{time}", at.Format("150405"), "{title}", title,
		"{kind}", string(w.Job.Kind), "{model}", slugOf(w.Job.Model), "{seed}", w.Job.Request.SeedText(),
	).Replace(strings.TrimSuffix(cmp.Or(pattern, defaultNames), "-{id}-{n}"))
	for strings.Contains(stem, "--") { // of what a result does not have
		stem = strings.ReplaceAll(stem, "--", "-")
	}
	stem = cmp.Or(strings.Trim(stem, "-. "), title)
	if device().MatchString(stem) {
		stem = "_" + stem
	}
	return stem + end + ext
}

// device matches names that Windows takes for devices, whatever follows the dot.
var device = api.Pattern(`(?i)^(con|prn|aux|nul|(com|lpt)[0-9¹²³])\.`)

func nameEnd(job string, n int) string {
	return fmt.Sprintf("-%s-%d", job[:min(len(job), shortLen)], n)
}

// slugOf keeps the letters and digits of a title, of every script, and joins
// the words by hyphens; at most maxSlug bytes, cut between words when a word
// ends in its second half.
func slugOf(title string) string {
	slug := strings.ToLower(strings.Join(strings.FieldsFunc(title, func(r rune) bool {
		// Letters that draw nothing, such as the Hangul fillers, may not stand in a name.
		return !unicode.In(r, unicode.L, unicode.Nd, unicode.Mn, unicode.Mc) ||
			unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	}), "-"))
	if len(slug) <= maxSlug {
		return slug
	}
	n := maxSlug
	for !utf8.RuneStart(slug[n]) {
		n--
	}
	if i := strings.LastIndexByte(slug[:n], '-'); slug[n] != '-' && i >= maxSlug/2 {
		n = i
	}
	return slug[:n]
}

const (
	partMark    = ".darkroom-"
	partEnd     = ".part"
	maxSameName = 100 // other files that may have a result's name
)

func partName(job string, n int) string {
	return fmt.Sprintf("%s%s-%d%s", partMark, job, n, partEnd)
}

// CheckFolder makes the folder of results when it is missing, and reports why
// no file with the longest name of a pattern can be written there: that is known
// before a result is paid for.
func CheckFolder(dir, names string) error {
	text := strings.Repeat("x", maxSlug)
	j := store.Job{Row: store.Row{ID: text, Kind: api.KindVideo, Title: text, Model: text}, Request: api.Request{Seed: new(int64(1 << 62))}}
	longest := fileName(names, Want{Job: &j, N: 99}, maxSameName, recipeEnd)
	err := error(api.Sentence("its name is not UTF-8").Fault(nil)) // it could not be written down
	if utf8.ValidString(dir) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		var folder *os.File
		folder, err = os.Open(dir) // as a download does
		_ = folder.Close()
	}
	if err == nil {
		if err = probed(os.CreateTemp(dir, probeName+strings.Repeat("x", max(len(longest)-len(probeName)-9, 0)))); err == nil {
			return nil
		}
	}
	return failed(err, "results cannot be saved in %v (%v): make the folder readable and writable, "+
		"or choose another one (DARKROOM_DOWNLOADS, or downloads in the settings file)", dir, api.WithoutPath(err))
}

// probeName is the pattern of a file that is made to see whether one can be.
const probeName = partMark + "check-*"

// probed writes to such a file: a full disk takes names, but no bytes.
func probed(file *os.File, err error) error {
	if err != nil {
		return err
	}
	_, err = file.Write([]byte{0})
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

func resultStem(name string) (string, bool) {
	for _, t := range mediaTypes {
		if stem, ok := strings.CutSuffix(name, t.ext); ok {
			return stem, true
		}
	}
	return name, false
}
