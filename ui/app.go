// Package ui is darkroom on a screen: App, its screens and overlays, their
// actions, layout and notices. Everything it shows it was told by messages;
// everything it does it does in commands.
package ui

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/display"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/screen/create"
	"darkroom/ui/screen/jobs"
	"darkroom/ui/screen/login"
	"darkroom/ui/screen/prices"
	"darkroom/ui/screen/tools"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// Options are what an App is made from.
type Options struct {
	Session      Session // what lies behind the screens, usually a *state.Session
	SettingsFile SettingsFile
	Words        *words.Words
	Clock        func() time.Time    // read in commands and once for each message
	Env          func(string) string // looks up a variable
	Version      string              // shown in help
	StateDir     string              // where crash notes go; "" is the folder of temporary files
	Request      *api.Request        // when set, it is in the form from the start
	Passing      bool                // what is made is deleted when the run is over
	// Example draws a prompt into a file; nil draws none. Commands call it.
	Example func(prompt string) (path string)
}

// Session is what App needs of *state.Session. It is called from commands only, but
// for Health and Settings.
type Session interface {
	Health() state.Health
	Settings() state.Settings
	Wait(ctx context.Context) ([]string, error)
	ChooseStore(ctx context.Context) error
	Attend(ctx context.Context) (state.Absence, error)
	create.Backend
	jobs.Backend
	prices.Backend
	tools.Backend
	login.Backend
}

// App is the only Bubble Tea model: it owns the screens and overlays, routes
// messages to them, and joins what they draw.
type App struct {
	env      *env.Env
	opts     Options
	screens  [msg.PlaceKey + 1]screen // by their places
	at       msg.Place
	overlays []msg.Overlay
	handled  int // messages so far
	notice   notice
	intent   intent
	size     widget.Rect
	plan     widget.Layout
	globals  []action.Action
	drawn    drawn
	arming   int // presses of ctrl+c that lead to quitting
	tick     bool
	bindings map[string]action.Binding // of the settings
	detector picture.Detector
	loader   *picture.Loader
	sixels   sixels
	clip     int // pictures that the terminal has replied to

	background theme.Background // Unknown until the terminal says it, if it does
	trying     string           // a theme in place of that of the settings
	clusters   bool             // the terminal gives a sign of several code points the cells of one
	takes      bool             // the terminal takes the program's status
	seams      bool             // blocks that it draws reach a pixel into the next cell, and stay there
	wiped      msg.Surface      // what was in view when seams were last looked for
	failed     int              // jobs that failed since Jobs was in view

	running []*running // commands of the person's
	last    string     // the name of the one that ended last; "" before the first
	output  string     // of that

	// What happened while nobody looked.
	missed     bool // something ended meanwhile
	ended      map[string]bool
	rung       map[string]bool // requests of agents that were told of
	began      time.Time
	lookedBack bool // what ended before the start is known
	toldFrames bool // what is missing to draw frames of videos was said

	wantsDemo bool             // the run ends so that the demo can begin
	screen    *display.Display // of the run; nil when nothing runs
	die       func(error)      // ends the run; nil when nothing runs
	dead      atomic.Bool      // it broke and is ending
}

// New makes an App that has not started yet.
func New(ctx context.Context, o Options) *App {
	a := &App{opts: o, background: theme.Guess(o.Env("COLORFGBG"))}
	a.env = &env.Env{
		Context: ctx, Words: o.Words, Clock: o.Clock, Getenv: o.Env, Home: o.Env("HOME"), Focused: true,
		Example: o.Example, Slow: o.Env("SSH_CONNECTION") != "", Terminal: picture.Terminal{Profile: colorprofile.TrueColor},
		At: o.Clock(), Health: o.Session.Health(), Settings: o.Session.Settings(),
	}
	a.bindings, a.env.Theme = bindingsOf(a.env.Settings), a.choice().Theme(a.shownBackground(), a.env.Profile)
	a.setPictures()
	a.ended, a.rung, a.began = map[string]bool{}, map[string]bool{}, a.env.At
	a.screens = [...]screen{
		msg.PlaceCreate: create.New(a.env, o.Session),
		msg.PlaceJobs:   jobs.New(a.env, o.Session),
		msg.PlacePrices: prices.New(a.env, o.Session),
		msg.PlaceTools:  tools.New(a.env, o.Session),
		msg.PlaceKey:    login.New(a.env, o.Session),
	}
	a.globals = a.globalActions()
	if st := &a.env.Health; st.KeyHint == "" && !st.KeyPending && !st.Demo {
		a.at = msg.PlaceKey // there is no key to create with
	}
	a.rebind(a.globals)
	a.rebind(a.surface().Actions())
	return a
}

