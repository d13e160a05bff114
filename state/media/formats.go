package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"strings"
)

// sniffLen is how many bytes decide on a type.
const sniffLen = 512

// mediaType is a kind of file by its first bytes.
type mediaType struct {
	ext  string
	name string
	is   func(head []byte) bool
	cut  func(*part) bool // its end is missing
}

// mediaTypes are the types that darkroom saves under their own extension and
// opens. Everything else is kept as .bin and never opened.
var mediaTypes = [...]mediaType{
	{".png", "image/png", starts("\x89PNG\r\n\x1a\n"), (*part).cutPNG},
	{".jpg", "image/jpeg", starts("\xff\xd8\xff"), (*part).cutJPEG},
	{".webp", "image/webp", func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	}, (*part).cutWebP},
	{".gif", "image/gif", func(h []byte) bool { return starts("GIF87a")(h) || starts("GIF89a")(h) }, (*part).cutGIF},
	{".mp4", "video/mp4", func(h []byte) bool { return mp4Brand(box(h, "ftyp")) }, (*part).cutBoxes},
	{".webm", "video/webm", func(h []byte) bool {
		return starts("\x1a\x45\xdf\xa3")(h) && bytes.Contains(h, []byte("\x42\x82\x84webm"))
	}, (*part).cutWebM},
	{".mov", "video/quicktime", func(h []byte) bool {
		return box(h, "ftyp") == "qt  " || box(h, "moov") != "" || box(h, "wide") != ""
	}, (*part).cutBoxes},
}

var unknownType = mediaType{".bin", "application/octet-stream", nil, nil}

