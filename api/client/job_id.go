package client

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/api/read"
)

// atJobID gives an accepted create the id at a path that a person set, when
// there is one that can be asked for. Nothing else of the outcome changes: a
// path that leads nowhere leaves what the reader found.
func atJobID(o api.Outcome, t Trip, path string) api.Outcome {
	if path == "" || t.Status < 200 || t.Status > 299 || o.Phase != api.PhaseQueued && o.Phase != api.PhaseUnread {
		return o
	}
	id := idAt(t.Body, path)
	if !read.PollableID(id) {
		return o
	}
	if was := o.Answer.ID; was != "" && was != id {
		o.Answer.Candidates = append([]string{was}, o.Answer.Candidates...)
	}
	o.Answer.ID = id
	o.Answer.Found = append([]api.Found{{Concept: "id", Path: path, Value: api.Clean(id, api.MaxIDText).String()}}, o.Answer.Found...)
	o.Phase, o.Err = api.PhaseQueued, nil
	return o
}

// idAt reads the text or whole number at a dotted path, or "".
func idAt(body []byte, path string) string {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return ""
	}
	if path != "(root)" {
		steps, err := api.ParsePath(path)
		if err != nil {
			return ""
		}
		for _, step := range steps {
			v = stepInto(v, step)
		}
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		if strings.Trim(v.String(), "0123456789") == "" {
			return v.String()
		}
	}
	return ""
}

// stepInto takes one step: a name of an object, or [n] of an array.
func stepInto(v any, step string) any {
	if strings.HasPrefix(step, "[") {
		n, _ := strconv.Atoi(strings.Trim(step, "[]"))
		if list, ok := v.([]any); ok && n < len(list) {
			return list[n]
		}
		return nil
	}
	object, _ := v.(map[string]any)
	return object[step]
}
