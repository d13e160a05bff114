package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
)

// failure is shared by every message that can carry an error. App looks at it
// before any routing, so that no error falls on the floor.
type failure interface {
	// failed is the error, or nil when all went well. What it says is shown as
	// a notice unless the message's receiver shows it itself (then nil).
	failed() error
}

// failedMsg is an error that nobody waits for.
type failedMsg struct{ err error }

func (m failedMsg) failed() error { return m.err }

// tone is how a notice is meant.
type tone int

const (
	toneHint tone = iota
	toneGood
	toneWarn
	toneBad
)

// saidMsg puts a sentence on the notice line.
type saidMsg struct {
	tone tone
	text string
}

// say shows a sentence on the notice line until the next key or for a while.
func say(t tone, text string) tea.Cmd {
	return func() tea.Msg { return saidMsg{t, text} }
}

// openedMsg puts an overlay on top; closedMsg takes the top one away.
type openedMsg struct{ overlay overlay }
type closedMsg struct{}

func open(o overlay) tea.Cmd { return func() tea.Msg { return openedMsg{o} } }
func closeTop() tea.Msg      { return closedMsg{} }

// wentMsg goes to another screen.
type wentMsg struct{ to place }

func goTo(p place) tea.Cmd { return func() tea.Msg { return wentMsg{p} } }

// loadedMsg hands a whole request to the Create screen, which comes into view.
// Fields of kind and model may stand alone, as when a price was chosen.
type loadedMsg struct {
	request api.Request
	// keep leaves the prompt and the materials of the draft as they are:
	// only what request sets is taken over.
	keep bool
	told []api.FieldError // what the service had against it
}

func load(r api.Request, keep bool) tea.Cmd {
	return func() tea.Msg { return loadedMsg{request: r, keep: keep} }
}

// pickedJobMsg brings the Jobs screen into view with the job selected.
type pickedJobMsg struct{ id string }

func pickJob(id string) tea.Cmd { return func() tea.Msg { return pickedJobMsg{id} } }

// changedMsg says that jobs or the standing are different now. It reaches
// every screen; what they show of jobs they ask for anew.
type changedMsg struct {
	ids      []string
	standing state.Standing
	today    state.Spent
	active   int
	all      int
	at       time.Time
	err      error
	again    bool // the wait that brought it has to be armed again
}

func (m changedMsg) failed() error { return m.err }

// tickedMsg is the time, once a second, while something on the screen moves.
type tickedMsg struct{ at time.Time }
