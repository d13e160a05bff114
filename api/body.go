package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

var decimal = Pattern(`^[0-9]{1,18}(\.[0-9]{1,9})?$`)

// Path is the path of the generation call ("Endpoints"); "" without a kind.
func (r Request) Path() string {
	return map[Kind]string{KindImage: "/api/v1/images/generations", KindVideo: "/api/v1/videos/generations"}[r.Kind]
}

// Body is the exact JSON body of the request: the spec's names, in the spec's
// order; the ratio under the name the model lists; then the extra parameters.
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
		if FieldNamed(e.Name) == nil && extraName().MatchString(e.Name) && json.Valid(e.Value) {
			w.Raw(e.Name, string(e.Value))
		}
	}
	return w.JSON()
}

// listing gives m, unless it is the listing of another model.
func (r *Request) listing(m Model) Model {
	if m.ID != "" && m.ID != r.Model {
		return Model{}
	}
	return m
}

func (r Request) SeedText() string {
	if r.Seed == nil {
		return ""
	}
	return strconv.FormatInt(*r.Seed, 10)
}

func (w *Object) field(name string, f *Field, r *Request) {
	texts := f.Texts(r)
	switch {
	case len(texts) == 0:
	case f.Shape == ShapeInteger:
		w.Raw(name, texts[0])
	case f.Shape == ShapeTextOrNumber:
		w.Raw(name, numberJSON(texts[0]))
	case f.Max != 0:
		w.Raw(name, "["+strings.Join(Map(texts, JSONString), ",")+"]")
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

// ParseBody reads the body of a generation call as Body writes it and as others
// may: texts may be numbers and numbers texts, the ratio has either name, null
// counts as absent, unknown fields are skipped. The error names the field.
func ParseBody(kind Kind, body []byte) (Request, error) {
	var in map[string]json.RawMessage
	if json.Unmarshal(body, &in) != nil || in == nil {
		return Request{}, errNotObject
	}
	r := Request{Kind: kind}
	for _, f := range fields {
		names := []string{f.Name}
		if f.Name == FieldAspectRatio {
			names = append(names, FieldRatio)
		}
		for _, name := range names {
			raw := in[name]
			if raw == nil || string(raw) == "null" || len(f.Texts(&r)) > 0 {
				continue
			}
			if want := f.read(&r, raw); want != "" {
				return r, fmt.Errorf("%s has to be %s", name, want)
			}
		}
	}
	return r, nil
}

// read takes a field's JSON value; want is the type that it has to be of, if it is not.
func (f *Field) read(r *Request, raw json.RawMessage) (want string) {
	if f.Max != 0 {
		var items []*string
		if json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
			return "a list of texts"
		}
		f.Set(r, Map(items, func(item *string) string { return *item })...)
		return ""
	}
	var text string
	var number json.Number
	switch {
	case f.Shape == ShapeBoolean:
		text = strings.Trim(string(raw), `"`)
		if r.Sync = text == "false"; !r.Sync && text != "true" {
			return "true or false"
		}
		return ""
	case json.Unmarshal(raw, &text) == nil:
	case json.Unmarshal(raw, &number) == nil:
		text = number.String()
	case f.Shape == ShapeInteger:
		return "an integer"
	default:
		return "text"
	}
	if f.Set(r, text) {
		return ""
	}
	n, err := strconv.ParseFloat(text, 64) // such as 7.0
	if err != nil || n != math.Trunc(n) || math.Abs(n) > maxSafe {
		return "an integer"
	}
	f.Set(r, strconv.FormatInt(int64(n), 10))
	return ""
}

func IsDocument(text string) bool {
	text = strings.TrimSpace(text)
	return (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// Indent writes JSON on lines, unless it is nested more than 64 deep.
func Indent(raw []byte) []byte {
	var b bytes.Buffer
	if tooDeep(raw) || json.Indent(&b, bytes.TrimSpace(raw), "", "  ") != nil {
		return raw
	}
	return []byte(withoutHTML.Replace(b.String()))
}

// tooDeep: the white space grows with the square of the depth.
func tooDeep(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	for depth := 0; depth <= 64; {
		switch token, err := d.Token(); {
		case err != nil:
			return false
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
	}
	return true
}

// withoutHTML undoes the escapes for HTML; an escaped backslash begins none.
var withoutHTML = strings.NewReplacer(`\\`, `\\`, `\u0026`, `&`, `\u003c`, `<`, `\u003C`, `<`, `\u003e`, `>`, `\u003E`, `>`)

// Object is the members of a JSON object, in the order of the calls.
type Object []string

// Raw adds a member whose value is JSON already.
func (w *Object) Raw(name, value string) { *w = append(*w, JSONString(name)+":"+value) }

func (w *Object) text(name, value string) { w.Raw(name, JSONString(value)) }

func (w Object) JSON() []byte { return []byte("{" + strings.Join(w, ",") + "}") }

// JSONString quotes a string without escapes for HTML.
func JSONString(s string) string {
	text, _ := PlainJSON(strings.ToValidUTF8(s, "\uFFFD")) // a string cannot fail
	return string(text)
}

// PlainJSON is json.Marshal that leaves <, > and & as they are.
func PlainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Written is a value as people write it: a text without its quotes.
func Written(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Find gives the first element that is sought, if there is one.
func Find[T any](list []T, sought func(T) bool) (one T, found bool) {
	if i := slices.IndexFunc(list, sought); i >= 0 {
		return list[i], true
	}
	return one, false
}

// Pick returns what of makes of the elements for which it reports true.
func Pick[T, D any](list []T, of func(T) (D, bool)) (all []D) {
	for _, one := range list {
		if made, ok := of(one); ok {
			all = append(all, made)
		}
	}
	return all
}

// Map makes one of each element; never nil, which JSON would call null.
func Map[T, D any](list []T, of func(T) D) []D {
	all := make([]D, 0, len(list))
	for _, one := range list {
		all = append(all, of(one))
	}
	return all
}
