package read

import (
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

// readMedia reads one string as an output: an address or the bytes. Unless the key
// is known for media, only an address that ends like a media file is taken.
func readMedia(n *node, under string, known bool) (api.Result, bool) {
	s := strings.TrimSpace(n.text)
	switch {
	case len(s) > 5 && strings.EqualFold(s[:5], "data:"):
		head, body, _ := strings.Cut(s[5:], ",")
		mediaType, _, _ := strings.Cut(strings.ToLower(head), ";")
		data, ok := decodeBase64(body)
		return api.Result{Data: data, MediaType: mediaType}, ok && len(data) > 0 && TypeKind(mediaType) != ""
	case isAddress(s):
		r := api.Result{URL: s, MediaType: typeBeside(n)}
		return r, (known || mediaSuffix(s) != "") && !soundEndings.has(ending(s)) && !strings.HasPrefix(r.MediaType, "audio/")
	case isRelative(s):
		return api.Result{URL: s, MediaType: typeBeside(n)}, true
	}
	// Under a name that says so any base64 is taken; elsewhere the bytes must begin
	// like a media file.
	data, ok := decodeBase64(s)
	r := api.Result{Data: data, MediaType: Sniff(data)}
	said := strings.Contains(under, "b64") || strings.Contains(under, "base64")
	return r, ok && len(data) > 0 && (said || known && r.MediaType != "")
}

func isAddress(s string) bool {
	if len(s) > maxURL {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// isRelative accepts addresses of media relative to the base: /files/1.mp4, files/1.mp4.
func isRelative(s string) bool {
	if len(s) > maxURL || mediaSuffix(s) == "" || !strings.Contains(s, "/") || strings.ContainsAny(s, " \t\r\n<>{}\"\\") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && u.Scheme == "" && u.User == nil
}

// ending gives the ending of an address before its query, in lower case.
func ending(s string) string {
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		s = s[:i]
	}
	return strings.ToLower(path.Ext(s))
}

func mediaSuffix(s string) string { return mediaTypes[ending(s)] }

// typeBeside is the type next to an address, as "video/mp4".
func typeBeside(n *node) string {
	for c := range n.owner().each(typeKeys) {
		if t := strings.ToLower(c.clean(64)); TypeKind(t) != "" || strings.HasPrefix(t, "audio/") {
			return t
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

// decodeBase64 decodes either alphabet, with or without padding and line ends.
func decodeBase64(s string) ([]byte, bool) {
	data, err := base64.RawStdEncoding.DecodeString(strings.Map(Base64Letter, s))
	return data, err == nil
}

// Sniff gives image/… or video/… by magic bytes, else "".
func Sniff(b []byte) string {
	if len(b) >= 12 && string(b[4:8]) == "ftyp" {
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
	if t := http.DetectContentType(b); TypeKind(t) != "" {
		return t
	}
	return ""
}
