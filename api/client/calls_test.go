package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// recordedClient serves one handler and records what came in.
func recordedClient(t *testing.T, handler http.HandlerFunc) (*Client, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var calls []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told := r.Header.Get("Accept") + ", " + r.Header.Get("User-Agent") + ", " + r.Header.Get("Content-Type")
		expect.That(t, told == "application/json, darkroom/test, "+map[bool]string{true: "application/json"}[len(body) > 0],
			r.Method, r.URL, "with", len(body), "bytes has the headers", told)
		simtest.Locked(&mu, func() { calls = append(calls, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body))) })
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return testClient(t, s.URL+"/prefix", nil, nil), func() []string {
		return simtest.Read(&mu, func() []string { return slices.Clone(calls) })
	}
}

func wantErrorClass(t *testing.T, err error, class api.ErrorClass) *api.Error {
	t.Helper()
	var e *api.Error
	expect.Must(t, errors.As(err, &e) && e.Class == class && e.Error() != "", "error", err, "want class", class)
	return e
}

// An answer above the cap is none, also when its beginning could be read.
func TestAnswerAboveTheCap(t *testing.T) {
	t.Parallel()
	const done = `{"job":{"id":"a","status":"COMPLETED","result":{"url":"https://f.example/a.mp4"}}}`
	for size, taken := range map[int]bool{1 << 20: true, 1<<20 + 1: false, 3 << 20: false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, done+strings.Repeat(" ", size-len(done)))
		}))
		t.Cleanup(s.Close)
		dir := t.TempDir()
		for _, file := range []func() (*os.File, error){nil, func() (*os.File, error) { return os.CreateTemp(dir, "") }} {
			client := New(Options{Base: mustURL(t, s.URL), Key: testKey(), NewFile: file})
			t.Cleanup(client.CloseIdle)
			a, err := client.Job(context.Background(), "a", api.KindVideo)
			expect.That(t, (err == nil && a.Ended()) == taken, size, "bytes, extracting", file != nil, "poll", a.Class, err)
			out := client.testCreate(CreateOptions{})
			expect.That(t, (out.Phase == api.PhaseFetching) == taken && (taken || out.Phase == api.PhaseUnknown),
				size, "bytes, extracting", file != nil, "create", out.Phase)
		}
	}
}

// An answer about another job is no answer about the one that was asked for,
// unless the service named the job by that id as well.
func TestJobOfSomebodyElse(t *testing.T) {
	t.Parallel()
	client, _ := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"job":{"id":"theirs","status":"COMPLETED","result":{"url":"https://f.example/a.mp4"}}}`)
	})
	a, err := client.Job(context.Background(), "mine", api.KindVideo)
	expect.Contains(t, wantErrorClass(t, err, api.ClassUnreadable).Error(), "another job")
	expect.That(t, !a.Ended() && len(a.Results) == 0 && len(a.Raw) != 0, a)
	for id, also := range map[string]string{"theirs": "", "mine": "theirs", "12": "", "task_1": ""} {
		a, err := client.Job(context.Background(), id, api.KindVideo, also)
		expect.That(t, err == nil && a.Ended(), id, "also", also, a, err)
	}
	id, _, err := client.Resolve(context.Background(), []string{"mine", "theirs"}, api.KindVideo)
	expect.That(t, err == nil && id == "theirs", "resolved", id, err)
}

// A body that begins like a picture is held to a least rate, and as a whole to a limit of its own, whether a poll or
// a create is answered by it and whether or not it is base64 in JSON.
func TestMediaThatTrickle(t *testing.T) {
	t.Parallel()
	const magic = "\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
	picture := magic + strings.Repeat("A", 600)
	chunk := strings.Repeat("A", minMedia)
	for name, c := range map[string]struct{ begin, more, limit string }{
		"a byte at a time":   {picture, "A", "no further byte"},
		"at the least rate":  {picture, chunk, "no complete response"},
		"base64, by bytes":   {`{"data":"` + base64.StdEncoding.EncodeToString([]byte(magic)) + strings.Repeat("A", extractFrom), "A", "no further byte"},
		"base64, least rate": {`{"data":"` + base64.StdEncoding.EncodeToString([]byte(magic)) + strings.Repeat("A", extractFrom), chunk, "no complete response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				client := pipeClient(t, Options{Scale: 0.01, NewFile: func() (*os.File, error) { return os.CreateTemp(dir, "") }}, func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					io.WriteString(w, c.begin)
					tick := time.NewTicker(2 * time.Millisecond)
					defer tick.Stop()
					for r.Context().Err() == nil {
						if _, err := io.WriteString(w, c.more); err != nil {
							return
						}
						w.(http.Flusher).Flush()
						<-tick.C
					}
				})
				_, err := client.Job(t.Context(), "a", api.KindVideo)
				expect.Contains(t, wantErrorClass(t, err, api.ClassNetwork).Error(), c.limit, "poll")
				out := client.Create(t.Context(), "/api/v1/videos/generations", []byte(testBody), CreateOptions{Kind: api.KindVideo,
					Media: func(_ string, _ int64, body io.Reader) error { _, err := io.Copy(io.Discard, body); return err }})
				expect.That(t, out.Phase == api.PhaseUnknown && out.Err != nil && strings.Contains(out.Err.Error(), c.limit),
					"create", out.Phase, out.Err)
				expect.Len(t, simtest.Must(os.ReadDir(dir))(t), 0, "files are left over")
			})
		})
	}
}

