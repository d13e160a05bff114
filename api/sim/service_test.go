package sim_test

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim"
	"darkroom/api/sim/simtest"
)

const stillBody = `{"model":"lumen/still-1","prompt":"a kettle","async":true}`

// clipSizes are the sizes of the clips by ratio.
var clipSizes = map[string]image.Point{"16:9": {X: 640, Y: 360}, "9:16": {X: 360, Y: 640}, "1:1": {X: 480, Y: 480}, "4:3": {X: 480, Y: 360}}

func TestVideoJobServesAClipAndAPoster(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	for ratio, size := range clipSizes {
		body := fmt.Sprintf(`{"model":"seedance2","prompt":"waves","duration":10,"ratio":%q,"video_model":"standard_vip","resolution":"1080p","seed":7,"async":false}`, ratio)
		r := s.Ask(t, "POST", simtest.PathVideos, body)
		if r.StatusCode != 200 || r.Text(t, "job.status") != sim.Completed {
			t.Fatalf("%d %s", r.StatusCode, r.Body)
		}
		clip := s.Ask(t, "GET", r.Text(t, "job.result.video.url"), "")
		if clip.Header.Get("Content-Type") != "video/mp4" || !bytes.Equal(clip.Body[4:8], []byte("ftyp")) {
			t.Errorf("%s: no MP4: %v", ratio, clip.Header)
		}
		poster := s.Ask(t, "GET", r.Text(t, "job.result.thumbnail_url"), "")
		c, _, err := image.DecodeConfig(bytes.NewReader(poster.Body))
		if got := (image.Point{X: c.Width, Y: c.Height}); err != nil || got != size {
			t.Errorf("%s: poster %v %v", ratio, err, got)
		}
	}
	for _, e := range s.Ledger() {
		if e.Credits != 2000*api.Credit {
			t.Errorf("charged %v credits for ten seconds at 200", e.Credits)
		}
	}
}

func TestEstimatesAndTheirRefusal(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{})
	r := s.Ask(t, "POST", simtest.PathEstimate, `{"model":"lumen/still-1","image_size":"4K","quality":"high"}`)
	if got := r.At(t, "estimated_credits"); got != 96.0 {
		t.Errorf("4K high: %v", got)
	}
	if r := s.Ask(t, "GET", simtest.PathEstimate+"?model=seedance2&video_model=fast&resolution=1080p", ""); r.StatusCode != 422 || r.Text(t, "error.field") != "resolution" {
		t.Errorf("%d %s", r.StatusCode, r.Body)
	}
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
		r := s.Request(t, "POST", simtest.PathImages, stillBody)
		c.change(r)
		if got := simtest.Do(r); got.StatusCode != c.status || got.Text(t, "error.code") != c.code {
			t.Errorf("%s: %d %s", c.name, got.StatusCode, got.Body)
		}
	}
	for body, want := range map[string]int{
		strings.Replace(stillBody, "a kettle", strings.Repeat("x", 1<<20), 1): 413,
		`{"model":`: 400, `[]`: 400, `{"model":"lumen/still-1","prompt":"[nsfw]"}`: 400,
		`{"model":"lumen/still-1","prompt":"x","ratio":"1:1"}`: 422, `{"model":"lumen/still-1","prompt":"` + strings.Repeat("字", 5001) + `"}`: 422,
		`{"model":"lumen/still-1","prompt":"x","n":1}`: 422, `{"model":"nobody/nothing","prompt":"x"}`: 422,
	} {
		if got := s.Ask(t, "POST", simtest.PathImages, body); got.StatusCode != want {
			t.Errorf("%.60s: %d, want %d", body, got.StatusCode, want)
		}
	}
	if r := s.Ask(t, "GET", simtest.PathJobs+"nothing", ""); r.StatusCode != 404 || r.Text(t, "error.code") != "job_not_found" {
		t.Errorf("%d %s", r.StatusCode, r.Body)
	}
	if n := len(s.Ledger()); n != 0 {
		t.Errorf("%d refused creates were accepted", n)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{Credits: 25 * api.Credit})
	failing := s.Ask(t, "POST", simtest.PathImages, `{"model":"lumen/still-1","prompt":"please [fail]","async":false}`)
	if failing.Text(t, "job.status") != sim.Failed || failing.Text(t, "job.error") == "" {
		t.Fatalf("%s", failing.Body)
	}
	for i, want := range []int{200, 200, 402} { // the failed one gave its credits back
		if r := s.Ask(t, "POST", simtest.PathImages, stillBody); r.StatusCode != want {
			t.Errorf("create %d: %d %s", i, r.StatusCode, r.Body)
		}
	}
	if l := s.Ledger(); len(l) != 3 || !l[0].Failed {
		t.Errorf("%d entries", len(l))
	}
	few := simtest.Run(t, simtest.Options{Calls: 2})
	for i, want := range []int{200, 200, 403} {
		if r := few.Ask(t, "GET", simtest.PathModels, ""); r.StatusCode != want {
			t.Errorf("call %d: %d %s", i, r.StatusCode, r.Body)
		}
	}
}

