package fault

import (
	"bytes"
	"encoding/json"
)

// rewrite changes the JSON body of an answer, whatever its dialect: change is
// called with every value and its member's name ("" in an array and for the
// whole), the innermost first, and returns what replaces it, or false to
// leave it out.
func (a *Answer) rewrite(change func(name string, v any) (any, bool)) {
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.UseNumber()
	var root any
	if d.Decode(&root) != nil {
		return
	}
	root, _ = walk("", root, change)
	a.replace(root)
}

// replace makes a value the body.
func (a *Answer) replace(v any) { a.Body = encode(v) }

// encode writes JSON in which addresses stand as they are, "&" included.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // v was decoded from JSON, or is a fault's own
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func walk(name string, v any, change func(string, any) (any, bool)) (any, bool) {
	switch node := v.(type) {
	case map[string]any:
		for name, member := range node {
			if inner, keep := walk(name, member, change); keep {
				node[name] = inner
			} else {
				delete(node, name)
			}
		}
	case []any:
		kept := node[:0]
		for _, element := range node {
			if inner, keep := walk("", element, change); keep {
				kept = append(kept, inner)
			}
		}
		v = kept
	}
	return change(name, v)
}
