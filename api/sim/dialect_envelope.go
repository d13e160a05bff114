package sim

import (
	"time"

	"darkroom/api"
)

// data: one data object around everything.
func data() dialect {
	status := words{"queued", "running", "done", "error"}
	job := func(v view) any {
		o := object{"id": v.id, "type": v.kind, "status": status.of(v), "progress": v.progress}
		if v.done() {
			o["files"] = []object{{"file_url": v.url, "mime_type": v.mediaType, "width": v.width, "height": v.height}}
		}
		if v.failed() {
			o["error"] = object{"code": "generation_failed", "message": v.reason}
		}
		return object{"data": o}
	}
	return dialect{created: job, job: job,
		models: func(l []listed) any { return object{"data": l} },
		estimate: func(model string, c api.Credits) any {
			return object{"data": object{"estimated_credits": c, "can_afford": true}}
		},
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"errors": fieldsOr(r)}
		},
	}
}

// fieldsOr is a refusal's fields, or its sentence alone.
func fieldsOr(r refusal) []object {
	list := []object{}
	for _, f := range r.fields {
		list = append(list, object{"field": f.Field, "message": f.Message})
	}
	if len(list) == 0 {
		list = append(list, object{"message": r.message})
	}
	return list
}

// codeData: code 0 and data, task_status inside, results two levels deep; the
// outer code says success although the job failed.
func codeData() dialect {
	status := words{"submitted", "processing", "succeed", "failed"}
	envelope := func(inside any, id string) any {
		return object{"code": 0, "message": "SUCCEED", "request_id": id, "data": inside}
	}
	return dialect{
		created: func(v view) any {
			return envelope(object{"task_id": v.id, "task_status": status.of(v), "created_at": v.at.UnixMilli()}, "trace-1")
		},
		job: func(v view) any {
			o := object{"task_id": v.id, "task_status": status.of(v), "task_status_msg": v.reason, "created_at": v.at.UnixMilli()}
			if v.done() {
				o["task_result"] = object{v.pick("images", "videos"): []object{{"index": 0, "url": v.url, "duration": "5.1"}}}
				o["final_unit_deduction"] = v.credits.String()
			}
			return envelope(o, "trace-2")
		},
		models:   func(l []listed) any { return envelope(object{"models": l}, "trace-3") },
		estimate: func(model string, c api.Credits) any { return envelope(object{"total_credits": c}, "trace-4") },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"code": 1000 + r.status, "message": r.message, "request_id": id}
		},
	}
}

// codeArray: as code-data, but a create answers data as an array.
func codeArray() dialect {
	status := words{"submitted", "processing", "completed", "failed"}
	return dialect{
		created: func(v view) any {
			return object{"code": 200, "data": []object{{"status": "submitted", "task_id": v.id}}}
		},
		job: func(v view) any {
			o := object{"id": v.id, "status": status.of(v), "progress": int(100 * v.progress), "cost": v.credits}
			if v.done() {
				o["result"] = object{v.pick("images", "videos"): []object{{"url": []string{v.url}, "expires_at": v.expires.Unix()}},
					"thumbnail_url": v.poster}
			}
			if v.failed() {
				o["error"] = object{"code": 500, "message": v.reason, "type": "server_error"}
			}
			return object{"code": 200, "data": o}
		},
		models: func(l []listed) any { return object{"code": "200", "data": l} },
		estimate: func(model string, c api.Credits) any {
			return object{"code": 200, "data": object{"cost": c, "unit_price": 1}}
		},
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"error": object{"code": r.status, "message": r.message, "type": r.code}}
		},
	}
}

// task: a task object with its own output; error objects without an error.
func task() dialect {
	status := words{"Staged", "processing", "completed", "failed"}
	job := func(v view) any {
		o := object{"task_id": v.id, "status": status.of(v), "output": object{}, "input": object{"image_url": "https://example.com/input.png"},
			"error": object{"code": 0, "message": "", "raw_message": ""}, "meta": object{"usage": object{"consume": v.credits}}}
		if v.done() {
			o["output"] = object{v.pick("image_urls", "video_urls"): []string{v.url}}
		}
		if v.failed() {
			o["error"] = object{"code": 10000, "message": v.reason, "raw_message": ""}
		}
		return object{"data": object{"task": o}, "message": "success"}
	}
	return dialect{created: job, job: job,
		models: func(l []listed) any { return object{"results": l, "next": nil, "count": len(l)} },
		estimate: func(model string, c api.Credits) any {
			return object{"estimate": object{"amount": c, "unit": "credits"}}
		},
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"code": r.status, "message": r.message, "data": object{"error": object{"message": r.message}}}
		},
	}
}

