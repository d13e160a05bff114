package expand

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// fields are the fields that can have a list, in the order in which they multiply.
var fields = map[api.Kind][]string{
	api.KindVideo: {api.FieldVideoModel, api.FieldResolution, api.FieldDuration, api.FieldAspectRatio, api.FieldSeed},
	api.KindImage: {api.FieldSize, api.FieldQuality, api.FieldAspectRatio},
}

// Fields are the names of the fields of a kind that can have a list.
func Fields(kind api.Kind) []string { return slices.Clone(fields[kind]) }

// cannotStand says that a list cannot be used.
func cannotStand(field, value string) error { return whyField.Fault(nil, field, api.Clean(value, 80)) }

type variedField struct {
	name   string
	values []string
}

func (f *variedField) set(r *api.Request, v string) {
	if f.name != api.FieldSeed {
		*r.Field(f.name) = v
		return
	}
	n, _ := strconv.ParseInt(v, 10, 64) // checked before
	r.Seed = &n
}

// label is a value as it stands in a label: numbers say of what they are.
func (f *variedField) label(v string) string {
	switch f.name {
	case api.FieldSeed:
		return "seed " + v
	case api.FieldDuration:
		return v + " s"
	}
	return api.Clean(v, labelWidth).String()
}

// variedFields are the fields of the pattern that have a list of their own, in
// the order of fields.
func variedFields(pattern api.Request) ([]variedField, error) {
	var out []variedField
	for _, name := range fields[pattern.Kind] {
		values, err := clean(name, pattern.Vary[name])
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			out = append(out, variedField{name, values})
		}
	}
	for name, values := range pattern.Vary {
		if len(values) > 0 && !slices.Contains(fields[pattern.Kind], name) {
			return nil, cannotStand(name, strings.Join(values, ", "))
		}
	}
	return out, nil
}

// clean gives each value once, in the order given. Seeds are written as they
// are sent, so that equal ones are found.
func clean(field string, values []string) ([]string, error) {
	var out []string
	for _, v := range values {
		if field == api.FieldSeed {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, cannotStand(field, v)
			}
			v = strconv.FormatInt(n, 10)
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// Values reads a list as a person types it: values between commas, and for
// seeds ranges such as 41-44.
func Values(field, text string) ([]string, error) {
	var out []string
	for _, v := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '，' || r == '、' || r == '\n' }) {
		v = strings.TrimSpace(v)
		if v == "" {
			continue
		}
		if field == api.FieldSeed {
			seeds, err := seedRange(v)
			if err != nil {
				return nil, err
			}
			out = append(out, seeds...)
			continue
		}
		out = append(out, v)
	}
	if len(out) > Most {
		return nil, &TooManyError{len(out), Most}
	}
	return clean(field, out)
}

// seedRange reads one seed or a range of them.
func seedRange(text string) ([]string, error) {
	from, to, is := strings.Cut(strings.NewReplacer("–", "-", "..", "-", "—", "-").Replace(text), "-")
	if !is {
		to = from
	}
	a, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64)
	if err != nil || a < 0 {
		return nil, cannotStand(api.FieldSeed, text)
	}
	b, err := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	if err != nil || b < a {
		return nil, cannotStand(api.FieldSeed, text)
	}
	if b-a >= Most {
		return nil, &TooManyError{int(min(b-a, maxCount-1)) + 1, Most}
	}
	var out []string
	for n := a; ; n++ { // the last one may be the largest there is
		out = append(out, strconv.FormatInt(n, 10))
		if n == b {
			return out, nil
		}
	}
}

// Text writes a list as Values reads it, seeds that follow each other as a
// range.
func Text(field string, values []string) string {
	if field != api.FieldSeed {
		return strings.Join(values, ", ")
	}
	var out []string
	for i := 0; i < len(values); {
		j := i
		for j+1 < len(values) && follows(values[j], values[j+1]) {
			j++
		}
		if j-i > 1 {
			out = append(out, values[i]+"-"+values[j])
		} else {
			out = append(out, values[i:j+1]...)
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

func follows(a, b string) bool {
	m, err := strconv.ParseInt(a, 10, 64)
	n, bad := strconv.ParseInt(b, 10, 64)
	return err == nil && bad == nil && n-1 == m
}
