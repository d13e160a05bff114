package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/theme"
)

func (d *fakeSession) Reread(bool) bool {
	d.note("reread")
	return d.rewrite != nil && d.reset(d.rewrite)
}

func (d *fakeSession) SaveTheme(name string) error {
	d.note("theme %s", name)
	return d.themeErr
}

// reset gives the settings another version.
func (d *fakeSession) reset(f func(*state.Settings)) bool {
	d.mu.Lock()
	f(&d.settings)
	d.settings.Version++
	d.mu.Unlock()
	d.changes <- nil
	return true
}

// palette performs the action of that label from the list of all actions.
func (p *pilot) palette(label string) {
	p.t.Helper()
	p.keys("ctrl+k")
	p.typed(label)
	p.keys("enter", "~")
}

func withCommands(d *fakeSession) {
	everyPhase(d)
	d.settings.Commands = []state.Command{
		{Key: "B", Name: "copy to r2", Run: []string{"rclone", "copy", "{file}", "r2:"}}, {Name: "100% sure", Run: []string{"sure", "{id}"}},
	}
	d.command = func(context.Context, state.Command, string) (api.Text, error) { return text("one\nall is there"), nil }
}

func TestSettings(t *testing.T) { flyEach(t, settingsFlights) }

var settingsFlights = []flight{
	{"background is followed", fly(100, 30, everyPhase), func(p *pilot) {
		asked := func(message tea.Msg) bool {
			p.raw = nil
			_, cmd := p.app.Update(message)
			return slices.Contains(produced(cmd), fmt.Sprintf("%T", tea.RequestBackgroundColor()))
		}
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		if p.app.env.Theme.On != theme.Dark {
			p.t.Error("it is not dark")
		}
		if !asked(uv.LightColorSchemeEvent{}) || p.app.env.Theme.On != theme.Light {
			p.t.Errorf("the terminal turned light, the theme is for %d", p.app.env.Theme.On)
		}
		if !asked(uv.DarkColorSchemeEvent{}) || p.app.env.Theme.On != theme.Dark {
			p.t.Errorf("the terminal turned dark, the theme is for %d", p.app.env.Theme.On)
		}
		if asked(tea.BlurMsg{}) || !asked(tea.FocusMsg{}) {
			p.t.Error("the background is to be asked for when the window gets the focus")
		}
		p.session.reset(func(s *state.Settings) { s.Theme.Background = "light" })
		p.pass(time.Second)
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		if p.app.env.Theme.On != theme.Light {
			p.t.Error("the settings say light")
		}
	}},
	{"changed settings are in force at once", fly(120, 40, everyPhase), func(p *pilot) {
		p.keys("alt+2")
		p.shows("g gallery")
		p.session.reset(func(s *state.Settings) { s.Keys = map[string][]string{"gallery": {"f6"}, "help": {"f2"}} })
		p.pass(time.Second)
		p.shows("f6 gallery", "f2 help", "The settings file was read again.")
		p.keys("f6")
		p.shows("f6 list")
		p.keys("f6")
		p.session.reset(func(s *state.Settings) { s.Keys = nil; s.Lang = "zh" })
		p.pass(time.Second)
		p.shows("g 图库", "? 帮助")
		p.session.reset(func(s *state.Settings) {
			s.Lang, s.Refused, s.ConfigFile = "en", true, "/home/you/config.toml"
			s.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing can be sent: the nearest one is %v").Reason("line 3, budgte in /home/you/config.toml", "budget"), api.Sentence("%v is not a setting, so nothing can be sent: the nearest one is %v").Reason("x", "y")}
		})
		p.pass(time.Second)
		p.shows("! Settings unchanged. Line 3, budgte in config.toml is not a setting, so nothing can be sent: the nearest one is budg…")
		p.palette("read the settings")
		p.shows("The settings file has not changed.")
		p.session.rewrite = func(s *state.Settings) { s.Problems, s.Refused = nil, false }
		p.palette("read the settings")
		p.shows("The settings file was read again.")
	}},
	{"settings that cannot be used are said at the start", fly(120, 40, func(d *fakeSession) {
		everyPhase(d)
		d.settings.ConfigFile = "/home/you/config.toml"
		d.settings.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing can be sent: the nearest one is %v").Reason("line 3, budgte in /home/you/config.toml", "budget")}
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("! Line 3, budgte in config.toml is not a setting")
	}},
	{"own command runs on the chosen result", fly(120, 40, withCommands), func(p *pilot) {
		ran := func(want ...string) {
			p.t.Helper()
			p.pass(time.Second)
			var got []string
			for _, line := range p.session.log {
				if len(line) > 4 && line[:4] == "run " {
					got = append(got, line)
				}
			}
			if !slices.Equal(got, want) {
				p.t.Errorf("there ran %q, want %q", got, want)
			}
			p.session.log = nil
		}
		p.keys("alt+2", "j", "j", "~")
		row, _ := p.app.screens[p.app.at].(interface{ Row() (state.Row, bool) }).Row()
		p.keys("B")
		ran("run copy to r2 " + row.ID + " 1")
		p.shows("✓ copy to r2 is done · all is there")
		p.keys("g", "B", "g")
		ran("run copy to r2 " + row.ID + " 1")
		p.keys("enter", "B")
		ran("run copy to r2 " + row.ID + " 1")
		p.keys("esc")
		p.palette("100% sure")
		ran("run 100% sure " + row.ID + " 1")
		p.shows("100% sure is done")
		p.palette("output of your last")
		p.shows("100% sure", "all is there")
		p.keys("esc", "?", "G")
		p.shows("copy to r2")
		p.keys("esc", "m", "j", "m", "B")
		p.shows("2 marked results", "Run this command on the first file of each?", "rclone copy {file} r2:")
		ran()
		p.keys("y", "~")
		p.shows("copy to r2: 2 done · all is there")
		p.keys("esc", "alt+1", "alt+r", "right", "right", "~", "B", "~")
		p.shows("copy to r2 is done")
		p.keys("esc")
		p.typed("B") // typed, since the prompt has the keys
		p.session.log = nil
		p.pass(time.Second)
		ran()
	}},
	{"own command can be stopped", fly(120, 40, func(d *fakeSession) {
		withCommands(d)
		d.command = func(ctx context.Context, _ state.Command, _ string) (api.Text, error) {
			<-ctx.Done()
			return text("half"), errors.New("copy was stopped")
		}
	}), func(p *pilot) {
		p.keys("alt+2", "j", "j", "~")
		if act := action.Named(p.app.globals, stopCommands); act.Ready() {
			p.t.Error("there is nothing to stop yet")
		}
		p.keys("B")
		p.shows("◐ copy to r2 is running. alt+x stops it.")
		p.keys("B", "~")
		p.shows("copy to r2 is running on it already.")
		p.keys("alt+x", "~")
		p.shows("✕ Copy was stopped.")
		if len(p.app.commands.running) > 0 {
			p.t.Error("it still runs")
		}
		p.palette("output of your last")
		p.shows("half")
	}},
	{"theme is tried and kept", fly(120, 40, everyPhase), func(p *pilot) {
		shown := func(name string) {
			p.t.Helper()
			want := theme.Choice{Name: name}.Theme(theme.Dark, colorprofile.TrueColor).Key.Ink
			if got := p.app.env.Theme.Key.Ink; got != want {
				p.t.Errorf("the accent is %v, want that of %s", got, name)
			}
		}
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#14161B")})
		shown("amber")
		p.palette("theme")
		p.shows("Theme", "slate: cool", "● done")
		p.keys("down")
		shown("slate")
		p.keys("esc")
		shown("amber")
		p.palette("theme")
		p.keys("down", "down", "enter", "~")
		shown("mono")
		p.shows("Theme kept in the settings file.")
		if !slices.Contains(p.session.log, "theme mono") {
			p.t.Errorf("nothing was saved: %v", p.session.log)
		}
		p.palette("theme")
		p.shows("▸ mono")
		p.session.themeErr = errors.New("the disk is full")
		p.keys("up", "enter", "~")
		p.shows("The disk is full.")
		shown("slate") // until the end
		p.palette("theme")
		p.keys("down")
		p.do(p.app.perform(&p.app.globals[2])) // whatever takes the overlay away
		p.pass(time.Second)
		shown("slate")
	}},
	{"own command fails on one of several", fly(120, 40, func(d *fakeSession) {
		withCommands(d)
		d.command = func(context.Context, state.Command, string) (api.Text, error) {
			if d.asked("run ") == 2 {
				return api.Text{}, errors.New("rclone failed: no room")
			}
			return api.Text{}, nil
		}
	}), func(p *pilot) {
		p.keys("alt+2", "j", "j", "m", "j", "m", "j", "m", "B", "y", "~")
		p.shows("✕ Rclone failed: no room. 1 of 3 are done.")
		p.asked("run ", 2)
	}},
}

// produced names the messages that a command leads to at once.
func produced(cmd tea.Cmd) []string {
	if cmd == nil {
		return nil
	}
	m := cmd()
	if batch, ok := m.(tea.BatchMsg); ok {
		var all []string
		for _, c := range batch {
			all = append(all, produced(c)...)
		}
		return all
	}
	return []string{fmt.Sprintf("%T", m)}
}