// Init starts to listen for changes.
func (a *App) Init() tea.Cmd {
	var opened, problem, size tea.Cmd
	if len(a.env.Settings.Problems) > 0 {
		problem = a.note(a.settingsNotice())
	}
	if r := a.opts.Request; r != nil {
		opened = a.screens[msg.PlaceCreate].Update(msg.LoadedMsg{Request: *r})
	}
	if a.detector.Query() != "" {
		size = readCellSize
	}
	ctx, backend, now := a.env.Context, a.opts.Session, a.env.Clock
	return a.guard(tea.Batch(
		problem,
		func() tea.Msg { return look(ctx, backend, now) },
		awaitChange(a.env, a.opts.Session),
		a.lookBack(lookBackPause),
		size,
		a.storeChanged(state.Health{}),
		a.screens[a.at].Focus(),
		opened,
	))
}

// Update takes one message. The order in which a key is looked at is fixed:
// quit, top overlay, the field being edited, what works anywhere, the screen.
func (a *App) Update(message tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer a.caught()
	m = a
	if _, due := message.(display.DueMsg); due || a.dead.Load() {
		return m, nil
	}
	state.CrashAt("update")
	if f, ok := message.(interface{ Failed() error }); ok && f.Failed() != nil {
		a.tell(msg.ToneBad, env.Sentence(a.env, f.Failed()))
	}
	a.intent.scale = a.env.Settings.TimeScale
	pressed := a.intent.arrived(a.opts.Clock(), message)
	a.holdPictures(message)
	cmds := []tea.Cmd{a.route(message)}
	for ; len(a.env.Now) > 0; a.env.Now = a.env.Now[1:] {
		cmds = append(cmds, a.route(a.env.Now[0]))
	}
	a.handled++ // what is in view until now has been seen
	a.rebind(a.surface().Actions())
	a.intent.handled(a.top(), pressed)
	return m, a.guard(tea.Batch(append(cmds, a.askAgain(message), a.keepTime(), a.wipeSeams(), a.followSixels())...))
}

// route hands a message to whoever it is for: keys and clicks to what lies on top, answers
// to the screen or overlay that asked, what concerns all to each of them.
func (a *App) route(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyPressMsg:
		return a.pressed(m)
	case tea.PasteMsg:
		m.Content = strings.TrimSuffix(m.Content[:min(len(m.Content), 1<<20)], cancel) // more than anything takes, and all is done in Update
		return a.surface().Update(m)
	case tea.MouseClickMsg:
		return a.clicked(m)
	case tea.MouseWheelMsg:
		return a.wheeled(m)
	case tea.WindowSizeMsg:
		if a.screen != nil { // the message is for Bubble Tea
			m = a.screen.Size()
		}
		a.sixels.drawn = nil
		resized := a.resize(m.Width, m.Height)
		if a.env.Mode == picture.ModeSixel { // another font changes the size of a cell
			return tea.Batch(resized, readCellSize)
		}
		return resized
	case tea.ColorProfileMsg:
		a.Restyle(a.background, m.Profile)
	case tea.ModeReportMsg:
		if m.Mode == ansi.ModeUnicodeCore {
			a.clusters = m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet
		}
	case tea.BackgroundColorMsg:
		return a.tookBackground(m)
	case uv.DarkColorSchemeEvent:
		return a.schemeChanged(theme.Dark)
	case uv.LightColorSchemeEvent:
		return a.schemeChanged(theme.Light)
	case tea.TerminalVersionMsg, uv.PrimaryDeviceAttributesEvent, uv.KittyGraphicsEvent, uv.CellSizeEvent:
		return a.graphics(message)
	case tea.RawMsg: // it is written; the terminal may ask for leave before it replies
		if text, _ := m.Msg.(string); strings.HasPrefix(text, "\x1b]5522;") {
			id := a.clip
			return env.Later(a.env.Context, 30*time.Second, thenMsg(func(app *App) tea.Cmd { return app.copied(id, app.env.Say("no answer")) }))
		}
		return nil
	case uv.UnknownOscEvent:
		if _, reply, ours := strings.Cut(string(m), "]5522;type=write:status="); ours {
			return a.copied(a.clip, reply)
		}
	case tea.ProgramStatusSupportMsg:
		a.takes = true
	case thenMsg:
		return m(a)
	case tea.ResumeMsg:
		a.sixels.drawn = nil
		return tea.Batch(tea.Raw(asksBackground), a.broadcast(m))
	case tea.FocusMsg, tea.BlurMsg:
		return a.attended(m)
	case msg.NotifiedMsg:
		return a.note(m)
	case msg.OpenedMsg:
		if isPriced(m.Overlay) && slices.ContainsFunc(a.overlays, isPriced) {
			return nil // asked for twice before it came
		}
		a.overlays = append(a.overlays, m.Overlay)
		m.Overlay.Restyle()
		return m.Overlay.Update(a.bodySize())
	case msg.ClosedMsg:
		a.closeTop()
		return nil
	case msg.WentMsg:
		return a.show(m.To)
	case msg.LoadedMsg, msg.UsedMsg:
		return tea.Batch(a.show(msg.PlaceCreate), a.screens[msg.PlaceCreate].Update(m))
	case msg.PickedJobMsg:
		return tea.Batch(a.showUnasked(msg.PlaceJobs), a.screens[msg.PlaceJobs].Update(m))
	case msg.SequencedMsg:
		return a.ordered(m)
	case msg.CommandMsg:
		return a.runCommand(m)
	case msg.DemoMsg:
		a.wantsDemo = true
		return tea.Quit
	case msg.ChangedMsg:
		return a.changed(m)
	case endedMsg:
		return a.tookEnds(m)
	case msg.TickedMsg:
		a.tick = false
		a.env.At = m.At
		return a.broadcast(m)
	}
	return a.broadcast(message)
}

