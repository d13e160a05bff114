package read

import (
	"cmp"
	"slices"

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

// isScope reports whether a node, or the first of a list, is a scope.
func (v *jobView) isScope(n *node) bool {
	return slices.Contains(v.scopes, n) || n.is(shapeArray) && slices.Contains(v.scopes, n.first)
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
