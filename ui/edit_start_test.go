package ui

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/words"
)

func TestTheFormBeginsWithARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		d := newFakeSession()
		d.drafts = map[string]api.Request{"video": {Kind: api.KindVideo, Prompt: "an older draft"}}
		p := &pilot{t: t, session: d, waiting: make(chan tea.Msg, 256)}
		p.app = New(ctx, Options{Session: d, Words: words.For("en"), Clock: p.clock, Request: &api.Request{Kind: api.KindImage, Prompt: "a heron at dusk"}})
		defer func() { // timers end by themselves
			stop()
			time.Sleep(time.Minute)
			synctest.Wait()
		}()
		p.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		p.do(p.app.Init())
		p.pass(time.Second)
		p.shows("a heron at dusk", "Image")
		p.lacks("an older draft")
	})
}