func TestJob(t *testing.T) {
	t.Parallel()
	client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] {
		case "done":
			io.WriteString(w, `{"job":{"status":"COMPLETED","result":{"url":"https://f.example/a.mp4"},"error":null}}`)
		case "early":
			w.WriteHeader(http.StatusAccepted)
			io.WriteString(w, `{"job":{"status":"COMPLETED","result":{"url":"https://f.example/a.mp4"}}}`)
		case "gone":
			http.Error(w, "no such job", http.StatusGone)
		case "rate":
			w.Header().Set("Retry-After", "9")
			w.WriteHeader(http.StatusTooManyRequests)
		case "page":
			io.WriteString(w, "<html>")
		case "empty":
		case "large":
			io.WriteString(w, `"`+strings.Repeat("x", MaxAnswer)+`"`)
		default:
			io.WriteString(w, `{"job":{"status":"PROCESSING"}}`)
		}
	})
	ctx := context.Background()
	job := func(id string) (api.JobAnswer, error) { return client.Job(ctx, id, api.KindVideo) }
	a, err := job("done")
	expect.That(t, err == nil && a.Class == api.StatusSucceeded && len(a.Results) == 1, a, err)
	a, err = job("early")
	expect.That(t, err == nil && !a.Ended(), "a 202 ended the job:", a, err)
	wantErrorClass(t, expect.Err(job("gone")), api.ClassNotFound)
	expect.Equal(t, wantErrorClass(t, expect.Err(job("rate")), api.ClassRate).RetryAfter, 9*time.Second, "RetryAfter")
	for _, id := range []string{"page", "empty", "large"} {
		a, err := job(id)
		e := wantErrorClass(t, err, api.ClassUnreadable)
		expect.That(t, !a.Ended() && (len(e.Raw) > 0) == (id != "empty"), id, "ended", a.Ended(), "raw", len(e.Raw), "bytes")
	}
	before := len(calls())
	for _, id := range []string{"", ".", "..", strings.Repeat("a", 129)} {
		wantErrorClass(t, expect.Err(job(id)), api.ClassInvalid)
	}
	expect.Len(t, calls(), before, "ids that cannot be asked for were asked for")
	longest := strings.Repeat("a", 128)
	for id, path := range map[string]string{
		longest: longest, "..a": "..a", "...": "...",
		"a/../../b?c#d": "a%2F..%2F..%2Fb%3Fc%23d", "x y\n": "x%20y%0A", "é\xff": "%C3%A9%FF", "%2e%2e": "%252e%252e",
	} {
		expect.Is(t, expect.Err(job(id)), nil, id)
		all := calls()
		expect.That(t, all[len(all)-1] == "GET /prefix/api/v1/jobs/"+path, id, "was asked for as", all[len(all)-1])
	}
}

func TestReadsLost(t *testing.T) {
	t.Parallel()
	h := newHostileServer(t, nil, says("HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n{"))
	client := testClient(t, "http://"+h.Addr().String(), nil, nil)
	_, err := client.Job(context.Background(), "a", api.KindVideo)
	expect.That(t, wantErrorClass(t, err, api.ClassNetwork).Sent, err)
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}":                   `bad Content-Length "-5"`,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}x\r\n": `malformed chunked encoding`,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n":        `invalid byte in chunk length`,
		"SSH-2.0-nothing\r\n": `malformed HTTP response "SSH-2.0-nothing"`,
	} {
		odd := newHostileServer(t, nil, says(answer))
		_, err := testClient(t, "http://"+odd.Addr().String(), nil, nil).Job(context.Background(), "a", api.KindVideo)
		want = "the response of " + odd.Addr().String() + " is not HTTP: " + want
		e := wantErrorClass(t, err, api.ClassNetwork)
		expect.That(t, e.Sent && strings.HasPrefix(e.Error(), want), e, "Sent", e.Sent, "want", want)
	}
	h.Close()
	client.CloseIdle()
	_, _, err = client.Models(context.Background())
	e := wantErrorClass(t, err, api.ClassNetwork)
	want := "the service is not reachable at " + h.Addr().String() + ": connection refused; check the network and the service's address"
	expect.That(t, !e.Sent && e.Error() == want, e, "Sent", e.Sent, "want", want)
	_, _, err = New(Options{Base: mustURL(t, "https://api.example.com")}).Models(context.Background())
	wantErrorClass(t, err, api.ClassKey)
}

