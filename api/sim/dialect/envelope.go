package dialect

import (
	"time"

	"darkroom/api"
)

// data: one data object around everything.
func data() Dialect {
	status := statuses{"queued", "running", "done", "error"}
	job := func(j Job) any {
		o := object{"id": j.ID, "type": j.Kind, "status": status.of(j), "progress": j.Progress}
		if j.done() {
			o["files"] = []object{{"file_url": j.URL, "mime_type": j.MediaType, "width": j.Width, "height": j.Height}}
		}
		if j.failed() {
			o["error"] = object{"code": "generation_failed", "message": j.Reason}
		}
		return object{"data": o}
	}
	return Dialect{Created: job, Job: job,
		Models: func(l []Model) any { return object{"data": l} },
		Estimate: func(model string, c api.Credits) any {
			return object{"data": object{"estimated_credits": c, "can_afford": true}}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"errors": fieldsOr(r)}
		},
	}
}

// fieldsOr is a refusal's fields, or its sentence alone.
func fieldsOr(r Refusal) []object {
	list := []object{}
	for _, f := range r.Fields {
		list = append(list, object{"field": f.Field, "message": f.Message})
	}
	if len(list) == 0 {
		list = append(list, object{"message": r.Message})
	}
	return list
}

// codeData: code 0 and data, task_status inside, results two levels deep; the
// outer code says success although the job failed.
func codeData() Dialect {
	status := statuses{"submitted", "processing", "succeed", "failed"}
	envelope := func(inside any, id string) any {
		return object{"code": 0, "message": "SUCCEED", "request_id": id, "data": inside}
	}
	return Dialect{
		Created: func(j Job) any {
			return envelope(object{"task_id": j.ID, "task_status": status.of(j), "created_at": j.Created.UnixMilli()}, "trace-1")
		},
		Job: func(j Job) any {
			o := object{"task_id": j.ID, "task_status": status.of(j), "task_status_msg": j.Reason, "created_at": j.Created.UnixMilli()}
			if j.done() {
				o["task_result"] = object{j.pick("images", "videos"): []object{{"index": 0, "url": j.URL, "duration": "5.1"}}}
				o["final_unit_deduction"] = j.Credits.String()
			}
			return envelope(o, "trace-2")
		},
		Models:   func(l []Model) any { return envelope(object{"models": l}, "trace-3") },
		Estimate: func(model string, c api.Credits) any { return envelope(object{"total_credits": c}, "trace-4") },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"code": 1000 + r.Status, "message": r.Message, "request_id": id}
		},
	}
}

// codeArray: as code-data, but a create answers data as an array.
func codeArray() Dialect {
	status := statuses{"submitted", "processing", "completed", "failed"}
	return Dialect{
		Created: func(j Job) any {
			return object{"code": 200, "data": []object{{"status": "submitted", "task_id": j.ID}}}
		},
		Job: func(j Job) any {
			o := object{"id": j.ID, "status": status.of(j), "progress": int(100 * j.Progress), "cost": j.Credits}
			if j.done() {
				o["result"] = object{j.pick("images", "videos"): []object{{"url": []string{j.URL}, "expires_at": j.Expires.Unix()}},
					"thumbnail_url": j.Poster}
			}
			if j.failed() {
				o["error"] = object{"code": 500, "message": j.Reason, "type": "server_error"}
			}
			return object{"code": 200, "data": o}
		},
		Models: func(l []Model) any { return object{"code": "200", "data": l} },
		Estimate: func(model string, c api.Credits) any {
			return object{"code": 200, "data": object{"cost": c, "unit_price": 1}}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"error": object{"code": r.Status, "message": r.Message, "type": r.Code}}
		},
	}
}

// task: a task object with its own output; error objects without an error.
func task() Dialect {
	status := statuses{"Staged", "processing", "completed", "failed"}
	job := func(j Job) any {
		o := object{"task_id": j.ID, "status": status.of(j), "output": object{}, "input": object{"image_url": "https://example.com/input.png"},
			"error": object{"code": 0, "message": "", "raw_message": ""}, "meta": object{"usage": object{"consume": j.Credits}}}
		if j.done() {
			o["output"] = object{j.pick("image_urls", "video_urls"): []string{j.URL}}
		}
		if j.failed() {
			o["error"] = object{"code": 10000, "message": j.Reason, "raw_message": ""}
		}
		return object{"data": object{"task": o}, "message": "success"}
	}
	return Dialect{Created: job, Job: job,
		Models: func(l []Model) any { return object{"results": l, "next": nil, "count": len(l)} },
		Estimate: func(model string, c api.Credits) any {
			return object{"estimate": object{"amount": c, "unit": "credits"}}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"code": r.Status, "message": r.Message, "data": object{"error": object{"message": r.Message}}}
		},
	}
}

