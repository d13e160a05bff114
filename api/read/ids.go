package read

import (
	"cmp"
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
	*node
	id string
}

// idSearch gathers the distinct ids of an answer, best first.
type idSearch struct {
	*view
	found []identity
}

// ids gives the ids of the answer, best first: by class of key over all
// scopes, within a class the job's own scope first.
func (v *view) ids() []identity {
	s := &idSearch{view: v}
	for _, scope := range v.scopes {
		j := scope.get("job")
		if j.is(shapeObject) {
			j = j.get("id")
		}
		if !j.is(shapeArray) {
			s.add(j, idText(j))
		}
	}
	for _, keys := range idKeys {
		s.listed(keys)
	}
	s.unlisted(unlistedIDIn)
	// Of a call that was refused the request's id is a trace, and so are others.
	if refused := !v.status.is(shapeString) && markedError(v.root); len(s.found) == 0 && !refused {
		s.listed(requestIDKeys)
		s.unlisted(func(n *node) *node {
			return first(n.children, func(c *node) bool { return unlistedID(c.name) && idText(c) != "" })
		})
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
		s.found = append(s.found, identity{n, id})
	}
}

func (s *idSearch) listed(keys terms) {
	for _, scope := range s.scopes {
		for c := range scope.each(keys) {
			s.add(c, idText(c))
		}
	}
}

func (s *idSearch) unlisted(in func(*node) *node) {
	for _, scope := range s.scopes {
		c := in(scope)
		s.add(c, idText(c))
	}
}

// unlistedIDIn gives the id under a key that nobody listed, such as xyz_id and
// xyz_uuid, if it names a job.
func unlistedIDIn(n *node) *node {
	return first(n.children, func(c *node) bool { return unlistedID(c.name) && jobNames.has(c.name) && idText(c) != "" })
}

// unlistedID reports whether a key ends like an id's and does not name
// something else.
func unlistedID(name string) bool { return idEnds.has(name) && !foreignIDs.has(name) }

// bare reads an operation's name, and plain strings where an object should be.
func (s *idSearch) bare() {
	for _, scope := range s.scopes {
		if n := scope.get("name"); strings.Contains(n.scalar(), "operations/") || scope.get("done") != nil {
			s.add(n, idText(n))
		}
		for c := range scope.each(bareIDs) {
			if c.is(shapeArray) && c.size == 1 {
				c = c.first
			}
			if bareID(c) && classify(c.text) == api.StatusUnlisted {
				s.add(c, idText(c))
			}
		}
	}
	if bareID(s.root) {
		s.add(s.root, idText(s.root))
	}
}

// bareID reports whether a string can only be an id: one token with a digit
// that is not an address.
func bareID(n *node) bool {
	s := idText(n)
	return !n.is(shapeArray) && len(s) >= 4 && len(s) <= api.MaxIDText && strings.ContainsAny(s, "0123456789") && oneToken(s, "-_:")
}

// oneToken reports whether a text has only letters, digits and the given joints.
func oneToken(s, joints string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') && !strings.ContainsRune(joints, r)
	}) < 0
}

// addresses reads the ids in poll addresses.
func (s *idSearch) addresses() {
	for _, scope := range s.scopes {
		for box := range scope.boxes(pollBoxes) {
			for c := range box.children {
				if pollKeys.has(c.name) {
					s.add(c, idInURL(cmp.Or(c.scalar(), c.get("url").scalar())))
				}
			}
		}
	}
}

// idInURL gives the id in a poll address: a query parameter, or the last
// segment that is not a word for the call.
func idInURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || !strings.Contains(s, "/") || mediaSuffix(s) != "" {
		return ""
	}
	query := u.Query()
	for _, key := range [...]string{"id", "task_id", "taskId", "job_id", "jobId", "request_id"} {
		if v := query.Get(key); v != "" {
			return v
		}
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	if last := strings.ToLower(parts[len(parts)-1]); len(parts) > 1 && (resultNodes.has(last) || last == "status" || last == "cancel") {
		parts = parts[:len(parts)-1]
	}
	if id := parts[len(parts)-1]; len(id) <= maxID && strings.ContainsAny(id, "0123456789") {
		return id
	}
	return ""
}

// idText gives the id in a value: a string as it is or the end of an address, an
// integer by its digits.
func idText(n *node) string {
	switch {
	case n.is(shapeString):
		if s := strings.TrimSpace(n.text); isAddress(s) {
			return idInURL(s)
		} else if len(s) <= maxID && s != "0" && !strings.ContainsAny(s, " \t\n") {
			return s
		}
	case n.is(shapeNumber) && n.says() && strings.Trim(n.text, "0123456789") == "":
		return n.text
	case n.is(shapeArray):
		return idText(n.first)
	}
	return ""
}

// ownID gives the id of one object by its listed keys, without keys whose
// value may be a trace of the call.
func ownID(n *node) *node {
	for _, keys := range idKeys {
		if c := first(n.each(keys), func(c *node) bool { return idText(c) != "" }); c != nil {
			return c
		}
	}
	return nil
}

// certain reports whether an id stands where only the job's own can stand:
// under a key that names the job, or as the id of the object that has the
// job's status; and not in one of several elements of a list.
func (v *view) certain(n *node) bool {
	for p := n; p != nil; p = p.parent {
		if p.is(shapeArray) && p.size > 1 {
			return false
		}
	}
	if n.name == "job" || idKeys[0].has(n.name) || idKeys[1].has(n.name) {
		return true
	}
	return n.name == "id" && n.parent != nil && (n.parent == v.job || n.parent.name == "job")
}

// ScanIDs gives the values that may be a job's id from an answer that was
// cut short or proves nothing, best first. accepted is false for answers that
// are not a 2xx: there a request or trace id is all the more likely and left
// out.
func ScanIDs(raw []byte, accepted bool) []string {
	root, err := parseTree(raw)
	if err == errDeep {
		return nil
	}
	ranks := make([][]string, len(idKeys)+1)
	root.below(func(n *node) {
		rank := slices.IndexFunc(idKeys[:], func(keys terms) bool { return keys.has(n.name) })
		switch {
		case n.name == "job":
			rank = 0
		case accepted && requestIDKeys.has(n.name):
			rank = len(idKeys)
		}
		if rank >= 0 && n.parent.is(shapeObject) && (n.is(shapeString) || n.is(shapeNumber)) && PollableID(n.text) && len(ranks[rank]) < 64 {
			ranks[rank] = append(ranks[rank], n.text)
		}
	})
	var ids []string
	for _, id := range slices.Concat(ranks...) {
		if !slices.Contains(ids, id) && len(ids) < MaxCandidates {
			ids = append(ids, id)
		}
	}
	return ids
}

// IDAt gives the text or whole number at a path as JobAnswer.IDPath writes it,
// or "".
func IDAt(raw []byte, path string) (id string) {
	root, err := parseTree(raw)
	if err != nil {
		return ""
	}
	root.below(func(n *node) {
		if (n.is(shapeString) || n.is(shapeNumber)) && n.path() == path {
			id = idText(n)
		}
	})
	return id
}