func TestModels(t *testing.T) {
	t.Parallel()
	status, body := http.StatusOK, `{"data":[{"id":"seedance2","parameters":{"duration":["5","10"]},"price":85}]}`
	client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
	models, _, err := client.Models(context.Background())
	expect.That(t, err == nil && len(models) == 1 && models[0].ID == api.Seedance2, models, err)
	expect.List(t, calls(), []string{"GET /prefix/api/v1/models"})
	for text, class := range map[string]api.ErrorClass{`{"success":false,"code":401,"message":"invalid api key"}`: api.ClassKey,
		"<html>": api.ClassUnreadable, `[{"id":"a","x":"` + strings.Repeat("x", maxModels) + `"}]`: api.ClassUnreadable} {
		body = text
		_, _, err = client.Models(context.Background())
		wantErrorClass(t, err, class)
	}
	for status, body = range map[int]string{404: `{"message":"no such page"}`, 403: `{"message":"not for you"}`, 500: ""} {
		_, _, err = client.Models(context.Background())
		want := fmt.Sprint("the service does not know this (404): there is no list of models at ", client.Base, "/api/v1/models; ",
			"compare the service's address with the one in its documentation")
		expect.That(t, err != nil && (err.Error() == want) == (status == 404), status, err, "want", want)
	}
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	r := api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "never sent", Duration: "5", VideoModel: "fast", Resolution: "720p", AspectRatio: "16:9"}
	m := api.Model{ID: "other/video", Parameters: []api.Parameter{{Name: "ratio"}}}
	const query = "?aspect_ratio=16%3A9&duration=5&model=seedance2&resolution=720p&video_model=fast"
	for _, refusal := range []int{0, 404, 405} {
		t.Run(fmt.Sprint(refusal), func(t *testing.T) {
			t.Parallel()
			client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
				if refusal != 0 && r.Method == http.MethodGet {
					w.WriteHeader(refusal)
					return
				}
				io.WriteString(w, `{"credits":425}`)
			})
			for range 2 {
				e, err := client.Estimate(context.Background(), r, api.Model{})
				expect.Must(t, err == nil && e.Credits == 425*api.Credit && e.Source == api.SourceService && !e.At.IsZero() && json.Valid(e.Raw),
					e, err)
			}
			get := "GET /prefix/api/v1/pricing/estimate" + query
			post := `POST /prefix/api/v1/pricing/estimate {"model":"seedance2","duration":5,"video_model":"fast","resolution":"720p","aspect_ratio":"16:9"}`
			want := []string{get, get}
			if refusal != 0 {
				want = []string{get, post, post}
			}
			expect.List(t, calls(), want)
			other := api.Request{Kind: api.KindVideo, Model: m.ID, AspectRatio: "1:1"}
			client.Estimate(context.Background(), other, m)
			expect.Contains(t, calls()[len(want)], `ratio`)
			expect.Lacks(t, calls()[len(want)], "aspect_ratio")
		})
	}
}

// A rate per second is the request's price times its seconds, and never a total
// by itself; the higher of service and table counts. Other money is no figure.
func TestEstimateOfASecond(t *testing.T) {
	t.Parallel()
	answer := ""
	client, _ := recordedClient(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer) })
	for _, c := range []struct {
		answer, duration, fails string
		differs                 bool
	}{
		{`{"credits":85,"unit":"second"}`, "4", "", false}, {`{"estimated_credits":0}`, "4", "", true},
		{`{"credits":85,"unit":"second"}`, "", "per second", false}, {`{"total_cost":3.75,"currency":"USD"}`, "4", " USD,", false},
		{`{"data":[{"quality":"low","credits":1},{"resolution":"480p","credits":7}]}`, "4", "no price for this request; look up what it costs", false},
	} {
		answer = c.answer
		r := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: api.TierFast, Resolution: "720p", Duration: c.duration}
		e, err := client.Estimate(context.Background(), r, api.Model{})
		if c.fails != "" {
			expect.That(t, !e.Known() && e.Credits == 0 && strings.Contains(wantErrorClass(t, err, api.ClassCurrency).Error(), c.fails),
				answer, e, err)
			continue
		}
		expect.That(t, err == nil && e.Credits == 340*api.Credit && e.Differs == c.differs && (!c.differs || e.Service == 0), answer, e, err)
	}
}

