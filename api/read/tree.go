package read

import (
	"bytes"
	"encoding/json"
	"io"
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
	errEmpty    = whyEmpty.Fault(nil)
	errSyntax   = whyNotJSON.Fault(nil)
	errTrailing = api.Sentence("text after the JSON value").Fault(nil)
	errDeep     = api.Sentence("nested too deeply").Fault(nil)
	errMany     = api.Sentence("too many values").Fault(nil)
)

var byteOrderMark = []byte("\ufeff")

// parser builds a tree from tokens, which keep the order of members and the
// digits of numbers.
type parser struct {
	*json.Decoder
	left int // nodes that may still be made
}

// parseTree reads one JSON value with nothing after it. With an error comes what
// was read before it.
func parseTree(raw []byte) (*node, error) { return parseWithin(raw, nil) }

// parseWithin is parseTree for JSON in a string: the tree hangs below its node,
// so that paths stay whole.
func parseWithin(raw []byte, parent *node) (*node, error) {
	p := &parser{Decoder: json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(raw, byteOrderMark))), left: maxNodes}
	p.UseNumber()
	root, err := p.value(parent, 0)
	if _, end := p.Token(); err == nil && end != io.EOF {
		return root, errTrailing
	} else if root == nil && err == errSyntax && end == io.EOF {
		return nil, errEmpty
	}
	return root, err
}

// value reads one value. A value that the end cut short comes with what stands
// before the cut.
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
	case json.Delim:
		n.start, n.shape = n.end-1, shapeArray
		if token == '{' {
			n.shape = shapeObject
		}
		return n, p.members(n, depth)
	case bool:
		n.shape, n.text = shapeBool, strconv.FormatBool(token)
	case json.Number:
		n.shape, n.text = shapeNumber, token.String()
	case string:
		n.shape, n.text = shapeString, token
	}
	return n, nil
}

// members reads the children of an object or array with its closing token.
func (p *parser) members(n *node, depth int) error {
	last := &n.first
	for p.More() {
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
	_, err := p.Token()
	n.end = p.InputOffset()
	if err != nil {
		return errSyntax
	}
	return nil
}

// within reads a string that itself holds JSON, as {"resultJson": "{…}"}.
func within(n *node) (*node, bool) {
	if !n.is(shapeString) {
		return nil, false
	}
	if s := strings.TrimSpace(n.text); len(s) >= 2 && (s[0] == '{' || s[0] == '[') {
		root, err := parseWithin([]byte(s), n)
		return root, err == nil
	}
	return nil, false
}

// Unescape decodes the escapes of a JSON string that is given without its
// quotes.
func Unescape(s string) (out string, ok bool) {
	err := json.Unmarshal([]byte(`"`+s+`"`), &out)
	return out, err == nil
}
