package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"darkroom/api"
)

// FreeField names the one field of a form that is Free.
const FreeField = "arguments"

var jsonNumber = api.Pattern(`^-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?$`)

var wholeNumber = api.Pattern(`^-?(0|[1-9][0-9]{0,18})(\.0{1,9})?$`)

type toolChecker struct{ out []api.Problem }

func (c *toolChecker) add(field, code string, args ...any) {
	c.out = append(c.out, api.NewProblem(field, code, args...))
}

// Args builds a call's arguments from what stands in the fields, by name, and
// says what is wrong with it. An empty field is left out. With problems the
// arguments are not to be sent.
func (f Form) Args(values map[string]string) (json.RawMessage, []api.Problem) {
	c := &toolChecker{}
	if f.Free {
		raw := strings.TrimSpace(values[FreeField])
		if raw == "" {
			return json.RawMessage("{}"), nil
		}
		if _, ok := schemaObject([]byte(raw)); !ok || !json.Valid([]byte(raw)) {
			c.add(FreeField, api.CodeToolNotObject)
		}
		return json.RawMessage(raw), c.out
	}
	w := api.Object{}
	for i := range f.Fields {
		field := &f.Fields[i]
		typed := values[field.Name]
		if field.Type != FieldText {
			typed = strings.TrimSpace(typed)
		}
		if strings.TrimSpace(typed) == "" {
			if field.Required {
				c.add(field.Name, api.CodeToolRequired, field.Label)
			}
			continue
		}
		if raw := c.typed(field, typed); raw != "" {
			w.Raw(field.Name, raw)
		}
	}
	return json.RawMessage(w.JSON()), c.out
}

// typed gives what was typed as JSON, or "" with a problem.
func (c *toolChecker) typed(f *Field, s string) string {
	label := f.Label
	if len(f.Choices) > 0 && f.Type != FieldLines && f.Type != FieldNumbers && !slices.Contains(f.Choices, s) {
		c.add(f.Name, api.CodeNotAChoice, label, clippedList(f.Choices))
		return ""
	}
	switch f.Type {
	case FieldText:
		c.length(f, utf8.RuneCountInString(s), api.CodeToolTooShort, api.CodeToolTooLong)
		return api.JSONString(s)
	case FieldWhole, FieldNumber:
		return c.number(f, s)
	case FieldYesNo:
		if s != "true" && s != "false" {
			c.add(f.Name, api.CodeToolNotTrueOrFalse, label)
			return ""
		}
		return s
	case FieldLines, FieldNumbers:
		return c.lines(f, s)
	}
	if !json.Valid([]byte(s)) {
		c.add(f.Name, api.CodeToolNotJSON, label)
		return ""
	}
	return s
}

func (c *toolChecker) number(f *Field, s string) string {
	switch {
	case f.Type == FieldWhole && !wholeNumber().MatchString(s):
		c.add(f.Name, api.CodeToolNotWhole, f.Label)
		return ""
	case !jsonNumber().MatchString(s):
		c.add(f.Name, api.CodeToolNotNumber, f.Label)
		return ""
	}
	n, _ := strconv.ParseFloat(s, 64)
	switch {
	case f.Min != nil && n < *f.Min:
		c.add(f.Name, api.CodeToolBelowMin, f.Label, plainFloat(*f.Min))
	case f.Max != nil && n > *f.Max:
		c.add(f.Name, api.CodeToolAboveMax, f.Label, plainFloat(*f.Max))
	}
	return s
}

func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// lines makes a list of the lines that are not blank.
func (c *toolChecker) lines(f *Field, s string) string {
	var list []string
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if f.Type == FieldLines {
			list = append(list, api.JSONString(line))
			continue
		}
		if !jsonNumber().MatchString(line) {
			c.add(f.Name, api.CodeToolNotNumbers, f.Label, api.Clean(line, 40))
			return ""
		}
		list = append(list, line)
	}
	c.length(f, len(list), api.CodeToolTooFew, api.CodeToolTooMany)
	return "[" + strings.Join(list, ",") + "]"
}

func (c *toolChecker) length(f *Field, n int, few, many string) {
	switch {
	case n < f.MinLen:
		c.add(f.Name, few, f.Label, n, f.MinLen)
	case f.MaxLen > 0 && n > f.MaxLen:
		c.add(f.Name, many, f.Label, n, f.MaxLen, n-f.MaxLen)
	}
}

// clippedList joins choices for a sentence.
func clippedList(list []string) api.Text {
	return api.Clean(strings.Join(list, ", "), 200)
}

// Check says what is wrong with arguments that were written as JSON.
func (f Form) Check(args json.RawMessage) []api.Problem {
	c := &toolChecker{}
	args = bytes.TrimSpace(args)
	values, ok := schemaObject(args)
	if !ok || !json.Valid(args) {
		c.add(FreeField, api.CodeToolNotObject)
		return c.out
	}
	if f.Free {
		return nil
	}
	var known []string
	for i := range f.Fields {
		field := &f.Fields[i]
		known = append(known, field.Name)
		v, there := values[field.Name]
		switch {
		case !there && field.Required:
			c.add(field.Name, api.CodeToolRequired, field.Label)
		case there && v != nil:
			c.given(field, v)
		}
	}
	if !f.Closed {
		return c.out
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case slices.Contains(known, name):
		case len(known) == 0:
			c.add(name, api.CodeToolNoArguments, api.Clean(name, 60))
		default:
			c.add(name, api.CodeToolUnknownArgument, api.Clean(name, 60), clippedList(known))
		}
	}
	return c.out
}

// given checks a value by what it would be when typed.
func (c *toolChecker) given(f *Field, v any) {
	switch v.(type) {
	case string:
		switch f.Type {
		case FieldLines, FieldNumbers:
			c.add(f.Name, api.CodeToolNotList, f.Label)
			return
		case FieldWhole, FieldNumber, FieldYesNo:
			c.typed(f, "\x00") // a text is none of these, whatever it holds
			return
		}
	case []any:
		if f.Type != FieldLines && f.Type != FieldNumbers && f.Type != FieldJSON {
			c.typed(f, "\x00")
			return
		}
	default:
		switch f.Type {
		case FieldText:
			c.add(f.Name, api.CodeToolNotText, f.Label)
			return
		case FieldLines, FieldNumbers:
			c.add(f.Name, api.CodeToolNotList, f.Label)
			return
		}
	}
	if f.Type != FieldJSON {
		c.typed(f, plainValue(v))
	}
}
