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

// statusIn gives the status value of one object.
func (l *vocabulary) statusIn(n *node) *node {
	c := first(n.each(l.StatusKeys), func(c *node) bool { return statusValue(c, 0) != nil })
	if c == nil {
		c = first(n.children, func(c *node) bool {
			return words().StatusNames.match(c.name) && !words().ForeignStatus.match(c.name) && (statusValue(c, 0).is(shapeString) || words().JobNames.match(c.name) && statusValue(c, 0) != nil)
		})
	}
	return statusValue(c, 0)
}

func statusValue(n *node, depth int) *node {
	switch {
	case n == nil || depth > 1:
		return nil
	case n.is(shapeString) && n.says():
		return n
	case n.is(shapeNumber):
		if f, _ := n.float(); f >= 100 && f < 600 { // an HTTP status, not a job's
			return nil
		}
		return n
	case n.is(shapeObject):
		return statusValue(first(n.each(words().StatusParts), func(c *node) bool { return statusValue(c, depth+1) != nil }), depth+1)
	}
	return nil
}

func doneIn(n *node) *node {
	return first(n.each(words().DoneKeys), func(c *node) bool { return c.is(shapeBool) })
}

// classify says what a status word means. Only an exact known word has a
// class of its own.
func (l *vocabulary) classify(word string) api.StatusClass {
	if strings.TrimSpace(word) == "" {
		return api.StatusNone
	}
	f := foldWord(word)
	if c, ok := l.statuses[f]; ok {
		return c
	}
	for _, p := range words().StatusPrefixes {
		if c, ok := l.statuses[strings.TrimPrefix(f, p)]; ok {
			return c
		}
	}
	return api.StatusUnlisted
}

// class is the class of the answer's status. An envelope's word around a job
// says nothing about the job.
func (v *jobView) class() api.StatusClass {
	switch {
	case v.status == nil:
		return api.StatusNone
	case v.status.shape == shapeBool && v.status.text != "true":
		return api.StatusRunning
	case v.status.shape == shapeBool && v.job.get("error").says():
		return api.StatusFailed
	case v.status.shape == shapeBool:
		return api.StatusSucceeded
	case v.status.shape == shapeNumber:
		return api.StatusUnlisted // 1 means done here and queued there
	case v.envelopeStatus():
		return api.StatusNone
	}
	return v.classify(v.status.text)
}

// envelopeStatus reports whether the status is about the call: an envelope's
// word, outside of the object that has the id, or with no id at all.
func (v *jobView) envelopeStatus() bool {
	word := foldWord(v.status.text)
	switch {
	case !words().EnvelopeWords[word] || v.job == v.root.get("job"):
		return false
	case word == "nok":
		return true
	case v.idIn(v.job) != nil && word != "ok":
		return false
	case v.classify(v.status.text) == api.StatusSucceeded:
		return len(v.outputs("", true)) == 0
	}
	return v.job == v.root
}
