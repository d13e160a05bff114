package sim

import (
	"fmt"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
)

func TestJobsTakeBelievableTimes(t *testing.T) {
	t.Parallel()
	for i := range 200 {
		for kind, most := range map[api.Kind]time.Duration{api.KindImage: 6 * time.Second, api.KindVideo: 15 * time.Second} {
			j := &job{request: api.Request{Kind: kind, Prompt: fmt.Sprint(i)}}
			j.schedule(1)
			took := j.ends.Sub(j.at)
			expect.That(t, took >= 2*time.Second && took <= most && j.begins.After(j.at), kind, i, took)
		}
	}
}

// TestListedDurations: the listing has the durations that are taken.
func TestListedDurations(t *testing.T) {
	t.Parallel()
	p, _ := asClient(Models()[1]).Parameter(api.FieldDuration)
	expect.That(t, *p.Min == shortestVideo && *p.Max == longestVideo && p.Default == fmt.Sprint(defaultVideo), "listed", p)
}

// FuzzReadRequest: no body stops the built-in service, and each is taken or refused in words.
func FuzzReadRequest(f *testing.F) {
	for _, s := range []string{`{"model":"seedance2","prompt":"a","duration":5}`, `{"model":"lumen/still-1","prompt":"a","size":"1024x1024"}`, `{"model":7}`,
		`{"prompt":null,"image_files":["a",1]}`, `{"model":"seedance2","prompt":"【@图片1】","image_files":["https://example.com/a.png"],"seed":1e99}`,
		`{"duration":"05.5","ratio":"16:9","aspect_ratio":"1:1"}`, `[]`, ``, "{\"prompt\":\"\xff\"}", `{"x":1}`, `{"async":"false"}`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	s := &Server{base: "http://127.0.0.1:80", o: Options{Models: Models()}}
	f.Fuzz(func(t *testing.T, body []byte, video bool) {
		kind := api.KindImage
		if video {
			kind = api.KindVideo
		}
		var o api.Request
		bad := try(func() { o = s.read(kind, body) })
		expect.That(t, bad == nil || bad.Status >= 400 && bad.Message != "", "refused as", bad)
		expect.That(t, bad != nil || o.Model != "" && o.Prompt != "", "taken as", o)
	})
}
