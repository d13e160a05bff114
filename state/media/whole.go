package media

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"net/http"
	"path"
	"strings"
)

// Why an address did not give a result, although the answer came to its end.
var (
	errPage = &Error{Reason: whyPage.Reason()}
	errCut  = &Error{Reason: whyCut.Reason(), Cause: errShort}
)

// judge says whether what came can be the result. It finds only what is
// certain: a result that was paid for is not refused because of a doubt. A page
// of text is a result only at an address that says so.
func (p *part) judge(address string) error {
	switch {
	case pageOfText(p.head) && !namesText(address):
		return errPage
	case p.cutShort(sniff(p.head).ext):
		return errCut
	}
	return nil
}

// namesText reports whether the path of an address ends as that of a text.
func namesText(address string) bool {
	address, _, _ = strings.Cut(address, "?")
	switch strings.ToLower(path.Ext(address)) {
	case ".html", ".htm", ".xhtml", ".xml", ".json", ".txt":
		return true
	}
	return false
}

// pageOfText reports whether a body is what gateways, log-in portals and
// storage send with a 200 when something is wrong: HTML, XML or JSON.
func pageOfText(head []byte) bool {
	seen := http.DetectContentType(head)
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case strings.HasPrefix(seen, "text/html"):
		return true
	case strings.HasPrefix(seen, "text/xml"):
		return !bytes.Contains(bytes.ToLower(head), []byte("<svg"))
	}
	return strings.HasPrefix(seen, "text/plain") && len(text) > 0 && text[0] == '{'
}

// maxWalk bounds the pieces of a file that are looked at.
const maxWalk = 1 << 16

// cutShort reports whether the file's own structure proves that its end is
// missing: a Content-Length that tells too little looks like a whole answer.
// Trailing bytes and breaches of a format are no proof.
func (p *part) cutShort(ext string) bool {
	switch ext {
	case ".png":
		return p.cutPNG()
	case ".jpg":
		return p.cutJPEG()
	case ".webp":
		// the size may leave out the padding byte
		return len(p.head) >= 12 && int64(binary.LittleEndian.Uint32(p.head[4:]))+8 > p.size+1
	case ".gif":
		return p.cutGIF()
	case ".mp4", ".mov":
		return p.cutBoxes()
	case ".webm":
		return p.cutWebM()
	}
	return false
}

// at reads n bytes at an offset; nil when they are not there.
func (p *part) at(offset int64, n int) []byte { return readAt(p.file, offset, n) }

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
