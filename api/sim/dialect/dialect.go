// Package dialect puts the simulator's answers into the shapes that services of
// this kind use, for the specification leaves most of them open.
package dialect

import (
	"maps"
	"slices"
	"time"

	"darkroom/api"
)

// Dialect turns what the service answers into values that encoding/json
// writes.
type Dialect struct {
	Created  func(Job) any
	Job      func(Job) any
	Models   func([]Model) any
	Estimate func(model string, credits api.Credits) any
	Refusal  func(r Refusal, requestID string) (status int, body any)
}

// Names lists the dialects; "" is the spec's own.
func Names() []string { return slices.Sorted(maps.Keys(dialects)) }

// Named returns the dialect of that name, if there is one.
func Named(name string) (Dialect, bool) {
	d, ok := dialects[name]
	return d, ok
}

// dialects are the dialects by name, after the shapes that were seen at
// services of this kind.
var dialects = map[string]Dialect{
	"":                specified(),
	"camel":           camel(),
	"code-array":      codeArray(),
	"code-data":       codeData(),
	"data":            data(),
	"flat":            flat(),
	"inline":          inline(),
	"json-string":     jsonString(),
	"operation":       operation(),
	"outer-ok":        outerOK(),
	"request-id":      requestID(),
	"result-envelope": resultEnvelope(),
	"root-array":      rootArray(),
	"status-int-ok":   statusIntOK(),
	"task":            task(),
	"task-info":       taskInfo(),
}

// specified is the spec's own: job.status, job.result and job.error.
func specified() Dialect {
	return Dialect{
		Created: func(j Job) any { return object{"id": j.ID, "job": SpecifiedJob(j)} },
		Job:     func(j Job) any { return object{"job": SpecifiedJob(j)} },
		Models:  func(l []Model) any { return object{"models": l} },
		Estimate: func(model string, credits api.Credits) any {
			return object{"model": model, "estimated_credits": credits}
		},
		Refusal: specifiedRefusal,
	}
}

// SpecifiedJob is the Job of the spec; the inside of result is our own.
func SpecifiedJob(j Job) any {
	o := object{"id": j.ID, "status": j.Status, "result": nil, "error": nil}
	switch j.Status {
	case Failed:
		o["error"] = j.Reason
	case Completed:
		file := object{
			"url": j.URL, "content_type": j.MediaType, "width": j.Width, "height": j.Height,
			"expires_at": j.Expires.UTC().Format(time.RFC3339),
		}
		result := object{"images": []any{file}, "credits_used": j.Credits}
		if j.Kind == api.KindVideo {
			file["duration"] = j.Seconds
			result = object{"video": file, "thumbnail_url": j.Poster, "credits_used": j.Credits}
		}
		o["result"] = result
	}
	return o
}

// specifiedRefusal is the shape of a refusal in the spec's own words. (The spec
// shows none: "Error response shape, error codes and status codes".)
func specifiedRefusal(r Refusal, requestID string) (int, any) {
	e := object{"code": r.Code, "message": r.Message}
	if len(r.Fields) > 0 {
		e["field"], e["fields"] = r.Fields[0].Field, r.Fields
	}
	return r.Status, object{"error": e, "request_id": requestID}
}
