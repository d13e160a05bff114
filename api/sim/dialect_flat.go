package sim

import (
	"encoding/json"
	"fmt"
	"time"

	"darkroom/api"
)

// object is a JSON object.
type object = map[string]any

// words are a dialect's status words for pending, processing, completed and
// failed jobs.
type words [4]string

// of is the word for where a job stands.
func (w words) of(v view) string {
	for i, status := range [4]string{statusPending, statusProcessing, statusCompleted, statusFailed} {
		if v.status == status {
			return w[i]
		}
	}
	return ""
}

// done and failed report how a job ended.
func (v view) done() bool   { return v.status == statusCompleted }
func (v view) failed() bool { return v.status == statusFailed }

// pick is a for images and b for videos.
func (v view) pick(a, b string) string {
	if v.kind == api.KindVideo {
		return b
	}
	return a
}

// flat: no envelope, an id and a status word beside the output, as the most do.
func flat() dialect {
	status := words{"starting", "processing", "succeeded", "failed"}
	job := func(v view) any {
		o := object{"id": v.id, "model": v.model, "status": status.of(v), "created_at": v.at.UTC(), "error": nil, "output": nil,
			"urls": object{"get": "/v1/predictions/" + v.id}, "metrics": object{}}
		if v.done() {
			o["output"] = []string{v.url}
		}
		if v.failed() {
			o["error"] = v.reason
		}
		return o
	}
	return dialect{created: job, job: job,
		models: func(l []listed) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"id": m.ID, "modality": m.Type, "pricing": m.Price.Credits, "unit": m.Price.Unit, "params": byName(m)})
			}
			return object{"data": list, "object": "list"}
		},
		estimate: func(model string, c api.Credits) any { return object{"cost": c} },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"title": r.code, "detail": r.message, "status": r.status}
		},
	}
}

// byName is a listing's parameters as a map of lists.
func byName(m listed) object {
	o := object{}
	for _, p := range m.Parameters {
		switch {
		case len(p.Values) > 0:
			o[p.Name] = p.Values
		case p.Min != nil:
			o[p.Name] = object{"type": "range", "min": p.Min, "max": p.Max, "default": p.Default}
		}
	}
	return o
}

// requestID: the only id is request_id, the status is in capitals, and the
// media lie beside it under the name of the kind.
func requestID() dialect {
	status := words{"IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED"}
	job := func(v view) any {
		o := object{"request_id": v.id, "status": status.of(v), "queue_position": 0}
		if v.done() {
			file := object{"url": v.url, "content_type": v.mediaType, "file_name": v.pick("image.png", "video.mp4")}
			if v.kind == api.KindVideo {
				o["video"] = file
			} else {
				o["images"] = []object{file}
			}
		}
		if v.failed() {
			o["detail"] = []object{{"loc": []string{"body", "prompt"}, "msg": v.reason, "type": "generation_error"}}
		}
		return o
	}
	return dialect{created: job, job: job,
		models: func(l []listed) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"endpoint_id": m.ID, "metadata": object{"display_name": m.Name, "category": "text-to-" + m.Type}, "input_schema": schema(m)})
			}
			return object{"models": list, "next_cursor": nil, "has_more": false}
		},
		estimate: func(model string, c api.Credits) any {
			return object{"estimate_type": "unit", "total_cost": c, "currency": "credits"}
		},
		refusal: func(r refusal, id string) (int, any) {
			var list []object
			for _, f := range r.fields {
				list = append(list, object{"loc": []string{"body", f.Field}, "msg": f.Message, "type": "value_error." + f.Code})
			}
			if list == nil {
				return r.status, object{"detail": r.message}
			}
			return r.status, object{"detail": list}
		},
	}
}

// schema is a listing's parameters as a JSON Schema.
func schema(m listed) object {
	properties, required := object{}, []string{}
	for _, p := range m.Parameters {
		o := object{"type": "string"}
		switch {
		case len(p.Values) > 0:
			o["enum"], o["default"] = p.Values, p.Default
		case p.Type == "integer":
			o["type"] = "integer"
		case p.Type == "url[]":
			o["type"], o["items"] = "array", object{"type": "string", "format": "uri"}
		}
		if p.Min != nil {
			o["minimum"], o["maximum"], o["default"] = p.Min, p.Max, p.Default
		}
		properties[p.Name] = o
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// rootArray: every answer is an array of one.
func rootArray() dialect {
	status := words{"pending", "running", "success", "fail"}
	job := func(v view) any {
		o := object{"taskUUID": v.id, "status": status.of(v), "cost": v.credits}
		if v.done() {
			o[v.pick("imageURL", "videoURL")] = v.url
		}
		if v.failed() {
			o["errors"] = []object{{"code": "generationFailed", "message": v.reason}}
		}
		return []object{o}
	}
	return dialect{
		created: func(v view) any { return []object{{"code": 200, "taskId": v.id}} }, job: job,
		models: func(l []listed) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"name": m.ID, "title": m.Name, "type": m.Type, "price": m.Price.Credits.String(), "parameters": m.Parameters})
			}
			return list
		},
		estimate: func(model string, c api.Credits) any { return []object{{"estimatedGenerationCost": c, "cost": c}} },
		refusal: func(r refusal, id string) (int, any) {
			o := object{"code": r.code, "message": r.message}
			if len(r.fields) > 0 {
				o["parameter"] = r.fields[0].Field
			}
			return r.status, object{"errors": []object{o}}
		},
	}
}

