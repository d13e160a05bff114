package sim_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

const stillBody = `{"model":"lumen/still-1","prompt":"a kettle","async":true}`

func TestVideoJobServesAClipAndAPoster(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	for ratio, size := range map[string]string{"16:9": "640×360", "9:16": "360×640", "1:1": "480×480", "4:3": "480×360"} {
		body := fmt.Sprintf(`{"model":"seedance2","prompt":"waves","duration":10,"ratio":%q,"video_model":"standard_vip","resolution":"1080p","seed":7,"async":false}`, ratio)
		r := s.Ask(t, "POST", sim.PathVideos, body)
		expect.That(t, r.StatusCode == 200 && r.Text(t, "job.status") == sim.Completed, r.StatusCode, string(r.Body))
		clip := s.Ask(t, "GET", r.Text(t, "job.result.video.url"), "")
		expect.That(t, clip.Header.Get("Content-Type") == "video/mp4" && bytes.Equal(clip.Body[4:8], []byte("ftyp")),
			ratio, "no MP4", clip.Header)
		poster := s.Ask(t, "GET", r.Text(t, "job.result.thumbnail_url"), "")
		c, _, err := image.DecodeConfig(bytes.NewReader(poster.Body))
		got := fmt.Sprintf("%d×%d", c.Width, c.Height)
		expect.That(t, err == nil && got == size, ratio, "poster", err, got)
	}
	for _, e := range s.Ledger() {
		expect.Equal(t, e.Credits, 2000*api.Credit, "charged credits for ten seconds at 200")
	}
}

func TestEstimatesAndTheirRefusal(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	r := s.Ask(t, "POST", sim.PathEstimate, `{"model":"lumen/still-1","image_size":"4K","quality":"high"}`)
	expect.That(t, r.At(t, "estimated_credits") == 96.0, "4K high:", r.At(t, "estimated_credits"))
	r = s.Ask(t, "GET", sim.PathEstimate+"?model=seedance2&video_model=fast&resolution=1080p", "")
	expect.That(t, r.StatusCode == 422 && r.Text(t, "error.field") == "resolution", r.StatusCode, string(r.Body))
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Key: simtest.Key})
	for _, c := range []struct {
		name   string
		status int
		code   string
		change func(*http.Request)
	}{
		{"no key", 401, "missing_api_key", func(r *http.Request) { r.Header.Del("Authorization") }},
		{"ill-shaped key", 401, "invalid_api_key", func(r *http.Request) { r.Header.Set("Authorization", "Bearer sk-1") }},
		{"another key", 401, "invalid_api_key", func(r *http.Request) { r.Header.Set("Authorization", "Bearer ak_other") }},
		{"no content type", 415, "unsupported_media_type", func(r *http.Request) { r.Header.Del("Content-Type") }},
		{"another method", 405, "method_not_allowed", func(r *http.Request) { r.Method = "PUT" }},
		{"unknown path", 404, "not_found", func(r *http.Request) { r.URL.Path = "/api/v2/models" }},
	} {
		r := s.Request(t, "POST", sim.PathImages, stillBody)
		c.change(r)
		got := simtest.Do(r)
		expect.That(t, got.StatusCode == c.status && got.Text(t, "error.code") == c.code, c.name, got.StatusCode, string(got.Body))
	}
	for body, want := range map[string]int{
		strings.Replace(stillBody, "a kettle", strings.Repeat("x", 1<<20), 1): 413,
		`{"model":`: 400, `[]`: 400, `{"model":"lumen/still-1","prompt":"[nsfw]"}`: 400,
		`{"model":"lumen/still-1","prompt":"x","ratio":"1:1"}`: 422, `{"model":"lumen/still-1","prompt":"` + strings.Repeat("字", 5001) + `"}`: 422,
		`{"model":"lumen/still-1","prompt":"x","n":1}`: 422, `{"model":"nobody/nothing","prompt":"x"}`: 422,
	} {
		expect.Equal(t, s.Ask(t, "POST", sim.PathImages, body).StatusCode, want, body)
	}
	r := s.Ask(t, "GET", sim.PathJobs+"nothing", "")
	expect.That(t, r.StatusCode == 404 && r.Text(t, "error.code") == "job_not_found", r.StatusCode, string(r.Body))
	expect.Equal(t, len(s.Ledger()), 0, "refused creates were accepted")
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Credits: 25 * api.Credit})
	failing := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":"please [fail]","async":false}`)
	expect.That(t, failing.Text(t, "job.status") == sim.Failed && failing.Text(t, "job.error") != "", string(failing.Body))
	for i, want := range []int{200, 200, 402} { // the failed one gave its credits back
		expect.Equal(t, s.Ask(t, "POST", sim.PathImages, stillBody).StatusCode, want, "create", i)
	}
	l := s.Ledger()
	expect.That(t, len(l) == 3 && l[0].Status == sim.Failed && l[1].Status != sim.Failed && len(l[0].Files) == 0,
		len(l), "entries", l)
	few := simtest.Run(t, simtest.Options{Calls: 2})
	for i, want := range []int{200, 200, 403} {
		expect.Equal(t, few.Ask(t, "GET", sim.PathModels, "").StatusCode, want, "call", i)
	}
}

