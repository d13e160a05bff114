package read

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

// The traps are ways in which real services answer that a simple reader gets
// wrong; one test each.

func job(t testing.TB, body string) api.JobAnswer {
	t.Helper()
	return Job(200, nil, []byte(body), api.KindVideo)
}

func create(t testing.TB, body string) api.JobAnswer {
	t.Helper()
	return Create(200, nil, []byte(body), api.KindVideo)
}

func wantJob(t testing.TB, a api.JobAnswer, id string, class api.StatusClass, urls ...string) {
	t.Helper()
	if a.ID != id || a.Class != class {
		t.Errorf("id %q class %q, want %q %q", a.ID, a.Class, id, class)
	}
	wantURLs(t, a, urls...)
}

func wantURLs(t testing.TB, a api.JobAnswer, urls ...string) {
	t.Helper()
	var got []string
	for _, r := range a.Results {
		got = append(got, r.URL)
	}
	if strings.Join(got, " ") != strings.Join(urls, " ") {
		t.Errorf("results %q, want %q", got, urls)
	}
}

func wantClass(t testing.TB, status int, body string, class api.ErrorClass, text string) {
	t.Helper()
	e := Error(status, nil, []byte(body))
	if e.Class != class || e.Text.String() != text {
		t.Errorf("%d %s: %s %q, want %s %q", status, body, e.Class, e.Text, class, text)
	}
}

const (
	mp4 = "https://cdn.example.com/v.mp4"
	png = "https://cdn.example.com/a.png"
)

func TestTrap01ErrorObjectOnSuccess(t *testing.T) {
	t.Parallel()
	for _, e := range []string{`{"code":0,"raw_message":"","message":"","detail":null}`, `{}`, `""`, `null`, `[]`, `false`} {
		a := job(t, `{"code":200,"data":{"task_id":"t1","status":"completed","output":{"video_url":"`+mp4+`"},"error":`+e+`}}`)
		wantJob(t, a, "t1", api.StatusSucceeded, mp4)
		if !a.Reason.IsZero() || a.Refusal != nil {
			t.Errorf("error %s was taken for a failure: %q", e, a.Reason)
		}
	}
}

func TestTrap02CreateArrayPollObject(t *testing.T) {
	t.Parallel()
	wantJob(t, create(t, `{"code":200,"data":[{"status":"submitted","task_id":"task_1"}]}`), "task_1", api.StatusWaiting)
	wantJob(t, job(t, `{"code":200,"data":{"id":"task_1","status":"processing"}}`), "task_1", api.StatusRunning)
}

func TestTrap03URLAsArray(t *testing.T) {
	t.Parallel()
	a := job(t, `{"data":{"id":"t","status":"completed","result":{"videos":[{"url":["`+mp4+`"],"expires_at":1763174708}]}}}`)
	wantJob(t, a, "t", api.StatusSucceeded, mp4)
	if len(a.Results) != 1 || !a.Results[0].ExpiresAt.Equal(time.Unix(1763174708, 0)) {
		t.Errorf("expiry: %+v", a.Results)
	}
}

func TestTrap04ResultJSONString(t *testing.T) {
	t.Parallel()
	a := job(t, `{"code":200,"data":{"taskId":"t","state":"success","param":"{\"image_url\":\"https://in.example.com/i.png\"}","resultJson":"{\"resultUrls\":[\"`+mp4+`\"]}"}}`)
	wantJob(t, a, "t", api.StatusSucceeded, mp4)
	if a.Results[0].Path != "data.resultJson.resultUrls[0]" {
		t.Errorf("path %q", a.Results[0].Path)
	}
}

func TestTrap05IntegerIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"12202888", "343710287654", "1734971234567", "9223372036854775808"} {
		if a := create(t, `{"id":`+id+`,"status":"queued"}`); a.ID != id {
			t.Errorf("id %q, want %q", a.ID, id)
		}
	}
	if a := create(t, `{"id":1.5e3}`); a.ID != "" {
		t.Errorf("a fraction became the id %q", a.ID)
	}
}

