package ui

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/state/settings"
	"darkroom/ui/action"
	"darkroom/ui/msg"
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
	p.keys("ctrl+k", ":"+label, "enter", "~")
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
			return cmd != nil && reflect.TypeOf(cmd()) == reflect.TypeOf(tea.RequestBackgroundColor())
		}
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		p.expect(p.app.env.Theme.On == theme.Dark, "it is not dark")
		p.expect(asked(uv.LightColorSchemeEvent{}) && p.app.env.Theme.On == theme.Light, "the terminal turned light")
		p.expect(asked(uv.DarkColorSchemeEvent{}) && p.app.env.Theme.On == theme.Dark, "the terminal turned dark")
		p.expect(!asked(tea.BlurMsg{}) && asked(tea.FocusMsg{}), "the background is to be asked for when the window gets the focus")
		p.session.reset(func(s *state.Settings) { s.Theme.Background = "light" })
		p.pass(time.Second)
		p.send(tea.BackgroundColorMsg{Color: lipgloss.Color("#000000")})
		p.expect(p.app.env.Theme.On == theme.Light, "the settings say light")
	}},
	{"changed settings are in force at once", fly(120, 40, everyPhase), func(p *pilot) {
		p.keys("alt+2")
		p.shows("g gallery")
		p.session.reset(func(s *state.Settings) { s.Keys = map[string][]string{"gallery": {"f6"}, "help": {"f2"}} })
		p.pass(time.Second)
		p.shows("f6 gallery", "f2 help", "The settings file was read again.")
		p.keys("f6")
		p.shows("Gallery")
		p.keys("f6")
		p.session.reset(func(s *state.Settings) { s.Keys = nil; s.Lang = "zh" })
		p.pass(time.Second)
		p.shows("g 图库", "? 帮助")
		p.session.reset(func(s *state.Settings) {
			s.Lang, s.Refused, s.ConfigFile = "en", true, "/home/you/config.toml"
			s.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing can be sent; did you mean %v?").Reason("line 3, budgte in /home/you/config.toml", "budget"), api.Sentence("%v is not a setting, so nothing can be sent; did you mean %v?").Reason("x", "y")}
		})
		p.pass(time.Second)
		p.shows("! Settings unchanged. Line 3, budgte in config.toml is not a setting, so nothing can be sent; did you mean budget? (1…")
		p.palette("read the settings")
		p.shows("The settings file has not changed.")
		p.session.rewrite = func(s *state.Settings) { s.Problems, s.Refused = nil, false }
		p.palette("read the settings")
		p.shows("The settings file was read again.")
	}},
	{"settings that cannot be used are said at the start", fly(120, 40, func(d *fakeSession) {
		everyPhase(d)
		d.settings.ConfigFile = "/home/you/config.toml"
		d.settings.Problems = []api.Reason{api.Sentence("%v is not a setting, so nothing can be sent; did you mean %v?").Reason("line 3, budgte in /home/you/config.toml", "budget")}
	}), func(p *pilot) {
		p.pass(time.Second)
		p.shows("! Line 3, budgte in config.toml is not a setting")
	}},
	{"own command runs on the chosen result", fly(120, 40, withCommands), func(p *pilot) {
		ran := func(want ...string) {
			p.t.Helper()
			p.pass(time.Second)
			got := p.session.noted("run ")
			p.expect(slices.Equal(got, want), "there ran %q, want %q", got, want)
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
		p.keys("esc", ":B") // typed, since the prompt has the keys
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
		act := action.Named(p.app.globals, stopCommands)
		p.expect(!act.Ready(), "there is nothing to stop yet")
		p.keys("B")
		p.shows("◐ copy to r2 is running. alt+x stops it.")
		p.keys("B", "~")
		p.shows("copy to r2 is running on it already.")
		p.keys("alt+x", "~")
		p.shows("✕ Copy was stopped.")
		p.expect(len(p.app.running) <= 0, "it still runs")
		p.palette("output of your last")
		p.shows("half")
	}},
	{"theme is tried and kept", fly(120, 40, everyPhase), func(p *pilot) {
		shown := func(name string) {
			p.t.Helper()
			want := theme.Choice{Name: name}.Theme(theme.Dark, colorprofile.TrueColor).Key.Ink
			got := p.app.env.Theme.Key.Ink
			p.expect(got == want, "the accent is %v, want that of %s", got, name)
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
		p.asked("theme mono", 1)
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

// tour are the ways to every screen and overlay, for tests of what holds for all
// of them: the scenes of the golden frames, and these.
var tour = []scene{
	{"create", nil, func(p *pilot) { p.keys("alt+1"); p.paste(boat); p.settle(); p.keys("ctrl+t", "tab", "shift+tab") }},
	{"review", nil, func(p *pilot) {
		p.keys("alt+1", "|"+boat, "~~", "ctrl+s", "c", "+", "pgdown", "up", "esc")
	}},
	{"variations", nil, func(p *pilot) {
		p.keys("alt+1", "ctrl+t", "|a {red|blue} boat", "~~", "alt+v", "space", "right", "space", "down", "tab", "up")
		p.repeat(5, "down")
		p.keys(":41-43", "enter", "ctrl+s", "c", "c", "pgdown", "esc")
	}},
	{"held", heldJobs, func(p *pilot) { p.keys("alt+2"); p.settle(); p.keys("P", "esc", "j", "P", "ctrl+up", "delete") }},
	{"asked", func(d *fakeSession) { askedJob(d, hostilePrompt) }, func(p *pilot) {
		p.keys("alt+2", "~~", "enter", "A", "esc", "enter", "d", ":no", "esc", "P", "e")
	}},
	{"history", everyPhase, func(p *pilot) {
		p.keys("alt+1", "ctrl+r", "~~", ":b", "~~", "down", "pgdown", "up", "enter")
	}},
	{"saved prompts", everyPhase, func(p *pilot) {
		p.keys("alt+1", "|a {{subject}} boat", "alt+s", ":boat", "alt+s", "~~", "down", "up", "alt+x", "esc", "enter", "tab")
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
		sizes = sizes[1:]
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
		expect.That(t, seen[want], "the tour does not lead to", want)
	}
}

// placeOf names the screen or overlay that has the keys.
func placeOf(a *App) string {
	var holder any = a.screens[a.at]
	if top := a.top(); top != nil {
		holder = top
	}
	room, name, _ := strings.Cut(strings.TrimPrefix(reflect.TypeOf(holder).String(), "*"), ".")
	if name == "Screen" {
		return room
	}
	name = strings.TrimSuffix(name, "Overlay")
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

var actionName = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)

// tables collects the actions of all places on the tour, with their keys. Each has
// a name, which no other one of its table has, and does something.
func tables(t *testing.T, labels map[string]string) map[string]map[string][]string {
	t.Helper()
	all := map[string]map[string][]string{}
	take := func(place string, table []action.Action) {
		names := all[place]
		if names == nil {
			names = map[string][]string{}
			all[place] = names
		}
		for i, act := range table {
			if ownCommand(act) {
				continue
			}
			own := action.Named(table[:i], act.Name) == nil && actionName.MatchString(act.Name)
			expect.That(t, own && (act.Handler != nil || act.Closes), place, act.Name, act.Label, "has no name of its own, or does nothing")
			keys := names[act.Name]
			for _, k := range act.Keys.List() {
				if key, ok := settings.KeyName(k); !ok {
					t.Errorf("%s: %s has the key %q, which the settings do not know", place, act.Name, k)
				} else if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
			names[act.Name] = keys
			label, at := act.Label, place+" "+act.Name
			if act.Display != "" && (act.Keys == "" || strings.ContainsAny(act.Display, "/…")) { // with others
				label += " (" + act.Display + ")"
			}
			if was, ok := labels[at]; !ok || label < was { // some change
				labels[at] = label
			}
		}
	}
	everywhere(t, func(p *pilot) {
		take(settings.Everywhere, p.app.globals)
		p.watch = func(func()) {
			take(placeOf(p.app), p.app.surface().Actions())
			p.expect(p.app.top() == nil || action.Find(p.app.surface().Actions(), "esc") != nil, "esc does not close %s", placeOf(p.app))
		}
	})
	return all
}

// The list of actions that the settings know is that of the screens' tables.
func TestSettingsKnowEveryAction(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("# Each action of the screens: where it is, its name, its usual keys and, behind a tab, what it does.\n" +
		"# Defined in ui/keys.go (everywhere), ui/result/actions.go (on any result) and the tables of action.Action of each screen and overlay.\n" +
		"# Written by: go test ./ui -run TestSettingsKnowEveryAction -update\n")
	labels := map[string]string{}
	all := tables(t, labels)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[place])) {
			slices.Sort(all[place][name])
			fmt.Fprintf(&b, "%s\t%s\n", strings.TrimSpace(place+" "+name+" "+strings.Join(all[place][name], " ")), labels[place+" "+name])
		}
	}
	path := filepath.Join("..", "state", "settings", "actions.txt")
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		simtest.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	}
	have := simtest.Must(os.ReadFile(path))(t)
	expect.That(t, bytes.Equal(have, b.Bytes()), path, "is not what the tables have: write it anew with -update")
	known := strings.Fields(b.String())
	named := regexp.MustCompile(`\{Name: "([a-z0-9_]+)", (?:Keys|Display|Label):`)
	found := 0
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			found++
			expect.That(t, slices.Contains(known, string(m[1])), path, "the tour does not lead to the action", string(m[1]))
		}
		return err
	})
	expect.That(t, err == nil && found >= 100, found, "actions are found in the source", err)
}

