package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// atJobID gives an accepted create the id at a path that a person set, when
// there is one that can be asked for. Nothing else of the outcome changes: a
// path that leads nowhere leaves what the reader found.
func atJobID(o Outcome, t Trip, path string) Outcome {
	if path == "" || t.Status < 200 || t.Status > 299 || o.Phase != PhaseQueued && o.Phase != PhaseUnread {
		return o
	}
	id := idAt(t.Body, path)
	if !PollableID(id) {
		return o
	}
	if was := o.Answer.ID; was != "" && was != id {
		o.Answer.Candidates = append([]string{was}, o.Answer.Candidates...)
	}
	o.Answer.ID = id
	o.Answer.Found = append([]Found{{Concept: "id", Path: path, Value: Clean(id, MaxIDText).String()}}, o.Answer.Found...)
	o.Phase, o.Err = PhaseQueued, nil
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
		steps, err := parsePath(path)
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

// parsePath splits a.b[0].c into its steps.
func parsePath(path string) ([]string, error) {
	var steps []string
	for _, part := range strings.Split(path, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if name != "" {
			steps = append(steps, name)
		}
		if !indexed && name == "" {
			return nil, fmt.Errorf("an empty step")
		}
		for indexed {
			var index string
			var closed bool
			index, rest, closed = strings.Cut(rest, "]")
			if n, err := strconv.Atoi(index); err != nil || n < 0 || !closed {
				return nil, fmt.Errorf("[%s is no index", index)
			}
			steps = append(steps, "["+index+"]")
			if rest == "" {
				break
			}
			if !strings.HasPrefix(rest, "[") {
				return nil, fmt.Errorf("%s follows an index", rest)
			}
			rest = rest[1:]
		}
	}
	return steps, nil
}

// CheckJobIDPath reports whether a path can be followed.
func CheckJobIDPath(path string) error {
	if path == "(root)" {
		return nil
	}
	if _, err := parsePath(path); err != nil || len(path) > 200 {
		return fmt.Errorf("write a path such as data.task_id or data.tasks[0].id")
	}
	return nil
}
