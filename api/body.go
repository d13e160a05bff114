package api

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// decimal is the text that goes over the wire as a JSON number.
var decimal = regexp.MustCompile(`^[0-9]{1,18}(\.[0-9]{1,9})?$`)

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
	for _, f := range fieldsOf(r.Kind) {
		switch f.name {
		case FieldModel, FieldPrompt:
			w.text(f.name, *r.Field(f.name))
		case FieldAsync:
			if !r.NoAsync {
				w.Raw(f.name, strconv.FormatBool(!r.Sync))
			}
		default:
			w.field(&f, &r, m)
		}
	}
	for _, e := range r.Extra {
		if extraName.MatchString(e.Name) && json.Valid(e.Value) {
			w.Raw(e.Name, string(e.Value))
		}
	}
	return w.JSON()
}

// ratioName is the name under which the ratio is sent.
func (r *Request) ratioName(m Model) string {
	return r.listedName(m, FieldAspectRatio, FieldRatio)
}

// listedName gives other when the model lists that name alone, else name.
func (r *Request) listedName(m Model, name, other string) string {
	m = r.listing(m)
	if _, ok := m.Parameter(name); ok {
		return name
	}
	if _, ok := m.Parameter(other); ok {
		return other
	}
	return name
}

// listing gives m, or nothing when m is the listing of another model.
func (r *Request) listing(m Model) Model {
	if m.ID != "" && m.ID != r.Model {
		return Model{}
	}
	return m
}

func seedTexts(r *Request) []string {
	if r.Seed == nil {
		return nil
	}
	return []string{strconv.FormatInt(*r.Seed, 10)}
}

// field writes a field that is set.
func (w *Object) field(f *field, r *Request, m Model) {
	texts := f.texts(r)
	if len(texts) == 0 {
		return
	}
	switch {
	case f.name == FieldAspectRatio:
		w.text(r.ratioName(m), texts[0])
	case f.name == FieldSeed:
		w.Raw(f.name, texts[0])
	case f.name == FieldDuration:
		w.Raw(f.name, durationJSON(texts[0]))
	case f.most > 0:
		items := make([]string, len(texts))
		for i, s := range texts {
			items[i] = JSONString(s)
		}
		w.Raw(f.name, "["+strings.Join(items, ",")+"]")
	default:
		w.text(f.name, texts[0])
	}
}

// durationJSON gives a number for digits, else a string ("string or number").
func durationJSON(s string) string {
	if !decimal.MatchString(s) {
		return JSONString(s)
	}
	s = strings.TrimLeft(s, "0") // JSON has no leading zeros
	if s == "" || s[0] == '.' {
		s = "0" + s
	}
	return s
}