func TestTrap06TraceBesideTaskID(t *testing.T) {
	t.Parallel()
	wantJob(t, create(t, `{"request_id":"trace","code":0,"data":{"task_id":"t1","task_status":"submitted"}}`), "t1", api.StatusWaiting)
	wantJob(t, create(t, `{"request_id":"alone","status":"queued"}`), "alone", api.StatusWaiting)
}

func TestTrap07NegativeCodeInside200(t *testing.T) {
	t.Parallel()
	a := create(t, `{"code":-2009,"message":"积分不足","data":null}`)
	if a.Refusal == nil || a.Refusal.Class != api.ClassCredits {
		t.Errorf("refusal %+v", a.Refusal)
	}
	a = create(t, `{"code":-1001,"message":"parameter invalid: prompt"}`)
	if a.Refusal == nil || a.Refusal.Class != api.ClassInvalid {
		t.Errorf("refusal %+v", a.Refusal)
	}
}

func TestFailedCreateWithoutID(t *testing.T) {
	t.Parallel()
	a := create(t, `{"status":"failed","error":"Insufficient credits"}`)
	if a.Refusal == nil || a.Refusal.Class != api.ClassCredits {
		t.Errorf("refusal %+v", a.Refusal)
	}
	wantJob(t, job(t, `{"status":"failed","error":"Insufficient credits"}`), "", api.StatusFailed)
}

func TestTrap08ArrayOfOne(t *testing.T) {
	t.Parallel()
	wantJob(t, create(t, `[{"code":200,"taskId":"x1"}]`), "x1", api.StatusNone)
}

func TestTrap09EmptyBody400(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "null", `""`, "{}"} {
		wantClass(t, 400, body, api.ClassInvalid, "The service answered 400 Bad Request without saying why")
	}
}

func TestTrap10BareString401(t *testing.T) {
	t.Parallel()
	wantClass(t, 401, `"Invalid token"`, api.ClassKey, "Invalid token")
	wantClass(t, 404, "404 page not found\n", api.ClassNotFound, "404 page not found")
}

func TestTrap11IntermediateComplete(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"intermediate-complete", "completing"} {
		if a := job(t, `{"job_id":"j","status":"`+word+`"}`); a.Class != api.StatusRunning {
			t.Errorf("%s: %q", word, a.Class)
		}
	}
	for _, word := range []string{"incomplete", "not_completed", "completed_partially", "unfailed", "prefailed"} {
		if a := job(t, `{"job_id":"j","status":"`+word+`"}`); a.Class != api.StatusUnlisted {
			t.Errorf("%s: %q", word, a.Class)
		}
	}
}

func TestTrap12Throttled(t *testing.T) {
	t.Parallel()
	wantJob(t, job(t, `{"id":"r","status":"THROTTLED"}`), "r", api.StatusWaiting)
}

func TestTrap13VideoInImages(t *testing.T) {
	t.Parallel()
	a := Job(200, nil, []byte(`{"code":200,"data":{"status":"completed","result":{"output":{"images":["`+mp4+`?sig=1"]}}}}`), api.KindImage)
	if len(a.Results) != 1 || a.Results[0].Kind != api.KindVideo {
		t.Errorf("%+v", a.Results)
	}
}

func TestTrap14SideAssets(t *testing.T) {
	t.Parallel()
	wantJob(t, job(t, `{"id":"c","status":"succeeded","content":{"video_url":"`+mp4+`","last_frame_url":"`+png+`"}}`), "c", api.StatusSucceeded, mp4)
	wantJob(t, job(t, `{"id":"c","status":"success","creations":[{"id":"1","url":"`+mp4+`","cover_url":"`+png+`","watermarked_url":"https://cdn.example.com/w.mp4"}]}`), "c", api.StatusSucceeded, mp4)
	wantJob(t, job(t, `{"id":"c","status":"completed","video":{"url":"`+mp4+`","thumbnail_url":"`+png+`","thumbnail":{"url":"`+png+`"}}}`), "c", api.StatusSucceeded, mp4)
}

