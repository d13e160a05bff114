package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"darkroom/api"
)

// Bounds: of a recipe that is read, and of what is moved in a file to make room
// for one.
const (
	maxRecipe = 1 << 20
	maxMoved  = 64 << 20
)

// marks are what a recipe within a file begins with: in PNG an iTXt chunk that
// is not compressed, in JPEG a comment, in MP4 and QuickTime a uuid box.
var marks = map[string]string{
	".png": "darkroom\x00\x00\x00\x00\x00",
	".jpg": "darkroom recipe\x00",
	".mp4": "\x8b\x3e\x1f\x52\x0c\x77\x4d\x0e\xa9\x15\x6e\x2d\x93\x40\xb7\x5c",
	".mov": "\x8b\x3e\x1f\x52\x0c\x77\x4d\x0e\xa9\x15\x6e\x2d\x93\x40\xb7\x5c",
}

// embed writes a recipe into a part that came to its end. A file whose format
// has no place for one, or whose structure is not plain, stays as it is.
func (p *part) embed(recipe []byte) error {
	ext := sniff(p.head).ext
	at, _ := inside(p.file, p.size, ext)
	added := pieceOf(ext, recipe)
	if at < 0 || len(recipe) == 0 || added == nil || p.size-at > maxMoved {
		return nil
	}
	if at == p.size {
		_, err := p.Write(added)
		return err
	}
	tail := readAt(p.file, at, int(p.size-at))
	if tail == nil {
		return io.ErrUnexpectedEOF
	}
	if _, err := p.file.WriteAt(append(added, tail...), at); err != nil {
		return err
	}
	return p.resume(p.size + int64(len(added)))
}

// pieceOf is the chunk, segment or box that holds a recipe; nil where none can.
func pieceOf(ext string, recipe []byte) []byte {
	body := append([]byte(marks[ext]), recipe...)
	switch ext {
	case ".png":
		chunk := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), "iTXt"...)
		chunk = append(chunk, body...)
		return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	case ".jpg":
		if len(body) > 0xffff-2 {
			return nil
		}
		return append(binary.BigEndian.AppendUint16([]byte{0xff, 0xfe}, uint16(len(body)+2)), body...)
	case ".mp4", ".mov":
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+8)), "uuid"...), body...)
	}
	return nil
}

// piece is a chunk, segment or box of a file, or what stands where one should.
type piece struct {
	end      int64 // where the next one begins; 0 when this is none
	from, to int64 // of the text of one that may hold a recipe
	last     bool  // recipes stand before it
}

// inside finds the place in a file where a recipe belongs, -1 when there is
// none, and the last recipe that stands before it.
func inside(r io.ReaderAt, size int64, ext string) (at int64, recipe []byte) {
	var next func(r io.ReaderAt, offset, size int64) piece
	offset := int64(0)
	switch ext {
	case ".png":
		next, offset = nextChunk, 8
	case ".jpg":
		next, offset = nextSegment, 2
	case ".mp4", ".mov":
		next = nextBox
	default:
		return -1, nil
	}
	for range maxWalk {
		p := next(r, offset, size)
		if p.last {
			return offset, recipe
		}
		if p.end <= offset || p.end > size {
			break
		}
		if n := p.to - p.from; n > 0 && n <= maxRecipe {
			if text, ok := bytes.CutPrefix(readAt(r, p.from, int(n)), []byte(marks[ext])); ok {
				recipe = text
			}
		}
		offset = p.end
	}
	return -1, recipe
}

// nextChunk reads the head of a chunk of PNG.
func nextChunk(r io.ReaderAt, offset, _ int64) piece {
	head := readAt(r, offset, 8)
	if head == nil {
		return piece{}
	}
	p := piece{end: offset + 12 + int64(binary.BigEndian.Uint32(head))}
	switch string(head[4:]) {
	case "IEND":
		p.last = true
	case "iTXt":
		p.from, p.to = offset+8, p.end-4
	}
	return p
}

// nextSegment reads the head of a segment of JPEG: the applications' and the
// comments come first.
func nextSegment(r io.ReaderAt, offset, _ int64) piece {
	head := readAt(r, offset, 4)
	switch {
	case head == nil || head[0] != 0xff:
		return piece{}
	case head[1] != 0xfe && head[1]&0xf0 != 0xe0:
		return piece{last: true}
	}
	p := piece{end: offset + 2 + int64(binary.BigEndian.Uint16(head[2:]))}
	if head[1] == 0xfe {
		p.from, p.to = offset+4, p.end
	}
	return p
}

// nextBox reads the head of an outer box of MP4.
func nextBox(r io.ReaderAt, offset, size int64) piece {
	if offset == size {
		return piece{last: true}
	}
	head := readAt(r, offset, 8)
	if head == nil || !strings.Contains(outerBoxes, string(head[4:])+" ") {
		return piece{}
	}
	long := int64(binary.BigEndian.Uint32(head))
	if long == 1 {
		more := readAt(r, offset+8, 8)
		if more == nil || more[0] != 0 {
			return piece{}
		}
		return piece{end: offset + int64(binary.BigEndian.Uint64(more))}
	}
	if long < 8 { // 0 is up to the end, wherever that is
		return piece{}
	}
	p := piece{end: offset + long}
	if string(head[4:]) == "uuid" {
		p.from, p.to = offset+8, p.end
	}
	return p
}

// SavedRequest reads the request that a file holds as text or within a result,
// or that the recipe beside a result holds. Of a pipe or device it holds none:
// that may never come to an end.
func SavedRequest(path string) (r api.Request, ok bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return r, false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return r, false, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxRecipe))
	if err != nil {
		return r, false, err
	}
	if ext := sniff(text[:min(len(text), sniffLen)]).ext; ext != "" && marks[ext] != "" {
		_, text = inside(file, info.Size(), ext)
	}
	if r, ok = api.ReadRequest(string(text)); ok || strings.HasSuffix(path, recipeEnd) {
		return r, ok, nil
	}
	if r, ok, err = SavedRequest(strings.TrimSuffix(path, filepath.Ext(path)) + recipeEnd); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return r, ok, err
}
