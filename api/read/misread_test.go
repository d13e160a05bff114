package read

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
)

// Answers that were once misread.

func TestRefusedKeyShowsItsMessage(t *testing.T) {
	t.Parallel()
	for _, message := range []string{"…", "No API-key provided.", "Contact support", "已停用"} {
		body := []byte(`{"code":"InvalidApiKey","message":"` + message + `"}`)
		for _, status := range []int{200, 400, 401, 403, 404, 422} {
			e := Error(status, nil, body)
			expect.That(t, e.Class == api.ClassKey && e.Text.String() == message && e.Code.String() == "InvalidApiKey",
				status, string(body), e.Class, e.Text, "code", e.Code)
		}
		for _, a := range []api.JobAnswer{Create(200, nil, body, api.KindVideo), Job(200, nil, body, api.KindVideo)} {
			expect.That(t, a.Refusal != nil && a.Refusal.Class == api.ClassKey && a.Refusal.Text.String() == message,
				string(body), "refusal", a.Refusal)
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
		a := Job(http.StatusOK, nil, []byte(body), api.KindVideo)
		expect.Equal(t, a.OtherJob("a", "b2"), other, body, "other, with the id", a.ID, "certain", a.NamesJob, "candidates", a.Candidates)
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
		expect.That(t, a.OtherJob(c.asked) == c.other && a.IDPath == "job.id",
			"asked for", c.asked, "answered", c.answered, "other", !c.other, "at", a.IDPath)
	}
}

// An estimate is a price only if it is the one price of what was asked.
func TestEstimateOfTheQuestion(t *testing.T) {
	t.Parallel()
	asked := url.Values{"model": {"acme/pix"}, "quality": {"high"}, "image_size": {"2K"}, "duration": {"5"}, "ratio": {"16:9"}, "own": {"x"}}
	for body, want := range map[string]string{
		`{"model":"other/x","credits":1}`:                                                "",
		`{"model":"Acme/Pix","credits":7}`:                                               "7",
		`{"model":{"id":"other/x","name":"Pix"},"credits":1}`:                            "",
		`{"data":{"input":{"model_id":"other/x"},"credits":1}}`:                          "",
		`{"quality":"low","credits":1}`:                                                  "",
		`{"request":{"quality":"low"},"estimate":{"credits":1}}`:                         "",
		`{"quality":null,"size":"","duration":"5s","credits":7}`:                         "7",
		`{"size":"1K","credits":1}`:                                                      "",
		`{"size":"2048x2048","credits":7}`:                                               "7",
		`{"size":"2048x1152","credits":7}`:                                               "",
		`{"duration":10,"credits":1}`:                                                    "",
		`{"resolution":"720p","credits":7}`:                                              "7", // it was left open
		`{"aspect_ratio":"1:1","credits":1}`:                                             "",
		`{"aspect_ratio":"16:9","duration":5.0,"credits":7}`:                             "7",
		`{"duration":50,"credits":1}`:                                                    "",
		`{"id":"e1","own":"y","credits":7}`:                                              "7",
		`{"data":[{"model":"other","credits":1},{"model":"acme/pix","credits":500}]}`:    "500",
		`[{"model":"acme/pix","credits":500},{"model":"other","credits":1}]`:             "500",
		`{"data":[{"model":"other","credits":1},{"model":"third","credits":500}]}`:       "",
		`{"data":[{"model":"acme/pix","credits":1},{"model":"acme/pix","credits":500}]}`: "",
		`{"tiers":[{"quality":"low","credits":1},{"quality":"high","credits":9}]}`:       "9",
		`{"data":[{"model":"other","credits":1}]}`:                                       "",
		`{"data":[{"credits":1},{"credits":500}]}`:                                       "",
		`{"credits":1,"available":false}`:                                                "",
		`{"data":{"credits":1,"supported":false}}`:                                       "",
		`{"credits":1,"available":true}`:                                                 "1",
		`{"credits_left":3,"credits_needed":500}`:                                        "500",
		`{"credits_left":3}`:                                                             "",
		`{"data":{"credits":7},"account":{"credits":3,"total":9}}`:                       "7",
		`{"credits":-1,"cost":1}`:                                                        "",
		`{"credits":"-1","cost":1}`:                                                      "",
		`{"credits":1e13,"price":1}`:                                                     "",
		`{"credits":1000000001}`:                                                         "",
		`{"credits":1000000000}`:                                                         "1000000000",
		`{"credits":7,"price":"7.0","data":{"total_cost":7}}`:                            "7",
		`{"credits":7,"price":9}`:                                                        "",
		`{"data":{"credits":7},"estimate":{"cost":9}}`:                                   "",
		`{"credits":3,"total":9}`:                                                        "9",
		`{"credits":4,"total":9}`:                                                        "",
		`{"unit_price":3,"total":9}`:                                                     "9",
		`{"credits":0,"total":9}`:                                                        "",
		`{"credits_per_second":2,"credits_per_image":9}`:                                 "",
		`{"code":500,"message":"internal error","data":{"credits":12}}`:                  "",
		`{"total_credits":900,"required_credits":12}`:                                    "",
		`{"your_credits":900}`:                                                           "",
		`{"current_credits":900}`:                                                        "",
		`{"plan":{"credits":5000},"cost":12}`:                                            "12",
		`{"can_generate":false,"credits":12}`:                                            "",
		`{"prices":{"low":{"credits":1},"high":{"credits":9}}}`:                          "9",
		`{"low":1,"medium":5,"high":9,"ultra":20}`:                                       "9",
		`{"prices":{"2K":{"credits":9},"4K":{"credits":20}}}`:                            "9",
		`{"credits":20,"prices":{"2K":{"credits":9},"4K":{"credits":20}}}`:               "",
		`{"http_status":402,"credits":12}`:                                               "",
		`{"pricing_tier":2}`:                                                             "",
		`{"credit_multiplier":2}`:                                                        "",
		`{"price_level":3,"fee_percent":5,"cost_factor":2}`:                              "",
		`{"credits_earned":5}`:                                                           "",
		`{"refund_credits":5,"bonus_points":5}`:                                          "",
		`{"total_credits":9,"total":3}`:                                                  "",
		`{"credits":{"total":900,"left":3}}`:                                             "",
		`{"estimate":{"cost":12,"remaining":900}}`:                                       "12",
		`{"daily_credits":900}`:                                                          "",
		`{"available":"false","credits":12}`:                                             "",
		`{"available":3,"credits":12}`:                                                   "12",
		`{"enabled":false,"credits":12}`:                                                 "",
		`{"unavailable":true,"credits":12}`:                                              "",
	} {
		e, err := Estimate([]byte(body), asked)
		others := strings.Contains(body, "[") && want == "" // each list is of prices of others
		read := err == nil && e.Credits.Digits() == want && e.Unit == ""
		expect.That(t, errors.Is(err, ErrOthers) == others && (want == "" && err != nil || want != "" && read), body, e, err, "want", want)
	}
}

// Results beyond the bound are counted, and the same address counts once.
func TestMoreResultsThanAreSaved(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{2: "", 256: "", 257: "the response has 257 results; only the first 256 are saved"} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"https://cdn.example.com/%d.png"`, i))
		}
		images := strings.Join(append(list, list[0]), ",")
		a := Job(http.StatusOK, nil, []byte(`{"job":{"id":"a","status":"COMPLETED","result":{"images":[`+images+`]}}}`), api.KindImage)
		expect.That(t, len(a.Results) == min(n, 256) && a.Left.String() == want, n, len(a.Results), "results", a.Left)
	}
}

// TestATextInPlaceOfTheResult: a text in a finished answer is its result if nothing else is.
func TestATextInPlaceOfTheResult(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"status":"COMPLETED","result":{"url":"data:text/html,%3Ch1%3E"}}`:                            "<h1>",
		`{"status":"COMPLETED","result":["data:text/html;charset=utf-8;base64,PGgxPg=="]}`:             "<h1>",
		`{"status":"COMPLETED","result":{"url":"data:text/plain,x","images":["data:image/gif,R0lG"]}}`: "GIF",
		`{"status":"COMPLETED","result":{"url":"data:text/html;base64,<"}}`:                            "",
		`{"status":"COMPLETED","result":{"url":"data:audio/mpeg,x"}}`:                                  "",
		`{"status":"COMPLETED","result":{"prompt":"data:text/plain,x"}}`:                               "",
		`{"status":"RUNNING","result":{"url":"data:text/html,x"}}`:                                     "",
	} {
		results := Job(http.StatusOK, nil, []byte(body), api.KindImage).Results
		got := api.Map(results, func(r api.Result) string { return string(r.Data) })
		expect.Equal(t, strings.Join(got, " "), want, body)
	}
}