// TestEstimateByTheOtherMethod: the service knows no GET, and POST is remembered once it answers that by itself.
func TestEstimateByTheOtherMethod(t *testing.T) {
	t.Parallel()
	var answer atomic.Int64
	client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch status := int(answer.Load()); {
		case r.Method == http.MethodGet:
			http.NotFound(w, r)
		case status == 0: // no answer
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(status)
		}
	})
	for _, status := range []int{404, 0, 500, 400, 400} {
		answer.Store(int64(status))
		_, err := client.Estimate(context.Background(), api.Request{Model: "a"}, api.Model{})
		e, ok := errors.AsType[*api.Error](err)
		expect.That(t, ok && e.Status == status, status, err)
	}
	methods := api.Map(calls(), func(call string) string { return call[:len("GET")] })
	expect.Equal(t, strings.Join(methods, " "), "GET POS GET POS GET POS GET POS POS")
}

func TestResolve(t *testing.T) {
	t.Parallel()
	client, calls := recordedClient(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/mute"):
			io.WriteString(w, `{"hello":"world"}`)
		case strings.HasSuffix(r.URL.Path, "/job_1"):
			io.WriteString(w, `{"job":{"status":"PENDING"}}`)
		case strings.HasSuffix(r.URL.Path, "/down"):
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.NotFound(w, r)
		}
	})
	ctx := context.Background()
	id, a, err := client.Resolve(ctx, []string{"..", "trace", "trace", "mute", "job_1", "never"}, api.KindVideo)
	expect.All(t, "job_1 waiting <nil>", id, a.Class, err)
	expect.Len(t, calls(), 3)
	id, _, err = client.Resolve(ctx, strings.Fields("trace mute 3 4 5 6 7 8 job_1"), api.KindVideo) // eight at most
	wantErrorClass(t, err, api.ClassNotFound)
	expect.Equal(t, id, "")
	// A fault says nothing about the id: whoever asked must ask again.
	id, _, err = client.Resolve(ctx, []string{"down", "job_1"}, api.KindVideo)
	wantErrorClass(t, err, api.ClassServer)
	expect.Equal(t, id, "")
}

// FuzzAddress: whatever base URL is taken, calls stay below it and at its origin.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{"https://api.example.com", "https://api.example.com/gw/", "http://127.0.0.1:8080", "https://h.example/%2e", "https://[::1]:1/a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := api.ParseBase(s)
		if err != nil {
			return
		}
		c := New(Options{Base: u})
		full, err := c.address("/api/v1/jobs/"+url.PathEscape("a/../b"), nil)
		expect.That(t, err == nil && api.Origin(full) == api.Origin(u) && strings.HasPrefix(full.String(), u.String()+"/api/v1/"),
			s, u, "became", full, err)
	})
}

func TestJobIDAtAPathSetByHand(t *testing.T) {
	t.Parallel()
	body := `{"request_id":"r1","data":{"tasks":[{"no":[7,8]},{"ref":"t-2"}]},"id":"wrong-1","n":1.5}`
	for _, c := range []struct{ path, want string }{
		{"data.tasks[1].ref", "t-2"}, {"data.tasks[0].no[1]", "8"}, {"request_id", "r1"},
		{"id", "wrong-1"}, {"data.tasks[9].ref", "wrong-1"}, {"data.nothing", "wrong-1"}, {"n", "wrong-1"}, {"data", "wrong-1"}, {"data..x", "wrong-1"},
	} {
		trip := Trip{Host: "h", Status: http.StatusOK, Connected: true, Body: []byte(body),
			Header: http.Header{"Content-Type": {"application/json"}}}
		o := atJobID(Classify(trip, api.KindImage), trip, c.path)
		other := slices.Contains(o.Answer.Candidates, "wrong-1")
		expect.All(t, fmt.Sprint(c.path, " queued ", c.want, " ", c.want != "wrong-1"), c.path, o.Phase, o.Answer.ID, other)
	}
	refused := Trip{Host: "h", Status: http.StatusBadRequest, Connected: true, Body: []byte(body)}
	expect.Equal(t, atJobID(Classify(refused, api.KindImage), refused, "id").Phase, api.PhaseRejected, "a refusal")
}

// TestThePromisesNameTheFigures that hold here.
func TestThePromisesNameTheFigures(t *testing.T) {
	simtest.Promised(t,
		fmt.Sprintf("%d s to connect, %d s for TLS, %d s for headers, %d s in all, or %d min if", limitDial/time.Second, limitTLS/time.Second, limitHeaders/time.Second, limitWhole/time.Second, limitSync/time.Minute),
		fmt.Sprintf("A poll is limited to %d s, or %d minutes", limitPoll/time.Second, limitMedia/time.Minute), fmt.Sprintf("at least %d KiB must arrive per %d s", minMedia>>10, limitIdle/time.Second),
		fmt.Sprintf("pinged after %d s", limitPing/time.Second), fmt.Sprintf("limited to %d MiB (models %d MiB)", MaxAnswer>>20, maxModels>>20),
		fmt.Sprintf("media inside an answer go to a file of at most %d MiB", maxExtracted>>20))
}
