package read

import (
	"net/url"
	"strings"

	"darkroom/api"
)

// maxID is the longest id that is taken for one.
const maxID = 512

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

// idIn gives the id value of one object by its exact keys.
func (l *lexicon) idIn(n *node) *node {
	if c := l.ownID(n); c != nil {
		return c
	}
	if c := n.get("requestid"); idText(c) != "" {
		return c
	}
	return nil
}

// ownID is idIn without ids that may be a trace of the call.
func (l *lexicon) ownID(n *node) *node {
	for _, names := range [...][]string{l.list(listID1), l.list(listID2), {"id"}, l.list(listID4)} {
		for _, name := range names {
			if c := n.get(name); idText(c) != "" {
				return c
			}
		}
	}
	return nil
}

// ids gives the ids of the answer, best first: by class of key over all
// scopes, within a class the job's own scope first.
func (v *view) ids() []identity {
	scopes := v.scopes
	if v.job != nil {
		scopes = append([]*node{v.job}, scopes...)
	}
	var out []identity
	add := func(n *node, id string) {
		if id == "" || len(out) > MaxCandidates {
			return
		}
		for _, have := range out {
			if have.id == id {
				return
			}
		}
		out = append(out, identity{id, n})
	}
	exact := func(names ...string) {
		for _, s := range scopes {
			for _, name := range names {
				c := s.get(name)
				add(c, idText(c))
			}
		}
	}
	for _, s := range v.scopes {
		if j := s.get("job"); j.is(shapeString) && isAddress(j.text) {
			add(j, IDInURL(j.text))
		} else if j.is(shapeString) || j.is(shapeNumber) {
			add(j, idText(j))
		} else if j.is(shapeObject) {
			add(j.get("id"), idText(j.get("id")))
		}
	}
	exact(v.list(listID1)...)
	exact(v.list(listID2)...)
	exact("id")
	exact(v.list(listID4)...)
	v.patternIDs(scopes, true, add)
	// Of a call that was refused the request's id is a trace, and so are others.
	traces := !v.status.is(shapeString) && markedError(v.root)
	if len(out) == 0 && !traces {
		exact("requestid")
		v.patternIDs(scopes, false, add)
	}
	if len(out) == 0 {
		v.lastResortIDs(scopes, add)
	}
	return out
}

// patternIDs reads keys that nobody listed: xyz_id and xyz_uuid.
func (v *view) patternIDs(scopes []*node, strict bool, add func(*node, string)) {
	for _, s := range scopes {
		for c := range s.children {
			if strangeID(c.name) && jobWord(c.name) == strict {
				add(c, idText(c))
			}
		}
	}
}

func (v *view) hasStrangeID(n *node) bool {
	for c := range n.children {
		if strangeID(c.name) && jobWord(c.name) && idText(c) != "" {
			return true
		}
	}
	return false
}

// strangeID tells keys that end like an id and do not name something else.
func strangeID(name string) bool {
	stem := ""
	for _, end := range [...]string{"uuid", "ids", "id", "guid"} {
		if s := strings.TrimSuffix(name, end); s != name {
			stem = s
			break
		}
	}
	if stem == "" {
		return numberedJob(name)
	}
	for _, w := range [...]string{"user", "account", "model", "org", "team", "external", "client", "trace", "session",
		"parent", "webhook", "file", "voice", "avatar", "template", "workflow", "project", "key", "log", "request",
		"company", "tenant", "s", "span", "batch", "msg", "customer", "prompt", "style", "seed", "correlation", "pa", "inval", "val", "gr", "flu", "sol", "vo"} {
		if stem == w || len(w) > 3 && strings.HasSuffix(stem, w) {
			return false
		}
	}
	return true
}

// numberedJob tells names such as taskNumber, jobHandle and invocationArn.
func numberedJob(name string) bool {
	for _, end := range [...]string{"no", "sn", "number", "arn", "handle", "hash", "token", "key"} {
		switch strings.TrimSuffix(name, end) {
		case "job", "task", "order", "generation", "gen", "work", "render", "prediction", "invocation", "operation",
			"execution", "creation", "submission":
			return true
		}
	}
	return false
}

func jobWord(name string) bool {
	for _, w := range [...]string{"job", "task", "gen", "predict", "video", "image", "queue", "submit", "history",
		"operation", "render", "creation", "infer", "run", "order", "work", "record", "ticket", "process", "execution",
		"invoc", "submission"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// lastResortIDs: an operation's name, a bare string where
// the data should be, the last segment of a poll address.
func (v *view) lastResortIDs(scopes []*node, add func(*node, string)) {
	for _, s := range scopes {
		if n := s.get("name"); n.is(shapeString) && (strings.Contains(n.text, "operations/") || s.get("done") != nil) {
			add(n, idText(n))
		}
		for _, name := range [...]string{"task", "data", "result", "generation", "prediction", "response", "hash", "ticket", "jobs", "tasks"} {
			c := s.get(name)
			if c.is(shapeArray) && (c.size == 1 || name == "jobs" || name == "tasks") {
				c = c.first
			}
			if bareID(c) && v.classify(c.text) == api.StatusUnlisted {
				add(c, idText(c))
			}
		}
	}
	for _, s := range scopes {
		if !jobWord(s.name) {
			continue
		}
		for _, name := range [...]string{"key", "uid", "number", "no", "handle", "code", "reference", "ref"} {
			if c := s.get(name); bareID(c) {
				add(c, idText(c))
			}
		}
	}
	if bareID(v.root) {
		add(v.root, idText(v.root))
	}
	for _, s := range scopes {
		for _, name := range v.list(listPollURL) {
			for _, c := range []*node{s.get(name), s.get(name).get("url"), s.at("urls", name), s.at("links", name)} {
				add(c, IDInURL(c.scalar()))
			}
		}
		for c := range s.children {
			if strings.HasSuffix(c.name, "location") || strings.HasPrefix(c.name, "poll") || strings.HasPrefix(c.name, "status") {
				add(c, IDInURL(c.scalar()))
			}
		}
	}
}

// bareID tells strings that can only be an id: one token with a digit, no
// address.
func bareID(n *node) bool {
	s := idText(n)
	if s == "" || n.is(shapeArray) || len(s) < 4 || len(s) > api.MaxIDText {
		return false
	}
	return strings.ContainsAny(s, "0123456789") && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '-' || r == '_' || r == ':' || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z')
	}) < 0
}

// IDInURL gives the id in a poll address: a query parameter, or the last
// segment that is not a word for the deed.
func IDInURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || !strings.Contains(s, "/") {
		return ""
	}
	for _, key := range [...]string{"id", "task_id", "taskId", "job_id", "jobId", "request_id"} {
		if v := u.Query().Get(key); v != "" {
			return v
		}
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i := len(parts) - 1; i >= 0 && i >= len(parts)-2; i-- {
		switch strings.ToLower(parts[i]) {
		case "", "status", "result", "results", "response", "content", "cancel", "fetch":
			continue
		}
		if len(parts[i]) > maxID || !strings.ContainsAny(parts[i], "0123456789") {
			return ""
		}
		return parts[i]
	}
	return ""
}