// taskInfo: the task beside its media.
func taskInfo() Dialect {
	status := statuses{"TASK_STATUS_QUEUED", "TASK_STATUS_PROCESSING", "TASK_STATUS_SUCCEED", "TASK_STATUS_FAILED"}
	return Dialect{
		Created: func(j Job) any { return object{"task_id": j.ID} },
		Job: func(j Job) any {
			o := object{"extra": object{"seed": "7"}, "task": object{"task_id": j.ID, "status": status.of(j), "reason": j.Reason,
				"eta": 3, "progress_percent": int(100 * j.Progress)}, "images": []object{}, "videos": []object{}}
			if j.done() {
				o[j.pick("images", "videos")] = []object{{j.pick("image_url", "video_url"): j.URL, j.pick("image_url", "video_url") + "_ttl": "3600"}}
			}
			return o
		},
		Models:   func(l []Model) any { return object{"custom_models": l} },
		Estimate: func(model string, c api.Credits) any { return object{"price": c} },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"code": r.Status, "reason": r.Code, "message": r.Message, "metadata": object{"request_id": id}}
		},
	}
}

// resultEnvelope: result around everything, which holds the id and a result of
// its own.
func resultEnvelope() Dialect {
	status := statuses{"init", "running", "success", "failed"}
	job := func(j Job) any {
		o := object{"taskId": j.ID, "status": status.of(j), "errorMsg": j.Reason}
		if j.done() {
			o["data"] = []object{{"url": j.URL, "width": j.Width, "height": j.Height}}
		}
		return object{"code": "200", "message": "Success", "result": o}
	}
	return Dialect{Created: job, Job: job,
		Models:   func(l []Model) any { return object{"code": "200", "result": object{"data": l}} },
		Estimate: func(model string, c api.Credits) any { return object{"result": object{"credits": c}} },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"code": r.Code, "msg": r.Message, "result": nil}
		},
	}
}

// statusIntOK: a number says that the call succeeded, the job has its own
// word; the amount is text.
func statusIntOK() Dialect {
	status := statuses{"waiting", "rendering", "finished", "fail"}
	job := func(j Job) any {
		o := object{"uuid": j.ID, "status": status.of(j), "message": j.Reason}
		if j.done() {
			o["generated"] = []string{j.URL}
		}
		return object{"status": 0, "success": true, "msg": "ok", "job": o, "timestamp": time.Now().Unix()}
	}
	return Dialect{
		Created: func(j Job) any { return object{"status": 0, "success": true, "msg": "ok", "job": j.ID} }, Job: job,
		Models: func(l []Model) any { return object{"status": 0, "success": true, "models": l} },
		Estimate: func(model string, c api.Credits) any {
			return object{"status": 0, "success": true, "total": c.String()}
		},
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"status": r.Status, "success": false, "msg": r.Code, "message": r.Message}
		},
	}
}

// outerOK: an outer status OK beside the job's own inner status.
func outerOK() Dialect {
	status := statuses{"CREATED", "PROCESSING", "COMPLETED", "FAILED"}
	job := func(j Job) any {
		o := object{"id": j.ID, "status": status.of(j)}
		if j.done() {
			o["successInfo"] = object{"images": []object{{"url": j.URL, "preview_url": j.URL + "&size=small"}}}
		}
		if j.failed() {
			o["failedInfo"] = object{"reason": j.Reason, "code": "999"}
		}
		return object{"status": "OK", "job": o}
	}
	return Dialect{Created: job, Job: job,
		Models:   func(l []Model) any { return object{"status": "OK", "data": object{"items": l}} },
		Estimate: func(model string, c api.Credits) any { return object{"status": "OK", "quote": object{"credits": c}} },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"status": "NOK", "error": r.Code, "message": r.Message}
		},
	}
}

// operation: one key named for what was asked holds the id.
func operation() Dialect {
	status := statuses{"PENDING", "PENDING", "COMPLETE", "FAILED"}
	return Dialect{
		Created: func(j Job) any {
			return object{"generationJob": object{"generationId": j.ID, "apiCreditCost": j.Credits}}
		},
		Job: func(j Job) any {
			o := object{"id": j.ID, "status": status.of(j), "generated_images": []object{}}
			if j.done() {
				o["generated_images"] = []object{{"id": "file-1", j.pick("url", "motionMP4URL"): j.URL}}
			}
			return object{"generations_by_pk": o}
		},
		Models:   func(l []Model) any { return object{"custom_models": l} },
		Estimate: func(model string, c api.Credits) any { return object{"calculateServiceCost": object{"cost": c}} },
		Refusal: func(r Refusal, id string) (int, any) {
			return r.Status, object{"error": r.Message, "path": "$", "code": "validation-failed"}
		},
	}
}