// Each action of each place can have another key, and acts on it, also while a
// field has the keys.
func TestEveryActionCanBeRebound(t *testing.T) {
	t.Parallel()
	set := map[string][]string{}
	for _, a := range settings.Actions() {
		n := len(set)
		if _, ok := set[a.Name]; !ok {
			set[a.Name] = []string{fmt.Sprintf("%sf%d", []string{"alt+", "ctrl+alt+", "ctrl+shift+", "alt+shift+"}[n/63], n%63+1)}
		}
	}
	done := map[string]bool{}
	everywhere(t, func(p *pilot) {
		p.watch = func(func()) {
			place := placeOf(p.app)
			pairsAreRows(t, place, p.app.surface().Actions())
			pressEach(p, place, p.app.surface().Actions(), set, done)
			if p.app.top() == nil {
				pressEach(p, settings.Everywhere, p.app.globals, set, done)
			}
		}
	})
	for _, a := range settings.Actions() {
		expect.That(t, done[a.Place+" "+a.Name], a.Place, a.Name, "did not act on its new key")
	}
}

// pairsAreRows: keys there and back are one row of help.
func pairsAreRows(t *testing.T, place string, table []action.Action) {
	t.Helper()
	at := map[string]int{}
	for i, row := range action.Rows(slices.DeleteFunc(slices.Clone(table), func(a action.Action) bool { return !a.Listed() })) {
		for _, a := range row {
			for _, k := range a.Keys.List() {
				at[k] = i
			}
		}
	}
	for there, back := range map[string]string{"pgdown": "pgup", "down": "up", "right": "left", "end": "home", "tab": "shift+tab", "+": "-"} {
		i, one := at[there]
		j, other := at[back]
		leaves := place == "create" && back == "up" // up goes back to the prompt
		expect.That(t, !one || !other || i == j || leaves, place, there, "and", back, "are two rows")
	}
}

