package read

import (
	"net/http"
	"testing"

	"darkroom/api"
)

// Answers that were once misread.

func TestRefusedKeyShowsItsMessage(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"…", "No API-key provided.", "Contact support", "已停用"} {
		body := []byte(`{"code":"InvalidApiKey","message":"` + message + `"}`)
		for _, status := range []int{200, 400, 401, 403, 404, 422} {
			e := Error(status, nil, body)
			if e.Class != api.ClassKey || e.Text.String() != message || e.Code.String() != "InvalidApiKey" {
				t.Errorf("%d %s: %s %q code %q", status, body, e.Class, e.Text, e.Code)
			}
		}
		for _, a := range []api.JobAnswer{Create(200, nil, body, api.KindVideo), Job(200, nil, body, api.KindVideo)} {
			if a.Refusal == nil || a.Refusal.Class != api.ClassKey || a.Refusal.Text.String() != message {
				t.Errorf("%s: refusal %+v", body, a.Refusal)
			}
		}
	}
}

// An answer that is about another job than the one asked for can be known for
// it; ids that may be of something else never are proof.
func TestOtherJob(t *testing.T) {
	t.Parallel()
	for body, other := range map[string]bool{
		`{"job":{"id":"b","status":"COMPLETED"}}`:                                     true,
		`{"job":{"id":"a","status":"COMPLETED"}}`:                                     false,
		`{"id":"b","status":"running"}`:                                               true,
		`{"code":200,"data":{"task_id":"b","task_status":"running"}}`:                 true,
		`{"job_id":"b","result":{"url":"` + mp4 + `"}}`:                               true,
		`{"id":7,"status":"running"}`:                                                 false, // a number beside other ids
		`{"job":{"id":"task_b","status":"COMPLETED"}}`:                                false, // so may be this one
		`{"id":"trace","data":{"task_id":"a","status":"running"}}`:                    false,
		`{"id":"a","task_id":"b","status":"running"}`:                                 false,
		`{"request_id":"b","status":"running"}`:                                       false,
		`{"id":"b","data":{"status":"running"}}`:                                      false,
		`{"status":"running","video_id":"b"}`:                                         false,
		`{"status":"running","result":{"id":"b","url":"` + mp4 + `"}}`:                false,
		`{"status":"running","status_url":"https://api.example.com/jobs/b1"}`:         false,
		`{"jobs":[{"id":"b","status":"running"},{"id":"a","status":"running"}]}`:      false,
		`[{"id":"b","status":"running"}]`:                                             true,
		`{"name":"operations/b1","done":false}`:                                       false,
		`{"status":"running"}`:                                                        false,
		`{"error":{"message":"no","id":"b"}}`:                                         false,
		`{"success":true,"data":"b1234"}`:                                             false,
		`{"id":"b2","status":"running"}`:                                              false,
		`<html>`:                                                                      false,
		`{"status":"COMPLETED","id":"b","images":[{"id":"a","url":"` + png + `"}]}`:   true,
		`{"id":"trace","status":"ok","job":{"id":"a","status":"COMPLETED"}}`:          false,
		`{"id":"b","status":"success","data":{"job_id":"a","status":"processing"}}`:   false,
		`{"status":"success","data":{"id":"b","status":"processing","job_id":"jb9"}}`: true,
	} {
		if a := Job(http.StatusOK, nil, []byte(body), api.KindVideo); a.OtherJob("a", "b2") != other {
			t.Errorf("%s: other %v, id %q certain %v candidates %q", body, !other, a.ID, a.NamesJob, a.Candidates)
		}
	}
}

// A service may write an id in another way than it gave it out.
func TestOtherWritingOfTheSameJob(t *testing.T) {
	t.Parallel()
	const upper, lower = "550E8400-E29B-41D4-A716-446655440000", "550e8400-e29b-41d4-a716-446655440000"
	for _, c := range []struct {
		asked, answered string
		other           bool
	}{
		{upper, `"` + lower + `"`, false}, {lower, `"` + upper + `"`, false}, {"JOB_A", `"job_a"`, false},
		{"00042", `42`, false}, {"42", `"0042"`, false}, {"42", `"43"`, true}, {"420", `"42"`, true},
		{upper, `"550e8400-e29b-41d4-a716-446655440001"`, true},
	} {
		a := Job(http.StatusOK, nil, []byte(`{"job":{"id":`+c.answered+`,"status":"COMPLETED"}}`), api.KindVideo)
		if a.OtherJob(c.asked) != c.other {
			t.Errorf("asked for %s, answered %s: other %v", c.asked, c.answered, !c.other)
		}
	}
}
