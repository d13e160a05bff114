package ui

import (
	"context"
	"reflect"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
)

// tour are the ways to every screen and overlay, for tests of what holds for all
// of them: the scenes of the golden frames, and these.
var tour = []scene{
	{"create", nil, func(p *pilot) { p.keys("alt+1"); p.paste(boat); p.settle(); p.keys("ctrl+t", "tab", "shift+tab") }},
	{"review", nil, func(p *pilot) {
		p.keys("alt+1")
		p.paste(boat)
		p.keys("~~", "ctrl+s", "c", "+", "pgdown", "up", "esc")
	}},
	{"variations", nil, func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "|a {red|blue} boat", "~~", "alt+v", "space", "right", "space", "down", "tab", "up")
		for range 5 {
			p.keys("down")
		}
		p.keys(":41-43", "enter", "ctrl+s", "c", "c", "pgdown", "esc")
	}},
	{"held", heldJobs, func(p *pilot) { p.keys("alt+2"); p.settle(); p.keys("P", "esc", "j", "P", "ctrl+up", "delete") }},
	{"asked", func(d *fakeSession) { askedJob(d, hostilePrompt) }, func(p *pilot) {
		p.keys("alt+2")
		p.settle()
		p.keys("enter", "A", "esc", "enter", "d", ":no", "esc", "P", "e")
	}},
	{"history", everyPhase, func(p *pilot) {
		p.keys("alt+1", "ctrl+r", "~~", ":b", "~~", "down", "pgdown", "up", "enter")
	}},
	{"saved prompts", everyPhase, func(p *pilot) {
		p.keys("alt+1", "|a {{subject}} boat", "alt+s", ":boat", "alt+s", "~~")
		p.keys("down", "up", "alt+x", "esc", "enter", "tab")
	}},
	{"versions", func(d *fakeSession) { d.fill(13) }, func(p *pilot) { p.keys("alt+1", "ctrl+r"); p.settle(); p.keys("alt+v", "down", "alt+s", "esc") }},
	{"raw answer", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j"); p.pass(time.Second); p.keys("v", "j", "pgdown", "G") }},
	{"id", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j", "a"); p.typed("remote-7"); p.keys("left", "enter") }},
	{"not charged", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j", "x") }},
	{"palette", everyPhase, func(p *pilot) {
		p.keys("alt+2", "ctrl+k", "down", "pgdown", ":qu", "up", "esc")
	}},
	{"help", everyPhase, func(p *pilot) { p.keys("alt+2", "?", "j", "pgdown", "G", "g") }},
	{"quit", func(d *fakeSession) { d.health.Unsaved = 1 }, func(p *pilot) { p.keys("alt+2", "q", "y") }},
	{"tools", withTools, func(p *pilot) { p.keys("alt+4"); p.settle(); p.keys("j", "enter", "tab", "esc", "k") }},
	{"tool", withTools, func(p *pilot) {
		p.keys("alt+4", "j", "enter", "|a kettle", "ctrl+s", "enter", "~~", "down", "v", "esc")
	}},
	{"results", func(d *fakeSession) { d.fill(13) }, func(p *pilot) { p.keys("alt+1", "alt+r", "right", "esc") }},
	{"examples", nil, func(p *pilot) { p.keys("alt+1", "~", "down", "right", "left", "enter") }},
	{"own command", withCommands, func(p *pilot) {
		p.keys("alt+2", "B", "m", "B", "y", "alt+x", "~~")
		p.palette("output of your last")
	}},
	{"plans", pricedBefore, func(p *pilot) { p.keys("alt+3"); p.settle(); p.keys("o", "down", "esc") }},
	{"clients", withTools, func(p *pilot) { p.keys("alt+4", "c", "right", "esc") }},
}

func withTools(d *fakeSession) {
	d.box = toolbox()
	d.tool = func(context.Context, state.ToolCall) (state.ToolAnswer, error) { return sketched(), nil }
}

// everywhere goes on the tour in two sizes, in one with -short; each message is
// handed to watch. At the end of each way the theme, the size and the data change.
func everywhere(t *testing.T, start func(*pilot)) {
	t.Helper()
	seen := map[string]bool{}
	sizes := [][2]int{{80, 24}, {130, 40}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		for _, way := range append(scenes[:len(scenes):len(scenes)], tour...) {
			fly(size[0], size[1], way.prepare)(t, func(p *pilot) {
				start(p)
				watch := p.watch
				p.watch = func(draw func()) {
					if top := p.app.top(); top != nil {
						seen[reflect.TypeOf(top).String()] = true
					} else {
						seen[reflect.TypeOf(p.app.screens[p.app.at]).String()] = true
					}
					watch(draw)
				}
				if way.see != nil {
					way.see(p)
				}
				p.send(tea.WindowSizeMsg{Width: size[0] + 30, Height: size[1] - 3})
				p.send(tea.BackgroundColorMsg{})
				p.send(msg.TickedMsg{At: fakeNow.Add(time.Second)})
				p.settle()
			})
		}
	}
	for _, want := range []string{
		"*create.Screen", "*jobs.Screen", "*prices.Screen", "*tools.Screen", "*login.Screen",
		"*review.Review", "*create.variationEditor", "*create.savedPrompts", "*history.history", "*tools.clients", "*result.compare",
		"*ui.palette", "*ui.helpOverlay", "*widget.Confirm", "*widget.ask", "*widget.Reader",
	} {
		if !seen[want] {
			t.Errorf("the tour does not lead to %s", want)
		}
	}
}