// TestAnErrorBesideResults is kept; what means none is not taken for one.
func TestAnErrorBesideResults(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		`"error":"one was refused"`: "the service reports: one was refused", `"error":{"code":7,"message":"one failed"}`: "the service reports: one failed",
		`"error":null`: "", `"error":""`: "", `"error":{"code":0,"message":"success"}`: "", `"detail":"high","message":"two pictures"`: "", `"error":false`: "", `"error":"N/A"`: "",
		`"error":{"code":200,"message":"The request was successful"}`: "", `"error":"undefined"`: "", `"error":{"code":501,"message":"one failed"}`: "the service reports: one failed",
	} {
		a := Job(http.StatusOK, nil, []byte(`{"job":{"id":"a","status":"COMPLETED",`+said+`,"result":{"url":"https://cdn.example.com/1.png"}}}`), api.KindImage)
		expect.That(t, a.Class == api.StatusSucceeded && len(a.Results) == 1 && a.Left.String() == want, said, a.Class, len(a.Results), a.Left)
	}
}

func TestScanIDs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw      string
		accepted bool
		want     []string
	}{
		{`{"request_id":"r","data":{"id":7,"task_id":"t","status":"pend`, true, []string{"t", "7", "r"}},
		{`{"request_id":"r","job":{"id":"j"`, false, []string{"j"}},
		{`{"request_id":"r"}`, false, nil},
		{`{"id":"a","x":[{"id":"a"},{"id":"b"}]`, true, []string{"a", "b"}},
		{`{"a":"id","b":"job_id"}`, true, nil},
		{`["id","x"]`, true, nil},
		{`{"id":".."}`, true, nil},
		{`{"id":"cut in the midd`, true, nil},
		{strings.Repeat(`{"a":`, 5000), true, nil},
		{`]`, true, nil},
		{``, true, nil},
	} {
		expect.List(t, ScanIDs(nil, []byte(c.raw), c.accepted), c.want, "ScanIDs", c.raw)
	}
}