// ownCommand reports whether an action is a person's own command.
func ownCommand(a action.Action) bool { return strings.HasPrefix(a.Name, "own_command_") }

// pressEach rebinds a table, presses each new key and puts the table back.
func pressEach(p *pilot, place string, table []action.Action, set map[string][]string, done map[string]bool) {
	if !slices.ContainsFunc(table, func(a action.Action) bool { return !ownCommand(a) && !done[place+" "+a.Name] }) {
		return
	}
	was, intent := slices.Clone(table), p.app.intent
	p.app.bindings = bindingsOf(state.Settings{Keys: set})
	p.app.env.Settings.Version++
	p.app.rebind(table)
	for i := range table {
		table[i].Disabled, table[i].Offer, table[i].Closes = nil, nil, false
		table[i].Handler = func() tea.Cmd { done[place+" "+table[i].Name] = true; return nil }
	}
	for i := range table {
		if ownCommand(table[i]) {
			continue
		}
		p.app.intent.confirm = p.app.intent.now
		key := keyOf(set[table[i].Name][0])
		p.expect(key.String() == set[table[i].Name][0], "%q is pressed for %q", key.String(), set[table[i].Name][0])
		p.app.pressed(key)
		for _, k := range was[i].Keys.List() {
			found := action.Find(table, k)
			still := found != nil && found.Name == table[i].Name && !settings.ReservedKey(k)
			expect.That(p.t, !still, place, table[i].Name, "still has the key", k)
		}
	}
	copy(table, was)
	p.app.intent, p.app.bindings = intent, nil
}

