package read

import (
	"net/http"
	"testing"

	"darkroom/api"
)

// Answers that were once misread.

func TestIDWithinAResultNode(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"response":{"generation":{"generation_id":"g-1"}}}`:                              "g-1",
		`{"status":"ok","response":{"generation":{"generation_id":"g-2"}}}`:                "g-2",
		`{"result":{"task":{"id":"t-3","status":"queued"}}}`:                               "t-3",
		`{"id":"own","status":"queued","response":{"generation":{"generation_id":"g-4"}}}`: "own",
	} {
		if a := create(t, body); a.ID != want || a.Refusal != nil || a.Ended() {
			t.Errorf("%s: id %q class %q, want %q", body, a.ID, a.Class, want)
		}
	}
}

func TestResultUnderAnUnlistedWrapper(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"videos":[{"originVideo":{"filePath":"` + mp4 + `"}}]}`,
		`{"result":{"status":"success","videos":[{"originVideo":{"filePath":"` + mp4 + `"},"cover":"` + png + `"}]}}`,
		`{"status":"success","videos":[{"id":"1","origin":{"stored":"` + mp4 + `"}}]}`,
		`{"videos":[{"master":{"whereabouts":"` + mp4 + `"}}]}`,
	} {
		a := job(t, body)
		if wantURLs(t, a, mp4); a.Class != api.StatusSucceeded {
			t.Errorf("%s: class %q", body, a.Class)
		}
	}
	// Beside another address the original is a side asset.
	wantURLs(t, job(t, `{"status":"success","videos":[{"originVideo":{"filePath":"https://cdn.example.com/raw.mp4"},"url":"`+mp4+`"}]}`), mp4)
	wantURLs(t, job(t, `{"status":"success","result":{"original_image":{"url":"`+png+`"}}}`))
}

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

// A price of a part is no figure for the request.
func TestEstimateRates(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"credits_per_second":85}`:                                             "85 second",
		`{"credits":85,"unit":"second"}`:                                        "85 second",
		`{"data":{"credits":85,"unit":"per_second"}}`:                           "85 second",
		`{"unit":"second","price":{"credits":85}}`:                              "85 second",
		`{"price":"85 credits / second"}`:                                       "85 second",
		`{"price":{"amount":12,"currency":"credits","per":"image"}}`:            "12 image",
		`{"credits_per_minute":85}`:                                             "85 minute",
		`{"credits":85,"unit":"credits"}`:                                       "85 ",
		`{"credits":85,"unit":"generation"}`:                                    "85 ",
		`{"credits":85,"unit":"call"}`:                                          "85 ",
		`{"total_cost":3.75,"currency":"USD","unit":"second"}`:                  "3.75 USD",
		`{"credits_per_second":85,"credits_left":9000}`:                         "85 second",
		`{"credits_per_second":85,"credits_needed":425}`:                        "425 ",
		`{"credits":85,"unit":"second","total_credits":425}`:                    "425 ",
		`{"price":{"credits":85,"unit":"second"},"duration":5,"total":425}`:     "425 ",
		`{"credits":85,"total":425}`:                                            "425 ",
		`{"credits":425,"total":3}`:                                             "425 ",
		`{"unit_price":85,"quantity":5,"cost":425}`:                             "425 ",
		`{"base_cost":85,"cost":425}`:                                           "425 ",
		`{"items":[{"credits":400},{"credits":25}],"total_credits":425}`:        "425 ",
		`{"data":{"price_per_second":85,"total_price":425,"unit":"second"}}`:    "425 ",
		`{"credits":425,"detail":{"base":85}}`:                                  "425 ",
		`{"credits":42,"total":420,"currency":"USD"}`:                           "42 ",
		`{"pricing":{"credits":85,"unit":"second"},"estimate":{"credits":425}}`: "425 ",
	} {
		e, err := Estimate([]byte(body))
		if got := e.Credits.String() + " " + e.Unit; err != nil || got != want || e.Known() != (e.Unit == "") {
			t.Errorf("%s: %q %v, want %q", body, got, err, want)
		}
	}
}

func TestRefusedEstimates(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"ok":false,"error":"duration is required","credits":0}`,
		`{"success":false,"message":"no","data":{"credits":0}}`,
		`{"code":4001,"message":"bad model","data":{"credits":0}}`,
		`{"error":{"message":"unknown model"},"credits":425}`,
		`{"status":"error","credits":425}`,
	} {
		if e, err := Estimate([]byte(body)); err == nil {
			t.Errorf("%s: %v credits", body, e.Credits)
		}
	}
	for _, body := range []string{`{"ok":true,"error":null,"credits":0}`, `{"code":0,"message":"success","credits":0}`} {
		if e, err := Estimate([]byte(body)); err != nil || !e.Known() {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Of several amounts none that is too low for the whole is taken.
func TestAmountsOfTheWhole(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"data":{"credits":3},"total_credits":30}`: "30 ",
		`{"data":{"credits":3},"total":120}`:        "3 ", // of what is not said
		`{"credits_min":3,"credits_max":30}`:        "30 ",
		`{"unit_price":3,"quantity":10}`:            "3 unitprice",
		`{"unit_price":3,"quantity":10,"total":30}`: "30 ",
		`{"credits":3,"data":{"total_cost":30}}`:    "30 ",
	} {
		e, err := Estimate([]byte(body))
		if got := e.Credits.String() + " " + e.Unit; err != nil || got != want {
			t.Errorf("%s: %q, want %q (%v)", body, got, want, err)
		}
	}
}