// FuzzScanIDs: ids from the remains of an answer are few, distinct and can
// be asked for.
func FuzzScanIDs(f *testing.F) {
	for _, s := range []string{`{"id":"a","job":{"id":"b"},"request_id":"c"`, `{"job_id":7,"task_uuid":"x","task_id":{"id":"y"}}`, `{"id":"..","ID":"","Job-Id":"z"`,
		`[[{"id":"a"},{"id":"a"}],"id"`, `{"id":"\ud800","id":"` + strings.Repeat("i", 200), `{"a":{"id":1e5}}]`, strings.Repeat("[", 80), "\xff{\"id\":\"\xff\"}"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, accepted bool) {
		ids := ScanIDs(nil, raw, accepted)
		expect.That(t, len(ids) <= 8, len(ids), "ids")
		for i, id := range ids {
			expect.That(t, PollableID(id) && !slices.Contains(ids[:i], id), "the ids", ids)
		}
		for _, id := range ScanIDs(nil, raw, false) {
			expect.That(t, !accepted || len(ids) >= 8 || slices.Contains(ids, id), id, "of a refusal is not among", ids)
		}
	})
}

// The names of ids are the same for the reader and for the scan.
func TestScanKnowsTheReadersIDs(t *testing.T) {
	t.Parallel()
	for _, keys := range append(idKeys[:], requestIDKeys) {
		for _, name := range keys {
			raw := `{"` + name + `":"x-1","status":"queued"}`
			id := Create(200, nil, []byte(raw), api.KindVideo).ID
			expect.All(t, name+" x-1 [x-1]", name, id, ScanIDs(nil, []byte(raw[:len(raw)-3]), true))
		}
	}
}

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

// TestReadWait has the rows of every header.
func TestTrap24RetryAfter(t *testing.T) {
	t.Parallel()
	e := Error(429, http.Header{"Retry-After": {"1.5"}, "Cf-Ray": {"q"}}, []byte(`{"error":"Too many requests"}`))
	expect.All(t, "1.5s q rate", e.RetryAfter, e.RequestID, e.Class)
}

