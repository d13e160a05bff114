package media

import (
	"bytes"
	"image"
	_ "image/gif" // dimensions of materials
	_ "image/jpeg"
	_ "image/png"
	"mime"
	"net/http"
	"strings"

	_ "golang.org/x/image/webp"

	"darkroom/api"
)

// linkHead is how much of a material is read to learn what it is.
const linkHead = 64 << 10

// Link is what the answer to one request says of the file at an address. Zero
// fields are not known.
type Link struct {
	Status        int
	Type          string // media type: by the first bytes, else as the host says
	Bytes         int64
	Width, Height int // of a picture
}

// read takes in the beginning of the file and the type that its host gives.
func (l *Link) read(head []byte, given string) {
	l.Type, _, _ = mime.ParseMediaType(given)
	l.Type = api.Clean(l.Type, 80).String()
	if t := sniff(head); t.ext != unknownType.ext && !strings.HasPrefix(l.Type, "audio/") {
		l.Type = t.name
	} else if found, _, _ := strings.Cut(http.DetectContentType(head), ";"); found == "text/html" || strings.HasPrefix(found, "audio/") {
		l.Type = found
	}
	if strings.HasPrefix(l.Type, "image/") {
		if c, _, err := image.DecodeConfig(bytes.NewReader(head)); err == nil {
			l.Width, l.Height = c.Width, c.Height
		}
	}
}

// Page reports whether the file is a page or another text, no media.
func (l Link) Page() bool {
	return strings.HasPrefix(l.Type, "text/") || l.Type == "application/json" || l.Type == "application/xhtml+xml"
}

// Fits reports whether the file can be a material of the kind, as far as its
// type is known.
func (l Link) Fits(kind api.MaterialKind) bool {
	group, _, _ := strings.Cut(l.Type, "/")
	switch group {
	case "image":
		return kind == api.MaterialImage
	case "video":
		return kind == api.MaterialVideo || kind == api.MaterialAudio && l.Type == "video/mp4" // m4a
	case "audio":
		return kind == api.MaterialAudio
	}
	return true
}
