package read

import (
	"strings"
	"testing"

	"darkroom/api"
)

// Shapes that no fixture has, made up in the manner of such services, after
// the reader had been written.

func TestUnseenCreates(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"success":true,"data":"task_abc123"}`:                                              "task_abc123",
		`{"code":1,"description":"提交成功","result":"14001934816969"}`:                          "14001934816969",
		`{"errorCode":0,"payload":null,"result":{"taskId":"x9"}}`:                            "x9",
		`{"ok":true,"generation":{"id":"g1","state":"IN_QUEUE"}}`:                            "g1",
		`{"meta":{"request_id":"r"},"data":{"generation":{"uuid":"u-1","status":"queued"}}}`: "u-1",
		`{"job":"j-77","status":"PENDING"}`:                                                  "j-77",
		`{"job":{"id":"j-78","status":"PENDING","result":null,"error":null}}`:                "j-78",
		`{"id":"trace","jobId":"j-79"}`:                                                      "j-79",
		`{"statusCode":202,"body":{"jobId":"j-80"}}`:                                         "j-80",
		`{"message":"queued","render_id":"rd-1"}`:                                            "rd-1",
		`{"response":{"job_ids":["a1","a2"]}}`:                                               "a1",
		`{"data":{"jobs":[{"id":"n1","status":"PENDING"}]}}`:                                 "n1",
		`{"jobs":[{"id":"n2","status":"PENDING"}]}`:                                          "n2",
		`{"status":"ok","response":{"inference_id":"i1"}}`:                                   "i1",
		`{"status_url":"https://api.example.com/v1/jobs/8f3a21/status"}`:                     "8f3a21",
		`{"model":{"id":"seedance2"},"prediction":{"id":"p2","status":"starting"}}`:          "p2",
		`{"user":{"id":"u"},"taskID":"T7"}`:                                                  "T7",
		`"job-1234567"`:                                                                      "job-1234567",
	} {
		if a := create(t, body); a.ID != want || a.Ended() || a.Refusal != nil {
			t.Errorf("%s: id %q class %q refusal %v, want %q", body, a.ID, a.Class, a.Refusal, want)
		}
	}
}

func TestUnseenJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body  string
		class api.StatusClass
		urls  string
	}{
		{`{"job":{"id":"j","status":"COMPLETED","result":{"url":"` + mp4 + `"},"error":null}}`, api.StatusSucceeded, mp4},
		{`{"job":{"id":"j","status":"COMPLETED","result":"` + mp4 + `"}}`, api.StatusSucceeded, mp4},
		{`{"job":{"id":"j","status":"COMPLETED","result":["` + mp4 + `"]}}`, api.StatusSucceeded, mp4},
		{`{"job":{"id":"j","status":"COMPLETED","result":{"files":[{"path":"/files/1.mp4","size":3}]}}}`, api.StatusSucceeded, "/files/1.mp4"},
		{`{"job":{"id":"j","status":"COMPLETED","result":{"video":{"signed":"https://cdn.example.com/x?sig=1"}}}}`, api.StatusSucceeded, "https://cdn.example.com/x?sig=1"},
		{`{"job":{"id":"j","status":"COMPLETED","result":{"data":{"items":[{"kind":"video","location":"` + mp4 + `"}]}}}}`, api.StatusSucceeded, mp4},
		{`{"job":{"id":"j","status":"COMPLETED","result":{"works":[{"video":{"resource":"` + mp4 + `","resource_without_watermark":"https://cdn.example.com/clean.mp4"}}]}}}`, api.StatusSucceeded, mp4},
		{`{"job":{"id":"j","status":"completed","result":{"video_url":"` + mp4 + `","thumbnail_url":"` + png + `","prompt":"x"}}}`, api.StatusSucceeded, mp4},
		{`{"data":{"job":{"id":"j","status":"FAILED","result":null,"error":"no"}}}`, api.StatusFailed, ""},
		{`{"data":{"jobs":[{"id":"n1","status":"COMPLETED","result":{"url":"` + mp4 + `"}}]}}`, api.StatusSucceeded, mp4},
		{`{"prediction":{"id":"p","status":"succeeded","output":"` + mp4 + `","urls":{"get":"https://api.example.com/p","cancel":"https://api.example.com/c"}}}`, api.StatusSucceeded, mp4},
		{`{"id":"x","state":{"name":"SUCCEEDED"},"artifacts":[{"uri":"` + mp4 + `","contentType":"video/mp4"}]}`, api.StatusSucceeded, mp4},
		{`{"id":"x","status":"GENERATION_STATUS_COMPLETED","media":{"main":"` + mp4 + `"}}`, api.StatusSucceeded, mp4},
		{`{"id":"x","status":"处理中"}`, api.StatusRunning, ""},
		{`{"id":"x","status":"BREWING","url":"` + mp4 + `"}`, api.StatusUnlisted, mp4},
		{`{"id":"x","status":2,"data":{"url":"` + mp4 + `"}}`, api.StatusUnlisted, mp4},
		{`{"message":"ok","status":200,"data":{"id":"x","status":"PROCESSING"}}`, api.StatusRunning, ""},
		{`{"id":"x","status":"completed","model":{"id":"m","status":"active"},"webhookStatus":"failed","output":{"video":"` + mp4 + `"}}`, api.StatusSucceeded, mp4},
	} {
		a := job(t, c.body)
		var got []string
		for _, r := range a.Results {
			got = append(got, r.URL)
		}
		if a.Class != c.class || strings.Join(got, " ") != c.urls {
			t.Errorf("%s: class %q results %q, want %q %q", c.body, a.Class, got, c.class, c.urls)
		}
	}
}

func TestUnseenErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		class  api.ErrorClass
		text   string
		field  string
	}{
		{400, `{"error":{"message":"duration must be one of 4, 6, 8","param":"duration","type":"invalid_request_error"}}`, api.ClassInvalid, "duration must be one of 4, 6, 8", "duration"},
		{422, `{"message":"The given data was invalid.","errors":{"prompt":["The prompt field is required."]}}`, api.ClassInvalid, "The given data was invalid.", "prompt"},
		{422, `{"detail":[{"loc":["body","image_files",1],"msg":"invalid url"}]}`, api.ClassInvalid, "invalid url", "image_files.2"},
		{400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"bad","details":[{"fieldViolations":[{"field":"aspectRatio","description":"unknown"}]}]}}`, api.ClassInvalid, "bad", "aspect_ratio"},
		{400, `{"issues":[{"path":["functionMode"],"message":"Invalid enum value"}],"name":"ZodError"}`, api.ClassInvalid, "Invalid enum value", "functionMode"},
		{400, `{"type":"about:blank","title":"Bad Request","detail":"seed must be an integer","invalid-params":[{"name":"seed","reason":"not an integer"}]}`, api.ClassInvalid, "seed must be an integer", "seed"},
		{400, `{"error":"Missing required parameter: 'prompt'"}`, api.ClassInvalid, "Missing required parameter: 'prompt'", "prompt"},
		{400, `{"msg":"内容违规，请修改提示词"}`, api.ClassModeration, "内容违规，请修改提示词", ""},
		{403, `{"error":"API key disabled"}`, api.ClassKey, "API key disabled", ""},
		{403, `{"error":{"code":"QUOTA_EXCEEDED","message":"Call quota of this key is used up"}}`, api.ClassCredits, "Call quota of this key is used up", ""},
		{429, `{"error":"并发任务过多"}`, api.ClassRate, "并发任务过多", ""},
		{200, `{"code":402,"msg":"余额不足","data":null}`, api.ClassCredits, "余额不足", ""},
		{200, `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, api.ClassCredits, "insufficient balance", ""},
		{200, `{"success":false,"error":{"code":"UNAUTHORIZED","message":"Sign in"}}`, api.ClassKey, "Sign in", ""},
		{500, `{"error":{"message":"Insufficient GPU"}}`, api.ClassServer, "Insufficient GPU", ""},
		{404, `{"error":"Job not found"}`, api.ClassNotFound, "Job not found", ""},
		{400, `{"jsonrpc":"2.0","error":{"code":-32602,"message":"Invalid params"}}`, api.ClassInvalid, "Invalid params", ""},
	} {
		e := Error(c.status, nil, []byte(c.body))
		field := ""
		if len(e.Fields) > 0 {
			field = e.Fields[0].Field
		}
		if e.Class != c.class || e.Text.String() != c.text || field != c.field {
			t.Errorf("%d %s: %s %q field %q, want %s %q %q", c.status, c.body, e.Class, e.Text, field, c.class, c.text, c.field)
		}
	}
}

func TestUnmarkedWordsAreNoRefusal(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"message":"Your request requires processing"}`, `{"code":0,"message":"invalid frames were repaired"}`, `{}`, `{"data":{}}`, `[]`} {
		if a := create(t, body); a.Refusal != nil {
			t.Errorf("%s: refused: %+v", body, a.Refusal)
		}
	}
}

