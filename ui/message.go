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

// orderedMsg are commands to be run one after the other, each message handled
// before the next command begins. App knows it, so each command is guarded,
// which those of tea.Sequence would not be.
type orderedMsg struct {
	message tea.Msg
	rest    []tea.Cmd
}

// inOrder runs commands one after the other.
func inOrder(cmds ...tea.Cmd) tea.Cmd {
	for len(cmds) > 0 && cmds[0] == nil {
		cmds = cmds[1:]
	}
	if len(cmds) == 0 {
		return nil
	}
	return func() tea.Msg { return orderedMsg{cmds[0](), cmds[1:]} }
}

// place names a screen; the tabs are numbered as their keys are.
type place int

const (
	placeCreate place = iota
	placeJobs
	placePrices
	placeTools
	placeCount
	placeKey // no tab: shown when there is no key, or it was refused
)

// overlay is a box over the body. It has all keys but the ones that quit.
type overlay interface {
	actions() []action
	typing() bool
	edit(key tea.KeyPressMsg) (tea.Cmd, bool)
	update(message tea.Msg) tea.Cmd
	restyle()
	// box is the overlay's whole drawing, frame included, at most w×h cells;
	// every line is equally wide. It is cached by the overlay.
	box(w, h int) string
	// cursor is in the box's cells, or nil.
	cursor() *tea.Cursor
}

// clickMsg is a press of the left button, in cells of the one who gets it.
type clickMsg struct{ x, y int }

// wheelMsg is a turn of the wheel; by is -1 upwards and 1 downwards.
type wheelMsg struct{ x, y, by int }

// arrivedMsg says that the terminal has an image, or could not take it.
type arrivedMsg struct {
	id int
	ok bool
}

// previewedMsg shows a job that has just finished, when the settings say so.
type previewedMsg struct{ id string }

// refusedMsg is a request that the service refused, with what it said of
// single fields.
type refusedMsg struct {
	request api.Request
	told    []api.FieldError
}

// perform does an action, or says why not.
func perform(a *action) tea.Cmd {
	if a.why != nil {
		if why := a.why(); why != "" {
			return say(toneHint, why)
		}
	}
	if a.do == nil {
		return nil
	}
	return a.do()
}

type demoMsg struct{}

// usedMsg hands the address of a result to the Create screen as a reference.
type usedMsg struct {
	address string
	kind    api.MaterialKind
	expires string // how long the address lasts, in words; "" when not known
}
