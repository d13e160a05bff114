package read

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api"
)

const (
	mp4 = "https://cdn.example.com/v.mp4"
	png = "https://cdn.example.com/a.png"
)

// The traps are ways in which real services answer that a simple reader gets
// wrong: those with more to assert than a row of shapes.jsonl says.

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

func TestTrap03URLAsArray(t *testing.T) {
	t.Parallel()
	a := job(t, `{"data":{"id":"t","status":"completed","result":{"videos":[{"url":["`+mp4+`"],"expires_at":1763174708}]}}}`)
	wantJob(t, a, "t", api.StatusSucceeded, mp4)
	if len(a.Results) != 1 || !a.Results[0].ExpiresAt.Equal(time.Unix(1763174708, 0)) {
		t.Errorf("expiry: %+v", a.Results)
	}
}

func TestTrap13VideoInImages(t *testing.T) {
	t.Parallel()
	a := Job(200, nil, []byte(`{"code":200,"data":{"status":"completed","result":{"output":{"images":["`+mp4+`?sig=1"]}}}}`), api.KindImage)
	if len(a.Results) != 1 || a.Results[0].Kind != api.KindVideo {
		t.Errorf("%+v", a.Results)
	}
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

// TestReadWait has the rows of every header.
func TestTrap24RetryAfter(t *testing.T) {
	t.Parallel()
	if e := Error(429, http.Header{"Retry-After": {"1.5"}}, []byte(`{"error":"Too many requests"}`)); e.RetryAfter != 1500*time.Millisecond || e.Class != api.ClassRate {
		t.Errorf("in the header: %v, %s", e.RetryAfter, e.Class)
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

func TestTrap30Progress(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]float64{`0.42`: 0.42, `40`: 0.4, `"30%"`: 0.3, `100`: 1, `0`: 0, `1.0`: 1, `"0.5"`: 0.5, `null`: -1, `150`: -1, `true`: -1} {
		if a := job(t, `{"id":"x","status":"running","progress":`+value+`}`); a.Progress != want {
			t.Errorf("%s: %v, want %v", value, a.Progress, want)
		}
	}
}
