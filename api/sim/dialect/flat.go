package dialect

import (
	"encoding/json"
	"fmt"
	"time"

	"darkroom/api"
)

// flat: no envelope, an id and a status word beside the output, as most do.
func flat() Dialect {
	status := statuses{"starting", "processing", "succeeded", "failed"}
	job := func(j Job) any {
		o := object{"id": j.ID, "model": j.Model, "status": status.of(j), "created_at": j.Created.UTC(), "error": nil, "output": nil,
			"urls": object{"get": "/v1/predictions/" + j.ID}, "metrics": object{}}
		if j.done() {
			o["output"] = []string{j.URL}
		}
		if j.failed() {
			o["error"] = j.Reason
		}
		return o
	}
	return Dialect{Created: job, Job: job,
		Models: func(l []Model) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"id": m.ID, "modality": m.Type, "pricing": m.Price.Credits, "unit": m.Price.Unit, "params": byName(m)})
			}
			return object{"data": list, "object": "list"}
		},
		Estimate: func(model string, c api.Credits) any { return object{"cost": c} },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"title": r.Code, "detail": r.Message, "status": r.Status}
		},
	}
}

// byName is a listing's parameters as a map of lists.
func byName(m Model) object {
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
func requestID() Dialect {
	status := statuses{"IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED"}
	job := func(j Job) any {
		o := object{"request_id": j.ID, "status": status.of(j), "queue_position": 0}
		if j.done() {
			file := object{"url": j.URL, "content_type": j.MediaType, "file_name": j.pick("image.png", "video.mp4")}
			if j.Kind == api.KindVideo {
				o["video"] = file
			} else {
				o["images"] = []object{file}
			}
		}
		if j.failed() {
			o["detail"] = []object{{"loc": []string{"body", "prompt"}, "msg": j.Reason, "type": "generation_error"}}
		}
		return o
	}
	return Dialect{Created: job, Job: job,
		Models: func(l []Model) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"endpoint_id": m.ID, "metadata": object{"display_name": m.Name, "category": "text-to-" + m.Type}, "input_schema": schema(m)})
			}
			return object{"models": list, "next_cursor": nil, "has_more": false}
		},
		Estimate: func(model string, c api.Credits) any {
			return object{"estimate_type": "unit", "total_cost": c, "currency": "credits"}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			var list []object
			for _, f := range r.Fields {
				list = append(list, object{"loc": []string{"body", f.Field}, "msg": f.Message, "type": "value_error." + f.Code})
			}
			if list == nil {
				return r.Status, object{"detail": r.Message}
			}
			return r.Status, object{"detail": list}
		},
	}
}

// schema is a listing's parameters as a JSON Schema.
func schema(m Model) object {
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
func rootArray() Dialect {
	status := statuses{"pending", "running", "success", "fail"}
	job := func(j Job) any {
		o := object{"taskUUID": j.ID, "status": status.of(j), "cost": j.Credits}
		if j.done() {
			o[j.pick("imageURL", "videoURL")] = j.URL
		}
		if j.failed() {
			o["errors"] = []object{{"code": "generationFailed", "message": j.Reason}}
		}
		return []object{o}
	}
	return Dialect{
		Created: func(j Job) any { return []object{{"code": 200, "taskId": j.ID}} }, Job: job,
		Models: func(l []Model) any {
			list := []object{}
			for _, m := range l {
				list = append(list, object{"name": m.ID, "title": m.Name, "type": m.Type, "price": m.Price.Credits.String(), "parameters": m.Parameters})
			}
			return list
		},
		Estimate: func(model string, c api.Credits) any { return []object{{"estimatedGenerationCost": c, "cost": c}} },
		Refusal: func(r Refusal, id string) (int, any) {
			o := object{"code": r.Code, "message": r.Message}
			if len(r.Fields) > 0 {
				o["parameter"] = r.Fields[0].Field
			}
			return r.Status, object{"errors": []object{o}}
		},
	}
}

// camel: camelCase, integers for ids of things that do not matter, and results
// one level deep.
func camel() Dialect {
	status := statuses{"Pending", "Processing", "Completed", "Failed"}
	job := func(j Job) any {
		o := object{"jobId": j.ID, "jobStatus": status.of(j), "status": status.of(j), "progressPercent": int(j.Progress * 100), "creditCost": j.Credits}
		if j.done() {
			o["result"] = object{j.pick("imageUrls", "videoUrls"): []string{j.URL}, "coverUrl": j.Poster, "expiresAt": j.Expires.UnixMilli()}
		}
		if j.failed() {
			o["failReason"] = j.Reason
		}
		return o
	}
	return Dialect{
		Created: func(j Job) any { return object{"jobId": j.ID, "estimatedTime": 5} }, Job: job,
		Models: func(l []Model) any {
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
		Estimate: func(model string, c api.Credits) any {
			return object{"estimatedCredits": c, "canAfford": true, "remainingCredits": 99999}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"errorCode": r.Code, "errorMessage": r.Message, "message": r.Message, "requestId": id}
		},
	}
}

// inline: what a completed job has is on the job itself, a failure shows in
// the status word alone, and an error is a bare string.
func inline() Dialect {
	status := statuses{"not_started", "intermediate-complete", "ready", "request moderated"}
	job := func(j Job) any {
		o := object{"id": j.ID, "object": "generation", "state": status.of(j), "seed": "42"}
		if j.done() {
			o[j.pick("image_url", "video_url")], o["thumbnail_url"], o["expires_at"] = j.URL, j.URL+"&thumb=1", j.Expires.Unix()
		}
		return o
	}
	return Dialect{Created: job, Job: job,
		Models: func(l []Model) any {
			o := object{}
			for _, m := range l {
				o[m.ID] = object{"type": m.Type, "credits": m.Price.Credits, "parameters": byName(m)}
			}
			return o
		},
		Estimate: func(model string, c api.Credits) any { return c },
		Refusal:  func(r Refusal, id string) (int, any) { return r.Status, r.Message },
	}
}

// jsonString: the result is a string that holds JSON.
func jsonString() Dialect {
	status := statuses{"waiting", "generating", "success", "fail"}
	return Dialect{
		Created: func(j Job) any { return object{"code": 200, "msg": "success", "data": object{"taskId": j.ID}} },
		Job: func(j Job) any {
			o := object{"taskId": j.ID, "model": j.Model, "state": status.of(j), "resultJson": "", "failCode": "", "failMsg": "",
				"param": fmt.Sprintf(`{"prompt":"…","image_url":%q}`, "https://example.com/input.png")}
			if j.done() {
				inside, _ := json.Marshal(object{"resultUrls": []string{j.URL}})
				o["resultJson"], o["costTime"] = string(inside), 8
			}
			if j.failed() {
				o["failCode"], o["failMsg"] = "500", j.Reason
			}
			return object{"code": 200, "msg": "success", "data": o}
		},
		Models: func(l []Model) any {
			return object{"code": 200, "msg": "success", "data": object{"list": l, "total": len(l)}}
		},
		Estimate: func(model string, c api.Credits) any {
			return object{"code": 200, "msg": "success", "data": object{"credits": c.String()}}
		},
		// The refusal is inside a 200.
		Refusal: func(r Refusal, id string) (int, any) {
			return 200, object{"code": r.Status, "msg": r.Message, "data": nil, "timestamp": time.Now().UnixMilli()}
		},
	}
}
