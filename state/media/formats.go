package media

import (
	"bytes"
	"strings"
)

// sniffLen is how many bytes decide on a type.
const sniffLen = 512

// mediaType is a kind of file by its first bytes.
type mediaType struct {
	ext  string
	name string
	is   func(head []byte) bool
}

const pngMark = "\x89PNG\r\n\x1a\n"

// mediaTypes are the types that darkroom saves under their own extension and
// opens. Everything else is kept as .bin and never opened.
var mediaTypes = [...]mediaType{
	{".png", "image/png", starts(pngMark)},
	{".jpg", "image/jpeg", starts("\xff\xd8\xff")},
	{".webp", "image/webp", func(h []byte) bool {
		return len(h) >= 12 && string(h[:4]) == "RIFF" && string(h[8:12]) == "WEBP"
	}},
	{".gif", "image/gif", func(h []byte) bool { return starts("GIF87a")(h) || starts("GIF89a")(h) }},
	{".mp4", "video/mp4", func(h []byte) bool { return mp4Brand(box(h, "ftyp")) }},
	{".webm", "video/webm", func(h []byte) bool {
		return starts("\x1a\x45\xdf\xa3")(h) && bytes.Contains(h, []byte("\x42\x82\x84webm"))
	}},
	{".mov", "video/quicktime", func(h []byte) bool {
		return box(h, "ftyp") == "qt  " || box(h, "moov") != "" || box(h, "wide") != ""
	}},
}

var unknownType = mediaType{".bin", "application/octet-stream", nil}

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