// sniff tells the type by magic bytes, whatever a header says.
func sniff(head []byte) mediaType {
	for _, t := range mediaTypes {
		if t.is(head) {
			return t
		}
	}
	return unknownType
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

// mp4Brand reports whether a major brand is video in MP4. Still pictures of
// the same family (avif, heic) are not.
func mp4Brand(brand string) bool {
	for _, p := range [...]string{"isom", "iso", "mp4", "avc", "M4V", "MSNV", "dash", "f4v", "3gp", "3g2", "hvc", "av01", "XAVC", "cmf"} {
		if strings.HasPrefix(brand, p) {
			return true
		}
	}
	return false
}

// maxWalk bounds the pieces of a file that are looked at.
const maxWalk = 1 << 16

// cutPNG walks the chunks up to IEND.
func (p *part) cutPNG() bool {
	if len(p.head) >= 16 && string(p.head[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return false
	}
	offset := int64(8)
	for range maxWalk {
		head := p.at(offset, 8)
		if head == nil {
			return true
		}
		for _, c := range head[4:] {
			if c|0x20 < 'a' || c|0x20 > 'z' {
				return false // no chunk
			}
		}
		offset += 12 + int64(binary.BigEndian.Uint32(head))
		if offset > p.size {
			return true
		}
		if string(head[4:]) == "IEND" {
			return false
		}
	}
	return false
}

// cutWebP compares the size that the head tells, which may leave out the padding
// byte, with what there is.
func (p *part) cutWebP() bool {
	return int64(binary.LittleEndian.Uint32(p.head[4:]))+8 > p.size+1
}

// cutGIF walks the blocks up to the end mark. An end between two blocks, with a
// picture before it, is none: some writers leave the mark out.
func (p *part) cutGIF() bool {
	r := bufio.NewReaderSize(io.NewSectionReader(p.file, 0, p.size), 64<<10)
	skips := func(n int) bool {
		m, _ := r.Discard(n)
		return m == n
	}
	colours := func(flags byte) int { // bytes of a table of colours
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	var head [13]byte
	if _, err := io.ReadFull(r, head[:]); err != nil || !skips(colours(head[10])) {
		return true
	}
	picture := false
	for {
		kind, err := r.ReadByte()
		switch {
		case err != nil:
			return !picture
		case kind == 0x21: // an extension: its label
			if !skips(1) {
				return true
			}
		case kind == 0x2c: // a picture: where it is, its colours, its code size
			var frame [9]byte
			if _, err := io.ReadFull(r, frame[:]); err != nil || !skips(colours(frame[8])+1) {
				return true
			}
			picture = true
		default: // the end mark, or bytes that are no block
			return false
		}
		for {
			n, err := r.ReadByte()
			if err != nil || !skips(int(n)) {
				return true
			}
			if n == 0 {
				break
			}
		}
	}
}

// cutWebM compares the length that the one segment tells, where it tells one,
// with what there is.
func (p *part) cutWebM() bool {
	size, n := p.vint(4)
	if n == 0 {
		return false
	}
	segment := 4 + n + size
	if segment >= p.size {
		return true
	}
	if string(p.at(segment, 4)) != "\x18\x53\x80\x67" {
		return false
	}
	size, n = p.vint(segment + 4)
	return n > 0 && segment+4+n+size > p.size
}

// vint reads a number of EBML: as many bytes as the first has leading zeros,
// and one. n is 0 when it is not there, or says that it is not known.
func (p *part) vint(offset int64) (value, n int64) {
	first := p.at(offset, 1)
	if first == nil || first[0] == 0 {
		return 0, 0
	}
	n = int64(bits.LeadingZeros8(first[0])) + 1
	raw := p.at(offset, int(n))
	if raw == nil {
		return 0, 0
	}
	for _, b := range raw {
		value = value<<8 | int64(b)
	}
	ones := int64(1)<<(7*n) - 1
	if value &= ones; value == ones {
		return 0, 0
	}
	return value, n
}

// outerBoxes are the names that a box of the outermost level has.
const outerBoxes = "ftyp styp moov mdat moof mfra free skip wide uuid meta sidx ssix pdin udta prft emsg imda "

// cutBoxes walks the outer boxes of MP4 and QuickTime: all must be there, and
// among them the index without which nothing can be shown.
func (p *part) cutBoxes() bool {
	index := false
	offset := int64(0)
	for n := 0; offset < p.size; n++ {
		if n == maxWalk {
			return false // a film has a few; to walk them all would take minutes
		}
		head := p.at(offset, 8)
		if head == nil {
			break // a few bytes behind the last box
		}
		size := int64(binary.BigEndian.Uint32(head))
		switch {
		case size == 1:
			long := p.at(offset+8, 8)
			if long == nil {
				return true
			}
			size = int64(binary.BigEndian.Uint64(long))
		case size == 0: // up to the end, wherever that is
			return !index && string(head[4:]) != "moov"
		}
		if size < 8 {
			return false
		}
		if !strings.Contains(outerBoxes, string(head[4:])+" ") {
			break // trailing bytes
		}
		index = index || string(head[4:]) == "moov"
		if size > p.size-offset {
			return true
		}
		offset += size
	}
	return !index
}

// cutJPEG walks the segments up to the picture's own bytes and looks for the
// end mark behind them, which cannot be a part of those.
func (p *part) cutJPEG() bool {
	offset := int64(2)
	for range maxWalk {
		head := p.at(offset, 4)
		if head == nil {
			return true
		}
		mark := head[1]
		switch {
		case head[0] != 0xff:
			return false
		case mark == 0xff: // filling
			offset++
			continue
		case mark == 0xd9:
			return false
		case mark == 0x01 || mark >= 0xd0 && mark <= 0xd7:
			offset += 2
			continue
		}
		offset += 2 + int64(binary.BigEndian.Uint16(head[2:]))
		if offset > p.size {
			return true
		}
		if mark == 0xda {
			return !p.holds(offset, []byte{0xff, 0xd9})
		}
	}
	return false
}

// holds looks for two bytes from an offset on, in the last 64 KiB first.
func (p *part) holds(offset int64, pair []byte) bool {
	const step = 64 << 10
	buf := make([]byte, step+1)
	look := func(from int64) bool {
		n, err := p.file.ReadAt(buf, from)
		return (err == nil || err == io.EOF) && bytes.Contains(buf[:n], pair)
	}
	if look(max(offset, p.size-step)) {
		return true
	}
	for ; offset < p.size-step; offset += step {
		if look(offset) {
			return true
		}
	}
	return false
}
