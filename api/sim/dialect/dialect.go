// Package dialect puts the simulator's answers into the shapes that services of
// this kind use, for the specification leaves most of them open.
package dialect

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"darkroom/api"
)

// dialectsText holds the dialects by name, after the shapes that were seen at
// services of this kind. template.go says how the templates are filled in.
//
//go:embed dialects.json
var dialectsText []byte

// Dialect turns what the service answers into values that encoding/json writes.
type Dialect struct {
	About         string    `json:"about"`
	Statuses      [4]string `json:"statuses"` // for pending, processing, completed and failed jobs
	CreatedShape  any       `json:"created"`  // nil: that of the job
	JobShape      any       `json:"job"`
	ModelsShape   any       `json:"models"`
	EstimateShape any       `json:"estimate"`
	RefusalShape  any       `json:"refusal"`
	RefusalStatus int       `json:"refusal_status"` // 0: that of the refusal
}

var dialects = sync.OnceValue(func() (d map[string]Dialect) {
	if err := json.Unmarshal(dialectsText, &d); err != nil {
		panic(err)
	}
	return d
})

// Names lists the dialects; "" is the spec's own.
func Names() []string { return slices.Sorted(maps.Keys(dialects())) }

// Named returns the dialect of that name, if there is one.
func Named(name string) (Dialect, bool) {
	d, ok := dialects()[name]
	return d, ok
}

// Created is the answer to an accepted request.
func (d Dialect) Created(j Job) any {
	if d.CreatedShape == nil {
		return d.Job(j)
	}
	s := d.job(j)
	s.values["job"] = d.Job(j)
	return s.fill(d.CreatedShape)
}

// Job is a job as it is asked for.
func (d Dialect) Job(j Job) any { return d.job(j).fill(d.JobShape) }

// SpecifiedJob is the Job of the spec.
func SpecifiedJob(j Job) any { return dialects()[""].Job(j).(object)["job"] }

func (d Dialect) job(j Job) scope {
	status := ""
	if i := slices.Index([]string{Pending, Processing, Completed, Failed}, j.Status); i >= 0 {
		status = d.Statuses[i]
	}
	return scope{
		values: object{
			"id": j.ID, "kind": j.Kind, "model": j.Model, "status": status, "reason": j.Reason,
			"progress": j.Progress, "percent": int(100 * j.Progress), "credits": j.Credits, "credits_text": j.Credits.String(),
			"created": j.Created.UTC(), "created_ms": j.Created.UnixMilli(), "now_s": time.Now().Unix(),
			"url": j.URL, "poster": j.Poster, "type": j.MediaType, "width": j.Width, "height": j.Height, "seconds": j.Seconds,
			"expires": j.Expires.UTC().Format(time.RFC3339), "expires_s": j.Expires.Unix(), "expires_ms": j.Expires.UnixMilli(),
		},
		holds: map[string]bool{
			"done": j.Status == Completed, "failed": j.Status == Failed, "image": j.Kind == api.KindImage, "video": j.Kind == api.KindVideo,
		},
	}
}

// Models is the listing.
func (d Dialect) Models(list []Model) any {
	s := scope{values: object{"models": list, "count": len(list)}}
	for _, m := range list {
		s.items = append(s.items, scope{values: object{
			"id": m.ID, "name": m.Name, "type": m.Type, "price": m.Price.Credits, "price_text": m.Price.Credits.String(), "unit": m.Price.Unit,
			"parameters": m.Parameters, "by_name": m.byName(), "plurals": m.plurals(), "schema": m.schema(),
		}})
	}
	return s.fill(d.ModelsShape)
}

// Estimate is the answer about a price.
func (d Dialect) Estimate(model string, credits api.Credits) any {
	s := scope{values: object{"model": model, "credits": credits, "credits_text": credits.String()}}
	return s.fill(d.EstimateShape)
}

// Refusal is the answer to a call that is refused, with its status.
func (d Dialect) Refusal(r Refusal, request string) (status int, body any) {
	s := scope{
		values: object{"status": r.Status, "status_1000": 1000 + r.Status, "code": r.Code, "message": r.Message, "request": request,
			"fields": r.Fields, "now_ms": time.Now().UnixMilli()},
		holds: map[string]bool{"fields": len(r.Fields) > 0},
	}
	for _, f := range r.Fields {
		s.items = append(s.items, scope{values: object{"field": f.Field, "code": f.Code, "message": f.Message}})
	}
	if len(r.Fields) > 0 {
		s.values["field"] = r.Fields[0].Field
	}
	return cmp.Or(d.RefusalStatus, r.Status), s.fill(d.RefusalShape)
}

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