// thenMsg is what follows in Update when a command has its answer.
type thenMsg func(app *App) tea.Cmd

// broadcast gives an answer to every overlay and screen: its asker knows it.
func (a *App) broadcast(message tea.Msg) tea.Cmd {
	cmds := api.Map(a.overlays, func(o msg.Overlay) tea.Cmd { return o.Update(message) })
	return tea.Batch(append(cmds, api.Map(a.screens[:], func(s screen) tea.Cmd { return s.Update(message) })...)...)
}

func (a *App) show(p msg.Place) tea.Cmd {
	cmds := api.Map(a.overlays, func(o msg.Overlay) tea.Cmd { return o.Update(msg.WentMsg{To: p}) })
	a.overlays = nil
	a.try("")
	if p == msg.PlaceJobs {
		a.failed = 0
	}
	if p != a.at {
		cmds = append(cmds, a.screens[a.at].Blur())
	}
	a.at = p
	if a.size.W > 0 { // else it is resized when that is known
		a.screens[p].Resize(a.plan.Body.W, a.plan.Body.H)
	}
	return tea.Batch(append(cmds, a.screens[p].Focus())...)
}

func (a *App) openSpending() tea.Cmd {
	if _, open := a.top().(*prices.Spending); open {
		return nil
	}
	return prices.OpenSpending(a.env, a.opts.Session)
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
	n := len(a.overlays)
	a.overlays = slices.Delete(a.overlays, max(n-1, 0), n) // which lets it go
}

// screen is one page of the program. App alone is a tea.Model: a screen is a
// plain struct with a pointer receiver that App asks and tells. None of its
// methods does I/O, reads a clock or waits; that is what commands are for.
//
// A key goes through one fixed order: quit → top overlay → the field being
// edited (Edit) → keys that work everywhere → the screen's actions → Update.
type screen interface {
	msg.Surface
	// Resize gives the body's size, of which both are at least 1, to the screen in
	// view: whenever it changes, and when the screen comes into view.
	Resize(w, h int)
	// View is exactly h lines of exactly w cells. Lines that did not change are
	// the same strings as before: App looks at the others alone.
	View() []string
	// Focus is called when the screen comes into view, Blur when it leaves; an
	// overlay over it changes nothing.
	Focus() tea.Cmd
	Blur() tea.Cmd
}

// surface is what keys go to: the top overlay, else the screen.
func (a *App) surface() msg.Surface {
	if top := a.top(); top != nil {
		return top
	}
	return a.screens[a.at]
}

func (a *App) ordered(m msg.SequencedMsg) tea.Cmd {
	var first tea.Cmd
	switch inner := m.Message.(type) {
	case nil:
	case tea.BatchMsg:
		first = tea.Batch(inner...)
	default:
		_, first = a.Update(inner)
	}
	return tea.Batch(first, msg.Sequence(m.Rest...))
}
