package expand

import (
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

func cannotStand(field, value string) error { return whyField.Fault(nil, field, api.Clean(value, 80)) }

// variedField is a setting that has a list of values.
type variedField struct {
	*api.Field
	values []string
}

// variedFields are the settings of the pattern that have a list, as they multiply.
func variedFields(pattern api.Request) ([]variedField, error) {
	var out []variedField
	settings := api.Settings(pattern.Kind)
	for _, f := range settings {
		values, err := clean(f, pattern.Vary[f.Name])
		if err != nil {
			return nil, err
		}
		if len(values) > 0 {
			out = append(out, variedField{f, values})
		}
	}
	for name, values := range pattern.Vary {
		if len(values) > 0 && !slices.ContainsFunc(settings, func(f *api.Field) bool { return f.Name == name }) {
			return nil, cannotStand(name, strings.Join(values, ", "))
		}
	}
	return out, nil
}

// clean gives each value once, in the order given and written as it is sent.
func clean(field *api.Field, values []string) ([]string, error) {
	var out []string
	for _, v := range values {
		var r api.Request
		if !field.Set(&r, v) {
			return nil, cannotStand(field.Name, v)
		}
		v = field.Text(&r)
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// Values reads values between commas, and of whole numbers ranges such as 41-44.
func Values(field *api.Field, text string) ([]string, error) {
	var out []string
	for _, v := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '，' || r == '、' || r == '\n' }) {
		v = strings.TrimSpace(v)
		if v == "" {
			continue
		}
		if field.Shape != api.ShapeInteger {
			out = append(out, v)
			continue
		}
		numbers, err := numberRange(field, v)
		if err != nil {
			return nil, err
		}
		out = append(out, numbers...)
	}
	if len(out) > MaxRequests {
		return nil, &TooManyError{len(out), MaxRequests}
	}
	return clean(field, out)
}

func numberRange(field *api.Field, text string) ([]string, error) {
	from, to, is := strings.Cut(strings.NewReplacer("–", "-", "..", "-", "—", "-").Replace(text), "-")
	if !is {
		to = from
	}
	first, err := strconv.ParseInt(strings.TrimSpace(from), 10, 64) // without a sign
	last, bad := strconv.ParseInt(strings.TrimSpace(to), 10, 64)
	switch {
	case err != nil || bad != nil || last < first:
		return nil, cannotStand(field.Name, text)
	case last-first >= MaxRequests:
		return nil, &TooManyError{int(min(last-first, maxCount-1)) + 1, MaxRequests}
	}
	var out []string
	for n := range last - first + 1 {
		out = append(out, strconv.FormatInt(first+n, 10))
	}
	return out, nil
}

// Text writes a list as Values reads it, with ranges.
func Text(field *api.Field, values []string) string {
	if field.Shape != api.ShapeInteger {
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