func TestUnseenModels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{`{"models":[{"id":"acme/pic","type":"image","default_price":{"credits":12,"unit":"image"},"parameters":{"size":{"values":["1K","2K"],"default":"1K"},"quality":["low","high"]}}]}`,
			"acme/pic image 12/image size=1K,2K(1K) quality=low,high()"},
		{`{"data":[{"id":"seedance2","parameters":[{"name":"duration","type":"integer","min":4,"max":15,"default":5,"required":true},{"name":"ratio","options":[{"value":"16:9","label":"Wide"}]}],"price_per_second":85}]}`,
			"seedance2 video 85/second duration=4..15(5)! ratio=16:9()"},
		{`{"image":[{"id":"a/b","cost":5}],"video":[{"id":"v","credits_per_second":50}]}`, "a/b image 5/unknown|v video 50/second"},
		{`{"acme/pic":{"type":"image","price":"12 credits / image"},"v":{"modality":"text-to-video","price":{"480p":50,"720p":85}}}`, "acme/pic image 12/image|v video none"},
		{`[{"id":"p","category":"Text to Image","price":{"amount":"0.01","currency":"USD"}}]`, "p image none"},
		{`{"data":{"items":[{"modelId":"q","output_modalities":["video"],"input_schema":{"type":"object","required":["prompt"],"properties":{"prompt":{"type":"string"},"resolution":{"enum":["480p","720p"],"default":"720p"},"duration":{"minimum":4,"maximum":12,"type":"integer"}}}}]}}`,
			"q video none prompt=()! resolution=480p,720p(720p) duration=4..12()"},
		{`["acme/pic","seedance2"]`, "acme/pic  none|seedance2 video none"},
		{`{"object":"list","data":[]}`, ""},
	} {
		models, _, err := Models(nil, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		}
		var lines []string
		for _, m := range models {
			lines = append(lines, modelLine(m))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.body, got, c.want)
		}
	}
	if _, _, err := Models(nil, []byte(`{"error":{"message":"no"}}`)); err == nil {
		t.Error("an error was read as a listing")
	}
}

