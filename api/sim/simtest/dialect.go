package simtest

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
	"darkroom/api/sim"
)

// dialectsText holds the dialects by name, after the shapes that were seen at
// services of this kind. scope says how the templates are filled in.
//
//go:embed dialects.json
var dialectsText []byte

// dialect puts what the service answers into the shapes of another service. The
// zero dialect is the spec's own.
type dialect struct {
	About         string    `json:"about"`
	Statuses      [4]string `json:"statuses"` // for pending, processing, completed and failed jobs
	Created       any       `json:"created"`  // nil: the job's
	Job           any       `json:"job"`
	Models        any       `json:"models"`
	Estimate      any       `json:"estimate"`
	Refusal       any       `json:"refusal"`
	RefusalStatus int       `json:"refusal_status"` // 0: the refusal's
}

var dialects = sync.OnceValue(func() (d map[string]dialect) {
	if err := json.Unmarshal(dialectsText, &d); err != nil {
		panic(err)
	}
	return d
})

// Dialects lists the names that Options.Dialect takes; "" is the spec's own.
func Dialects() []string { return append([]string{""}, slices.Sorted(maps.Keys(dialects()))...) }

// say puts an answer of an endpoint into the dialect. request is the id of the call.
func (d dialect) say(a *sim.Answer, endpoint, request string) {
	if d.Job == nil {
		return
	}
	var shape any
	var s scope
	switch m := a.Means.(type) {
	case sim.Job:
		if s, shape = d.job(m), d.Job; endpoint == "create" {
			shape = cmp.Or(d.Created, d.Job)
		}
	case []sim.Model:
		s, shape = listing(m), d.Models
	case sim.Refusal:
		s, shape = refusal(m, request), d.Refusal
		a.Status = cmp.Or(d.RefusalStatus, m.Status)
	default:
		if endpoint != "estimate" {
			return
		}
		var price struct {
			Model   string
			Credits api.Credits `json:"estimated_credits"`
		}
		_ = json.Unmarshal(a.Body, &price) // the service's own
		credits := price.Credits
		s, shape = scope{values: object{"model": price.Model, "credits": credits, "credits_text": credits.Digits()}}, d.Estimate
	}
	var err error
	if a.Body, err = api.PlainJSON(s.fill(shape)); err != nil {
		panic(err)
	}
}

func (d dialect) job(j sim.Job) scope {
	return scope{
		values: object{
			"id": j.ID, "kind": j.Kind, "model": j.Model, "reason": j.Reason, "credits": j.Credits, "credits_text": j.Credits.Digits(),
			"status":   d.Statuses[slices.Index([]string{sim.Pending, sim.Processing, sim.Completed, sim.Failed}, j.Status)],
			"progress": j.Progress, "percent": int(100 * j.Progress),
			"created": j.Created.UTC(), "created_ms": j.Created.UnixMilli(), "now_s": time.Now().Unix(),
			"url": j.URL, "poster": j.Poster, "type": j.MediaType, "width": j.Width, "height": j.Height, "seconds": j.Seconds,
			"expires_s": j.Expires.Unix(), "expires_ms": j.Expires.UnixMilli(),
		},
		holds: map[string]bool{
			"done": j.Status == sim.Completed, "failed": j.Status == sim.Failed, "image": j.Kind == api.KindImage, "video": j.Kind == api.KindVideo,
		},
	}
}

// plurals are the names of lists of values.
var plurals = map[string]string{
	"size": "sizes", "aspect_ratio": "aspectRatios", "ratio": "aspectRatios", "quality": "qualities", "resolution": "resolutions",
}

// listing has an item for each model, which has one for each of its parameters.
func listing(list []sim.Model) scope {
	return scope{values: object{"models": list, "count": len(list)}, items: api.Map(list, func(m sim.Model) scope {
		return scope{values: object{
			"id": m.ID, "name": m.Name, "type": m.Type, "price": m.Price.Credits, "price_text": m.Price.Credits.Digits(), "unit": m.Price.Unit,
			"parameters": m.Parameters,
		}, items: api.Map(m.Parameters, parameterScope)}
	})}
}

func parameterScope(p sim.Parameter) scope {
	return scope{
		values: object{"name": p.Name, "values": p.Values, "plural": plurals[p.Name], "default": p.Default, "min": p.Min, "max": p.Max},
		holds: map[string]bool{
			"values": p.Values != nil, "plural": plurals[p.Name] != "", "range": p.Min != nil,
			"integer": p.Type == "integer", "list": p.Type == "url[]",
		},
	}
}

func refusal(r sim.Refusal, request string) scope {
	return scope{
		values: object{"status": r.Status, "status_1000": 1000 + r.Status, "code": r.Code, "message": r.Message, "request": request,
			"field": r.Field, "now_ms": time.Now().UnixMilli()},
		holds: map[string]bool{"fields": len(r.Fields) > 0},
		items: api.Map(r.Fields, func(f sim.FieldRefusal) scope {
			return scope{values: object{"field": f.Field, "code": f.Code, "message": f.Message}}
		}),
	}
}

type object = map[string]any

// scope is what a template can name. A template is a JSON value in which
//
//	"$name"             is a value as it is, and "${name}" its text within a text;
//	"key?done,!video"   is a member that is there while all of the conditions hold;
//	{"$each": …}        is, in an array, one element for each item, and as a member
//	                    the members of what each item gives;
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