func TestTrap26HTMLOrBinary(t *testing.T) {
	t.Parallel()
	page := job(t, "<!DOCTYPE html><html><body>COMPLETED</body></html>")
	expect.That(t, page.NotReadable.String() == "it is a web page (HTML), not JSON" && page.Class == api.StatusNone, page)
	for depth, want := range map[int]error{maxDepth: nil, maxDepth + 1: errDeep} {
		expect.Equal(t, expect.Err(parseTree([]byte(strings.Repeat("[", depth)+"1"+strings.Repeat("]", depth)))), want, depth, "deep")
	}
	a := Create(200, http.Header{"Content-Type": {"video/mp4"}}, []byte("anything"), api.KindVideo)
	expect.That(t, a.Binary, "video/mp4 was not seen")
	expect.That(t, Create(200, nil, []byte("\x89PNG\r\n\x1a\n0000"), api.KindImage).Binary, "the magic bytes were not seen")
	e := Error(502, nil, []byte("<html><h1>502 Bad Gateway</h1></html>"))
	expect.That(t, e.Class == api.ClassServer && !strings.Contains(e.Text.String(), "<"), e)
}

// What is kept of an answer is bounded: addresses, and the parameters of a model with their values.
func TestBoundsOfWhatIsKept(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"https://files.example/", "/files/"} {
		for length, kept := range map[int]int{16 << 10: 1, 16<<10 + 1: 0} {
			address := head + strings.Repeat("a", length-len(head)-4) + ".mp4"
			expect.Len(t, job(t, `{"status":"COMPLETED","video_url":"`+address+`"}`).Results, kept, "results of an address of", length, "bytes")
		}
	}
	var names, values, ids []string
	for n := range 2000 + 1 {
		ids = append(ids, fmt.Sprintf(`"a/%d"`, n))
	}
	for n, want := range map[int]bool{2000 - 1: false, 2000 + 1: true} {
		list, incomplete, err := Models(nil, []byte("["+strings.Join(ids[:n], ",")+"]"))
		expect.That(t, err == nil && incomplete == want && len(list) == min(n, 2000), len(list), "of", n, "models, incomplete", incomplete, err)
	}
	for n := range 600 {
		names, values = append(names, fmt.Sprintf(`"p%d":1`, n)), append(values, fmt.Sprintf(`"v%d"`, n))
	}
	list, _, err := Models(nil, fmt.Appendf(nil, `[{"id":"m","parameters":{"size":[%s],%s}}]`, strings.Join(values, ","), strings.Join(names, ",")))
	expect.Is(t, err, nil)
	expect.All(t, "128 512 p126", len(list[0].Parameters), len(list[0].Parameters[0].Values), list[0].Parameters[127].Name)
}