func TestLinksExpireAndPollingRefreshesThem(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LinkLife: 400 * time.Millisecond, LongSide: 64})
	r := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":"x"}`)
	link := r.Text(t, "job.result.images.0.url")
	expired := func(r simtest.Reply) bool { return r.StatusCode == 403 && r.Text(t, "error.code") == "link_expired" }
	for old := s.Ask(t, "GET", link, ""); !expired(old); old = s.Ask(t, "GET", link, "") {
		expect.Must(t, old.StatusCode == 200, old.StatusCode, string(old.Body))
		time.Sleep(20 * time.Millisecond)
	}
	var fresh string
	for range 20 { // on a busy machine it may have expired again when it is used
		fresh = s.Finish(t, r.Text(t, "id")).Text(t, "job.result.images.0.url")
		got := s.Ask(t, "GET", fresh, "")
		if got.StatusCode == 200 {
			break
		}
		expect.That(t, expired(got), "fresh link", got.StatusCode)
	}
	expect.Equal(t, s.Ask(t, "GET", strings.Replace(fresh, "signature=", "signature=0", 1), "").StatusCode, 403, "forged link")
}

func TestFilesAreServedInParts(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 64})
	link := s.Ask(t, "POST", sim.PathImages, `{"model":"lumen/still-1","prompt":"x"}`).Text(t, "job.result.images.0.url")
	whole := s.Ask(t, "GET", link, "")
	size, tag := len(whole.Body), whole.Header.Get("ETag")
	expect.Must(t, size >= 20 && tag != "" && !strings.HasPrefix(tag, "W/"), size, "bytes, ETag", tag)
	for _, c := range []struct {
		ranges, tag string
		status      int
		from, to    int
	}{
		{"bytes=10-", tag, 206, 10, size}, {"bytes=10-", "", 206, 10, size},
		{"bytes=0-9", tag, 206, 0, 10}, {"bytes=5-999999999", tag, 206, 5, size},
		{"bytes=10-", `"another"`, 200, 0, size}, {"bytes=-5", "", 206, size - 5, size},
		{fmt.Sprintf("bytes=%d-", size), tag, 416, 0, 0},
	} {
		r := s.Request(t, "GET", link, "")
		r.Header.Set("Range", c.ranges)
		if c.tag != "" {
			r.Header.Set("If-Range", c.tag)
		}
		got := simtest.Do(r)
		told := got.Header.Get("Content-Range")
		expect.That(t, got.StatusCode == c.status && (c.status == 416 || bytes.Equal(got.Body, whole.Body[c.from:c.to])),
			c.ranges, "with", c.tag, got.StatusCode, len(got.Body), "bytes")
		want := fmt.Sprintf("bytes %d-%d/%d", c.from, c.to-1, size)
		expect.That(t, c.status != 206 || told == want, c.ranges, "Content-Range", told, "want", want)
	}
}

// A create answers with the job as it was accepted, also when the work was done before the answer was written.
func TestImageJobFromCreateToPicture(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Prefix: "gateway/", TimeScale: 1e-5})
	expect.That(t, strings.HasSuffix(s.URL(), "/gateway"), "base URL", s.URL(), "lacks its prefix")
	body := `{"model":"lumen/still-1","prompt":"Harbour at dawn 港口的黎明","size":"1K","aspect_ratio":"16:9","async":true}`
	created := s.Ask(t, "POST", sim.PathImages, body)
	id := created.Text(t, "id")
	expect.Must(t, created.StatusCode == 200 && id != "" && created.Text(t, "job.status") == sim.Pending,
		created.StatusCode, string(created.Body))
	done := s.Finish(t, id)
	picture := s.Ask(t, "GET", done.Text(t, "job.result.images.0.url"), "")
	c, format, err := image.DecodeConfig(bytes.NewReader(picture.Body))
	expect.All(t, "<nil> png 1024 576", err, format, c.Width, c.Height)
	l := s.Ledger()
	expect.Must(t, len(l) == 1 && l[0].ID == id && string(l[0].Body) == body && l[0].Credits.String() == "12.5" && len(l[0].Files) == 1, l)
	f, sum := l[0].Files[0], fmt.Sprintf("%x", sha256.Sum256(picture.Body))
	expect.That(t, f.Bytes == int64(len(picture.Body)) && f.SHA256 == sum, "the ledger tells of another file", f)
}

