package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/screen/create"
	"darkroom/ui/screen/jobs"
	"darkroom/ui/screen/login"
	"darkroom/ui/screen/prices"
	"darkroom/ui/screen/tools"
)

// newScreens makes every screen.
func newScreens(k *env.Env, b Session, r prices.Records) [msg.PlaceKey + 1]screen {
	return [...]screen{
		msg.PlaceCreate: create.New(k, b),
		msg.PlaceJobs:   jobs.New(k, b),
		msg.PlacePrices: prices.New(k, b, r),
		msg.PlaceTools:  tools.New(k, b),
		msg.PlaceKey:    login.New(k, b),
	}
}

// firstPlace is where the program opens: Create, or the key screen when there
// is no key to create with.
func (a *App) firstPlace() msg.Place {
	st := a.env.Health
	if st.KeyHint == "" && !st.KeyPending && !st.Demo {
		return msg.PlaceKey
	}
	return msg.PlaceCreate
}

// openWith fills the form with a request that the program was started with. The
// key screen stays in view when there is no key.
func (a *App) openWith(r *api.Request) tea.Cmd {
	if r == nil {
		return nil
	}
	return a.screens[msg.PlaceCreate].Update(msg.LoadedMsg{Request: *r})
}

// show brings a screen into view.
func (a *App) show(p msg.Place) tea.Cmd {
	a.overlays = nil
	a.try("")
	if p == msg.PlaceJobs {
		a.status.failed = 0
	}
	if p == a.at {
		return a.screens[p].Focus()
	}
	leave := a.screens[a.at].Blur()
	a.at = p
	return tea.Batch(leave, a.screens[p].Focus())
}

// showUnasked brings a screen into view without a key asking for it now.
func (a *App) showUnasked(p msg.Place) tea.Cmd {
	a.intent.moved()
	return a.show(p)
}

func (a *App) top() msg.Overlay {
	if len(a.overlays) == 0 {
		return nil
	}
	return a.overlays[len(a.overlays)-1]
}

func (a *App) closeTop() {
	if n := len(a.overlays); n > 0 {
		a.overlays[n-1] = nil
		a.overlays = a.overlays[:n-1]
	}
}

// screen is one page of the program. App alone is a tea.Model: a screen is a
// plain struct with a pointer receiver that App asks and tells. None of its
// methods does I/O, reads a clock or waits; that is what commands are for.
//
// A key goes through one fixed order: quit → top overlay → the field being
// edited (Edit) → keys that work everywhere → the screen's actions → Update.
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
	// pastes, ClickMsg and WheelMsg in the body's own cells.
	// Messages that are not input reach every screen, shown or not, so that a
	// late answer finds its asker.
	Update(message tea.Msg) tea.Cmd
	// Resize gives the body's size; both are at least 1.
	Resize(w, h int)
	// Restyle says that the theme or the words are other ones: drop what was drawn.
	Restyle()
	// View is exactly h lines of exactly w cells. Lines that did not change are
	// the same strings as before: App looks at the others alone.
	View() []string
	// Cursor is where the real cursor belongs, in the body's cells, or nil.
	Cursor() *tea.Cursor
	// Focus is called when the screen comes into view, Blur when it leaves; an
	// overlay over it changes nothing.
	Focus() tea.Cmd
	Blur() tea.Cmd
}

// clock is implemented by screens that show times passing. App asks after each
// message whether it is needed and then sends one TickedMsg a second.
type clock interface {
	Ticking() bool
}

// appBackend is what App needs of what lies behind the screens; it is called
// from commands only, but for Health and Settings.
type appBackend interface {
	result.JobReader
	Health() state.Health
	Settings() state.Settings
	Wait(ctx context.Context) ([]string, error)
	ChooseStore(ctx context.Context) error
	Today(ctx context.Context) (state.Spent, error)
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Results() state.Results
}

// ordered handles one message of a sequence and goes on with the rest.
func (a *App) ordered(m msg.SequencedMsg) tea.Cmd {
	var first tea.Cmd
	switch inner := m.Message.(type) {
	case nil:
	case tea.QuitMsg: // the program's, not App's
		first = tea.Quit
	case tea.BatchMsg:
		first = tea.Batch(inner...)
	default:
		_, first = a.Update(inner)
	}
	return tea.Batch(first, msg.Sequence(m.Rest...))
}
