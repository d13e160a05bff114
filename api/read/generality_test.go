package read

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// changer makes other answers of those in dialects.json: wrappers on the way to
// a concept get other names, an answer is one level deeper or shallower, and
// members change places.
type changer struct {
	*rand.Rand
	wrappers map[string]bool   // the keys on the way to a concept
	names    map[string]string // what they are called instead
}

var wrapperNames = strings.Fields("wrapper bundle zeta envelope outer_value holder qx7 theContainer parcel inside")

// TestGenerality reads answers of shapes that no rule was written after.
func TestGenerality(t *testing.T) {
	t.Parallel()
	c := &changer{Rand: rand.New(rand.NewPCG(1, 2))}
	report(t, score(t, slices.Repeat(dialects(t), 2), c.change), 92)
}

func (c *changer) change(d dialect, raw json.RawMessage) json.RawMessage {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return raw
	}
	c.wrappers, c.names = map[string]bool{}, map[string]string{}
	for paths := range maps.Values(d.Paths) {
		for _, path := range paths {
			path, _, _ = strings.Cut(path, " (")
			for _, key := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
				c.wrappers[key] = true
			}
		}
	}
	object, _ := v.(map[string]any)
	switch c.IntN(3) {
	case 0: // one level shallower, where no names clash
		for _, key := range slices.Sorted(maps.Keys(object)) {
			inner, ok := object[key].(map[string]any)
			clash := slices.ContainsFunc(slices.Collect(maps.Keys(inner)), func(k string) bool { return object[k] != nil })
			if ok && c.wrappers[key] && !clash {
				delete(object, key)
				maps.Copy(object, inner)
				break
			}
		}
	case 1: // one level deeper
		v = map[string]any{wrapperNames[c.IntN(len(wrapperNames))]: v}
	}
	return json.RawMessage(c.write(v))
}

// write writes JSON with members in a random order.
func (c *changer) write(v any) string {
	var parts []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			parts = append(parts, c.write(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, c.write(c.name(key, v[key]))+":"+c.write(v[key]))
		}
		c.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return "{" + strings.Join(parts, ",") + "}"
	}
	text, _ := json.Marshal(v)
	return string(text)
}

// name is what a key is called: half of the wrappers have another name.
func (c *changer) name(key string, v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	if _, object := v.(map[string]any); !object || !c.wrappers[key] {
		return key
	}
	if c.names[key] == "" {
		c.names[key] = key
		if c.IntN(2) == 0 {
			c.names[key] = wrapperNames[c.IntN(len(wrapperNames))] + key[:1]
		}
	}
	return c.names[key]
}