// A result of this service can be the reference of another request to it; no
// other address of this machine or network can.
func TestOwnResultsAreReferences(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "/gateway"} {
		s := simtest.Run(t, simtest.Options{Prefix: prefix, LongSide: 32})
		other := simtest.Run(t, simtest.Options{LongSide: 32})
		image := `{"model":"lumen/still-1","prompt":"x"}`
		own := s.Ask(t, "POST", sim.PathImages, image).Text(t, "job.result.images.0.url")
		foreign := other.Ask(t, "POST", sim.PathImages, image).Text(t, "job.result.images.0.url")
		expect.Must(t, own != "" && foreign != "", "no results to refer to")
		host := strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), prefix)
		for address, want := range map[string]int{
			own: 200, foreign: 422, "https://example.com/a.png": 200, "http://10.0.0.1/a.png": 422, "http://127.0.0.1/a.png": 422,
			strings.Replace(own, "127.0.0.1", "localhost", 1): 422, strings.Replace(own, "http:", "https:", 1): 422,
			"http://user@" + host + "/a.png": 422, "http://" + host + "@10.0.0.1/": 422,
		} {
			for path, body := range map[string]string{
				sim.PathImages: `{"model":"lumen/still-1","prompt":"x","image_url":%q,"async":true}`,
				sim.PathVideos: `{"model":"seedance2","prompt":"x【@图片1】","image_files":[%q],"async":true}`,
			} {
				r := s.Ask(t, "POST", path, fmt.Sprintf(body, address))
				expect.Equal(t, r.StatusCode, want, path, "with", address, r.Body)
			}
		}
	}
}

// ruleRow is a row of the client's rules: a request that keeps or breaks one.
type ruleRow struct {
	Name    string
	Request map[string]any
	Repeat  int
	Model   *struct{} // a listing of the row's own
	Field   string    // empty: the request is good
}

// body is the row as it could go over the wire, fields that a form would leave
// out included, for the image model that this server lists.
func (r ruleRow) body() (path, body string) {
	path = sim.PathImages
	if r.Request["kind"] == "video" {
		path = sim.PathVideos
	}
	delete(r.Request, "kind")
	if mode, ok := r.Request["function_mode"]; ok {
		r.Request[api.FieldFunctionMode] = mode
		delete(r.Request, "function_mode")
	}
	if r.Request["model"] == "acme/pictures" && path == sim.PathImages {
		r.Request["model"] = sim.StillModel
	}
	r.Request["async"] = r.Request["sync"] == nil
	delete(r.Request, "sync")
	r.Request["prompt"] = strings.Repeat(r.Request["prompt"].(string), max(1, r.Repeat))
	b, _ := json.Marshal(r.Request)
	return path, string(b)
}

// narrower are good requests that this server's models do not take.
var narrower = []string{"duration 12.5"}

// Every row that breaks a rule is refused for its field, and the good ones are taken.
func TestKeepsTheClientsRules(t *testing.T) {
	t.Parallel()
	raw := simtest.Must(os.ReadFile("../testdata/rules.json"))(t)
	var rows []ruleRow
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber() // seeds are larger than a float64 keeps
	simtest.NoError(t, d.Decode(&rows))
	expect.Must(t, len(rows) >= 100, len(rows), "rows")
	s := simtest.Run(t, simtest.Options{})
	taken, refused := 0, 0
	for _, row := range rows {
		path, body := row.body()
		own := row.Model != nil || row.Request["model"] != sim.StillModel && row.Request["model"] != api.Seedance2
		if row.Field == "" && (own || slices.Contains(narrower, row.Name)) {
			continue
		}
		r := s.Ask(t, "POST", path, body)
		switch {
		case row.Field == "" && r.StatusCode != 200:
			t.Errorf("%s: %d %s", row.Name, r.StatusCode, r.Body)
		case row.Field == "":
			taken++
		case r.StatusCode != 422 && r.StatusCode != 400 && !own:
			t.Errorf("%s: taken with %d: %.200s", row.Name, r.StatusCode, body)
		case !own && !strings.HasPrefix(row.Field, r.Text(t, "error.field")):
			t.Errorf("%s: refused for %s, want %s", row.Name, r.Text(t, "error.field"), row.Field)
		case r.StatusCode != 200:
			refused++
		}
	}
	expect.That(t, taken >= 40 && refused >= 80, taken, "taken", refused, "refused")
}
