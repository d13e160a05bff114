package sim

import (
	"maps"
	"slices"
	"time"

	"darkroom/api"
)

// view is a job as a dialect tells it.
type view struct {
	id        string
	kind      api.Kind
	model     string
	status    string
	progress  float64 // 0 to 1
	reason    string  // of a failed job
	credits   api.Credits
	at        time.Time
	url       string // of a completed job
	poster    string // of a completed video
	mediaType string
	width     int
	height    int
	seconds   int // of a video
	expires   time.Time
}

// view tells how a job looks now, its address signed anew.
func (s *Server) view(j *job, now time.Time) view {
	v := view{
		id: j.id, kind: j.order.kind, model: j.order.model, status: j.status(now), progress: j.progress(now),
		credits: j.credits, at: j.at,
	}
	switch v.status {
	case statusFailed:
		v.reason = j.reason()
	case statusCompleted:
		m := j.order.paint().Media(s.o.LongSide)
		v.url, v.mediaType, v.width, v.height = s.link(j, m.Name, now), m.Type, m.Width, m.Height
		v.expires = now.Add(s.o.LinkLife)
		if v.kind == api.KindVideo {
			v.poster, v.seconds = s.link(j, posterName, now), m.Seconds
		}
	}
	return v
}

// dialect says the same things in other shapes.
type dialect struct {
	created  func(view) any
	job      func(view) any
	models   func([]listed) any
	estimate func(model string, credits api.Credits) any
	refusal  func(r refusal, requestID string) (int, any)
}

// Dialects lists the names that Options.Dialect takes; "" is the spec's own.
func Dialects() []string { return slices.Sorted(maps.Keys(dialects)) }

// dialects are the dialects by name, after the shapes that were seen at
// services of this kind.
var dialects = map[string]dialect{
	"":                plainWords(),
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

// plainWords is the spec's own: job.status, job.result and job.error.
func plainWords() dialect {
	return dialect{
		created: func(v view) any { return object{"id": v.id, "job": plainJob(v)} },
		job:     func(v view) any { return object{"job": plainJob(v)} },
		models:  func(l []listed) any { return object{"models": l} },
		estimate: func(model string, credits api.Credits) any {
			return object{"model": model, "estimated_credits": credits}
		},
		refusal: plainRefusal,
	}
}

// plainJob is the Job of the spec; the inside of result is our own.
func plainJob(v view) any {
	j := object{"id": v.id, "status": v.status, "result": nil, "error": nil}
	switch v.status {
	case statusFailed:
		j["error"] = v.reason
	case statusCompleted:
		file := object{
			"url": v.url, "content_type": v.mediaType, "width": v.width, "height": v.height,
			"expires_at": v.expires.UTC().Format(time.RFC3339),
		}
		result := object{"images": []any{file}, "credits_used": v.credits}
		if v.kind == api.KindVideo {
			file["duration"] = v.seconds
			result = object{"video": file, "thumbnail_url": v.poster, "credits_used": v.credits}
		}
		j["result"] = result
	}
	return j
}
