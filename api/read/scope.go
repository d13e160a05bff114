package read

import (
	"cmp"
	"slices"
	"strings"

	"darkroom/api"
)

// jobView is an answer about one job: the objects in which its fields may
// stand, the one that is the job first, else inner before outer.
type jobView struct {
	*vocabulary
	root   *node
	scopes []*node
	job    *node // the scope that has the status, else nil
	status *node // the status value, else nil
}

// maxScopes bounds how many objects are looked into.
const maxScopes = 24

func (l *vocabulary) view(root *node) *jobView {
	v := &jobView{vocabulary: l, root: root}
	v.gather(root, 0)
	v.wrappers()
	v.findStatus()
	return v
}

// gather lists the known inner nodes and then the node itself.
func (v *jobView) gather(n *node, depth int) {
	n = v.representative(n)
	if !n.is(shapeObject) || depth > 3 {
		return
	}
	for _, name := range v.JobNodes {
		c := n.get(name)
		if c.is(shapeArray) && v.ownStatus(n) {
			continue // parts of this job
		}
		if inner, ok := parseWithin(c); ok {
			c = inner
		}
		c = v.representative(c)
		if c.is(shapeObject) && (!words().ResultLike.match(name) || v.describesJob(c) || v.ownID(n) == nil && !v.ownStatus(n) && v.describesJob(c.any(words().InnerJobs))) {
			v.gather(c, depth+1)
		}
	}
	v.insert(n, len(v.scopes))
}

// describesJob reports whether an object has a status or an id.
func (v *jobView) describesJob(n *node) bool {
	return v.statusIn(n) != nil || v.idIn(n) != nil || v.hasUnlistedID(n)
}

// representative gives the one of several jobs whose status stands for all:
// the first that has not ended, else the first.
func (v *jobView) representative(n *node) *node {
	if !n.is(shapeArray) {
		return n
	}
	return cmp.Or(first(n.children, func(c *node) bool {
		class := v.classify(v.statusIn(c).scalar())
		return class == api.StatusWaiting || class == api.StatusRunning || class == api.StatusUnlisted
	}), n.first)
}

// ownStatus reports whether the object has a status that is about a job and
// not the call.
func (v *jobView) ownStatus(n *node) bool {
	s := v.statusIn(n)
	return doneIn(n) != nil || s.is(shapeString) && !words().EnvelopeWords[foldWord(s.text)]
}

func (v *jobView) insert(n *node, at int) {
	if len(v.scopes) < maxScopes && !slices.Contains(v.scopes, n) {
		v.scopes = slices.Insert(v.scopes, at, n)
	}
}

// wrappers adds children under unlisted names when they have a status or an id:
// before the outer object if that one has no status of its own, or only an
// envelope's.
func (v *jobView) wrappers() {
	outer := v.root.single()
	for _, path := range [...]string{"", "data"} {
		base := outer.at(path)
		own := v.statusIn(base)
		seen := 0
		for c := range base.children {
			if seen++; seen > 64 || !base.is(shapeObject) {
				break
			}
			if c = v.wrapped(c); c == nil {
				continue
			}
			at := len(v.scopes)
			if i := slices.Index(v.scopes, base); i >= 0 && (own == nil || words().EnvelopeWords[foldWord(own.scalar())]) {
				at = i
			}
			v.insert(c, at)
		}
	}
}

// wrapped gives the job in a child of an unlisted name, if there is one.
func (v *jobView) wrapped(c *node) *node {
	if !c.is(shapeObject) || words().NotJobs[c.name] || words().SideAssets.match(c.name) || slices.Contains(v.ResultNodes, c.name) && (v.statusIn(c) == nil || v.ownID(c) == nil) {
		return nil
	}
	for c.size == 1 && c.first.is(shapeObject) { // the name of the call around the job
		c = c.first
	}
	if v.statusIn(c) == nil && v.ownID(c) == nil && !v.hasUnlistedID(c) {
		return nil
	}
	return c
}

// findStatus takes the innermost status; the spec's job.status comes first by
// the order of the scopes. The scope that has it goes to the front.
func (v *jobView) findStatus() {
	for _, read := range [...]func(*node) *node{v.statusIn, doneIn} {
		for i, s := range v.scopes {
			if n := read(s); n != nil {
				v.job, v.status = s, n
				copy(v.scopes[1:], v.scopes[:i])
				v.scopes[0] = s
				return
			}
		}
	}
}

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
