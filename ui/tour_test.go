package ui

import (
	"context"
	"reflect"
	"regexp"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
)

// tour are the ways to every screen and overlay, for tests of what holds for all
// of them: the scenes of the golden frames, and these.
var tour = []scene{
	{"create", nil, func(p *pilot) { p.keys("alt+1"); p.paste(boat); p.settle(); p.keys("ctrl+t", "tab", "shift+tab") }},
	{"review", nil, func(p *pilot) {
		p.keys("alt+1")
		p.paste(boat)
		p.settle()
		p.keys("ctrl+s")
		p.keys("c", "+", "pgdown", "up", "esc")
	}},
	{"variations", nil, func(p *pilot) {
		p.keys("alt+1", "ctrl+t")
		p.paste("a {red|blue} boat")
		p.settle()
		p.keys("alt+v", "space", "right", "space", "down", "tab", "up")
		for range 5 {
			p.keys("down")
		}
		p.typed("41-43")
		p.keys("enter", "ctrl+s", "c", "c", "pgdown", "esc")
	}},
	{"held", heldJobs, func(p *pilot) { p.keys("alt+2"); p.settle(); p.keys("P", "esc", "j", "P", "ctrl+up", "delete") }},
	{"history", everyPhase, func(p *pilot) {
		p.keys("alt+1", "ctrl+r")
		p.settle()
		p.typed("b")
		p.settle()
		p.keys("down", "pgdown", "up", "enter")
	}},
	{"saved prompts", everyPhase, func(p *pilot) {
		p.keys("alt+1")
		p.paste("a {{subject}} boat")
		p.keys("alt+s")
		p.typed("boat")
		p.keys("alt+s")
		p.settle()
		p.keys("down", "up", "alt+x", "esc", "enter", "tab")
	}},
	{"versions", func(d *fakeSession) { d.fill(13) }, func(p *pilot) { p.keys("alt+1", "ctrl+r"); p.settle(); p.keys("alt+v", "down", "alt+s", "esc") }},
	{"raw answer", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j"); p.pass(time.Second); p.keys("v", "j", "pgdown", "G") }},
	{"id", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j", "a"); p.typed("remote-7"); p.keys("left", "enter") }},
	{"not charged", everyPhase, func(p *pilot) { p.keys("alt+2", "j", "j", "j", "j", "x") }},
	{"palette", everyPhase, func(p *pilot) {
		p.keys("alt+2", "ctrl+k", "down", "pgdown")
		p.typed("qu")
		p.keys("up", "esc")
	}},
	{"help", everyPhase, func(p *pilot) { p.keys("alt+2", "?", "j", "pgdown", "G", "g") }},
	{"quit", func(d *fakeSession) { d.health.Unsaved = 1 }, func(p *pilot) { p.keys("alt+2", "q", "y") }},
	{"tools", withTools, func(p *pilot) { p.keys("alt+4"); p.settle(); p.keys("j", "enter", "tab", "esc", "k") }},
	{"tool", withTools, func(p *pilot) {
		p.keys("alt+4", "j", "enter")
		p.paste("a kettle")
		p.keys("ctrl+s", "enter")
		p.settle()
		p.keys("down", "v", "esc")
	}},
	{"results", func(d *fakeSession) { d.fill(13) }, func(p *pilot) { p.keys("alt+1", "alt+r", "right", "esc") }},
	{"own command", withCommands, func(p *pilot) {
		p.keys("alt+2", "B", "m", "B", "y", "alt+x")
		p.settle()
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
func everywhere(t *testing.T, start func(*pilot), end func(*pilot)) {
	t.Helper()
	seen := map[string]bool{}
	sizes := [][2]int{{80, 24}, {130, 40}}
	if testing.Short() {
		sizes = sizes[:1]
	}
	for _, size := range sizes {
		for _, way := range append(scenes[:len(scenes):len(scenes)], tour...) {
			fly(t, size[0], size[1], way.prepare, func(p *pilot) {
				watch := p.watch
				if start != nil {
					start(p)
					watch = p.watch
				}
				p.watch = func(draw func()) {
					if top := p.app.top(); top != nil {
						seen[reflect.TypeOf(top).String()] = true
					} else {
						seen[reflect.TypeOf(p.app.screens[p.app.at]).String()] = true
					}
					if watch != nil {
						watch(draw)
					}
				}
				if way.see != nil {
					way.see(p)
				}
				p.send(tea.WindowSizeMsg{Width: size[0] + 30, Height: size[1] - 3})
				p.send(tea.BackgroundColorMsg{})
				p.send(msg.TickedMsg{At: fakeNow.Add(time.Second)})
				p.settle()
				if end != nil {
					end(p)
				}
			})
		}
	}
	for _, want := range []string{
		"*create.Screen", "*jobs.Screen", "*prices.Screen", "*tools.Screen", "*login.Screen",
		"*review.Review", "*create.variationEditor", "*create.savedPrompts", "*history.history", "*tools.clients", "*result.compare",
		"*ui.palette", "*ui.helpOverlay", "*widget.Confirm", "*widget.ask", "*widget.reader",
	} {
		if !seen[want] {
			t.Errorf("the tour does not lead to %s", want)
		}
	}
}

func TestTheTourMakesNoCallsInUpdateAndView(t *testing.T) {
	t.Parallel()
	calls := int64(0)
	everywhere(t, nil, func(p *pilot) {
		calls += p.session.calls.Load()
		if p.inside != 0 {
			t.Errorf("%d calls were made within Update or View", p.inside)
		}
	})
	if calls < 200 {
		t.Errorf("only %d calls at all: the counter has gone blind", calls)
	}
}

var actionName = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)

// Each action has a name, which no other one of its table has, and a handler.
func TestActionsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	check := func(room string, table []action.Action) {
		seen := map[string]bool{}
		for _, act := range table {
			switch {
			case act.Name == "":
				t.Errorf("%s: the action %q has no name", room, act.Label)
			case !actionName.MatchString(act.Name):
				t.Errorf("%s: an action is named %q", room, act.Name)
			case seen[act.Name]:
				t.Errorf("%s: two actions of a table are named %q", room, act.Name)
			case act.Handler == nil:
				t.Errorf("%s: %s does nothing", room, act.Name)
			}
			seen[act.Name] = true
		}
	}
	everywhere(t, func(p *pilot) {
		check("darkroom/ui", p.app.globals)
		p.watch = func(func()) {
			holder := reflect.TypeOf(p.app.screens[p.app.at])
			if top := p.app.top(); top != nil {
				holder = reflect.TypeOf(top)
			}
			check(holder.Elem().PkgPath(), p.app.table())
		}
	}, nil)
}