func TestReboundKeysAreShownAndActed(t *testing.T) {
	t.Parallel()
	bound := func(d *fakeSession) {
		d.settings.Keys = map[string][]string{
			"review": {"f5", "ctrl+s"}, "gallery": {"f6"}, "help": {"é", "space", "f2"}, "all_actions": {"ctrl+p"}, "back": {"b"}, "reject": {"X"}, "next_job": {"f7"},
		}
	}
	fly(120, 40, bound)(t, func(p *pilot) {
		p.keys("alt+1", "|"+boat, "~~")
		p.shows("f5 review and send", "f2 help", "ctrl+p all actions")
		p.keys("f5", "~~")
		expect.Equal(t, placeOf(p.app), "review", "f5 leads to")
		p.keys("esc") // reserved: it stays although back has another key
		expect.Equal(t, placeOf(p.app), "create", "esc leads to")
		p.keys("ctrl+s", "b", "~~")
		expect.Equal(t, placeOf(p.app), "create", "b in the review leads to")
		p.keys("b") // typed, since a field has the keys
		p.pass(2 * time.Second)
		p.keeps("image", boat+"b")
		p.keys("ctrl+k")
		p.expect(p.app.top() == nil, "ctrl+k still opens the list of all actions")
		p.keys("ctrl+p")
		p.shows("f5", "All actions")
		p.keys("esc", "f2")
		p.shows("f5      review and send", "Help")
	})
	fly(120, 40, func(d *fakeSession) { everyPhase(d); bound(d) })(t, func(p *pilot) {
		p.keys("alt+2", "f6")
		p.shows("Gallery")
		p.keys("f6") // the same key leads back
		p.shows("f6 gallery")
		for _, row := range []string{"shift+x", "X"} {
			a := action.Find(p.app.surface().Actions(), row)
			expect.That(t, a != nil && a.Name == "reject", row, "finds", a)
		}
		a := action.Named(p.app.surface().Actions(), "next_job")
		expect.That(t, a.KeyText() == "f7" && action.Find(p.app.surface().Actions(), "j") == nil, "next_job is shown as", a.KeyText())
		p.clickOn("f6 gallery")
		p.shows("Gallery")
		a = action.Named(p.app.globals, helpName)
		a.Keys, a.Display = "H shift+h", "" // as a capital is bound
		p.keys("H")
		p.shows("H       help")
	})
}