// camel: camelCase, integers for ids of things that do not matter, and results
// one level deep.
func camel() dialect {
	status := words{"Pending", "Processing", "Completed", "Failed"}
	job := func(v view) any {
		o := object{"jobId": v.id, "jobStatus": status.of(v), "status": status.of(v), "progressPercent": int(v.progress * 100), "creditCost": v.credits}
		if v.done() {
			o["result"] = object{v.pick("imageUrls", "videoUrls"): []string{v.url}, "coverUrl": v.poster, "expiresAt": v.expires.UnixMilli()}
		}
		if v.failed() {
			o["failReason"] = v.reason
		}
		return o
	}
	return dialect{
		created: func(v view) any { return object{"jobId": v.id, "estimatedTime": 5} }, job: job,
		models: func(l []listed) any {
			list := []object{}
			for _, m := range l {
				o := object{"modelId": m.ID, "displayName": m.Name, "mediaType": m.Type, "creditsPerUnit": m.Price.Credits, "unitType": m.Price.Unit}
				for _, p := range m.Parameters {
					if plural := map[string]string{"size": "sizes", "aspect_ratio": "aspectRatios", "ratio": "aspectRatios", "quality": "qualities", "resolution": "resolutions"}[p.Name]; plural != "" {
						o[plural] = p.Values
					}
				}
				list = append(list, o)
			}
			return object{"items": list, "total": len(list)}
		},
		estimate: func(model string, c api.Credits) any {
			return object{"estimatedCredits": c, "canAfford": true, "remainingCredits": 99999}
		},
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"errorCode": r.code, "errorMessage": r.message, "message": r.message, "requestId": id}
		},
	}
}

// inline: what a completed job has lies on the job itself, a failure is told
// by the status word alone, and an error is a bare string.
func inline() dialect {
	status := words{"not_started", "intermediate-complete", "ready", "request moderated"}
	job := func(v view) any {
		o := object{"id": v.id, "object": "generation", "state": status.of(v), "seed": "42"}
		if v.done() {
			o[v.pick("image_url", "video_url")], o["thumbnail_url"], o["expires_at"] = v.url, v.url+"&thumb=1", v.expires.Unix()
		}
		return o
	}
	return dialect{created: job, job: job,
		models: func(l []listed) any {
			o := object{}
			for _, m := range l {
				o[m.ID] = object{"type": m.Type, "credits": m.Price.Credits, "parameters": byName(m)}
			}
			return o
		},
		estimate: func(model string, c api.Credits) any { return c },
		refusal:  func(r refusal, id string) (int, any) { return r.status, r.message },
	}
}

// jsonString: the result is a string that holds JSON.
func jsonString() dialect {
	status := words{"waiting", "generating", "success", "fail"}
	return dialect{
		created: func(v view) any { return object{"code": 200, "msg": "success", "data": object{"taskId": v.id}} },
		job: func(v view) any {
			o := object{"taskId": v.id, "model": v.model, "state": status.of(v), "resultJson": "", "failCode": "", "failMsg": "",
				"param": fmt.Sprintf(`{"prompt":"…","image_url":%q}`, "https://example.com/input.png")}
			if v.done() {
				inside, _ := json.Marshal(object{"resultUrls": []string{v.url}})
				o["resultJson"], o["costTime"] = string(inside), 8
			}
			if v.failed() {
				o["failCode"], o["failMsg"] = "500", v.reason
			}
			return object{"code": 200, "msg": "success", "data": o}
		},
		models: func(l []listed) any {
			return object{"code": 200, "msg": "success", "data": object{"list": l, "total": len(l)}}
		},
		estimate: func(model string, c api.Credits) any {
			return object{"code": 200, "msg": "success", "data": object{"credits": c.String()}}
		},
		// The refusal is told inside a 200.
		refusal: func(r refusal, id string) (int, any) {
			return 200, object{"code": r.status, "msg": r.message, "data": nil, "timestamp": time.Now().UnixMilli()}
		},
	}
}
