package read

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// dialect is one service of testdata/dialects.json.
type dialect struct {
	Service   string
	Create    json.RawMessage `json:"create_response"`
	Pending   json.RawMessage `json:"poll_pending"`
	Running   json.RawMessage `json:"poll_processing"`
	Image     json.RawMessage `json:"poll_completed_image"`
	Video     json.RawMessage `json:"poll_completed_video"`
	Failed    json.RawMessage `json:"poll_failed"`
	Models    json.RawMessage
	Estimate  json.RawMessage
	Errors    []dialectError
	Paths     map[string][]string
	StatusSet map[string][]string `json:"status_values"`
}

type dialectError struct {
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	Raw     string
}

func (e dialectError) raw() []byte {
	if present(e.Body) {
		return e.Body
	}
	return []byte(e.Raw)
}

func (e dialectError) header() http.Header {
	h := http.Header{}
	for k, v := range e.Headers {
		h.Set(k, v)
	}
	return h
}

func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

func dialects(t testing.TB) []dialect {
	raw := simtest.Must(os.ReadFile("testdata/dialects.json"))(t)
	var all []dialect
	simtest.NoError(t, json.Unmarshal(raw, &all))
	return all
}

// valuesAt follows a recorded path through plain encoding/json values, apart
// from the reader. Arrays are walked with and without [].
func valuesAt(v any, path string) []any {
	path, _, _ = strings.Cut(path, " (base64")
	path, _, _ = strings.Cut(path, " (bool")
	if strings.HasPrefix(path, "(") {
		return nil
	}
	outer, inner, within := strings.Cut(path, " (string) -> ")
	at := []any{v}
	for _, key := range strings.FieldsFunc(outer, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		var next []any
		for _, o := range spread(at) {
			if m, ok := o.(map[string]any); ok && m[key] != nil {
				next = append(next, m[key])
			}
		}
		at = next
	}
	at = spread(at)
	if !within {
		return at
	}
	var out []any
	for _, s := range at {
		var sub any
		if text, ok := s.(string); ok && json.Unmarshal([]byte(text), &sub) == nil {
			out = append(out, valuesAt(sub, inner)...)
		}
	}
	return out
}

func spread(in []any) []any {
	var out []any
	for _, v := range in {
		if a, ok := v.([]any); ok {
			out = append(out, spread(a)...)
			continue
		}
		out = append(out, v)
	}
	return out
}

