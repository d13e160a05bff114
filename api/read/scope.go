package read

import (
	"strings"

	"darkroom/api"
)

// view is an answer about one job: the objects in which its fields may stand,
// inner before outer, and the one that is the job.
type view struct {
	*lexicon
	root   *node
	scopes []*node
	job    *node // the scope that has the status, else nil
	status *node // the status value, else nil
}

// maxScopes bounds how many objects are looked into.
const maxScopes = 24

func (l *lexicon) view(root *node) *view {
	v := &view{lexicon: l, root: root}
	v.gather(root, 0)
	v.wrappers()
	v.findStatus()
	return v
}

// gather lists the known inner nodes and then the node itself.
func (v *view) gather(n *node, depth int) {
	n = v.representative(n)
	if !n.is(shapeObject) || depth > 3 {
		return
	}
	for _, name := range v.list(listJobs) {
		c := n.get(name)
		if c.is(shapeArray) && v.ownStatus(n) {
			continue // parts of this job
		}
		if inner, ok := parseWithin(c); ok {
			c = inner
		}
		c = v.representative(c)
		if !c.is(shapeObject) {
			continue
		}
		if resultLike(name) && v.statusIn(c) == nil && v.idIn(c) == nil && !v.hasStrangeID(c) {
			continue
		}
		v.gather(c, depth+1)
	}
	v.add(n)
}

// representative gives the one of several jobs whose status stands for all:
// the first that has not ended, else the first.
func (v *view) representative(n *node) *node {
	if !n.is(shapeArray) {
		return n
	}
	for c := range n.children {
		switch v.classify(v.statusIn(c).scalar()) {
		case api.StatusWaiting, api.StatusRunning, api.StatusUnlisted:
			return c
		}
	}
	return n.first
}

// ownStatus reports whether the object has a status that speaks of a job and
// not of the call.
func (v *view) ownStatus(n *node) bool {
	if doneIn(n) != nil {
		return true
	}
	s := v.statusIn(n)
	return s.is(shapeString) && !envelopeWord(foldStatus(s.text))
}

func (v *view) add(n *node) {
	for _, s := range v.scopes {
		if s == n {
			return
		}
	}
	if len(v.scopes) < maxScopes {
		v.scopes = append(v.scopes, n)
	}
}

// resultLike nodes are the job only when they say so by an id or status.
func resultLike(name string) bool {
	return strings.HasPrefix(name, "result") || strings.HasPrefix(name, "output") || name == "response" ||
		name == "item" || name == "record" || name == "items" || name == "records" || name == "list"
}

// wrappers adds children under names that nobody knows, when they have a
// status or an id: before the outer object if that one has no status of its
// own, or only an envelope's.
func (v *view) wrappers() {
	outer := v.root
	if outer.is(shapeArray) {
		outer = outer.first
	}
	for _, base := range []*node{outer, outer.get("data")} {
		if !base.is(shapeObject) {
			continue
		}
		own := v.statusIn(base)
		weak := own == nil || envelopeWord(foldStatus(own.scalar()))
		seen := 0
		for c := range base.children {
			if seen++; seen > 64 {
				break
			}
			if !c.is(shapeObject) || skipped[c.name] || sideKey(c.name) ||
				v.has(listResults, c.name) && (v.statusIn(c) == nil || v.ownID(c) == nil) {
				continue
			}
			for c.size == 1 && c.first.is(shapeObject) { // the name of the call around the job
				c = c.first
			}
			if v.statusIn(c) == nil && v.ownID(c) == nil && !v.hasStrangeID(c) {
				continue
			}
			v.insert(c, base, weak)
		}
	}
}

func (v *view) insert(c, base *node, before bool) {
	for _, s := range v.scopes {
		if s == c {
			return
		}
	}
	if len(v.scopes) >= maxScopes {
		return
	}
	for i, s := range v.scopes {
		if s == base && before {
			v.scopes = append(v.scopes[:i], append([]*node{c}, v.scopes[i:]...)...)
			return
		}
	}
	v.scopes = append(v.scopes, c)
}

// findStatus takes the innermost status; the spec's job.status comes first by
// the order of the scopes.
func (v *view) findStatus() {
	for _, s := range v.scopes {
		if n := v.statusIn(s); n != nil {
			v.job, v.status = s, n
			return
		}
	}
	for _, s := range v.scopes {
		if n := doneIn(s); n != nil {
			v.job, v.status = s, n
			return
		}
	}
}

// statusIn gives the status value of one object.
func (l *lexicon) statusIn(n *node) *node {
	for _, name := range l.list(listStatus) {
		if s := statusValue(n.get(name), 0); s != nil {
			return s
		}
	}
	if !n.is(shapeObject) {
		return nil
	}
	for c := range n.children {
		if (strings.HasSuffix(c.name, "status") || strings.HasSuffix(c.name, "state")) && !foreignStatus(c.name) {
			if s := statusValue(c, 0); s != nil && (s.shape == shapeString || jobWord(c.name)) {
				return s
			}
		}
	}
	return nil
}

// foreignStatus names are statuses of other things than the job.
func foreignStatus(name string) bool {
	for _, w := range [...]string{"http", "webhook", "callback", "moderation", "payment", "billing", "account", "user",
		"model", "code", "notify", "refund", "upload", "audit", "review", "subscription", "queue", "delivery"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
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
		for _, name := range [...]string{"status", "state", "value", "name", "code", "phase", "statusstr", "current", "text", "label"} {
			if s := statusValue(n.get(name), depth+1); s != nil {
				return s
			}
		}
	}
	return nil
}

func doneIn(n *node) *node {
	for _, name := range [...]string{"done", "isdone", "finished", "isfinished", "completed", "iscompleted"} {
		if c := n.get(name); c.is(shapeBool) {
			return c
		}
	}
	return nil
}

// envelopeWord tells words with which a service may speak of the call instead
// of the job.
func envelopeWord(word string) bool {
	switch word {
	case "ok", "nok", "success", "successful", "error", "fail", "failure":
		return true
	}
	return false
}