// waitNow is a whole second, as dates in headers are.
var waitNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestReadWait(t *testing.T) {
	t.Parallel()
	date := func(d time.Duration) string { return waitNow.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		name   string
		header []string
		want   time.Duration
		ok     bool
	}{
		{"nothing", nil, 0, false},
		{"seconds", []string{"Retry-After", "7"}, 7 * time.Second, true},
		{"zero", []string{"Retry-After", "0"}, 0, true},
		{"fraction", []string{"Retry-After", " 1.5 "}, 1500 * time.Millisecond, true},
		{"leading dot", []string{"Retry-After", ".25"}, 250 * time.Millisecond, true},
		{"date against our clock", []string{"Retry-After", date(90 * time.Second)}, 90 * time.Second, true},
		{"date against its own clock", []string{"Retry-After", date(90 * time.Second), "Date", date(time.Minute)}, 30 * time.Second, true},
		{"date against its own wrong clock", []string{"Retry-After", date(-time.Hour + time.Minute), "Date", date(-time.Hour)}, time.Minute, true},
		{"date in the past", []string{"Retry-After", date(-time.Hour)}, 0, true},
		{"milliseconds", []string{"Retry-After-Ms", "250"}, 250 * time.Millisecond, true},
		{"milliseconds beside seconds", []string{"Retry-After-Ms", "250", "Retry-After", "1"}, 250 * time.Millisecond, true},
		{"unreadable milliseconds beside seconds", []string{"Retry-After-Ms", "soon", "Retry-After", "2"}, 2 * time.Second, true},
		{"second of two values", []string{"Retry-After", "soon", "Retry-After", "3"}, 3 * time.Second, true},
		{"Unix time", []string{"Retry-After", "1772366430"}, 30 * time.Second, true},
		{"reset seconds", []string{"RateLimit-Reset", "12"}, 12 * time.Second, true},
		{"reset Unix time", []string{"X-RateLimit-Reset-Requests", "1772366405"}, 5 * time.Second, true},
		{"reset Unix time with fraction", []string{"X-RateLimit-Reset", "1772366405.5"}, 5500 * time.Millisecond, true},
		{"reset Unix time in milliseconds", []string{"X-RateLimit-Reset", "1772366405250"}, 5250 * time.Millisecond, true},
		{"reset duration", []string{"X-RateLimit-Reset-Requests", "6m0s"}, 6 * time.Minute, true},
		{"longest reset", []string{"X-RateLimit-Reset-Requests", "5", "X-RateLimit-Reset-Tokens", "9"}, 9 * time.Second, true},
		{"reset of the spent window", []string{
			"X-RateLimit-Reset-Requests", "5", "X-RateLimit-Remaining-Requests", "0",
			"X-RateLimit-Reset-Tokens", "9", "X-RateLimit-Remaining-Tokens", "100",
		}, 5 * time.Second, true},
		{"Retry-After before reset", []string{"Retry-After", "4", "RateLimit-Reset", "12"}, 4 * time.Second, true},
		{"absurdly long", []string{"Retry-After", "999999999"}, 87600 * time.Hour, true},
		{"huge", []string{"Retry-After", "99999999999999999999999999"}, 87600 * time.Hour, true},
		{"negative", []string{"Retry-After", "-5"}, 0, false},
		{"negative duration", []string{"Retry-After", "-5s"}, 0, false},
		{"NaN", []string{"Retry-After", "NaN"}, 0, false},
		{"Inf", []string{"Retry-After", "Inf"}, 0, false},
		{"hex", []string{"Retry-After", "0x10"}, 0, false},
		{"exponent", []string{"Retry-After", "1e3"}, 0, false},
		{"words", []string{"Retry-After", "soon"}, 0, false},
		{"empty", []string{"Retry-After", ""}, 0, false},
	} {
		h := make(http.Header)
		for i := 0; i < len(c.header); i += 2 {
			h.Add(c.header[i], c.header[i+1])
		}
		got, ok := Wait(h, waitNow)
		// Fractions of Unix times are not exact in floating point.
		expect.That(t, (got-c.want).Abs() <= time.Millisecond && ok == c.ok, c.name, got, ok, "want", c.want, c.ok)
	}
}

func TestWordsAndEndings(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"": false, "two words": false, "rate_limit-1.x:y/z": true, strings.Repeat("a", 100): true, strings.Repeat("a", 101): false} {
		expect.Equal(t, codeLike(s), want, s, "a code")
	}
	expect.That(t, foldWord(strings.Repeat("a", 200)) != "" && foldWord(strings.Repeat("a", 201)) == "",
		"a word of 200 letters is none, or one of 201 is")
	for s, want := range map[string]string{"a.PNG": ".png", "a.png?b=c.mp4#d": ".png", "a.png#b.c?d.e": ".png", "?a.png": "", "#a.png": "", "a": ""} {
		expect.Equal(t, ending(s), want, s, "ends in")
	}
}

func FuzzReadWait(f *testing.F) {
	for _, s := range []string{
		"1", "1.5", "-1", "1772366405", "1e400", "Sun, 01 Mar 2026 12:00:30 GMT", "6m0s", "9223372036854775807",
		"2026-03-01T12:00:30Z", "NaN", "1..2", "Fri, 31 Dec 9999 23:59:59 GMT", "2562047h47m17s",
	} {
		f.Add(s, "", "")
		f.Add("", s, "Sun, 01 Mar 2026 12:00:00 GMT")
		f.Add("0", s, s)
	}
	f.Fuzz(func(t *testing.T, after, reset, date string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset-Tokens": {reset}, "Date": {date}, "Retry-After-Ms": {reset}}
		for range 3 {
			d, ok := Wait(h, waitNow)
			expect.That(t, d >= 0 && d <= maxReadWait && (ok || d == 0), d, ok)
			again, same := Wait(h, waitNow)
			expect.That(t, again == d && same == ok, d, ok, "then", again, same)
			c := api.ClampWait(d)
			expect.That(t, c >= api.MinWait && c <= api.MaxWait, "clamped to", c)
			h.Del("Retry-After-Ms")
			if !ok {
				h.Del("Retry-After")
			}
		}
	})
}
