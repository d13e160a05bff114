package msg

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
)

// FailedMsg is an error that nobody waits for. Answers that may be errors embed it.
type FailedMsg struct{ Err error }

// Failed is what App shows as a notice before any routing, of every message that has such a
// method; nil when all went well, and when the receiver shows the error itself.
func (m FailedMsg) Failed() error { return m.Err }

// Tone is the colour and the mark of a notice.
type Tone int

const (
	ToneHint Tone = iota
	ToneGood
	ToneWarn
	ToneBad
)

// NotifiedMsg shows a notice until the next one, or for as long as it takes to read.
type NotifiedMsg struct {
	Tone  Tone
	Text  string
	About string // the job that it tells of, if any: its next phase replaces the notice
	Mark  string // replaces the mark of the tone, if not empty
}

func Notify(t Tone, text string) tea.Cmd {
	return func() tea.Msg { return NotifiedMsg{Tone: t, Text: text} }
}

// Copy copies a text, and says what was done. A terminal does not say whether it allows that.
func Copy(text, done string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), Notify(ToneGood, done))
}

// OpenedMsg puts an overlay on top; ClosedMsg takes the top one away.
type OpenedMsg struct{ Overlay Overlay }
type ClosedMsg struct{}

// Open hands an overlay to the environment at once.
func Open(k interface{ Do(...tea.Msg) tea.Cmd }, o Overlay) tea.Cmd { return k.Do(OpenedMsg{o}) }

// WentMsg brings another screen into view; open overlays are told.
type WentMsg struct{ To Place }

// LoadedMsg hands a whole request to the Create screen, which comes into view.
// Fields of kind and model may stand alone, as when a price was chosen.
type LoadedMsg struct {
	Request  api.Request
	Keep     bool             // only what the request sets is taken over: prompt and materials stay
	Problems []api.FieldError // what the service had against it
	Review   bool             // the review opens at once, when nothing stands in the way
	Pattern  bool             // its prompt is one that was typed, with alternatives
	Asked    *state.Row       // what an agent asked for, which this is sent in place of
	Frame    string           // the job of the clip that the first frame is out of, which is a file to be uploaded
}

// PickedJobMsg brings Jobs into view with the job selected.
type PickedJobMsg struct{ ID string }

// ChangedMsg says that jobs or the health changed. Screens read what they show.
type ChangedMsg struct {
	IDs        []string
	Health     state.Health
	Today      state.Spent
	Settings   state.Settings
	At         time.Time
	Again      bool // the wait that brought it has to be armed again
	state.Page      // with its counts
	FailedMsg
}

// TickedMsg is the time, once a second, while something on the screen moves.
type TickedMsg struct{ At time.Time }

// SequencedMsg are commands to be run one after the other, each message handled
// before the next command begins, and each guarded by App.
type SequencedMsg struct {
	Message tea.Msg
	Rest    []tea.Cmd
}

// Sequence performs commands one after the other, the first nil ones left out.
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

const PlaceCount = PlaceKey

// Overlay is a box over the body. It has all keys but the ones that quit. Box is
// its whole drawing, at most w×h cells, lines equally wide; Cursor is in it, or nil.
type Overlay interface {
	Surface
	Box(w, h int) string
}

// Surface is what keys go to: an overlay, or a screen.
type Surface interface {
	// Actions is the screen's one table, built once, most important first. It
	// feeds dispatch, the footer (the first five), help and the palette.
	Actions() []action.Action
	// Typing reports whether a text field has printable keys and paste.
	Typing() bool
	// Edit offers a key to the field while typing. False hands it on to the
	// actions. Keys that work everywhere never come here.
	Edit(key tea.KeyPressMsg) (tea.Cmd, bool)
	// Update takes everything else: answers of commands, keys nobody took,
	// pastes, tea.WindowSizeMsg with the body's size, ClickMsg and WheelMsg in its own cells.
	// Messages that are not input reach every screen, shown or not.
	Update(message tea.Msg) tea.Cmd
	// Restyle says that the theme or the words are other ones: drop what was drawn.
	Restyle()
	// Cursor is where the real cursor belongs, in the body's cells, or nil.
	Cursor() *tea.Cursor
}

// ClickMsg is a press of the left button, in cells of the one who gets it.
type ClickMsg struct{ X, Y int }

// WheelMsg is a turn of the wheel; By is -1 upwards and 1 downwards.
type WheelMsg struct{ X, Y, By int }

// ArrivedMsg says whether the terminal has taken an image.
type ArrivedMsg struct {
	ID int
	OK bool
}

// PreviewedMsg shows a job that has just finished, when the settings say so.
type PreviewedMsg struct{ ID string }

// RefusedMsg is a refused request, with what the service said of its fields.
type RefusedMsg struct {
	Request  api.Request
	Problems []api.FieldError
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
	state.Found
	Frame  bool   // it is the first frame of a video
	Prompt string // what an empty prompt becomes
	Ratio  string // what the ratio becomes, if not empty
}
