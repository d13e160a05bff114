package ui

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
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
	p.keys("enter")
	p.pass(time.Second)
}

func withCommands(d *fakeSession) {
	everyPhase(d)
	d.settings.Commands = []state.Command{
		{Key: "B", Name: "copy to r2", Run: []string{"rclone", "copy", "{file}", "r2:"}}, {Name: "100% sure", Run: []string{"sure", "{id}"}},
	}
	d.command = func(context.Context, state.Command, string) (api.Text, error) { return text("one\nall is there"), nil }
}

// Every theme has a label.
func TestThemesHaveLabels(t *testing.T) {
	t.Parallel()
	for _, name := range theme.Names() {
		if themeLabels[name] == "" {
			t.Errorf("%s has no label", name)
		}
	}
}

func TestThemeIsTriedAndKept(t *testing.T) {
	t.Parallel()
	accent := func(name string, on theme.Background) color.Color {
		return theme.Choice{Name: name}.Theme(on, colorprofile.TrueColor).Key.Style().GetForeground()
	}
	fly(t, 120, 40, everyPhase, func(p *pilot) {
		shown := func(name string) {
			t.Helper()
			if got := p.app.env.Theme.Key.Style().GetForeground(); got != accent(name, theme.Dark) {
				t.Errorf("the accent is %v, want that of %s", got, name)
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
		p.keys("down", "down", "enter")
		p.pass(time.Second)
		shown("mono")
		p.shows("Theme kept in the settings file.")
		if !slices.Contains(p.session.log, "theme mono") {
			t.Errorf("nothing was saved: %v", p.session.log)
		}
		p.palette("theme")
		p.shows("▸ mono")
		p.session.themeErr = errors.New("the disk is full")
		p.keys("up", "enter")
		p.pass(time.Second)
		p.shows("The disk is full.")
		shown("slate") // until the end
		p.palette("theme")
		p.keys("down")
		p.send(chosenMsg{&p.app.globals[2]}) // whatever takes the overlay away
		p.pass(time.Second)
		shown("slate")
	})
}

func TestBackgroundIsFollowed(t *testing.T) {
	t.Parallel()
	fly(t, 100, 30, everyPhase, func(p *pilot) {
		asked := func(message tea.Msg) bool {
			p.raw = nil
			_, cmd := p.app.Update(message)
			return slices.Contains(produced(cmd), fmt.Sprintf("%T", tea.RequestBackgroundColor()))
		}
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		if p.app.env.Theme.On != theme.Dark {
			t.Error("it is not dark")
		}
		if !asked(uv.LightColorSchemeEvent{}) || p.app.env.Theme.On != theme.Light {
			t.Errorf("the terminal turned light, the theme is for %d", p.app.env.Theme.On)
		}
		if !asked(uv.DarkColorSchemeEvent{}) || p.app.env.Theme.On != theme.Dark {
			t.Errorf("the terminal turned dark, the theme is for %d", p.app.env.Theme.On)
		}
		if asked(tea.BlurMsg{}) || !asked(tea.FocusMsg{}) {
			t.Error("the background is to be asked for when the window gets the focus")
		}
		p.session.reset(func(s *state.Settings) { s.Theme.Background = "light" })
		p.pass(time.Second)
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		if p.app.env.Theme.On != theme.Light {
			t.Error("the settings say light")
		}
	})
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

func TestModeIsAskedForAndGivenBack(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprint(produced(followBackground())); !strings.Contains(got, "RawMsg") {
		t.Errorf("at the start there are %s", got)
	}
	if ansi.SetModeLightDark != "\x1b[?2031h" {
		t.Errorf("it is set by %q", ansi.SetModeLightDark)
	}
}

func TestChangedSettingsAreInForceAtOnce(t *testing.T) {
	t.Parallel()
	fly(t, 120, 40, everyPhase, func(p *pilot) {
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
			s.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing is sent: the nearest one is %v").Reason("line 3, budgte in /home/you/config.toml", "budget"), api.Sentence("%v is not a setting, so nothing is sent: the nearest one is %v").Reason("x", "y")}
		})
		p.pass(time.Second)
		p.shows("! Settings unchanged. Line 3, budgte in config.toml is not a setting, so nothing is sent: the nearest one is budget. …")
		p.palette("read the settings")
		p.shows("The settings file has not changed.")
		p.session.rewrite = func(s *state.Settings) { s.Problems, s.Refused = nil, false }
		p.palette("read the settings")
		p.shows("The settings file was read again.")
	})
}

func TestSettingsThatCannotBeUsedAreSaidAtTheStart(t *testing.T) {
	t.Parallel()
	wrong := func(d *fakeSession) {
		everyPhase(d)
		d.settings.ConfigFile = "/home/you/config.toml"
		d.settings.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing is sent: the nearest one is %v").Reason("line 3, budgte in /home/you/config.toml", "budget")}
	}
	fly(t, 120, 40, wrong, func(p *pilot) {
		p.pass(time.Second)
		p.shows("! Line 3, budgte in config.toml is not a setting")
	})
}
