package widget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
)

func TestPickerMovesWithinItsRows(t *testing.T) {
	t.Parallel()
	var p Picker
	if _, ok := p.Selected(); ok || p.Below() != 0 {
		t.Error("an empty picker has a row selected")
	}
	p.SetRows(10)
	p.SetWindow(3, 4)
	keys := p.Actions(false)
	for i, c := range []struct {
		key      string
		at, top  int
		reported int // rows below
	}{
		{"up", 0, 0, 6}, {"down", 1, 0, 6}, {"pgdown", 5, 2, 4}, {"j", 6, 3, 3}, {"G", 9, 6, 0}, {"down", 9, 6, 0},
		{"pgup", 5, 5, 1}, {"k", 4, 4, 2}, {"home", 0, 0, 6}, {"end", 9, 6, 0}, {"g", 0, 0, 6}, {"ctrl+n", 1, 0, 6}, {"ctrl+p", 0, 0, 6},
	} {
		action.Find(keys, c.key).Handler()
		at, ok := p.Selected()
		if !ok || at != c.at || p.top != c.top || p.Below() != c.reported {
			t.Fatalf("%d: after %s row %d is selected, %d the first, %d below; want %+v", i, c.key, at, p.top, p.Below(), c)
		}
	}
	p.Select(9)
	p.SetWindow(3, 8)
	if p.top != 2 {
		t.Errorf("a higher window begins at row %d and wastes lines", p.top)
	}
	p.SetRows(2)
	if at, ok := p.Selected(); at != 0 || !ok {
		t.Errorf("of other rows number %d is selected", at)
	}
}

func TestPickerDrawsItsWindowAndKnowsTheMouse(t *testing.T) {
	t.Parallel()
	var p Picker
	p.SetRows(5)
	p.SetWindow(2, 3)
	shown := func() string {
		return strings.Join(p.Lines(func(row int, selected bool) string { return fmt.Sprint(row, selected) }), "|")
	}
	if got := shown(); got != "0 true|1 false|2 false" {
		t.Error(got)
	}
	for y, want := range map[int]int{1: -1, 2: 0, 4: 2, 5: -1} {
		if row, ok := p.RowAt(y); ok != (want >= 0) || ok && row != want {
			t.Errorf("line %d is row %d, %t; want %d", y, row, ok, want)
		}
	}
	before := p
	if p.Update(tea.PasteMsg{}) || p.Update(msg.ClickMsg{Y: 1}) || p != before {
		t.Error("what is not its own changes it")
	}
	if !p.Update(msg.ClickMsg{X: 7, Y: 4}) || shown() != "0 false|1 false|2 true" {
		t.Error("a click does not select its row:", shown())
	}
	if p.Update(msg.WheelMsg{By: 1}) || shown() != "1 false|2 false|3 true" {
		t.Error("the wheel does not move the selection:", shown())
	}
	p.SetRows(1)
	if got := shown(); got != "0 true||" {
		t.Error(got)
	}
}

// While something is typed, letters, home and end belong to the line.
func TestPickerLeavesTheLineItsKeys(t *testing.T) {
	t.Parallel()
	var p Picker
	for _, key := range []string{"j", "k", "g", "G", "home", "end", "left"} {
		if a := action.Find(p.Actions(true), key); a != nil {
			t.Errorf("%s is %s", key, a.Name)
		}
	}
	names := []string{}
	for _, a := range p.Actions(false) {
		if a.Name == "" || slices.Contains(names, a.Name) {
			t.Errorf("the name %q is missing or doubled", a.Name)
		}
		names = append(names, a.Name)
	}
}