func TestTrap15FutureLinks(t *testing.T) {
	t.Parallel()
	a := create(t, `{"status":"processing","id":123,"eta":10,"fetch_result":"https://api.example.com/fetch/123","future_links":["`+mp4+`"],"output":[]}`)
	wantJob(t, a, "123", api.StatusRunning)
	if a.Expected != 10*time.Second {
		t.Errorf("expected %v", a.Expected)
	}
	wantJob(t, create(t, `{"id":"123","future_links":["`+mp4+`"]}`), "123", api.StatusNone)
	wantJob(t, create(t, `{"queue_id":"q1","model":"m","download_url":"https://share.example.com/read/x"}`), "q1", api.StatusNone)
}

func TestTrap16EchoedInputs(t *testing.T) {
	t.Parallel()
	in := "https://in.example.com/i.png"
	wantJob(t, create(t, `{"task_id":"v","state":"created","images":["`+in+`"],"prompt":"x"}`), "v", api.StatusWaiting)
	wantJob(t, create(t, `{"id":"v","prompt":"x","image_url":"`+in+`"}`), "v", api.StatusNone)
	wantJob(t, create(t, `{"id":"v","input":{"image_url":"`+in+`"},"request":{"images":["`+in+`"]}}`), "v", api.StatusNone)
	wantJob(t, job(t, `{"job":{"id":"v","status":"COMPLETED","prompt":"x","image_url":"`+in+`","result":{"video_url":"`+mp4+`"}}}`), "v", api.StatusSucceeded, mp4)
	wantJob(t, job(t, `{"job":{"id":"v","status":"COMPLETED","prompt":"x","image_url":"`+in+`","result":{"file_id":"f"}}}`), "v", api.StatusSucceeded)
}

func TestTrap17FailedWithoutReason(t *testing.T) {
	t.Parallel()
	a := job(t, `{"data":{"task":{"id":"f","status":"failed","output":{"images":[]}}}}`)
	wantJob(t, a, "f", api.StatusFailed)
	if !a.Reason.IsZero() {
		t.Errorf("reason %q", a.Reason)
	}
	if a := job(t, `{"id":"b","status":"Content Moderated","result":null}`); a.Reason.String() != "Content Moderated" {
		t.Errorf("reason %q", a.Reason)
	}
}

func TestTrap18FailedWithPartialImages(t *testing.T) {
	t.Parallel()
	a := Job(200, nil, []byte(`{"id":"p","status":"failed","error":{"code":"X","message":"two of three"},"images":[{"url":"`+png+`"}]}`), api.KindImage)
	wantJob(t, a, "p", api.StatusFailed, png)
	if a.Reason.String() != "two of three" {
		t.Errorf("reason %q", a.Reason)
	}
	a = Job(200, nil, []byte(`{"output":{"task_id":"d","task_status":"SUCCEEDED","results":[{"url":"`+png+`"},{"code":"InternalError.Timeout","message":"late"}]}}`), api.KindImage)
	wantJob(t, a, "d", api.StatusSucceeded, png)
}

func TestTrap19CompletedWithoutURL(t *testing.T) {
	t.Parallel()
	a := job(t, `{"task_id":"1","status":"Success","file_id":"205","base_resp":{"status_code":0,"status_msg":"success"}}`)
	wantJob(t, a, "1", api.StatusSucceeded)
	a = job(t, `{"job":{"id":"1","status":"COMPLETED","result":{"file_id":"205"}}}`)
	if wantJob(t, a, "1", api.StatusSucceeded); !a.HasResult {
		t.Error("the result object was not seen")
	}
}