func modelLine(m api.Model) string {
	line := m.ID + " " + string(m.Kind) + " none"
	if m.Price != nil {
		line = m.ID + " " + string(m.Kind) + " " + m.Price.Credits.String() + "/" + m.Price.Unit
	}
	for _, p := range m.Parameters {
		line += " " + p.Name + "=" + strings.Join(p.Values, ",")
		if p.Min != nil && p.Max != nil {
			line += api.Credits(*p.Min*1e6).String() + ".." + api.Credits(*p.Max*1e6).String()
		}
		line += "(" + p.Default + ")"
		if p.Required {
			line += "!"
		}
	}
	return line
}

func TestUnseenEstimates(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"credits":425}`: "425", `{"data":{"credits":"425"}}`: "425", `{"estimate":{"credits":425,"breakdown":{"base":85,"seconds":5}}}`: "425",
		`{"success":true,"data":425}`: "425", `{"pricing":{"unit_price":85,"quantity":5,"total":425}}`: "425",
		`{"model":"seedance2","duration":5,"estimatedCredits":425}`: "425", `{"result":{"creditsRequired":425,"creditsRemaining":9}}`: "425",
		`{"data":{"base_price":85,"total_credits":425,"balance":9000}}`: "425", `{"estimated_credits":{"min":400,"max":425}}`: "425",
		`{"credits_needed":425}`: "425", `{"预计":1,"credit":425}`: "425",
	} {
		if e, err := Estimate([]byte(body)); err != nil || e.Credits.String() != want {
			t.Errorf("%s: %v %v, want %s", body, e.Credits, err, want)
		}
	}
}
