package ui

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

func (a *App) resize(w, h int) {
	a.size = widget.Rect{W: max(w, 1), H: max(h, 1)}
	a.plan = widget.LayoutFor(w, h)
	a.screens[a.at].Resize(a.plan.Body.W, a.plan.Body.H) // the others when they are shown
}

func (a *App) sizeMsg() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.size.W, Height: a.size.H}
}

func followBackground() tea.Cmd {
	return tea.Batch(tea.RequestBackgroundColor, tea.Raw(ansi.SetModeLightDark))
}

// unfollowBackground is for when the terminal is no longer the program's.
func unfollowBackground() {
	if term.IsTerminal(os.Stdout.Fd()) {
		fmt.Fprint(os.Stdout, ansi.ResetModeLightDark)
	}
}

// slowAnswer is how long a terminal that is far away takes for an answer: nothing moves then.
const slowAnswer = 200 * time.Millisecond

func (a *App) schemeChanged(on theme.Background) tea.Cmd {
	a.Restyle(on, a.profile)
	return tea.RequestBackgroundColor
}

func (a *App) tookBackground(m tea.BackgroundColorMsg) tea.Cmd {
	on := theme.Light
	if m.IsDark() {
		on = theme.Dark
	}
	a.Restyle(on, a.profile)
	a.env.Slow = a.env.Slow && a.opts.Clock().Sub(a.began) > slowAnswer
	if m.Color == nil { // the answer could not be read
		return nil
	}
	return a.restylePictures(a.env.Mode, a.env.Cell, color.RGBAModel.Convert(m.Color).(color.RGBA))
}

func suspend() tea.Cmd { return tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Suspend) }

// status is what the terminal shows outside its window (OSC 9;4, OSC 7501).
type status struct {
	known  bool // the terminal takes the program's status
	failed int  // jobs that failed since Jobs was in view
}

func (a *App) reports() bool {
	return a.env.Settings.Progress && a.opts.Env("NO_MOTION") == ""
}

func (a *App) askStatus() tea.Cmd {
	if !a.reports() {
		return nil
	}
	return tea.RequestProgramStatusSupport
}

func (a *App) progressBar() *tea.ProgressBar {
	switch {
	case !a.reports():
	case a.env.Active > 0:
		return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	case a.status.failed > 0:
		return tea.NewProgressBar(tea.ProgressBarError, 100)
	}
	return nil
}

func (a *App) programStatus() *tea.ProgramStatus {
	if !a.status.known || !a.reports() {
		return nil
	}
	s := tea.ProgramStatus{State: tea.ProgramStateIdle, App: "darkroom", Title: "darkroom"}
	switch {
	case a.env.Active > 0:
		s.State, s.Message = tea.ProgramStateWorking, a.env.Say("%d developing", a.env.Active)
	case a.status.failed > 0:
		s.State, s.Message = tea.ProgramStateError, a.env.Say("%d failed", a.status.failed)
	case a.env.Unseen > 0:
		s.State, s.Message = tea.ProgramStateDone, a.env.Say("%d done", a.env.Unseen)
	}
	return &s
}

func (a *App) title() string {
	if a.env.Active == 0 {
		return "darkroom"
	}
	return "darkroom · " + a.env.Say("%d developing", a.env.Active)
}

// notification tells a person who looks elsewhere, in the way the terminal knows.
func (a *App) notification(ended []state.Job) string {
	text := a.env.Words.Count(len(ended), "%d job has ended", "%d jobs have ended")
	if j := &ended[0]; len(ended) == 1 && j.Title != "" {
		text = endText(a.env, j.Phase, notified(j.Title))
	}
	return a.alert(text)
}

// alert is a notification of a text of ours.
func (a *App) alert(text string) string {
	program, term := a.opts.Env("TERM_PROGRAM"), a.opts.Env("TERM")
	switch {
	case slices.Contains([]string{"iTerm.app", "ghostty", "WezTerm"}, program), term == "xterm-kitty", term == "xterm-ghostty":
		return "\x1b]9;darkroom: " + text + "\x07"
	case term == "foot", term == "rxvt-unicode-256color":
		return "\x1b]777;notify;darkroom;" + text + "\x07"
	}
	return "\x07"
}

// notified is a title as a part of a control sequence.
func notified(title string) string {
	return theme.Cut(strings.ReplaceAll(api.Clean(title, 200).String(), ";", ","), 60)
}

func (a *App) setPictures() {
	a.detector = picture.NewDetector(a.env.Settings.Pictures, a.opts.Env)
	a.env.Mode, a.env.Tmux = a.detector.Mode(), a.detector.Tmux()
	if a.env.Painter == nil && a.env.Mode != picture.ModeOff {
		loader := picture.NewLoader(a.env.Tmux, state.OthersEnviron()...)
		if dir := a.env.Settings.CacheDir; dir != "" {
			loader.CacheIn(filepath.Join(dir, "thumbnails"))
		}
		a.loader, a.env.Painter = loader, loader
	}
}

// holdPictures lets the frame of a key come before the pictures that are decoded.
func (a *App) holdPictures(message tea.Msg) {
	switch message.(type) {
	case tea.KeyPressMsg, tea.MouseWheelMsg, tea.PasteMsg:
		if a.loader != nil {
			a.loader.Pressed()
		}
	}
}