func TestTrap20BooleanEstimate(t *testing.T) {
	t.Parallel()
	e, err := Estimate([]byte(`{"estimated":true,"can_afford":true,"remaining_credits":44,"total_cost":12.5}`))
	if err != nil || e.Credits.String() != "12.5" {
		t.Errorf("%v %v", e.Credits, err)
	}
	if e, err := Estimate([]byte(`{"estimated":true,"balance":9,"remaining_credits":44}`)); err == nil {
		t.Errorf("an amount out of nothing: %v", e.Credits)
	}
}

func TestTrap21DecimalStrings(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"estimated_credits":"0.6"}}`:                      "0.6",
		`{"estimated_cost":{"amount":"6.251","currency":"credit"}}`: "6.251",
		`{"credits":"425 credits"}`:                                 "425",
		`{"cost_per_generation":80,"total_cost":160}`:               "160",
		`425`: "425",
	} {
		if e, err := Estimate([]byte(body)); err != nil || e.Credits.String() != want {
			t.Errorf("%s: %v %v, want %s", body, e.Credits, err, want)
		}
	}
}

func TestTrap22CodeNumberOrString(t *testing.T) {
	t.Parallel()
	for _, code := range []string{`402`, `"402"`, `"insufficient_credits"`} {
		e := Error(402, nil, []byte(`{"error":{"code":`+code+`,"message":"Insufficient balance"}}`))
		if e.Class != api.ClassCredits || e.Code.String() != strings.Trim(code, `"`) {
			t.Errorf("%s: %s %q", code, e.Class, e.Code)
		}
	}
	for _, code := range []string{`200`, `"200"`, `"success"`, `0`, `"0"`} {
		if a := create(t, `{"code":`+code+`,"data":{"id":"x"}}`); a.ID != "x" || a.Refusal != nil {
			t.Errorf("%s: %+v", code, a)
		}
	}
}

func TestTrap23RateThatMeansNoCredit(t *testing.T) {
	t.Parallel()
	wantClass(t, 429, `{"code":1102,"message":"Resource pack depleted"}`, api.ClassCredits, "Resource pack depleted")
	wantClass(t, 429, `{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}`, api.ClassCredits, "You exceeded your current quota")
	wantClass(t, 429, `{"error":{"code":"x","message":"Billing limit has been reached"}}`, api.ClassCredits, "Billing limit has been reached")
	wantClass(t, 429, `{"error":{"code":"x","message":"Your account is not in good standing"}}`, api.ClassCredits, "Your account is not in good standing")
	wantClass(t, 429, `{"code":1303,"message":"parallel task over resource pack limit"}`, api.ClassRate, "parallel task over resource pack limit")
	wantClass(t, 403, `{"message":"账户余额不足"}`, api.ClassCredits, "账户余额不足")
}

func TestTrap24RetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC().Truncate(time.Second)
	for name, c := range map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"seconds": {http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		"float":   {http.Header{"Retry-After": {"1.5"}}, 1500 * time.Millisecond},
		"ms":      {http.Header{"Retry-After-Ms": {"2500"}}, 2500 * time.Millisecond},
		"date":    {http.Header{"Retry-After": {now.Add(time.Minute).Format(http.TimeFormat)}, "Date": {now.Format(http.TimeFormat)}}, time.Minute},
	} {
		if e := Error(429, c.header, []byte(`{"error":"Too many requests"}`)); e.RetryAfter != c.want || e.Class != api.ClassRate {
			t.Errorf("%s: %v, want %v", name, e.RetryAfter, c.want)
		}
	}
	if e := Error(429, nil, []byte(`{"error":{"message":"slow down","retry_after":3}}`)); e.RetryAfter != 3*time.Second {
		t.Errorf("in the body: %v", e.RetryAfter)
	}
}

func TestTrap25AcceptedWhileRunning(t *testing.T) {
	t.Parallel()
	body := []byte(`{"id":"s","status":"completed","video":{"url":"` + mp4 + `"}}`)
	for _, status := range []int{201, 202, 206, 302, 404, 500} {
		if a := Job(status, nil, body, api.KindVideo); a.Ended() {
			t.Errorf("%d ended the job: %q", status, a.Class)
		}
	}
	if a := Create(202, nil, []byte(`{"id":"s","status":"in-progress"}`), api.KindImage); a.ID != "s" || a.Class != api.StatusRunning {
		t.Errorf("%+v", a)
	}
}

