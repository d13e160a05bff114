package ui

import (
	"bytes"
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

	"darkroom/state"
	"darkroom/state/settings"
	"darkroom/ui/action"
)

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
func tables(t *testing.T) map[string]map[string][]string {
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
			twice := action.Named(table[:i], act.Name) != nil
			if twice || !actionName.MatchString(act.Name) || act.Handler == nil && !act.Closes {
				t.Errorf("%s: the action %q (%s) has no name of its own, or does nothing", place, act.Name, act.Label)
			}
			keys := names[act.Name]
			for _, k := range act.Keys.List() {
				if key, ok := settings.KeyName(k); !ok {
					t.Errorf("%s: %s has the key %q, which the settings do not know", place, act.Name, k)
				} else if !slices.Contains(keys, key) {
					keys = append(keys, key)
				}
			}
			names[act.Name] = keys
		}
	}
	everywhere(t, func(p *pilot) {
		take(settings.Everywhere, p.app.globals)
		p.watch = func(func()) {
			take(placeOf(p.app), p.app.surface().Actions())
			if p.app.top() != nil && action.Find(p.app.surface().Actions(), "esc") == nil {
				t.Errorf("esc does not close %s", placeOf(p.app))
			}
		}
	})
	return all
}

// The list of actions that the settings know is that of the screens' tables.
func TestSettingsKnowEveryAction(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString("# Each action of the screens: where it is, its name and its usual keys.\n# Written by the test TestSettingsKnowEveryAction of package ui with -update.\n")
	all := tables(t)
	for _, place := range slices.Sorted(maps.Keys(all)) {
		for _, name := range slices.Sorted(maps.Keys(all[place])) {
			slices.Sort(all[place][name])
			fmt.Fprintln(&b, strings.TrimSpace(place+" "+name+" "+strings.Join(all[place][name], " ")))
		}
	}
	path := filepath.Join("..", "state", "settings", "actions.txt")
	if update := flag.Lookup("update"); update != nil && update.Value.String() == "true" {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not what the tables have: write it anew with -update", path)
	}
	known := b.String()
	named := regexp.MustCompile(`\{Name: "([a-z0-9_]+)", (?:Keys|Display|Label):`)
	found := 0
	err = filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			found++
			if !strings.Contains(known, " "+string(m[1])+" ") && !strings.Contains(known, " "+string(m[1])+"\n") {
				t.Errorf("%s: the tour does not lead to the action %s", path, m[1])
			}
		}
		return err
	})
	if err != nil || found < 100 {
		t.Errorf("%d actions are found in the source: %v", found, err)
	}
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
		if !done[a.Place+" "+a.Name] {
			t.Errorf("%s: %s did not act on its new key", a.Place, a.Name)
		}
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
		if leaves := place == "create" && back == "up"; one && other && i != j && !leaves { // up goes back to the prompt
			t.Errorf("%s: %s and %s are two rows", place, there, back)
		}
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
		if key.String() != set[table[i].Name][0] {
			p.t.Fatalf("%q is pressed for %q", key.String(), set[table[i].Name][0])
		}
		p.app.pressed(key)
		for _, k := range was[i].Keys.List() {
			if found := action.Find(table, k); found != nil && found.Name == table[i].Name && !settings.ReservedKey(k) {
				p.t.Errorf("%s: %s still has the key %s", place, table[i].Name, k)
			}
		}
	}
	copy(table, was)
	p.app.intent, p.app.bindings = intent, nil
}

func TestReboundKeysAreShownAndActed(t *testing.T) {
	t.Parallel()
	bound := func(d *fakeSession) {
		d.settings.Keys = map[string][]string{
			"review": {"f5", "ctrl+s"}, "gallery": {"f6"}, "help": {"f2"}, "all_actions": {"ctrl+p"}, "back": {"b"}, "reject": {"X"}, "next_job": {"f7"},
		}
	}
	fly(120, 40, bound)(t, func(p *pilot) {
		p.keys("alt+1")
		p.paste(boat)
		p.settle()
		p.shows("f5 review and send", "f2 help", "ctrl+p all actions")
		p.keys("f5", "~~")
		if place := placeOf(p.app); place != "review" {
			t.Fatalf("f5 leads to %s", place)
		}
		p.keys("esc") // reserved: it stays although back has another key
		if place := placeOf(p.app); place != "create" {
			t.Fatalf("esc leads to %s", place)
		}
		p.keys("ctrl+s", "b", "~~")
		if place := placeOf(p.app); place != "create" {
			t.Fatalf("b in the review leads to %s", place)
		}
		p.keys("b") // typed, since a field has the keys
		p.pass(2 * time.Second)
		p.keeps("image", boat+"b")
		p.keys("ctrl+k")
		if p.app.top() != nil {
			t.Error("ctrl+k still opens the list of all actions")
		}
		p.keys("ctrl+p")
		p.shows("f5", "All actions")
		p.keys("esc", "f2")
		p.shows("f5      review and send", "Keys")
	})
	fly(120, 40, func(d *fakeSession) { everyPhase(d); bound(d) })(t, func(p *pilot) {
		p.keys("alt+2", "f6")
		p.shows("f6 list") // the same key leads back
		p.keys("f6")
		for _, row := range []string{"shift+x", "X"} {
			if a := action.Find(p.app.surface().Actions(), row); a == nil || a.Name != "reject" {
				t.Errorf("%s finds %v", row, a)
			}
		}
		if a := action.Named(p.app.surface().Actions(), "next_job"); a.KeyText() != "f7" || action.Find(p.app.surface().Actions(), "j") != nil {
			t.Errorf("next_job is shown as %q", a.KeyText())
		}
		p.clickOn("f6 gallery")
		p.shows("f6 list")
	})
}
