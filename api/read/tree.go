package read

import (
	"bytes"
	"encoding/json"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"darkroom/api"
)

// Limits of a tree. They hold the memory of hostile JSON within bounds.
const (
	maxDepth = 64
	maxNodes = 1 << 18
)

// Why an answer cannot be read as JSON.
var (
	errSyntax = api.Sentence("not JSON").Fault(nil)
	errDeep   = api.Sentence("not JSON: nested too deeply").Fault(nil)
	errMany   = api.Sentence("not JSON: too many values").Fault(nil)
)

var byteOrderMark = []byte("\ufeff")

// parser builds a tree from tokens, with the order of members and all digits.
type parser struct {
	*json.Decoder
	left int // nodes that may still be made
}

// parseTree reads one JSON value and goes through wrappers around it: objects of one
// member whose name means nothing. With an error comes what was read before it.
func parseTree(raw []byte) (*node, error) {
	n, err := parseWithin(raw, nil)
	for n.is(shapeObject) && n.size == 1 && n.first.single().is(shapeObject) && !meaning.has(n.first.name) && specFields[n.first.name] == "" {
		n = n.first
	}
	return n, err
}

// parseWithin is parseTree with all wrappers, also for JSON in a string, below the
// string's node.
func parseWithin(raw []byte, parent *node) (*node, error) {
	p := &parser{json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, byteOrderMark))), maxNodes}
	p.UseNumber()
	root, err := p.value(parent, 0)
	if _, end := p.Token(); err == nil && end != io.EOF {
		return root, api.Sentence("not JSON: text after the JSON value").Fault(nil)
	} else if root == nil && err == errSyntax && end == io.EOF {
		return nil, api.Sentence("not JSON: the response is empty").Fault(nil)
	}
	return root, err
}

// value reads one value, or what stands of it before a cut.
func (p *parser) value(parent *node, depth int) (*node, error) {
	token, err := p.Token()
	switch p.left--; {
	case err != nil:
		return nil, errSyntax
	case depth > maxDepth:
		return nil, errDeep
	case p.left < 0:
		return nil, errMany
	}
	n := &node{parent: parent, end: p.InputOffset()}
	switch token := token.(type) {
	case bool:
		n.shape, n.text = shapeBool, strconv.FormatBool(token)
	case json.Number:
		n.shape, n.text = shapeNumber, token.String()
	case string:
		n.shape, n.text = shapeString, token
	case json.Delim:
		n.start, n.shape = n.end-1, shapeArray
		if token == '{' {
			n.shape = shapeObject
		}
		err = p.members(n, depth)
		n.end = p.InputOffset()
	}
	return n, err
}

// members reads the children of an object or array with its closing token.
func (p *parser) members(n *node, depth int) error {
	for last := &n.first; p.More(); {
		key := ""
		if n.shape == shapeObject {
			token, err := p.Token()
			if err != nil {
				return errSyntax
			}
			key = token.(string)
		}
		c, err := p.value(n, depth+1)
		if c != nil {
			c.key, c.name, c.index = key, fold(key), n.size
			*last, last = c, &c.next
			n.size++
		}
		if err != nil {
			return err
		}
	}
	if _, err := p.Token(); err != nil {
		return errSyntax
	}
	return nil
}

// within reads a string that itself holds JSON, as {"resultJson": "{…}"}, and gives
// any other node as it is.
func within(n *node) *node {
	if s := strings.TrimSpace(n.scalar()); strings.IndexAny(s, "{[") == 0 {
		if root, err := parseWithin([]byte(s), n); err == nil {
			return root
		}
	}
	return n
}

// shape is the JSON type of a node.
type shape uint8

const (
	shapeNull shape = iota
	shapeBool
	shapeNumber
	shapeString
	shapeArray
	shapeObject
)

// node is one value of an answer. Its methods take nil for none.
type node struct {
	shape       shape
	index, size int    // place among the parent's children, number of children
	start, end  int64  // of an object or array: the bytes it was read from
	key, name   string // the key as sent and folded; empty in arrays
	text        string // decoded string, or the literal of a number or boolean
	parent      *node
	first, next *node
	named       map[string]*node // children by name, for objects with many
}

func (n *node) children(yield func(*node) bool) {
	if n == nil {
		return
	}
	for c := n.first; c != nil && yield(c); c = c.next {
	}
}

// below calls f with the node and everything within it, in the order of the text.
func (n *node) below(f func(*node)) {
	if n != nil {
		f(n)
	}
	for c := range n.children {
		c.below(f)
	}
}

// maxScanned is how many children are looked through for a name without an index.
const maxScanned = 16

// get gives the child with a folded name, the last of doubled ones.
func (n *node) get(name string) (found *node) {
	switch {
	case !n.is(shapeObject):
		return nil
	case n.size <= maxScanned:
		for c := n.first; c != nil; c = c.next {
			if c.name == name {
				found = c
			}
		}
		return found
	case n.named == nil:
		n.named = make(map[string]*node, n.size)
		for c := range n.children {
			n.named[c.name] = c
		}
	}
	return n.named[name]
}

// each walks over the children with the names of a row, in the order of those.
func (n *node) each(r terms) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, name := range r {
			if c := n.get(name); c != nil && !yield(c) {
				return
			}
		}
	}
}

// like walks over the children whose names fit a row, in their own order.
func (n *node) like(r terms) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for c := range n.children {
			if r.has(c.name) && !yield(c) {
				return
			}
		}
	}
}

// boxes walks over the node and the children with the names of a row.
func (n *node) boxes(r terms) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if n != nil && yield(n) {
			n.each(r)(yield)
		}
	}
}

// any gives the first child, by the order of names, that is not empty.
func (n *node) any(r terms) *node { return first(n.each(r), (*node).says) }

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

func (n *node) scalar() string {
	if n == nil {
		return ""
	}
	return n.text
}

func (n *node) word() string { return foldWord(n.scalar()) }

// float gives a number, also in a string.
func (n *node) float() (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(n.scalar()), 64)
	return f, err == nil && math.Abs(f) <= math.MaxFloat64
}

// clean gives the value as one line of cleaned text.
func (n *node) clean(limit int) string { return api.Clean(n.scalar(), limit).String() }

// path is where the node stands: dotted, [i] in arrays, (root) for the whole.
func (n *node) path() string {
	path := ""
	for c := n; c != nil && c.parent != nil; c = c.parent {
		switch c.parent.shape {
		case shapeArray:
			path = "[" + strconv.Itoa(c.index) + "]" + path
		case shapeObject: // the key may be as long as the answer
			path = "." + api.Clean(c.key[:min(len(c.key), 4*api.MaxIDText)], api.MaxIDText).String() + path
		}
	}
	if path = strings.TrimPrefix(path, "."); path == "" {
		return "(root)"
	}
	return api.Clean(path, api.MaxAddressText).String()
}
