package read

import (
	"net/url"
	"slices"
	"strings"

	"darkroom/api"
)

const (
	// MaxCandidates bounds the ids that are offered or probed.
	MaxCandidates = 8
	// maxID is the longest id that is taken for one.
	maxID = 512
)

// PollableID reports whether a job id can be asked for: not empty, not "." or
// "..", which a path would swallow, and at most 128 bytes.
func PollableID(id string) bool {
	return id != "" && id != "." && id != ".." && len(id) <= api.MaxIDText
}

// identity is one id with the place it was read from.
type identity struct {
	id   string
	node *node
}

// idText gives the id in a value: a string as it is, an integer by its digits.
func idText(n *node) string {
	switch {
	case n.is(shapeString):
		if s := strings.TrimSpace(n.text); len(s) <= maxID && s != "0" {
			return s
		}
	case n.is(shapeNumber) && n.says() && strings.Trim(n.text, "0123456789") == "":
		return n.text
	case n.is(shapeArray):
		return idText(n.first)
	}
	return ""
}

// idIn gives the id value of one object by its listed keys.
func (l *vocabulary) idIn(n *node) *node { return l.idOf(n, l.idLists[:]) }

// ownID is idIn without ids that may be a trace of the call.
func (l *vocabulary) ownID(n *node) *node { return l.idOf(n, l.idLists[:len(l.idLists)-1]) }

func (l *vocabulary) idOf(n *node, lists [][]string) *node {
	for _, names := range lists {
		if c := first(n.each(names), func(c *node) bool { return idText(c) != "" }); c != nil {
			return c
		}
	}
	return nil
}

// idSearch gathers the distinct ids of an answer, best first.
type idSearch struct {
	*jobView
	found []identity
}

// ids gives the ids of the answer, best first: by class of key over all
// scopes, within a class the job's own scope first.
func (v *jobView) ids() []identity {
	s := &idSearch{jobView: v}
	for _, scope := range v.scopes {
		switch j := scope.get("job"); {
		case j.is(shapeString) && isAddress(j.text):
			s.add(j, idInURL(j.text))
		case j.is(shapeObject):
			s.add(j.get("id"), idText(j.get("id")))
		case !j.is(shapeArray):
			s.add(j, idText(j))
		}
	}
	for _, list := range s.idLists[:len(s.idLists)-1] {
		s.exact(list)
	}
	s.unlisted(true)
	// Of a call that was refused the request's id is a trace, and so are others.
	if refused := !v.status.is(shapeString) && markedError(v.root); len(s.found) == 0 && !refused {
		s.exact(s.RequestIDKeys)
		s.unlisted(false)
	}
	if len(s.found) == 0 {
		s.bare()
		s.addresses()
	}
	return s.found
}

func (s *idSearch) add(n *node, id string) {
	if id == "" || len(s.found) > MaxCandidates {
		return
	}
	if !slices.ContainsFunc(s.found, func(have identity) bool { return have.id == id }) {
		s.found = append(s.found, identity{id, n})
	}
}

func (s *idSearch) exact(names []string) {
	for _, scope := range s.scopes {
		for c := range scope.each(names) {
			s.add(c, idText(c))
		}
	}
}

// unlisted reads keys that nobody listed, such as xyz_id and xyz_uuid: those
// that name a job, or the others.
func (s *idSearch) unlisted(ofJob bool) {
	for _, scope := range s.scopes {
		for c := range scope.children {
			if unlistedID(c.name) && words().JobNames.match(c.name) == ofJob {
				s.add(c, idText(c))
			}
		}
	}
}

func (v *jobView) hasUnlistedID(n *node) bool {
	return first(n.children, func(c *node) bool { return unlistedID(c.name) && words().JobNames.match(c.name) && idText(c) != "" }) != nil
}

// unlistedID reports whether a key ends like an id's and does not name
// something else.
func unlistedID(name string) bool {
	for _, end := range words().IdEnds {
		if stem, ok := strings.CutSuffix(name, end); ok {
			return stem != "" && !words().NotJobIDs.match(stem)
		}
	}
	return slices.ContainsFunc(words().NumberEnds, func(end string) bool { return words().NumberedJobs[strings.TrimSuffix(name, end)] })
}

// bare reads an operation's name and plain strings where an object should be.
func (s *idSearch) bare() {
	for _, scope := range s.scopes {
		if n := scope.get("name"); n.is(shapeString) && (strings.Contains(n.text, "operations/") || scope.get("done") != nil) {
			s.add(n, idText(n))
		}
		for c := range scope.each(words().BareIDs) {
			if c.is(shapeArray) && (c.size == 1 || c.name == "jobs" || c.name == "tasks") {
				c = c.first
			}
			if bareID(c) && s.classify(c.text) == api.StatusUnlisted {
				s.add(c, idText(c))
			}
		}
	}
	for _, scope := range s.scopes {
		for c := range scope.each(words().JobReferences) {
			if words().JobNames.match(scope.name) && bareID(c) {
				s.add(c, idText(c))
			}
		}
	}
	if bareID(s.root) {
		s.add(s.root, idText(s.root))
	}
}

// addresses reads the ids in poll addresses.
func (s *idSearch) addresses() {
	for _, scope := range s.scopes {
		for _, name := range s.PollURLKeys {
			for _, path := range [...]string{name, name + ".url", "urls." + name, "links." + name} {
				c := scope.at(path)
				s.add(c, idInURL(c.scalar()))
			}
		}
		for c := range scope.children {
			if words().PollNames.match(c.name) {
				s.add(c, idInURL(c.scalar()))
			}
		}
	}
}

// bareID reports whether a string can only be an id: one token with a digit,
// no address.
func bareID(n *node) bool {
	s := idText(n)
	return !n.is(shapeArray) && len(s) >= 4 && len(s) <= api.MaxIDText && strings.ContainsAny(s, "0123456789") && wordOf(s, "-_:")
}

// wordOf reports whether a text has only letters, digits and the given joints.
func wordOf(s, joints string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c|32 < 'a' || c|32 > 'z') && strings.IndexByte(joints, c) < 0 {
			return false
		}
	}
	return true
}

// idInURL gives the id in a poll address: a query parameter, or the last
// segment that is not a word for the call.
func idInURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || !strings.Contains(s, "/") {
		return ""
	}
	query := u.Query()
	for _, key := range words().UrlIDKeys {
		if v := query.Get(key); v != "" {
			return v
		}
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i := len(parts) - 1; i >= max(0, len(parts)-2); i-- {
		switch part := parts[i]; {
		case part == "" || words().UrlVerbs[strings.ToLower(part)]:
		case len(part) > maxID || !strings.ContainsAny(part, "0123456789"):
			return ""
		default:
			return part
		}
	}
	return ""
}

// certain reports whether an id stands where only the job's own can stand:
// under a key that names the job, or as the id of the object that has the
// job's status; and not in one of several elements of a list.
func (v *jobView) certain(id identity) bool {
	for p := id.node; p != nil; p = p.parent {
		if p.is(shapeArray) && p.size > 1 {
			return false
		}
	}
	name, parent := id.node.name, id.node.parent
	if name == "job" || slices.Contains(v.JobIDKeys, name) || slices.Contains(v.TaskIDKeys, name) {
		return true
	}
	return slices.Contains(v.PlainIDKeys, name) && parent != nil && (parent == v.job || parent.name == "job")
}
