// Package ui is darkroom on a screen: App, its screens and overlays, their
// actions, layout and notices. Everything it shows it was told by messages;
// everything it does it does in commands.
package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/words"
)

// Options are what an App is made from.
type Options struct {
	// Session is what lies behind the screens, usually a *state.Session.
	Session Session
	// Words say things; nil is English.
	Words *words.Words
	// Clock is used in commands only; nil is time.Now.
	Clock func() time.Time
	// Env looks up a variable; nil is an empty environment.
	Env func(string) string
	// Version is shown in help.
	Version string
	// Painter draws result files; nil is ui/picture's own.
	Painter painter
	// StateDir is where crash notes go; "" is the folder of temporary files.
	StateDir string
	// Crashes tells of panics outside of the screens, each by the path of its
	// note; the run ends then. Nil tells of none.
	Crashes <-chan string
}

// Session is what App needs of *state.Session.
type Session interface {
	appBackend
	createBackend
	jobsBackend
	pricesBackend
	toolsBackend
	keyBackend
}

var _ Session = (*state.Session)(nil)

// App is the only Bubble Tea model: it owns the screens and overlays, routes
// messages to them, and joins what they draw.
type App struct {
	kit      *kit
	backend  appBackend
	opts     Options
	screens  [placeCount + 2]screen // nil: there is nothing behind the tab yet
	at       place
	overlays []overlay
	notice   notice
	size     rect
	plan     plan
	globals  []action
	drawn    drawn
	arming   int // presses of ctrl+c that lead to quitting
	tick     bool
	ground   theme.Ground // Unknown until the terminal tells, if it does
	profile  colorprofile.Profile
	clusters bool // the terminal gives a sign of several code points the cells of one
	absence
	detector picture.Detector
	// wantsDemo: the run ends so that the demo can begin.
	wantsDemo bool
	die       func(error) // ends the run; nil when nothing runs
	dead      bool        // it broke and is ending
}

// New makes an App that has not started yet.
func New(ctx context.Context, o Options) *App {
	if o.Words == nil {
		o.Words = words.For("en")
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	a := &App{opts: o, backend: o.Session, ground: theme.Guess(o.Env("COLORFGBG")), profile: colorprofile.TrueColor}
	a.kit = &kit{
		ctx: ctx, words: o.Words, clock: o.Clock, env: o.Env, home: o.Env("HOME"), painter: o.Painter,
		theme: theme.New(a.ground, colorprofile.TrueColor), focused: true,
		at: o.Clock(), standing: o.Session.Standing(), settings: o.Session.Settings(),
	}
	a.detector = picture.NewDetector(a.kit.settings.Pictures, o.Env)
	a.kit.mode, a.kit.tmux = a.detector.Mode(), a.detector.Tmux()
	if a.kit.painter == nil && a.kit.mode != picture.ModeOff {
		a.kit.painter = picture.NewLoader(a.kit.tmux)
	}
	a.ended, a.began = map[string]bool{}, a.kit.at
	a.screens = newScreens(a.kit, o.Session)
	a.globals = a.globalActions()
	a.at = a.firstPlace()
	return a
}

// Init asks the terminal what it is, without waiting for an answer, and starts
// to listen for changes.
func (a *App) Init() tea.Cmd {
	return a.guard(tea.Batch(
		tea.RequestBackgroundColor,
		lookAround(a.kit, a.backend),
		awaitChange(a.kit, a.backend),
		a.askGraphics(),
		a.storeChanged(state.Standing{}, a.kit.standing),
		a.screens[a.at].focus(),
	))
}

// Update takes one message. The order in which a key is looked at is fixed:
// quit, top overlay, the field being edited, what works anywhere, the screen.
func (a *App) Update(message tea.Msg) (m tea.Model, cmd tea.Cmd) {
	defer a.caught()
	m = a
	if a.dead {
		return m, nil
	}
	state.CrashAt("update")
	if f, ok := message.(failure); ok && f.failed() != nil {
		a.notice.fail(a.kit, f.failed())
	}
	cmd = a.route(message)
	return m, a.guard(tea.Batch(cmd, a.keepTime()))
}

func (a *App) route(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.KeyPressMsg:
		return a.pressed(m)
	case tea.PasteMsg:
		return a.input(m)
	case tea.MouseClickMsg:
		return a.clicked(m)
	case tea.MouseWheelMsg:
		return a.wheeled(m)
	case tea.WindowSizeMsg:
		a.resize(m.Width, m.Height)
		return a.broadcast(m)
	case tea.ColorProfileMsg:
		a.restyle(a.ground, m.Profile)
		return nil
	case tea.ModeReportMsg:
		if m.Mode == ansi.ModeUnicodeCore {
			a.clusters = m.Value == ansi.ModeReset || m.Value == ansi.ModeSet || m.Value == ansi.ModePermanentlySet
		}
		return nil
	case tea.BackgroundColorMsg:
		on := theme.Light
		if m.IsDark() {
			on = theme.Dark
		}
		a.restyle(on, a.profile)
		return nil
	case tea.TerminalVersionMsg, uv.PrimaryDeviceAttributesEvent, uv.KittyGraphicsEvent, graphicsDueMsg:
		return a.graphics(message)
	case tea.FocusMsg, tea.BlurMsg:
		return a.attended(m)
	case saidMsg:
		return a.notice.set(a.kit, m)
	case noticeDueMsg:
		a.notice.expire(m)
		return nil
	case openedMsg:
		a.overlays = append(a.overlays, m.overlay)
		m.overlay.restyle()
		return nil
	case closedMsg:
		a.closeTop()
		return nil
	case wentMsg:
		return a.show(m.to)
	case loadedMsg:
		return tea.Batch(a.show(placeCreate), a.tell(placeCreate, m))
	case usedMsg:
		return tea.Batch(a.show(placeCreate), a.tell(placeCreate, m))
	case pickedJobMsg:
		return tea.Batch(a.show(placeJobs), a.tell(placeJobs, m))
	case orderedMsg:
		return a.ordered(m)
	case chosenMsg:
		return perform(m.act)
	case demoMsg:
		a.wantsDemo = true
		return tea.Quit
	case changedMsg:
		return a.changed(m)
	case endedMsg:
		return a.tookEnds(m)
	case tickedMsg:
		a.tick = false
		a.kit.at = m.at
		return a.broadcast(m)
	}
	return a.broadcast(message)
}

