package read

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

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

// node is one value of an answer. Numbers keep their digits, objects the order
// of their keys, and every node knows where it stands.
type node struct {
	shape       shape
	index       int32  // place among the parent's children
	size        int32  // number of children
	start, end  int32  // the bytes it was read from
	key         string // as sent; empty in arrays
	name        string // the key, folded for comparing
	text        string // decoded string, or the literal of a number or boolean
	parent      *node
	first, next *node
	named       map[string]*node // children by name, for objects with many
}

// Limits of a tree. They hold the memory of 8 MiB of hostile JSON within
// bounds (a node takes about 100 bytes); honest answers have fewer values than
// an eighth of their bytes.
const (
	maxDepth = 64
	maxNodes = 1 << 18
)

// parser builds a tree in one pass. encoding/json decodes its escaped strings
// and checks its numbers; the values between them are found here, since a
// json.Decoder takes five times as long for an answer of 8 MiB, and json.Valid
// alone longer than reading the whole answer.
type parser struct {
	s     string
	at    int
	cut   int               // bytes before s in the answer
	left  int               // nodes that may still be made
	folds map[string]string // the folded form of each key
	slab  []node            // nodes made in advance
	used  int               // size of the last slab
}

// parseTree reads one JSON value with nothing after it. With an error comes what
// was read before it.
func parseTree(raw []byte) (*node, error) {
	s := strings.TrimPrefix(string(raw), "\ufeff")
	return parseText(s, len(raw)-len(s), nil)
}

// parseWithin reads a string that itself holds JSON. The tree hangs below the
// string's node, so that paths stay whole.
func parseWithin(n *node) (*node, bool) {
	if !n.is(shapeString) {
		return nil, false
	}
	s := strings.TrimSpace(n.text)
	if len(s) < 2 || (s[0] != '{' && s[0] != '[') {
		return nil, false
	}
	root, err := parseText(s, 0, n)
	return root, err == nil
}

func parseText(s string, cut int, parent *node) (*node, error) {
	p := &parser{s: s, cut: cut, left: min(maxNodes, 4096+len(s)/8), folds: map[string]string{}}
	if p.space(); p.at == len(s) {
		return nil, errEmpty
	}
	root, err := p.value(parent, 0)
	if p.space(); err == nil && p.at != len(s) {
		err = errTrailing
	}
	return root, err
}

func (p *parser) space() {
	for p.at < len(p.s) && (p.s[p.at] == ' ' || p.s[p.at] == '\n' || p.s[p.at] == '\t' || p.s[p.at] == '\r') {
		p.at++
	}
}

// next skips space and reports whether the byte comes next, which it takes.
func (p *parser) next(c byte) bool {
	p.space()
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) value(parent *node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if p.left--; p.left < 0 {
		return nil, errMany
	}
	if len(p.slab) == 0 {
		p.used = min(2*p.used+8, 4096)
		p.slab = make([]node, p.used)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	p.space()
	n.parent, n.start = parent, int32(p.at+p.cut)
	var err error
	switch {
	case p.next('{'):
		n.shape, err = shapeObject, p.members(n, '}', depth)
	case p.next('['):
		n.shape, err = shapeArray, p.members(n, ']', depth)
	case p.next('"'):
		n.shape = shapeString
		n.text, err = p.quoted()
	default:
		err = p.literal(n)
	}
	n.end = int32(p.at + p.cut)
	return n, err
}

// literal reads a number, true, false or null.
func (p *parser) literal(n *node) error {
	from := p.at
	for p.at < len(p.s) && (p.s[p.at] >= '+' && p.s[p.at] != ',' && p.s[p.at] <= '9' || p.s[p.at]|0x20 >= 'a' && p.s[p.at]|0x20 <= 'z') {
		p.at++
	}
	switch n.text = p.s[from:p.at]; {
	case n.text == "null":
		n.text = ""
	case n.text == "true" || n.text == "false":
		n.shape = shapeBool
	case json.Valid([]byte(n.text)):
		n.shape = shapeNumber
	default:
		return errSyntax
	}
	return nil
}

// members reads the children of an object or array up to its closing byte.
func (p *parser) members(n *node, closing byte, depth int) error {
	if p.next(closing) {
		return nil
	}
	last := &n.first
	for {
		key, err := "", error(nil)
		if closing == '}' {
			if !p.next('"') {
				return errSyntax
			}
			if key, err = p.quoted(); err != nil {
				return err
			}
			if !p.next(':') {
				return errSyntax
			}
		}
		c, err := p.value(n, depth+1)
		if c != nil { // also one that the end cut short: what stands before it is whole
			c.key, c.name, c.index = key, p.fold(key), n.size
			*last, last = c, &c.next
			n.size++
		}
		if err != nil {
			return err
		}
		if p.next(closing) {
			return nil
		}
		if !p.next(',') {
			return errSyntax
		}
	}
}

func (p *parser) fold(key string) string {
	if key == "" {
		return ""
	}
	f, ok := p.folds[key]
	if !ok {
		if f = fold(key); len(p.folds) < 4096 {
			p.folds[key] = f
		}
	}
	return f
}

// quoted decodes a string whose first quote was taken. It refuses raw control
// characters as JSON does, so that every span of a tree is JSON again; broken
// UTF-8 becomes U+FFFD.
func (p *parser) quoted() (string, error) {
	from := p.at
	length := strings.IndexByte(p.s[from:], '"')
	if length < 0 {
		return "", errSyntax
	}
	if s := p.s[from : from+length]; strings.IndexByte(s, '\\') < 0 {
		for i := range len(s) {
			if s[i] < ' ' {
				return "", errSyntax
			}
		}
		if p.at += length + 1; utf8.ValidString(s) {
			return s, nil
		}
		return strings.ToValidUTF8(s, "\uFFFD"), nil
	}
	for ; p.at < len(p.s) && p.s[p.at] != '"'; p.at++ {
		if p.s[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	if s, ok := unquote(p.s[from-1 : min(p.at, len(p.s))]); ok {
		return s, nil
	}
	return "", errSyntax
}

func unquote(s string) (out string, ok bool) {
	err := json.Unmarshal([]byte(s), &out)
	return out, err == nil
}

// Unescape decodes the escapes of a JSON string that is given without its
// quotes.
func Unescape(s string) (string, bool) { return unquote(`"` + s + `"`) }
