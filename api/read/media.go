package read

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"strings"

	"darkroom/api"
)

// maxURL is the longest address that is kept; signed ones reach some KiB.
const maxURL = 16 << 10

// readMedia reads one string as an output: an address or the bytes. known
// says that the key speaks of media; without it only an address that ends like
// a media file is taken.
func readMedia(n *node, under string, known bool) (api.Result, bool) {
	s := strings.TrimSpace(n.text)
	var r api.Result
	switch {
	case s == "":
		return r, false
	case len(s) > 5 && strings.EqualFold(s[:5], "data:"):
		return dataURI(s)
	case isAddress(s):
		if !known && mediaSuffix(s) == "" || soundSuffix(s) {
			return r, false
		}
		r.URL, r.MediaType = s, toldType(n)
		return r, !strings.HasPrefix(r.MediaType, "audio/")
	case isRelative(s):
		if !known && mediaSuffix(s) == "" || mediaSuffix(s) == "" && !strings.Contains(under, "url") {
			return r, false
		}
		r.URL, r.MediaType = s, toldType(n)
		return r, true
	}
	return encoded(s, under, known, n)
}

// isAddress accepts http and https addresses with a host; gs:// and others
// cannot be fetched.
func isAddress(s string) bool {
	if len(s) < 8 || len(s) > maxURL || !strings.EqualFold(s[:4], "http") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// isRelative accepts addresses relative to the base: /files/1.mp4, files/1.mp4.
func isRelative(s string) bool {
	if len(s) > maxURL || !strings.Contains(s, "/") || strings.ContainsAny(s, " \t\r\n<>{}\"\\") {
		return false
	}
	if s[0] != '/' && mediaSuffix(s) == "" || strings.HasPrefix(s, "/9j/") { // /9j/ begins a base64 JPEG
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "" && u.Opaque == "" && u.Path != "" && u.User == nil
}

// mediaSuffix gives the type by the ending before the query, else "".
func mediaSuffix(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	if len(s) > maxURL {
		return ""
	}
	switch strings.ToLower(path.Ext(s)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".avif":
		return "image/avif"
	case ".bmp":
		return "image/bmp"
	case ".mp4", ".m4v":
		return "video/mp4"
	case ".webm":
		return "video/webm"
	case ".mov":
		return "video/quicktime"
	case ".mkv":
		return "video/x-matroska"
	}
	return ""
}

func soundSuffix(s string) bool {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	switch strings.ToLower(path.Ext(s)) {
	case ".mp3", ".wav", ".m4a", ".flac", ".ogg", ".json", ".txt", ".html":
		return true
	}
	return false
}

// toldType is the media type told beside an address.
func toldType(n *node) string {
	p := n.parent
	if p.is(shapeArray) {
		p = p.parent
	}
	for _, name := range [...]string{"contenttype", "mimetype", "mediatype", "filetype", "mime", "type", "format", "videotype", "imagetype"} {
		c := p.get(name)
		if !c.is(shapeString) || len(c.text) > 64 {
			continue
		}
		t := strings.ToLower(strings.TrimSpace(c.text))
		if strings.HasPrefix(t, "image/") || strings.HasPrefix(t, "video/") || strings.HasPrefix(t, "audio/") {
			return api.Clean(t, 64).String()
		}
		if s := mediaSuffix("." + t); s != "" && name != "type" {
			return s
		}
		if t == "image" || t == "video" || t == "audio" {
			return t + "/*"
		}
	}
	return ""
}

func TypeKind(mediaType string) api.Kind {
	switch {
	case strings.HasPrefix(mediaType, "image/"):
		return api.KindImage
	case strings.HasPrefix(mediaType, "video/"):
		return api.KindVideo
	}
	return ""
}

// oneKind gives the kind when the words are for one of them alone.
func oneKind(video, image bool) api.Kind {
	switch {
	case video && !image:
		return api.KindVideo
	case image && !video:
		return api.KindImage
	}
	return ""
}

// keyKind is what a key's name says of the kind.
func keyKind(name string) api.Kind {
	video := strings.Contains(name, "video") || strings.Contains(name, "mp4") || strings.Contains(name, "movie")
	image := strings.Contains(name, "image") || strings.Contains(name, "img") || strings.Contains(name, "picture") || strings.Contains(name, "photo")
	return oneKind(video, image)
}

func dataURI(s string) (api.Result, bool) {
	head, body, ok := strings.Cut(s[5:], ",")
	mediaType, params, _ := strings.Cut(strings.ToLower(head), ";")
	if !ok || len(head) > 200 || !strings.Contains(params, "base64") {
		return api.Result{}, false
	}
	data, ok := DecodeBase64(body)
	if !ok || TypeKind(mediaType) == "" && TypeKind(Sniff(data)) == "" {
		return api.Result{}, false
	}
	if TypeKind(mediaType) == "" {
		mediaType = Sniff(data)
	}
	return api.Result{Data: data, MediaType: api.Clean(mediaType, 64).String()}, true
}

// encoded reads base64. Under a name that says so anything is taken; elsewhere
// the bytes must begin like a media file.
func encoded(s, under string, known bool, n *node) (api.Result, bool) {
	told := strings.Contains(under, "b64") || strings.Contains(under, "base64")
	if !told && (len(s) < 12 || !known && under != "data") {
		return api.Result{}, false
	}
	if !told { // look at the beginning before decoding megabytes
		head, ok := DecodeBase64(s[:min(len(s), 64)/4*4])
		if !ok || TypeKind(Sniff(head)) == "" {
			return api.Result{}, false
		}
	}
	data, ok := DecodeBase64(s)
	if !ok || len(data) == 0 {
		return api.Result{}, false
	}
	mediaType := Sniff(data)
	if TypeKind(mediaType) == "" {
		mediaType = toldType(n)
	}
	return api.Result{Data: data, MediaType: mediaType}, true
}

func DecodeBase64(s string) ([]byte, bool) {
	s = strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '=':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, s)
	data, err := base64.RawStdEncoding.DecodeString(s)
	return data, err == nil
}

// Sniff gives image/… or video/… by magic bytes, else "".
func Sniff(b []byte) string {
	if len(b) >= 12 && bytes.Equal(b[4:8], []byte("ftyp")) {
		switch string(b[8:12]) {
		case "avif", "avis":
			return "image/avif"
		case "qt  ":
			return "video/quicktime"
		case "M4A ":
			return ""
		}
		return "video/mp4"
	}
	if bytes.HasPrefix(b, []byte("\x1a\x45\xdf\xa3")) {
		return "video/webm"
	}
	t := http.DetectContentType(b[:min(len(b), 512)])
	if TypeKind(t) == "" {
		return ""
	}
	return t
}
