package read

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// children walks over the children.
func (n *node) children(yield func(*node) bool) {
	if n == nil {
		return
	}
	for c := n.first; c != nil && yield(c); c = c.next {
	}
}

// below walks over the node and everything within it, in the order of the text.
func (n *node) below(yield func(*node) bool) {
	for c := n; c != nil; {
		if !yield(c) {
			return
		}
		if c.first != nil {
			c = c.first
			continue
		}
		for c != n && c.next == nil {
			c = c.parent
		}
		if c == n {
			return
		}
		c = c.next
	}
}

// maxScanned is how many children are looked through for a name. The readers
// ask an object for many names, and some ask anew for each of its children:
// with a hundred thousand of those that would take minutes.
const maxScanned = 64

// get gives the child with a folded name; of doubled keys the last, as
// JavaScript has it.
func (n *node) get(name string) (found *node) {
	if !n.is(shapeObject) {
		return nil
	}
	if n.size > maxScanned && n.named == nil {
		n.named = make(map[string]*node, n.size)
		for c := n.first; c != nil; c = c.next {
			n.named[c.name] = c
		}
	}
	if n.named != nil {
		return n.named[name]
	}
	for c := n.first; c != nil; c = c.next {
		if c.name == name {
			found = c
		}
	}
	return found
}

// at follows a path of folded names parted by dots; "" is the node itself.
func (n *node) at(path string) *node {
	for path != "" && n != nil {
		var name string
		name, path, _ = strings.Cut(path, ".")
		n = n.get(name)
	}
	return n
}

// places gives the nodes at several paths, without those that are not there.
func (n *node) places(paths ...string) []*node {
	out := make([]*node, len(paths))
	for i, path := range paths {
		out[i] = n.at(path)
	}
	return slices.DeleteFunc(out, func(c *node) bool { return c == nil })
}

// each walks over the children with the given names, in the order of those.
func (n *node) each(names []string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, name := range names {
			if c := n.get(name); c != nil && !yield(c) {
				return
			}
		}
	}
}

// any gives the first child, by the order of names, that is not empty.
func (n *node) any(names []string) *node { return first(n.each(names), (*node).says) }

// first gives the first node that fits, else nil.
func first(nodes iter.Seq[*node], fits func(*node) bool) *node {
	for c := range nodes {
		if fits(c) {
			return c
		}
	}
	return nil
}

func (n *node) is(s shape) bool { return n != nil && n.shape == s }

// single gives the first element of an array, and any other node as it is.
func (n *node) single() *node {
	if n.is(shapeArray) {
		return n.first
	}
	return n
}

// owner is the object around a node, through an array.
func (n *node) owner() *node {
	if n.parent.is(shapeArray) {
		return n.parent.parent
	}
	return n.parent
}

// says reports whether the value says anything: not null, "", {}, [], false
// or 0, all of which services send for "nothing".
func (n *node) says() bool {
	if n == nil {
		return false
	}
	switch n.shape {
	case shapeBool:
		return n.text == "true"
	case shapeNumber:
		return strings.Trim(n.text, "-0.") != ""
	case shapeString:
		return strings.TrimSpace(n.text) != ""
	}
	return n.size > 0
}

// scalar gives the text of a string, number or boolean.
func (n *node) scalar() string {
	if n == nil || n.shape >= shapeArray {
		return ""
	}
	return n.text
}

// maxNumber is the longest text that is taken for a number.
const maxNumber = 400

// float gives a number, also one that stands in a string.
func (n *node) float() (float64, bool) {
	if !n.is(shapeNumber) && !n.is(shapeString) {
		return 0, false
	}
	return parseFloat(n.text)
}

func parseFloat(s string) (float64, bool) {
	if len(s) > maxNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return f, err == nil && f-f == 0
}

// clean gives the value as one line of cleaned text.
func (n *node) clean(limit int) string { return api.Clean(n.scalar(), limit).String() }

// path is where the node stands: dotted, [i] in arrays, (root) for the whole.
func (n *node) path() string {
	var parts []string
	for c := n; c != nil && c.parent != nil; c = c.parent {
		switch c.parent.shape {
		case shapeArray:
			parts = append(parts, "["+strconv.Itoa(int(c.index))+"]")
		case shapeObject: // the key may be as long as the answer
			parts = append(parts, "."+api.Clean(c.key[:min(len(c.key), 4*api.MaxIDText)], api.MaxIDText).String())
		}
	}
	slices.Reverse(parts)
	if s := strings.TrimPrefix(strings.Join(parts, ""), "."); s != "" {
		return api.Clean(s, api.MaxAddressText).String()
	}
	return "(root)"
}

func (n *node) span(raw []byte) []byte {
	if n == nil || int(n.end) > len(raw) || n.start >= n.end {
		return nil
	}
	return raw[n.start:n.end]
}

func (n *node) found(concept, value string) api.Found {
	return api.Found{Concept: concept, Path: n.path(), Value: api.Clean(value, 200).String()}
}

// mostAhead is the highest place in a queue that is believed.
const mostAhead = 1_000_000

// ReadPlace reads the place in the service's queue of a job that waits, from an
// answer about it; 0 when it says none. Services name it queue_position,
// position_in_queue or queue.position; position alone counts only beside the
// status of the job, since results have positions too.
func ReadPlace(raw []byte) int {
	root, err := parseTree(raw)
	if err != nil {
		return 0
	}
	return placeWithin(root.single(), 0)
}

// placeDepth is how far below the top of an answer a job says its place.
const placeDepth = 3

func placeWithin(n *node, depth int) int {
	if !n.is(shapeObject) || depth > placeDepth {
		return 0
	}
	for c := range n.children {
		if namesPlace(n, c) {
			if place, err := strconv.Atoi(c.text); err == nil && place > 0 && place <= mostAhead {
				return place
			}
		}
	}
	for c := range n.children {
		if place := placeWithin(c, depth+1); place > 0 {
			return place
		}
	}
	return 0
}

// namesPlace reports whether a child of n is named as a place in a queue.
func namesPlace(n, c *node) bool {
	switch c.name {
	case "queueposition", "positioninqueue", "queueplace", "placeinqueue":
		return true
	case "position", "place":
		return strings.HasPrefix(n.name, "queue") || n.get("status") != nil
	}
	return false
}
