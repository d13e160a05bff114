package read

import (
	"encoding/json"
	"errors"
	"strings"
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

func nodesFor(length int) int { return min(maxNodes, 4096+length/8) }

var (
	errEmpty    = errors.New("empty answer")
	errSyntax   = errors.New("not JSON")
	errTrailing = errors.New("text after the JSON value")
	errDeep     = errors.New("nested too deeply")
	errMany     = errors.New("too many values")
)

// parseTree reads one JSON value with nothing after it.
func parseTree(raw []byte) (*node, error) {
	p := &parser{s: string(raw), folds: map[string]string{}, left: nodesFor(len(raw))}
	p.s = strings.TrimPrefix(p.s, "\ufeff")
	p.cut = len(raw) - len(p.s)
	return p.document(nil)
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
	p := &parser{s: s, folds: map[string]string{}, left: nodesFor(len(s))}
	root, err := p.document(n)
	return root, err == nil
}

type parser struct {
	s     string
	at    int
	cut   int
	left  int // nodes that may still be made
	used  int // size of the last slab
	folds map[string]string
	slab  []node
}

func (p *parser) document(parent *node) (*node, error) {
	p.space()
	if p.at == len(p.s) {
		return nil, errEmpty
	}
	root, err := p.value(parent, 0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at != len(p.s) {
		return nil, errTrailing
	}
	return root, nil
}

func (p *parser) space() {
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) make(parent *node, s shape) (*node, error) {
	if p.left--; p.left < 0 {
		return nil, errMany
	}
	if len(p.slab) == 0 {
		p.used = min(2*p.used+8, 4096)
		p.slab = make([]node, p.used)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.shape, n.parent, n.start = s, parent, int32(p.at+p.cut)
	return n, nil
}

func (p *parser) value(parent *node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	if p.at >= len(p.s) {
		return nil, errSyntax
	}
	var n *node
	var err error
	switch c := p.s[p.at]; {
	case c == '{':
		n, err = p.object(parent, depth)
	case c == '[':
		n, err = p.array(parent, depth)
	case c == '"':
		if n, err = p.make(parent, shapeString); err == nil {
			n.text, err = p.quoted()
		}
	case c == '-' || c >= '0' && c <= '9':
		n, err = p.number(parent)
	default:
		n, err = p.literal(parent)
	}
	if err != nil {
		return nil, err
	}
	n.end = int32(p.at + p.cut)
	return n, nil
}

func (p *parser) literal(parent *node) (*node, error) {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(p.s[p.at:], word) {
			n, err := p.make(parent, shapeBool)
			if err != nil {
				return nil, err
			}
			if n.text = word; word == "null" {
				n.shape, n.text = shapeNull, ""
			}
			p.at += len(word)
			return n, nil
		}
	}
	return nil, errSyntax
}

func (p *parser) number(parent *node) (*node, error) {
	n, err := p.make(parent, shapeNumber)
	if err != nil {
		return nil, err
	}
	from := p.at
	for p.at < len(p.s) && strings.IndexByte("+-0123456789.eE", p.s[p.at]) >= 0 {
		p.at++
	}
	n.text = p.s[from:p.at]
	if !json.Valid([]byte(n.text)) {
		return nil, errSyntax
	}
	return n, nil
}

func (p *parser) array(parent *node, depth int) (*node, error) {
	n, err := p.make(parent, shapeArray)
	if err != nil {
		return nil, err
	}
	p.at++
	var last *node
	for p.space(); ; p.space() {
		if p.at < len(p.s) && p.s[p.at] == ']' && last == nil {
			p.at++
			return n, nil
		}
		c, err := p.value(n, depth+1)
		if err != nil {
			return nil, err
		}
		last = n.adopt(last, c)
		if done, err := p.separator(']'); done || err != nil {
			return n, err
		}
	}
}

func (p *parser) object(parent *node, depth int) (*node, error) {
	n, err := p.make(parent, shapeObject)
	if err != nil {
		return nil, err
	}
	p.at++
	var last *node
	for p.space(); ; p.space() {
		if p.at < len(p.s) && p.s[p.at] == '}' && last == nil {
			p.at++
			return n, nil
		}
		if p.at >= len(p.s) || p.s[p.at] != '"' {
			return nil, errSyntax
		}
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if p.space(); p.at >= len(p.s) || p.s[p.at] != ':' {
			return nil, errSyntax
		}
		p.at++
		p.space()
		c, err := p.value(n, depth+1)
		if err != nil {
			return nil, err
		}
		c.key, c.name = key, p.fold(key)
		last = n.adopt(last, c)
		if done, err := p.separator('}'); done || err != nil {
			return n, err
		}
	}
}

func (p *parser) separator(closing byte) (done bool, err error) {
	p.space()
	if p.at >= len(p.s) {
		return false, errSyntax
	}
	switch p.s[p.at] {
	case ',':
		p.at++
		return false, nil
	case closing:
		p.at++
		return true, nil
	}
	return false, errSyntax
}

func (n *node) adopt(last, c *node) *node {
	if last == nil {
		n.first = c
	} else {
		last.next = c
	}
	c.index = n.size
	n.size++
	return c
}

// quoted decodes a string. It refuses raw control characters as JSON does, so
// that every span of a tree is JSON again; broken UTF-8 becomes U+FFFD.
func (p *parser) quoted() (string, error) {
	p.at++
	from := p.at
	plain := true
	for ; p.at < len(p.s); p.at++ {
		switch c := p.s[p.at]; {
		case c == '"':
			s := p.s[from:p.at]
			p.at++
			if !plain {
				var ok bool
				if s, ok = Unescape(s); !ok {
					return "", errSyntax
				}
			}
			return strings.ToValidUTF8(s, "\uFFFD"), nil
		case c == '\\':
			plain = false
			p.at++
		case c < 0x20:
			return "", errSyntax
		}
	}
	return "", errSyntax
}
