package ui

import (
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/read"
	"darkroom/state"
	"darkroom/ui/msg"
)

// What the service has against a field stands beside it until the value
// changes, or until it is sent again as it is.
func TestCreateShowsWhatTheServiceSaidBesideTheFields(t *testing.T) {
	request := api.Request{
		Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5",
		ImageFiles: []string{"https://in.example.com/1.png", "https://in.example.com/2.png"},
	}
	flyCreate(t, "en", 120, 50, nil, func(p *pilot) {
		for _, raw := range []string{
			`{"detail":[{"loc":["body","prompt"],"message":"names a person"},{"loc":["body","image_files",1],"message":"cannot be reached"}]}`,
			`{"message":"invalid","errors":{"prompt":["names a person"],"image_files.1":["cannot be reached"]}}`,
			`{"error":{"message":"bad","details":[{"field":"prompt","message":"names a person"},{"field":"image_files[1]","message":"cannot be reached"}]}}`,
		} {
			p.send(msg.LoadedMsg{Request: request, Problems: read.ReadFieldErrors([]byte(raw))})
			p.pass(time.Second)
			p.shows("✗ The service: names a person", "✗ The service: 图片2: cannot be reached")
			p.typed("s")
			p.lacks("names a person")
			p.shows("✗ The service: 图片2: cannot be reached")
			p.keys("ctrl+s")
			p.lacks("Review and send")
			p.keys("ctrl+s")
			p.shows("Review and send")
			p.keys("esc")
		}
		p.send(msg.LoadedMsg{Request: request, Problems: []api.FieldError{{Field: "webhook_url", Text: api.Clean("no", 9)}}})
		p.lacks("The service:")
	})
}

// A refusal finds the request that is still in the form.
func TestCreateShowsARefusal(t *testing.T) {
	var sent state.Confirmed
	prepare := func(d *fakeSession) {
		d.raw = []byte(`{"error":{"message":"duration must be 10","param":"duration"}}`)
		d.submitErr = func(c state.Confirmed) error { sent = c; return nil }
	}
	flyCreate(t, "en", 120, 50, prepare, func(p *pilot) {
		p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "boat", VideoModel: "fast", Resolution: "720p", Duration: "5"}})
		p.pass(time.Second)
		p.keys("ctrl+s", "enter")
		p.pass(time.Second)
		if sent.Request.Prompt != "boat" {
			t.Fatalf("sent %+v", sent.Request)
		}
		p.send(msg.RefusedMsg{Request: sent.Request, Problems: read.ReadFieldErrors(p.session.raw)})
		p.pass(time.Second)
		p.shows("see the marked fields in Create")
		p.keys("alt+1")
		p.shows("The service: duration must be 10")
		other := sent.Request
		other.Prompt = "another"
		p.send(msg.LoadedMsg{Request: sent.Request})
		p.lacks("The service:")
		p.send(msg.RefusedMsg{Request: other, Problems: read.ReadFieldErrors(p.session.raw)})
		p.lacks("The service:")
	})
}