func TestLinksExpireAndPollingRefreshesThem(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LinkLife: 400 * time.Millisecond, LongSide: 64})
	r := s.Ask(t, "POST", simtest.PathImages, `{"model":"lumen/still-1","prompt":"x"}`)
	link := r.Text(t, "job.result.images.0.url")
	expired := func(r simtest.Reply) bool { return r.StatusCode == 403 && r.Text(t, "error.code") == "link_expired" }
	for old := s.Ask(t, "GET", link, ""); !expired(old); old = s.Ask(t, "GET", link, "") {
		if old.StatusCode != 200 {
			t.Fatalf("%d %s", old.StatusCode, old.Body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	var fresh string
	for range 20 { // on a busy machine it may have expired again when it is used
		fresh = s.Finish(t, r.Text(t, "id")).Text(t, "job.result.images.0.url")
		got := s.Ask(t, "GET", fresh, "")
		if got.StatusCode == 200 {
			break
		}
		if !expired(got) {
			t.Errorf("fresh link: %d", got.StatusCode)
		}
	}
	if got := s.Ask(t, "GET", strings.Replace(fresh, "signature=", "signature=0", 1), ""); got.StatusCode != 403 {
		t.Errorf("forged link: %d", got.StatusCode)
	}
}

func TestFilesAreServedInParts(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 64})
	link := s.Ask(t, "POST", simtest.PathImages, `{"model":"lumen/still-1","prompt":"x"}`).Text(t, "job.result.images.0.url")
	whole := s.Ask(t, "GET", link, "")
	size, tag := len(whole.Body), whole.Header.Get("ETag")
	if size < 20 || tag == "" || strings.HasPrefix(tag, "W/") {
		t.Fatalf("%d bytes, ETag %q", size, tag)
	}
	for _, c := range []struct {
		ranges, tag string
		status      int
		from, to    int
	}{
		{"bytes=10-", tag, 206, 10, size},
		{"bytes=10-", "", 206, 10, size},
		{"bytes=0-9", tag, 206, 0, 10},
		{"bytes=5-999999999", tag, 206, 5, size},
		{"bytes=10-", `"another"`, 200, 0, size},
		{"bytes=-5", "", 200, 0, size},
		{"bytes=10-2", "", 200, 0, size},
		{"lines=1-", "", 200, 0, size},
		{fmt.Sprintf("bytes=%d-", size), tag, 416, 0, 0},
	} {
		r := s.Request(t, "GET", link, "")
		r.Header.Set("Range", c.ranges)
		if c.tag != "" {
			r.Header.Set("If-Range", c.tag)
		}
		got := simtest.Do(r)
		told := got.Header.Get("Content-Range")
		if got.StatusCode != c.status || !bytes.Equal(got.Body, whole.Body[c.from:c.to]) {
			t.Errorf("%s with %q: %d, %d bytes", c.ranges, c.tag, got.StatusCode, len(got.Body))
		}
		if want := fmt.Sprintf("bytes %d-%d/%d", c.from, c.to-1, size); c.status == 206 && told != want {
			t.Errorf("%s: Content-Range %q, want %q", c.ranges, told, want)
		}
	}
}
