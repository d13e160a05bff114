package api

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// decimal is the text that goes over the wire as a JSON number.
var decimal = Pattern(`^[0-9]{1,18}(\.[0-9]{1,9})?$`)

// Path is the path of the generation call ("Endpoints"), such as
// /api/v1/images/generations; "" when the kind is not known.
func (r Request) Path() string {
	switch r.Kind {
	case KindImage:
		return "/api/v1/images/generations"
	case KindVideo:
		return "/api/v1/videos/generations"
	}
	return ""
}

// Body is the exact JSON body of the request: the spec's names, in the spec's
// order; the ratio under the name the model lists; then the extra parameters. Every
// field that is set is there, also one that Check refuses.
func (r Request) Body(m Model) []byte {
	w := Object{}
	for _, f := range Fields(r.Kind) {
		switch f.Name {
		case FieldModel, FieldPrompt: // also when they are empty
			w.text(f.Name, f.Text(&r))
		case FieldAsync:
			if !r.NoAsync {
				w.Raw(f.Name, strconv.FormatBool(!r.Sync))
			}
		case FieldAspectRatio:
			w.field(f.listedName(&r, m), f, &r)
		default:
			w.field(f.Name, f, &r)
		}
	}
	for _, e := range r.Extra {
		if extraName().MatchString(e.Name) && json.Valid(e.Value) {
			w.Raw(e.Name, string(e.Value))
		}
	}
	return w.JSON()
}

// listing gives m, or nothing when m is the listing of another model.
func (r *Request) listing(m Model) Model {
	if m.ID != "" && m.ID != r.Model {
		return Model{}
	}
	return m
}

// SeedText is the seed as text; "" when none is set.
func (r Request) SeedText() string {
	if r.Seed == nil {
		return ""
	}
	return strconv.FormatInt(*r.Seed, 10)
}

// field writes a field that is set.
func (w *Object) field(name string, f *Field, r *Request) {
	texts := f.Texts(r)
	switch {
	case len(texts) == 0:
	case f.Shape == ShapeInteger:
		w.Raw(name, texts[0])
	case f.Shape == ShapeTextOrNumber:
		w.Raw(name, numberJSON(texts[0]))
	case f.Max > 0:
		items := make([]string, len(texts))
		for i, s := range texts {
			items[i] = JSONString(s)
		}
		w.Raw(name, "["+strings.Join(items, ",")+"]")
	default:
		w.text(name, texts[0])
	}
}

// numberJSON gives a number for digits, else a string ("string or number").
func numberJSON(s string) string {
	if !decimal().MatchString(s) {
		return JSONString(s)
	}
	s = strings.TrimLeft(s, "0") // JSON has no leading zeros
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}

var errNotObject = Sentence("the body is not one JSON object").Fault(nil)

// ParseBody reads the body of a generation call, as Body writes it and as
// others may: texts may be numbers and numbers texts, the ratio has either
// name, null counts as absent, unknown fields are skipped. The error names a
// field whose JSON type is not the spec's.
func ParseBody(kind Kind, body []byte) (Request, error) {
	var in map[string]json.RawMessage
	if json.Unmarshal(body, &in) != nil || in == nil {
		return Request{}, errNotObject
	}
	p := bodyParser{in: in}
	r := Request{Kind: kind, Sync: p.isFalse(FieldAsync)}
	for _, f := range fields {
		switch at := f.At(&r).(type) {
		case *string:
			*at = p.text(f.Name)
		case *[]string:
			*at = p.list(f.Name)
		case **int64:
			*at = p.integer(f.Name)
		}
	}
	if ratio := p.text(FieldRatio); r.AspectRatio == "" {
		r.AspectRatio = ratio
	}
	return r, p.err
}

// bodyParser takes fields out of a decoded body and keeps the first error.
type bodyParser struct {
	in  map[string]json.RawMessage
	err error
}

func (p *bodyParser) fail(name, want string) {
	if p.err == nil {
		p.err = fmt.Errorf("%s has to be %s", name, want)
	}
}

func (p *bodyParser) value(name string) (json.RawMessage, bool) {
	raw, ok := p.in[name]
	return raw, ok && string(raw) != "null"
}

func (p *bodyParser) text(name string) string {
	raw, ok := p.value(name)
	if !ok {
		return ""
	}
	s, ok := textOrNumber(raw)
	if !ok {
		p.fail(name, "text")
	}
	return s
}

func (p *bodyParser) list(name string) []string {
	raw, ok := p.value(name)
	if !ok {
		return nil
	}
	var items []*string
	if err := json.Unmarshal(raw, &items); err != nil {
		p.fail(name, "a list of texts")
		return nil
	}
	var out []string
	for _, item := range items {
		if item == nil {
			p.fail(name, "a list of texts")
			return nil
		}
		out = append(out, *item)
	}
	return out
}

// integer reads 7, "7" and 7.0.
func (p *bodyParser) integer(name string) *int64 {
	raw, ok := p.value(name)
	if !ok {
		return nil
	}
	s, ok := textOrNumber(raw)
	if ok && s == "" {
		return nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); ok && err == nil {
		return &n
	}
	if f, err := strconv.ParseFloat(s, 64); ok && err == nil && f == math.Trunc(f) && math.Abs(f) <= maxSafe {
		n := int64(f)
		return &n
	}
	p.fail(name, "an integer")
	return nil
}

func (p *bodyParser) isFalse(name string) bool {
	raw, ok := p.value(name)
	if !ok {
		return false
	}
	switch string(raw) {
	case "true", `"true"`:
		return false
	case "false", `"false"`:
		return true
	}
	p.fail(name, "true or false")
	return false
}

func textOrNumber(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String(), true
	}
	return "", false
}