func TestTrap26HTMLOrBinary(t *testing.T) {
	t.Parallel()
	if a := job(t, "<!DOCTYPE html><html><body>COMPLETED</body></html>"); a.NotReadable.String() != "not JSON: HTML" || a.Class != api.StatusNone {
		t.Errorf("%+v", a)
	}
	a := Create(200, http.Header{"Content-Type": {"video/mp4"}}, []byte("anything"), api.KindVideo)
	if !a.Binary {
		t.Error("video/mp4 was not seen")
	}
	if a := Create(200, nil, []byte("\x89PNG\r\n\x1a\n0000"), api.KindImage); !a.Binary {
		t.Error("the magic bytes were not seen")
	}
	e := Error(502, nil, []byte("<html><h1>502 Bad Gateway</h1></html>"))
	if e.Class != api.ClassServer || strings.Contains(e.Text.String(), "<") {
		t.Errorf("%+v", e)
	}
}

func TestTrap27ResultAsEnvelope(t *testing.T) {
	t.Parallel()
	wantJob(t, create(t, `{"code":"200","message":"Success","result":{"taskId":"tv1","status":"submitted"}}`), "tv1", api.StatusWaiting)
	wantJob(t, job(t, `{"code":"200","result":{"taskId":"tv1","status":"success","videos":[{"url":"`+mp4+`"}]}}`), "tv1", api.StatusSucceeded, mp4)
	wantJob(t, job(t, `{"code":"200","result":{"taskId":"tv1","status":"fail","error":"no face"}}`), "tv1", api.StatusFailed)
}

func TestTrap28OuterStatus(t *testing.T) {
	t.Parallel()
	wantJob(t, job(t, `{"status":"OK","job":{"id":"p","status":"processing"}}`), "p", api.StatusRunning)
	wantJob(t, job(t, `{"status":"success","data":{"id":"p","status":"processing"}}`), "p", api.StatusRunning)
	wantJob(t, job(t, `{"status":"success","data":{"id":"p","status":"brewing"}}`), "p", api.StatusUnlisted)
	wantJob(t, create(t, `{"status":"success","data":{"task_id":"p"}}`), "p", api.StatusNone)
	if a := job(t, `{"status":"error","message":"Task not found"}`); a.Ended() || a.Refusal == nil || a.Refusal.Class != api.ClassNotFound {
		t.Errorf("%q %+v", a.Class, a.Refusal)
	}
}

func TestTrap29MixedCase(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]api.StatusClass{"Pending": api.StatusWaiting, "PENDING": api.StatusWaiting, "pending": api.StatusWaiting,
		"In_Progress": api.StatusRunning, "in-progress": api.StatusRunning, "InProgress": api.StatusRunning, "TASK_STATUS_SUCCEED": api.StatusSucceeded,
		"Completed": api.StatusSucceeded, "FAILED": api.StatusFailed, "Cancelled": api.StatusCancelled, "canceled": api.StatusCancelled} {
		if a := job(t, `{"id":"x","status":"`+word+`"}`); a.Class != want || a.Status.String() != word {
			t.Errorf("%s: %q, want %q", word, a.Class, want)
		}
	}
}

func TestTrap30Progress(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]float64{`0.42`: 0.42, `40`: 0.4, `"30%"`: 0.3, `100`: 1, `0`: 0, `1.0`: 1, `"0.5"`: 0.5, `null`: -1, `150`: -1, `true`: -1} {
		if a := job(t, `{"id":"x","status":"running","progress":`+value+`}`); a.Progress != want {
			t.Errorf("%s: %v, want %v", value, a.Progress, want)
		}
	}
}
