package ui

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
)

// screen is one page of the program. App alone is a tea.Model: a screen is a
// plain struct with a pointer receiver that App asks and tells. None of its
// methods does I/O, reads a clock or waits; that is what commands are for.
//
// A key goes through one fixed order: quit → top overlay → the field being
// edited (edit) → keys that work everywhere → the screen's actions → update.
type screen interface {
	// Actions is the screen's one table, built once, most important first. It
	// feeds dispatch, the footer (the first five that can be done now), the
	// help overlay and the palette.
	Actions() []action.Action
	// Typing reports whether a text field has the keys. Then printable keys
	// and paste are the field's.
	Typing() bool
	// Edit offers a key to the field while typing. False hands it on to the
	// actions. Keys that work anywhere (ctrl+k, F1, alt+1…4, ctrl+c, ctrl+q,
	// ctrl+z) never come here.
	Edit(key tea.KeyPressMsg) (tea.Cmd, bool)
	// Update takes everything else: answers of commands, keys nobody took,
	// pastes, ClickMsg, WheelMsg and pointMsg in the body's own cells.
	// Messages that are not input reach every screen, shown or not, so that a
	// late answer finds its asker.
	Update(message tea.Msg) tea.Cmd
	// Resize gives the body's size; both are at least 1.
	Resize(w, h int)
	// Restyle says that k.theme or k.words is another one: drop what was drawn.
	Restyle()
	// View is exactly h lines of exactly w cells. Lines that did not change are
	// the same strings as before: App looks at the others alone.
	View() []string
	// Cursor is where the real cursor belongs, in the body's cells, or nil.
	Cursor() *tea.Cursor
	// Focus is called when the screen comes into view, Blur when it leaves or
	// an overlay covers it (Blur is not called then: see covered).
	Focus() tea.Cmd
	Blur() tea.Cmd
}

// clock is implemented by screens that show times passing. App asks after each
// message whether it is needed and then sends one TickedMsg a second.
type clock interface {
	Ticking() bool
}
