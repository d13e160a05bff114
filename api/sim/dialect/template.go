package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// scope is what a template can name. A template is a JSON value in which
//
//	"$name"             is a value as it is, and "${name}" its text within a text;
//	"key?done,!video"   is a member that is there while all of the conditions hold;
//	{"$each": …}        is, in an array, one element for each item, and as a member
//	                    the members of what each item gives;
//	"$merge": …         is the members of an object;
//	{"$json": …}        is a text that holds JSON.
type scope struct {
	values object
	holds  map[string]bool
	items  []scope
}

var inText = regexp.MustCompile(`\$\{(\w+)\}`)

func (s scope) fill(template any) any {
	switch t := template.(type) {
	case string:
		if len(t) > 1 && t[0] == '$' && t[1] != '{' {
			return s.value(t[1:])
		}
		return inText.ReplaceAllStringFunc(t, func(m string) string { return fmt.Sprint(s.value(m[2 : len(m)-1])) })
	case []any:
		return s.elements(t)
	case object:
		if inside, ok := t["$json"]; ok {
			text, _ := json.Marshal(s.fill(inside))
			return string(text)
		}
		return s.members(t)
	}
	return template
}

func (s scope) elements(list []any) []any {
	out := make([]any, 0, len(list))
	for _, element := range list {
		o, _ := element.(object)
		each, repeated := o["$each"]
		if !repeated {
			out = append(out, s.fill(element))
			continue
		}
		for _, item := range s.items {
			out = append(out, item.fill(each))
		}
	}
	return out
}

func (s scope) members(o object) object {
	out := object{}
	for key, member := range o {
		key, conditions, _ := strings.Cut(key, "?")
		switch {
		case !s.meets(conditions):
		case key == "$merge":
			maps.Copy(out, s.fill(member).(object))
		case key == "$each":
			for _, item := range s.items {
				maps.Copy(out, item.fill(member).(object))
			}
		default:
			out[s.fill(key).(string)] = s.fill(member)
		}
	}
	return out
}

func (s scope) value(name string) any {
	v, ok := s.values[name]
	if !ok {
		panic("dialects.json names an unknown value " + name)
	}
	return v
}

// meets reports whether all conditions hold; "!" turns one round.
func (s scope) meets(conditions string) bool {
	for c := range strings.SplitSeq(conditions, ",") {
		name, not := strings.CutPrefix(c, "!")
		if name != "" && s.holds[name] == not {
			return false
		}
	}
	return true
}