// taskInfo: the task beside its media.
func taskInfo() dialect {
	status := words{"TASK_STATUS_QUEUED", "TASK_STATUS_PROCESSING", "TASK_STATUS_SUCCEED", "TASK_STATUS_FAILED"}
	return dialect{
		created: func(v view) any { return object{"task_id": v.id} },
		job: func(v view) any {
			o := object{"extra": object{"seed": "7"}, "task": object{"task_id": v.id, "status": status.of(v), "reason": v.reason,
				"eta": 3, "progress_percent": int(100 * v.progress)}, "images": []object{}, "videos": []object{}}
			if v.done() {
				o[v.pick("images", "videos")] = []object{{v.pick("image_url", "video_url"): v.url, v.pick("image_url", "video_url") + "_ttl": "3600"}}
			}
			return o
		},
		models:   func(l []listed) any { return object{"custom_models": l} },
		estimate: func(model string, c api.Credits) any { return object{"price": c} },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"code": r.status, "reason": r.code, "message": r.message, "metadata": object{"request_id": id}}
		},
	}
}

// resultEnvelope: result around everything, which holds the id and a result of
// its own.
func resultEnvelope() dialect {
	status := words{"init", "running", "success", "failed"}
	job := func(v view) any {
		o := object{"taskId": v.id, "status": status.of(v), "errorMsg": v.reason}
		if v.done() {
			o["data"] = []object{{"url": v.url, "width": v.width, "height": v.height}}
		}
		return object{"code": "200", "message": "Success", "result": o}
	}
	return dialect{created: job, job: job,
		models:   func(l []listed) any { return object{"code": "200", "result": object{"data": l}} },
		estimate: func(model string, c api.Credits) any { return object{"result": object{"credits": c}} },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"code": r.code, "msg": r.message, "result": nil}
		},
	}
}

// statusIntOK: a number tells that the call went well, the job has its own
// word; the amount is text.
func statusIntOK() dialect {
	status := words{"waiting", "rendering", "finished", "fail"}
	job := func(v view) any {
		o := object{"uuid": v.id, "status": status.of(v), "message": v.reason}
		if v.done() {
			o["generated"] = []string{v.url}
		}
		return object{"status": 0, "success": true, "msg": "ok", "job": o, "timestamp": time.Now().Unix()}
	}
	return dialect{
		created: func(v view) any { return object{"status": 0, "success": true, "msg": "ok", "job": v.id} }, job: job,
		models: func(l []listed) any { return object{"status": 0, "success": true, "models": l} },
		estimate: func(model string, c api.Credits) any {
			return object{"status": 0, "success": true, "total": c.String()}
		},
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"status": r.status, "success": false, "msg": r.code, "message": r.message}
		},
	}
}

// outerOK: an outer status OK beside the job's own inner status.
func outerOK() dialect {
	status := words{"CREATED", "PROCESSING", "COMPLETED", "FAILED"}
	job := func(v view) any {
		o := object{"id": v.id, "status": status.of(v)}
		if v.done() {
			o["successInfo"] = object{"images": []object{{"url": v.url, "preview_url": v.url + "&size=small"}}}
		}
		if v.failed() {
			o["failedInfo"] = object{"reason": v.reason, "code": "999"}
		}
		return object{"status": "OK", "job": o}
	}
	return dialect{created: job, job: job,
		models:   func(l []listed) any { return object{"status": "OK", "data": object{"items": l}} },
		estimate: func(model string, c api.Credits) any { return object{"status": "OK", "quote": object{"credits": c}} },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"status": "NOK", "error": r.code, "message": r.message}
		},
	}
}

// operation: one key named for what was asked holds the id.
func operation() dialect {
	status := words{"PENDING", "PENDING", "COMPLETE", "FAILED"}
	return dialect{
		created: func(v view) any {
			return object{"generationJob": object{"generationId": v.id, "apiCreditCost": v.credits}}
		},
		job: func(v view) any {
			o := object{"id": v.id, "status": status.of(v), "generated_images": []object{}}
			if v.done() {
				o["generated_images"] = []object{{"id": "file-1", v.pick("url", "motionMP4URL"): v.url}}
			}
			return object{"generations_by_pk": o}
		},
		models:   func(l []listed) any { return object{"custom_models": l} },
		estimate: func(model string, c api.Credits) any { return object{"calculateServiceCost": object{"cost": c}} },
		refusal: func(r refusal, id string) (int, any) {
			return r.status, object{"error": r.message, "path": "$", "code": "validation-failed"}
		},
	}
}
