package mcp

import (
	"net/http"
	"net/url"
	"strings"

	"darkroom/api"
)

// toolPlaces are known paths of such entries, most likely first.
var toolPlaces = [...]string{"/api/v1/mcp", "/api/mcp", "/mcp", "/api/v1/mcp-http", "/v1/mcp"}

// toolCandidates gives the paths to try, under the base URL's prefix first and
// then at the origin's root.
func (c *Client) toolCandidates() []string {
	prefix := c.Base.EscapedPath()
	var out []string
	for _, p := range toolPlaces {
		out = append(out, prefix+p)
	}
	if prefix != "" {
		out = append(out, toolPlaces[:]...)
	}
	return out
}

// Address gives the whole URL of the entry at a path from the origin's
// root, as other clients want it.
func Address(base *url.URL, path string) string {
	if base == nil || path == "" {
		return ""
	}
	return base.Scheme + "://" + base.Host + path
}

// ParseEntryPath reads the place of the entry as a person writes it: a path under
// the base URL, or a whole address at the base URL's origin. It gives the
// escaped path from the origin's root.
func ParseEntryPath(base *url.URL, s string) (string, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "/") {
		s = base.Scheme + "://" + base.Host + strings.TrimRight(base.EscapedPath(), "/") + s
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Host == "" || u.EscapedPath() == "" || len(s) > api.MaxBaseText ||
		len(base.Scheme)+len("://")+len(base.Host)+len(u.EscapedPath()) > api.MaxBaseText: // escapes make it longer
		return "", errToolsPathText
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errToolsPathUser
	case api.Origin(u) != api.Origin(base):
		return "", errToolsPathHost
	}
	if _, err := api.BasePath(u); err != nil {
		return "", errToolsPathSteps
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

// Why a path of the tool entry is not taken.
var (
	errToolsPathText = api.Sentence("the tool entry's path cannot be read; give it as /api/v1/mcp, " +
		"or as a whole address").Fault(nil)
	errToolsPathUser = api.Sentence("the tool entry's path must not hold a user, a query or a fragment").Fault(nil)
	errToolsPathHost = api.Sentence("the tool entry is at another host than the base URL, " +
		"where the key is not sent").Fault(nil)
	errToolsPathSteps = api.Sentence("the tool entry's path must not hold empty, . or .. steps").Fault(nil)
)