// input gives a message to whoever has the keys.
func (a *App) input(message tea.Msg) tea.Cmd {
	if top := a.top(); top != nil {
		return top.update(message)
	}
	return a.screens[a.at].update(message)
}

// broadcast gives an answer to every overlay and screen: the one who asked
// knows it by what it carries.
func (a *App) broadcast(message tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range a.overlays {
		if cmd := o.update(message); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	for _, s := range a.screens {
		if s == nil {
			continue
		}
		if cmd := s.update(message); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

func (a *App) tell(p place, message tea.Msg) tea.Cmd {
	if a.screens[p] == nil {
		return nil
	}
	return a.screens[p].update(message)
}

// show brings a screen into view.
func (a *App) show(p place) tea.Cmd {
	if p < 0 || int(p) >= len(a.screens) || a.screens[p] == nil {
		return nil
	}
	a.overlays = nil
	if p == a.at {
		return a.screens[p].focus()
	}
	leave := a.screens[a.at].blur()
	a.at = p
	return tea.Batch(leave, a.screens[p].focus())
}

func (a *App) top() overlay {
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

func (a *App) resize(w, h int) {
	a.size = rect{0, 0, max(w, 1), max(h, 1)}
	a.plan = planFor(w, h)
	for _, s := range a.screens {
		if s != nil {
			s.resize(a.plan.body.w, a.plan.body.h)
		}
	}
}

func (a *App) restyle(on theme.Ground, profile colorprofile.Profile) {
	if on == a.ground && profile == a.profile {
		return
	}
	a.ground, a.profile = on, profile
	a.kit.theme = theme.New(on, profile)
	a.drawn = drawn{}
	for _, o := range a.overlays {
		o.restyle()
	}
	for _, s := range a.screens {
		if s != nil {
			s.restyle()
		}
	}
}

// keepTime keeps one tick in flight as long as something shown needs it.
func (a *App) keepTime() tea.Cmd {
	if a.tick {
		return nil
	}
	c, ok := a.screens[a.at].(clock)
	if !ok || !c.ticking() {
		return nil
	}
	a.tick = true
	return tickOnce(a.kit)
}
