package msg

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
)

// Failure is shared by every message that can carry an error. App looks at it
// before any routing, so that no error falls on the floor.
type Failure interface {
	// Failed is the error, or nil when all went well. What it says is shown as
	// a notice unless the message's receiver shows it itself (then nil).
	Failed() error
}

// FailedMsg is an error that nobody waits for. Answers that may be errors embed it.
type FailedMsg struct{ Err error }

func (m FailedMsg) Failed() error { return m.Err }

// tone is how a notice is meant.
type tone int

const (
	ToneHint tone = iota
	ToneGood
	ToneWarn
	ToneBad
)

// NotifiedMsg puts a sentence on the notice line.
type NotifiedMsg struct {
	Tone tone
	Text string
	// About is the job that it tells of, if any: App replaces the notice when the
	// job's phase changes.
	About string
	// Mark replaces the mark of the tone; "" does not.
	Mark string
}

// Notify shows a sentence on the notice line until the next key or for a while.
func Notify(t tone, text string) tea.Cmd {
	return func() tea.Msg { return NotifiedMsg{Tone: t, Text: text} }
}

// OpenedMsg puts an overlay on top; ClosedMsg takes the top one away.
type OpenedMsg struct{ Overlay Overlay }
type ClosedMsg struct{}

func Open(o Overlay) tea.Cmd { return func() tea.Msg { return OpenedMsg{o} } }
func CloseTop() tea.Msg      { return ClosedMsg{} }

// Back is the handler that takes the top overlay away.
func Back() tea.Cmd { return CloseTop }

// WentMsg goes to another screen.
type WentMsg struct{ To Place }

func GoTo(p Place) tea.Cmd { return func() tea.Msg { return WentMsg{p} } }

// LoadedMsg hands a whole request to the Create screen, which comes into view.
// Fields of kind and model may stand alone, as when a price was chosen.
type LoadedMsg struct {
	Request api.Request
	// Keep leaves the prompt and the materials of the draft as they are:
	// only what request sets is taken over.
	Keep     bool
	Problems []api.FieldError // what the service had against it
	// Review opens the review at once, when nothing stands in the way.
	Review bool
}

func Load(r api.Request, keep bool) tea.Cmd {
	return func() tea.Msg { return LoadedMsg{Request: r, Keep: keep} }
}

// PickedJobMsg brings the Jobs screen into view with the job selected.
type PickedJobMsg struct{ ID string }

func ShowJob(id string) tea.Cmd { return func() tea.Msg { return PickedJobMsg{id} } }

// ChangedMsg says that jobs or the health are different now. It reaches
// every screen; what they show of jobs they ask for again.
type ChangedMsg struct {
	IDs      []string
	Health   state.Health
	Today    state.Spent
	Active   int
	All      int
	Unseen   int // results that nobody looked at yet
	Settings state.Settings
	At       time.Time
	Err      error
	Again    bool // the wait that brought it has to be armed again
}

func (m ChangedMsg) Failed() error { return m.Err }

// TickedMsg is the time, once a second, while something on the screen moves.
type TickedMsg struct{ At time.Time }

// SequencedMsg are commands to be run one after the other, each message handled
// before the next command begins. App knows it, so each command is guarded,
// which those of tea.Sequence would not be.
type SequencedMsg struct {
	Message tea.Msg
	Rest    []tea.Cmd
}

// Sequence runs commands one after the other.
func Sequence(cmds ...tea.Cmd) tea.Cmd {
	for len(cmds) > 0 && cmds[0] == nil {
		cmds = cmds[1:]
	}
	if len(cmds) == 0 {
		return nil
	}
	return func() tea.Msg { return SequencedMsg{cmds[0](), cmds[1:]} }
}

// Place names a screen; the tabs are numbered as their keys are.
type Place int

const (
	PlaceCreate Place = iota
	PlaceJobs
	PlacePrices
	PlaceTools
	PlaceKey // no tab: shown when there is no key, or it was refused
)

// PlaceCount is the number of tabs.
const PlaceCount = PlaceKey

// Overlay is a box over the body. It has all keys but the ones that quit.
type Overlay interface {
	Actions() []action.Action
	Typing() bool
	Edit(key tea.KeyPressMsg) (tea.Cmd, bool)
	Update(message tea.Msg) tea.Cmd
	Restyle()
	// Box is the overlay's whole drawing, frame included, at most w×h cells;
	// every line is equally wide. App asks for it once for each message.
	Box(w, h int) string
	// Cursor is in the box's cells, or nil.
	Cursor() *tea.Cursor
}

// ClickMsg is a press of the left button, in cells of the one who gets it.
type ClickMsg struct{ X, Y int }

// WheelMsg is a turn of the wheel; By is -1 upwards and 1 downwards.
type WheelMsg struct{ X, Y, By int }

// ArrivedMsg says that the terminal has an image, or could not take it.
type ArrivedMsg struct {
	ID int
	OK bool
}

// PreviewedMsg shows a job that has just finished, when the settings say so.
type PreviewedMsg struct{ ID string }

// RefusedMsg is a request that the service refused, with what it said of
// single fields.
type RefusedMsg struct {
	Request  api.Request
	Problems []api.FieldError
}

// Perform does an action, or says why not.
func Perform(a *action.Action) tea.Cmd {
	if a.Disabled != nil {
		if why := a.Disabled(); why != "" {
			return Notify(ToneHint, why)
		}
	}
	if a.Handler == nil {
		return nil
	}
	return a.Handler()
}

type DemoMsg struct{}

// CommandMsg runs a person's own command on results.
type CommandMsg struct {
	Command state.Command
	IDs     []string // the jobs
	File    int      // which file of each, from 1
}

// UsedMsg hands the address of a result to the Create screen as a reference.
type UsedMsg struct {
	Address string
	Kind    api.MaterialKind
	Expires string // how long the address lasts, in words; "" when not known
	Expired bool   // it lasts no longer
	// Frame makes it the first frame of a video. An empty prompt becomes Prompt,
	// and the ratio Ratio, if not empty.
	Frame         bool
	Prompt, Ratio string
	// Job is whose result it is, Path where its file was saved; "" when it was not.
	Job, Path string
}
