package mcp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"darkroom/api"
)

// toolPlaces are known paths of such entries, most likely first.
var toolPlaces = []string{"/api/v1/mcp", "/api/mcp", "/mcp", "/api/v1/mcp-http", "/v1/mcp"}

// toolCandidates gives the paths to try, under the base URL's prefix first.
func (c *Client) toolCandidates() (out []string) {
	for _, prefix := range slices.Compact([]string{c.Base.EscapedPath(), ""}) {
		for _, place := range toolPlaces {
			out = append(out, prefix+place)
		}
	}
	return out
}

// Address is the whole URL of the entry at a path from the origin's root.
func Address(base *url.URL, path string) string {
	return base.Scheme + "://" + base.Host + path
}

// ParseEntryPath reads the place of the entry as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseEntryPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = Address(base, strings.TrimRight(base.EscapedPath(), "/")+s)
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" ||
		len(Address(base, u.EscapedPath())) > api.MaxBaseText:
		return "", api.Sentence("the tool entry's path cannot be read; give it as /api/v1/mcp, or as a full URL").Fault(nil)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", api.Sentence("the tool entry's path must not hold a user, a query or a fragment").Fault(nil)
	case api.Origin(u) != api.Origin(base):
		return "", api.Sentence("the tool entry is at another host than the base URL, where the key is not sent").Fault(nil)
	}
	if _, err := api.BasePath(u); err != nil {
		return "", api.Sentence("the tool entry's path must not hold empty, . or .. steps").Fault(nil)
	}
	return u.EscapedPath(), nil
}

// notThere reports whether an answer only says that the entry is elsewhere.
func notThere(e *api.Error) bool {
	switch e.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusNotAcceptable, http.StatusBadRequest:
		return true
	}
	return e.Class == api.ClassUnreadable || e.Class == api.ClassNotFound
}