func recorded(t testing.TB, raw json.RawMessage, paths []string) []string {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	simtest.NoError(t, d.Decode(&v))
	var out []string
	for _, p := range paths {
		for _, x := range valuesAt(v, p) {
			s := fmt.Sprint(x)
			if x != nil && s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// tally counts one concept and keeps the misses.
type tally struct {
	right, all int
	misses     []string
}

func (c *tally) check(ok bool, service, format string, args ...any) {
	c.all++
	if ok {
		c.right++
		return
	}
	c.misses = append(c.misses, service+": "+fmt.Sprintf(format, args...))
}

func (c *tally) percent() float64 { return 100 * float64(c.right) / float64(c.all) }

type changed func(json.RawMessage) json.RawMessage

// score measures the reader against some of the services. change makes another
// answer of one, from which the same is to be read.
func score(t testing.TB, services []dialect, change func(dialect, json.RawMessage) json.RawMessage) map[string]*tally {
	scores := map[string]*tally{}
	for _, c := range concepts {
		scores[c] = &tally{}
	}
	for _, d := range services {
		change := func(raw json.RawMessage) json.RawMessage { return change(d, raw) }
		scoreCreate(t, d, scores, change)
		scorePolls(t, d, scores, change)
		scoreErrors(t, d, scores, change)
		scoreListings(t, d, scores, change)
	}
	return scores
}

var concepts = []string{"no wrong id", "id", "poll id", "status", "results", "result kinds", "reason", "error text", "error class", "models", "model kinds", "estimate"}

func scoreCreate(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	if !present(d.Create) {
		return
	}
	want := recorded(t, d.Create, d.Paths["id"])
	a := Create(200, nil, change(d.Create), api.KindVideo)
	ok := len(want) > 0 && a.ID == want[0] && !a.Ended() && len(a.Results) == 0 && a.Refusal == nil
	scores["no wrong id"].check(a.ID == "" || slices.Contains(want, a.ID), d.Service, "got %q, want %v", a.ID, want)
	scores["id"].check(ok, d.Service, "got %q class %q results %d, want %v", a.ID, a.Class, len(a.Results), want)
}

func scorePolls(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	for _, p := range []struct {
		raw   json.RawMessage
		class api.StatusClass
		kind  api.Kind
		paths string
	}{
		{d.Pending, api.StatusWaiting, api.KindVideo, ""},
		{d.Running, api.StatusRunning, api.KindVideo, ""},
		{d.Image, api.StatusSucceeded, api.KindImage, "image"},
		{d.Video, api.StatusSucceeded, api.KindVideo, "video"},
		{d.Failed, api.StatusFailed, api.KindVideo, ""},
	} {
		if !present(p.raw) {
			continue
		}
		a := Job(200, nil, change(p.raw), p.kind)
		scoreStatus(t, d, p.raw, p.class, a, scores["status"])
		if ids := recorded(t, p.raw, append(slices.Clone(d.Paths["id"]), pollIDs(d)...)); len(ids) > 0 {
			scores["no wrong id"].check(a.ID == "" || slices.Contains(ids, a.ID), d.Service, "got %q, want one of %v", a.ID, ids)
			scores["poll id"].check(slices.Contains(ids, a.ID), d.Service, "got %q, want one of %v", a.ID, ids)
		}
		if p.paths != "" {
			scoreResults(t, d, p.raw, p.paths, p.kind, a, scores)
		}
		if p.class == api.StatusFailed {
			scoreReason(t, d, a, scores["reason"])
		}
	}
}

// pollIDs are the id paths next to the status, which the file records for the
// create only.
func pollIDs(d dialect) []string {
	var out []string
	for _, s := range d.Paths["status"] {
		base := s[:strings.LastIndex(s, ".")+1]
		for _, key := range []string{"id", "task_id", "taskId", "request_id", "taskUUID"} {
			out = append(out, base+key)
		}
	}
	return out
}

// scoreStatus compares the class. A body without its recorded status has none,
// and a bare number has no meaning that services share: it must end nothing.
func scoreStatus(t testing.TB, d dialect, raw json.RawMessage, class api.StatusClass, a api.JobAnswer, c *tally) {
	words := recorded(t, raw, d.Paths["status"])
	want := class
	switch {
	case len(words) == 0 && class == api.StatusSucceeded: // media without a word
	case len(words) == 0:
		want = api.StatusNone
	case regexp.MustCompile(`^\d+$`).MatchString(words[0]):
		want = api.StatusUnlisted
	}
	got := a.Class
	if want == api.StatusRunning && got == api.StatusWaiting || want == api.StatusWaiting && got == api.StatusRunning {
		// "pending" is recorded as running in one service and waiting in others.
		got = want
	}
	c.check(got == want, d.Service, "%v: got %q, want %q", words, a.Class, want)
}

func scoreResults(t testing.TB, d dialect, raw json.RawMessage, paths string, kind api.Kind, a api.JobAnswer, scores map[string]*tally) {
	var want []string
	for _, u := range recorded(t, raw, d.Paths[paths]) {
		if !strings.HasPrefix(u, "gs://") {
			want = append(want, u)
		}
	}
	var got []string
	kinds := true
	for _, r := range a.Results {
		if r.URL != "" {
			got = append(got, r.URL)
		} else {
			got = append(got, fmt.Sprintf("bytes %d", len(r.Data)))
		}
		kinds = kinds && r.Kind == kind
	}
	for i, w := range want {
		if data, ok := decodeBase64(w); ok && !strings.Contains(w, ":") {
			want[i] = fmt.Sprintf("bytes %d", len(data))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	scores["results"].check(slices.Equal(got, want), d.Service, "%s: got %v, want %v", kind, got, want)
	if len(got) > 0 {
		scores["result kinds"].check(kinds, d.Service, "%s: %+v", kind, a.Results)
	}
}

func scoreReason(t testing.TB, d dialect, a api.JobAnswer, c *tally) {
	want := append(recorded(t, d.Failed, d.Paths["fail"]), "")[0] // "" for none
	got := a.Reason.String()
	c.check(got == want, d.Service, "got %q, want %q", got, want)
}

func TestDialects(t *testing.T) {
	t.Parallel()
	report(t, score(t, dialects(t), func(_ dialect, raw json.RawMessage) json.RawMessage { return raw }), 97)
}

// report says how many of each concept were read right. Of ids and amounts none
// may be wrong, of ids not one more than a few missing; of the other concepts at
// least a share has to be right.
func report(t *testing.T, scores map[string]*tally, least float64) {
	others := &tally{}
	for _, name := range concepts {
		c := scores[name]
		t.Logf("%s: read right %d of %d (%.1f %%)", name, c.right, c.all, c.percent())
		for _, m := range c.misses {
			t.Logf("  missed %.300s", m)
		}
		switch least := least; name {
		case "no wrong id":
			least = 100
			fallthrough
		case "id", "poll id":
			least = min(100, least+3)
			expect.That(t, c.percent() >= least, name, c.percent(), "% is under", least, "%")
		default:
			others.right, others.all = others.right+c.right, others.all+c.all
		}
	}
	expect.That(t, others.percent() >= least, "other concepts", others.percent(), "% is under", least, "%")
}

// classByStatus is the class of an error fixture unless its words say more.
var classByStatus = map[int]api.ErrorClass{400: api.ClassInvalid, 401: api.ClassKey, 402: api.ClassCredits, 403: api.ClassKey, 404: api.ClassNotFound,
	409: api.ClassConflict, 413: api.ClassInvalid, 422: api.ClassInvalid, 429: api.ClassRate, 502: api.ClassServer, 504: api.ClassServer}

// classByWords are the fixtures whose class was read by a person, by a part of
// their body.
var classByWords = []struct {
	part  string
	class api.ErrorClass
}{
	{"account overdue", api.ClassCredits}, {"Resource pack depleted", api.ClassCredits}, {"parallel task", api.ClassRate},
	{"Invalid API key", api.ClassKey}, {"content_moderation", api.ClassModeration}, {"Not enough credits", api.ClassCredits},
	{"CodeCostBalanceFailure", api.ClassCredits}, {"content policy", api.ClassModeration}, {"provider_content_policy", api.ClassModeration},
	{"bad params", api.ClassInvalid}, {"This field is required", api.ClassInvalid}, {"invalid parameter", api.ClassInvalid},
	{"Failed to retrieve", api.ClassServer},
}

func scoreErrors(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	for _, f := range d.Errors {
		e := Error(f.Status, f.header(), change(f.raw()))
		want := classByStatus[f.Status]
		for _, w := range classByWords {
			if strings.Contains(string(f.raw()), w.part) {
				want = w.class
			}
		}
		scores["error class"].check(e.Class == want, d.Service, "%d %s: got %s, want %s", f.Status, f.raw(), e.Class, want)
		var texts []string
		if present(f.Body) {
			texts = recorded(t, f.Body, d.Paths["err"])
		}
		// A longer text that holds the recorded one is as good.
		ok := len(texts) == 0 || slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(e.Text.String(), s) })
		scores["error text"].check(ok, d.Service, "%d %s: got %q, want one of %q", f.Status, f.raw(), e.Text, texts)
	}
}

func scoreListings(t testing.TB, d dialect, scores map[string]*tally, change changed) {
	if present(d.Models) {
		var want []string
		for _, list := range d.Paths["models"] {
			for _, id := range d.Paths["model_id"] {
				path := list + "." + id
				if strings.HasPrefix(list, "(root") {
					path = id
				}
				want = append(want, recorded(t, d.Models, []string{path})...)
			}
		}
		models, _, err := Models(nil, change(d.Models))
		var got []string
		kinds := true
		for _, m := range models {
			got = append(got, m.ID)
			kinds = kinds && (m.Kind == listedKinds[m.ID])
		}
		scores["models"].check(err == nil && slices.Equal(got, want), d.Service, "got %v (%v), want %v", got, err, want)
		scores["model kinds"].check(kinds, d.Service, "%+v", models)
	}
	if present(d.Estimate) {
		want := recorded(t, d.Estimate, d.Paths["estimate"])
		e, err := Estimate(change(d.Estimate), nil)
		scores["estimate"].check(err == nil && e.Credits.Digits() == want[0], d.Service, "got %v (%v), want %v", e.Credits, err, want)
	}
}

// listedKinds were read by a person; the models left out here have none.
var listedKinds = map[string]api.Kind{"seedance-2": api.KindVideo, "nano-banana-pro": api.KindImage, "bytedance/seedream": api.KindImage,
	"bytedance/seedance-2": api.KindVideo, "veo3-text-to-video": api.KindVideo, "seedance-2-0": api.KindVideo, "gpt-image-2": api.KindImage,
	"x/img": api.KindImage}

// TestShapes has the bodies that name a further page.
func TestIncompleteListing(t *testing.T) {
	t.Parallel()
	_, more, _ := Models(http.Header{"Link": {`</api/v1/models?page=2>; rel="next"`}}, []byte(`[{"id":"m1"}]`))
	expect.That(t, more, "the header names a further page")
	list, _, err := Models(nil, []byte(`["acme/pix", "acme/\"q"]`))
	expect.That(t, err == nil && len(list) == 2 && string(list[1].Raw) == `"acme/\"q"`, "names alone", list, err)
}
