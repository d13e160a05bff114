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

// mediaTypes are the types by the ending of an address.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif", ".avif": "image/avif",
	".bmp": "image/bmp", ".mp4": "video/mp4", ".m4v": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".mkv": "video/x-matroska",
}

// readMedia reads one string as an output: an address or the bytes. known
// says that the key names media; without it only an address that ends like
// a media file is taken.
func readMedia(n *node, under string, known bool) (api.Result, bool) {
	s := strings.TrimSpace(n.text)
	switch {
	case s == "":
		return api.Result{}, false
	case len(s) > 5 && strings.EqualFold(s[:5], "data:"):
		return dataURI(s)
	case isAddress(s):
		r := api.Result{URL: s, MediaType: typeBeside(n)}
		return r, (known || mediaSuffix(s) != "") && !soundEndings.has(ending(s)) && !strings.HasPrefix(r.MediaType, "audio/")
	case isRelative(s):
		return api.Result{URL: s, MediaType: typeBeside(n)}, mediaSuffix(s) != "" || known && strings.Contains(under, "url")
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

// ending gives the ending of an address before its query, in lower case.
func ending(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	if len(s) > maxURL {
		return ""
	}
	return strings.ToLower(path.Ext(s))
}

// mediaSuffix gives the type by the ending, else "".
func mediaSuffix(s string) string { return mediaTypes[ending(s)] }

// typeBeside is the media type that stands next to an address, as "video/mp4",
// "video" or "mp4".
func typeBeside(n *node) string {
	for c := range n.owner().each(typeKeys) {
		t := strings.ToLower(c.clean(64))
		family, _, whole := strings.Cut(t, "/")
		switch s := mediaTypes["."+t]; {
		case (family == "image" || family == "video" || family == "audio") && whole:
			return t
		case family == "image" || family == "video" || family == "audio":
			return t + "/*"
		case s != "" && c.name != "type":
			return s
		}
	}
	return ""
}

// TypeKind gives the kind of a media type such as "video/mp4", else "".
func TypeKind(mediaType string) api.Kind {
	family, _, _ := strings.Cut(mediaType, "/")
	if len(family) < len(mediaType) && (family == "image" || family == "video") {
		return api.Kind(family)
	}
	return ""
}

// dataURI reads the bytes in a data: URI.
func dataURI(s string) (api.Result, bool) {
	head, body, ok := strings.Cut(s[5:], ",")
	mediaType, params, _ := strings.Cut(strings.ToLower(head), ";")
	if !ok || len(head) > 200 || !strings.Contains(params, "base64") {
		return api.Result{}, false
	}
	data, ok := DecodeBase64(body)
	if TypeKind(mediaType) == "" {
		mediaType = Sniff(data)
	}
	return api.Result{Data: data, MediaType: api.Clean(mediaType, 64).String()}, ok && len(data) > 0 && TypeKind(mediaType) != ""
}

// encoded reads base64. Under a name that says so anything is taken; elsewhere
// the bytes must begin like a media file.
func encoded(s, under string, known bool, n *node) (api.Result, bool) {
	if !strings.Contains(under, "b64") && !strings.Contains(under, "base64") {
		if len(s) < 12 || !known && under != "data" {
			return api.Result{}, false
		}
		// Look at the beginning before decoding megabytes.
		head, ok := DecodeBase64(s[:min(len(s), 64)/4*4])
		if !ok || TypeKind(Sniff(head)) == "" {
			return api.Result{}, false
		}
	}
	data, ok := DecodeBase64(s)
	mediaType := Sniff(data)
	if TypeKind(mediaType) == "" {
		mediaType = typeBeside(n)
	}
	return api.Result{Data: data, MediaType: mediaType}, ok && len(data) > 0
}

// Base64Letter maps a character of either base64 alphabet to the standard one,
// and line ends and padding, which are left out, to -1.
func Base64Letter(r rune) rune {
	switch r {
	case '\n', '\r', '=':
		return -1
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// DecodeBase64 decodes either alphabet, with or without padding and line ends.
func DecodeBase64(s string) ([]byte, bool) {
	s = strings.Map(Base64Letter, s)
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
	if t := http.DetectContentType(b[:min(len(b), 512)]); TypeKind(t) != "" {
		return t
	}
	return ""
}