func (a *App) askGraphics() tea.Cmd {
	query := a.detector.Query()
	if query == "" {
		return nil
	}
	return tea.Batch(tea.Raw(query), readCellSize)
}

// askAgain asks a terminal that may not have been there at the start.
func (a *App) askAgain(message tea.Msg) tea.Cmd {
	switch message.(type) {
	case tea.KeyPressMsg, tea.WindowSizeMsg:
		var query string
		if a.detector, query = a.detector.Again(); query != "" {
			return tea.Raw(query)
		}
	}
	return nil
}

func (a *App) graphics(message tea.Msg) tea.Cmd {
	var arrived tea.Cmd
	switch m := message.(type) {
	case tea.TerminalVersionMsg:
		a.detector, a.env.Kitty = a.detector.Version(m.Name), strings.HasPrefix(m.Name, "kitty(")
	case uv.PrimaryDeviceAttributesEvent:
		a.detector = a.detector.Attributes(m)
	case uv.CellSizeEvent:
		a.detector = a.detector.CellSize(m.Width, m.Height)
	case uv.KittyGraphicsEvent:
		a.detector = a.detector.Graphics(m.Options.ID, string(m.Payload))
		arrived = a.broadcast(msg.ArrivedMsg{ID: m.Options.ID, OK: string(m.Payload) == "OK"})
	}
	return tea.Batch(arrived, a.restylePictures(a.detector.Mode(), a.detector.Cell(), a.env.Back))
}

func (a *App) restylePictures(mode picture.Mode, cell picture.Cell, back color.RGBA) tea.Cmd {
	if mode == a.env.Mode && cell == a.env.Cell && back == a.env.Back {
		return nil
	}
	a.env.Mode, a.env.Cell, a.env.Back = mode, cell, back
	return a.repaint()
}

// repaint makes everybody ask for pictures again, as after a change of the size.
func (a *App) repaint() tea.Cmd {
	if a.size.W == 0 {
		return nil // there will be one
	}
	a.resize(a.size.W, a.size.H)
	return a.broadcast(a.sizeMsg())
}

// copied says what the terminal did with the picture that it has not replied to.
func (a *App) copied(id int, reply string) tea.Cmd {
	if id != a.clip {
		return nil
	}
	a.clip++
	status, _, _ := strings.Cut(strings.TrimRight(reply, "\x1b\\\a"), ":")
	switch status {
	case "DONE":
		return msg.Notify(msg.ToneGood, a.env.Say("Picture copied."))
	case "EPERM":
		status = a.env.Say("its clipboard_control forbids it")
	}
	return msg.Notify(msg.ToneBad, a.env.Say("The terminal has not copied the picture: %s.", status))
}

type sixels struct {
	drawn  []picture.Placed // as the frame was when they were drawn
	latest []picture.Placed // of the last frame
	wait   int              // of the latest wait for a frame that stays
	due    bool             // it is on its way
}

// sixelPause is how long a frame stays before pictures are drawn over it: the
// renderer has written it then, and a held key draws none.
const sixelPause = 60 * time.Millisecond

// followSixels wipes by drawing all cells again what is no longer in the frame, and
// waits for a frame that stays to draw what is missing.
func (a *App) followSixels() tea.Cmd {
	if a.env.Mode != picture.ModeSixel && a.sixels.drawn == nil {
		return nil
	}
	now, before, wipe := a.frame().placed, a.sixels.latest, tea.Cmd(nil)
	a.sixels.latest = now
	for _, d := range a.sixels.drawn {
		q, in := samePlace(now, d)
		p, was := samePlace(before, d)
		if !in || was && p.Scrolled(q) {
			a.sixels.drawn, wipe = nil, tea.ClearScreen
			break
		}
	}
	wanted := len(a.missing(now)) > 0
	if !wanted || a.sixels.due && slices.EqualFunc(now, before, picture.Placed.Same) {
		a.sixels.due = wanted
		return wipe
	}
	a.sixels.wait++
	a.sixels.due = true
	wait := a.sixels.wait
	due := thenMsg(func(app *App) tea.Cmd { return app.sixelsDue(wait, false) })
	return tea.Batch(wipe, env.Later(a.env.Context, sixelPause, due))
}

func (a *App) missing(now []picture.Placed) []picture.Placed {
	var all []picture.Placed
	for _, p := range now {
		if d, ok := samePlace(a.sixels.drawn, p); !ok || d.Overwritten(p) {
			all = append(all, p)
		}
	}
	return all
}

func (a *App) sixelsDue(wait int, ready bool) tea.Cmd {
	if wait != a.sixels.wait || !a.sixels.due {
		return nil
	}
	now := a.frame().placed
	missing := a.missing(now)
	if !ready {
		return func() tea.Msg {
			for _, p := range missing {
				p.Sixel.Data()
			}
			return thenMsg(func(app *App) tea.Cmd { return app.sixelsDue(wait, true) })
		}
	}
	a.sixels.due = false
	var b strings.Builder
	for _, p := range missing {
		b.WriteString(p.Draw())
	}
	a.sixels.drawn = now
	if b.Len() == 0 {
		return nil
	}
	return tea.Raw(b.String())
}

func samePlace(all []picture.Placed, p picture.Placed) (picture.Placed, bool) {
	if i := slices.IndexFunc(all, p.Same); i >= 0 {
		return all[i], true
	}
	return picture.Placed{}, false
}
