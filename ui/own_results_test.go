package ui

import (
	"testing"

	"darkroom/api"
	"darkroom/ui/msg"
)

// A result of a service on this machine can be a reference there.
func TestCreateTakesOwnResultsOfALocalService(t *testing.T) {
	local := func(d *fakeSession) { d.settings.BaseURL = "http://127.0.0.1:8080" }
	flyCreate(t, "en", 120, 40, local, func(p *pilot) {
		for address, good := range map[string]bool{"http://127.0.0.1:8080/files/a.png": true, "http://127.0.0.1:9090/files/a.png": false} {
			p.send(msg.LoadedMsg{Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: "a boat", ImageFiles: []string{address}}})
			if p.keys("ctrl+s"); good {
				p.shows("Review and send")
				p.keys("esc")
			} else {
				p.lacks("Review and send")
			}
		}
	})
}
