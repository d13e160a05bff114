package read

import (
	"strconv"
	"strings"

	"darkroom/api"
)

// children gives a slice-free walk over the children.
func (n *node) children(yield func(*node) bool) {
	if n == nil {
		return
	}
	for c := n.first; c != nil; c = c.next {
		if !yield(c) {
			return
		}
	}
}

// maxScanned is how many children are looked through for a name. The readers
// ask an object for many names, and some ask anew for each of its children:
// with a hundred thousand of those that would take minutes.
const maxScanned = 64

// get gives the child with a folded name; of doubled keys the last, as
// JavaScript has it.
func (n *node) get(name string) *node {
	var found *node
	if n == nil || n.shape != shapeObject {
		return nil
	}
	if n.size > maxScanned {
		return n.lookUp(name)
	}
	for c := n.first; c != nil; c = c.next {
		if c.name == name {
			found = c
		}
	}
	return found
}

func (n *node) lookUp(name string) *node {
	if n.named == nil {
		n.named = make(map[string]*node, n.size)
		for c := n.first; c != nil; c = c.next {
			n.named[c.name] = c
		}
	}
	return n.named[name]
}

// at follows folded names.
func (n *node) at(names ...string) *node {
	for _, name := range names {
		if n = n.get(name); n == nil {
			return nil
		}
	}
	return n
}

// any gives the first child, by the order of names, that says something.
func (n *node) any(names []string) *node {
	for _, name := range names {
		if c := n.get(name); c.says() {
			return c
		}
	}
	return nil
}

func (n *node) is(s shape) bool { return n != nil && n.shape == s }

// says reports whether the value says anything: not null, "", {}, [], false
// or 0, all of which services send for "nothing".
func (n *node) says() bool {
	if n == nil {
		return false
	}
	switch n.shape {
	case shapeNull:
		return false
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

// float gives a number, also one told as a string.
func (n *node) float() (float64, bool) {
	if !n.is(shapeNumber) && !n.is(shapeString) {
		return 0, false
	}
	if len(n.text) > maxNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(n.text), 64)
	return f, err == nil && f-f == 0
}

// path is where the node stands: dotted, [i] in arrays, (root) for the whole.
func (n *node) path() string {
	var parts []string
	for c := n; c != nil && c.parent != nil; c = c.parent {
		switch c.parent.shape {
		case shapeArray:
			parts = append(parts, "["+strconv.Itoa(int(c.index))+"]")
		case shapeObject:
			parts = append(parts, "."+pathKey(c.key))
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	s := strings.TrimPrefix(b.String(), ".")
	if s == "" {
		return "(root)"
	}
	return api.Clean(s, api.MaxAddressText).String()
}

// pathKey cuts a key, which may be as long as the answer.
func pathKey(key string) string {
	if len(key) > 4*api.MaxIDText {
		key = key[:4*api.MaxIDText]
	}
	return api.Clean(key, api.MaxIDText).String()
}

// span gives the bytes the node was read from.
func (n *node) span(raw []byte) []byte {
	if n == nil || int(n.end) > len(raw) || n.start >= n.end {
		return nil
	}
	return raw[n.start:n.end]
}

// found makes the record of one reading.
func (n *node) found(concept, value string) api.Found {
	return api.Found{Concept: concept, Path: n.path(), Value: api.Clean(value, 200).String()}
}
