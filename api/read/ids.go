package read

import (
	"net/http"
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

type identity struct {
	*node
	id string
}

// ids gives the distinct ids of the answer, best first: by class of key over all
// scopes, within a class the job's own scope first.
func (v *view) ids() (found []identity) {
	add := func(n *node, id string) {
		if id != "" && len(found) <= MaxCandidates && !slices.ContainsFunc(found, func(have identity) bool { return have.id == id }) {
			found = append(found, identity{n, id})
		}
	}
	listed := func(keys terms) {
		for _, scope := range v.scopes {
			for c := range scope.each(keys) {
				add(c, idText(c))
			}
		}
	}
	for _, keys := range idKeys {
		listed(keys)
	}
	// Of a call that was refused the request's id is a trace, and so are others.
	if refused := !v.status.is(shapeString) && markedError(v.root); len(found) == 0 && !refused {
		listed(requestIDKeys)
		for _, names := range [...]terms{jobNames, idEnds} {
			for _, scope := range v.scopes {
				c := first(scope.like(names), func(c *node) bool { return idEnds.has(c.name) && idText(c) != "" })
				add(c, idText(c))
			}
		}
	}
	if len(found) > 0 {
		return found
	}
	// An operation's name, plain strings where an object should be, poll addresses.
	for _, scope := range append(v.scopes, v.root) {
		if n := scope.get("name"); strings.Contains(n.scalar(), "operations/") {
			add(n, idText(n))
		}
		for c := range scope.boxes(bareIDs) {
			s := idText(c)
			if strings.ContainsAny(s, "0123456789") && oneToken(s, "-_:") && classify(s) == api.StatusUnlisted {
				add(c, s)
			}
		}
	}
	for _, scope := range v.scopes {
		for box := range scope.boxes(pollBoxes) {
			for c := range box.like(pollKeys) {
				add(c, idInURL(c.scalar()))
			}
		}
	}
	return found
}

// oneToken reports whether a text has only letters, digits and the given joints.
func oneToken(s, joints string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r|32 < 'a' || r|32 > 'z') && !strings.ContainsRune(joints, r)
	}) < 0
}

// idInURL gives the id in a poll address: in its query, or near its end.
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
	last := strings.ToLower(parts[len(parts)-1])
	if len(parts) > 1 && (resultNodes.has(last) || last == "status" || last == "cancel") {
		parts = parts[:len(parts)-1]
	}
	if id := parts[len(parts)-1]; len(id) <= maxID && strings.ContainsAny(id, "0123456789") {
		return id
	}
	return ""
}

// idText gives the id in a value: a text, an address or an integer.
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

// hasID reports whether an object has an id that is not a trace of the call.
func hasID(n *node) bool {
	return first(n.each(allIDKeys), func(c *node) bool { return idText(c) != "" }) != nil
}

// certain reports whether an id stands where only the job's own can stand: under
// a key that names the job, or next to its status, and not in a list of several.
func (v *view) certain(n *node) bool {
	for p := n; p != nil; p = p.parent {
		if p.is(shapeArray) && p.size > 1 {
			return false
		}
	}
	named := idKeys[0].has(n.name) || idKeys[1].has(n.name)
	return named || n.name == "id" && (n.parent == v.job || n.parent.name == "job")
}

// ScanIDs gives the values that may be a job's id in an answer that was cut short
// or proves nothing, best first, and in the Location of its header, if any. The id of
// a request counts only if accepted.
func ScanIDs(header http.Header, raw []byte, accepted bool) []string {
	root, _ := parseTree(raw)
	ranks := make([][]string, len(idKeys)+1)
	if id := idInURL(header.Get("Location")); PollableID(id) {
		ranks[len(idKeys)] = []string{id}
	}
	root.below(func(n *node) {
		rank := slices.IndexFunc(idKeys[:], func(keys terms) bool { return keys.has(n.name) })
		if accepted && requestIDKeys.has(n.name) {
			rank = len(idKeys)
		}
		if rank >= 0 && n.shape != shapeBool && PollableID(n.text) {
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

// IDAt gives the id at a path as JobAnswer.IDPath writes it, or "".
func IDAt(raw []byte, path string) (id string) {
	root, err := parseTree(raw)
	if err != nil {
		return ""
	}
	root.below(func(n *node) {
		if !n.is(shapeArray) && n.path() == path {
			id = idText(n)
		}
	})
	return id
}
