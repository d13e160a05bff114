package ui

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// bodySize is the size that screens and overlays are told: that of the body.
func (a *App) bodySize() tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: a.plan.Body.W, Height: a.plan.Body.H}
}

func (a *App) resize(w, h int) tea.Cmd {
	a.size = widget.Rect{W: max(w, 1), H: max(h, 1)}
	a.plan = widget.LayoutFor(w, h)
	a.screens[a.at].Resize(a.plan.Body.W, a.plan.Body.H) // the others when they are shown
	return a.broadcast(a.bodySize())
}

// questions are what the terminal is asked, what it is, with the first frame: its replies
// come before pictures are drawn, which depend on them.
func (a *App) questions() string {
	text := asksBackground + a.detector.Query()
	if a.reports() {
		text += ansi.RequestProgramStatusSupport
	}
	return text
}

// asksBackground asks for the background, now and whenever it changes.
const asksBackground = ansi.RequestBackgroundColor + ansi.SetModeLightDark

func (a *App) schemeChanged(on theme.Background) tea.Cmd {
	a.Restyle(on, a.env.Profile)
	return tea.RequestBackgroundColor
}

func (a *App) tookBackground(m tea.BackgroundColorMsg) tea.Cmd {
	a.Restyle(map[bool]theme.Background{false: theme.Light, true: theme.Dark}[m.IsDark()], a.env.Profile)
	a.env.Slow = a.env.Slow && a.opts.Clock().Sub(a.began) > 200*time.Millisecond // far away
	if m.Color == nil {                                                           // the answer could not be read
		return nil
	}
	return a.restylePictures(a.env.Mode, a.env.Cell, color.RGBAModel.Convert(m.Color).(color.RGBA))
}

// suspend gives the terminal back to the shell. Where there is none, the system ignores that, and
// Bubble Tea would wait for ever; a program that was stopped does not get to wake itself.
func (a *App) suspend() tea.Cmd {
	ctx, until := a.env.Context, a.intent.now.Add(time.Hour)
	if runtime.GOOS != "windows" { // which has no suspending, and no end of it
		a.intent.confirm = until // what is typed until then is for the shell
	}
	return tea.Batch(tea.Sequence(tea.Raw(ansi.ResetModeLightDark), tea.Suspend), func() tea.Msg {
		for range 5 {
			env.Pause(ctx, time.Second)
			wake()
		}
		return thenMsg(func(app *App) tea.Cmd {
			if app.intent.confirm.Equal(until) { // it could not let go of the terminal
				app.intent.confirm = app.intent.now.Add(confirmAfter)
			}
			return nil
		})
	})
}

func (a *App) reports() bool {
	return a.env.Settings.Progress && a.opts.Env("NO_MOTION") == ""
}

// report sets what the terminal shows about jobs outside its window (OSC 9;4, OSC 7501).
func (a *App) report(v *tea.View) {
	var bar *tea.ProgressBar
	s := tea.ProgramStatus{State: tea.ProgramStateIdle, App: "darkroom", Title: "darkroom"}
	switch v.WindowTitle = "darkroom"; {
	case a.env.Active > 0:
		s.State, s.Message = tea.ProgramStateWorking, a.env.Say("%d developing", a.env.Active)
		bar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
		v.WindowTitle += " · " + s.Message
	case a.failed > 0:
		s.State, s.Message = tea.ProgramStateError, a.env.Say("%d failed", a.failed)
		bar = tea.NewProgressBar(tea.ProgressBarError, 100)
	case a.env.Unseen > 0:
		s.State, s.Message = tea.ProgramStateDone, a.env.Say("%d done", a.env.Unseen)
	}
	if a.reports() {
		if v.ProgressBar = bar; a.takes {
			v.ProgramStatus = &s
		}
	}
}

// notification tells a person who looks elsewhere, in the way the terminal knows.
func (a *App) notification(ended []state.Job) string {
	text := a.env.Words.Count(len(ended), "%d job has ended", "%d jobs have ended")
	if j := &ended[0]; len(ended) == 1 && j.Title != "" {
		// The title is a part of a control sequence.
		text = endText(a.env, j.Phase, theme.Cut(strings.ReplaceAll(api.Clean(j.Title, 200).String(), ";", ","), 60))
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

func (a *App) setPictures() {
	a.detector = picture.NewDetector(a.env.Settings.Pictures, a.opts.Env)
	a.env.Mode, a.env.Tmux = a.detector.Mode(), a.detector.Tmux
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
	a.detector = a.detector.Heard(message)
	switch m := message.(type) {
	case tea.TerminalVersionMsg:
		a.env.Kitty, a.seams = strings.HasPrefix(m.Name, "kitty("), strings.HasPrefix(m.Name, "XTerm(")
	case uv.KittyGraphicsEvent:
		arrived = a.broadcast(msg.ArrivedMsg{ID: m.Options.ID, OK: string(m.Payload) == "OK"})
	}
	return tea.Batch(arrived, a.restylePictures(a.detector.Mode(), a.detector.Cell, a.env.Back))
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
	return a.resize(a.size.W, a.size.H)
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

// wipeSeams has all cells drawn again when another screen or overlay comes into view.
func (a *App) wipeSeams() tea.Cmd {
	top, was := a.surface(), a.wiped
	if a.wiped = top; !a.seams || was == nil || was == top {
		return nil
	}
	a.sixels.drawn = nil
	return tea.ClearScreen
}

type sixels struct {
	drawn  []picture.Placed // as the frame was when they were drawn
	latest []picture.Placed // of the last frame
	wait   int              // of the latest wait for a frame that stays
	due    bool             // it is on its way
}

// followSixels wipes by drawing all cells again what is no longer in the frame, and waits for a
// frame that stays for 60 ms to draw what is missing: the renderer has written it then, and a
// held key draws none.
func (a *App) followSixels() tea.Cmd {
	if a.env.Mode != picture.ModeSixel && a.sixels.drawn == nil {
		return nil
	}
	now, before, wipe := a.frame().placed, a.sixels.latest, tea.Cmd(nil)
	a.sixels.latest = now
	if slices.ContainsFunc(a.sixels.drawn, func(d picture.Placed) bool {
		q, in := api.Find(now, d.Same)
		p, was := api.Find(before, d.Same)
		return !in || was && p.Scrolled(q)
	}) {
		a.sixels.drawn, wipe = nil, tea.ClearScreen
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
	return tea.Batch(wipe, env.Later(a.env.Context, 60*time.Millisecond, due))
}

func (a *App) missing(now []picture.Placed) []picture.Placed {
	return slices.DeleteFunc(slices.Clone(now), func(p picture.Placed) bool {
		d, ok := api.Find(a.sixels.drawn, p.Same)
		return ok && !d.Overwritten(p)
	})
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
	a.sixels.due, a.sixels.drawn = false, now
	return tea.Raw(strings.Join(api.Map(missing, picture.Placed.Draw), ""))
}

// keyboard is the terminal's input, in pieces that the reader of keys takes as they
// are meant: after 50 ms without more it reads what is not whole as if it were, and
// types the rest of it.
//
// An escape and a character that came together are alt and that key: they are
// handed on in the longer form, which is read at once. A piece may end anywhere, and
// on a busy machine or line the next one comes late: the beginning of a character,
// of a mark around a paste, and of the terminal's reply to a question stays here
// until the rest has come. An escape alone can be a key: the rest of it is waited
// for only while replies are due.
type keyboard struct {
	*os.File
	reading sync.Mutex   // the reader before a suspension may not have ended when the next one begins
	held    []byte       // what began and was not handed on
	since   time.Time    // when it was held
	pasting bool         // the mark that begins a paste was the last
	due     atomic.Int64 // until then replies may come, in nanoseconds since 1970
	// escape is how long an escape, or one with a character that replies have next, waits then
	// for more; the next piece of a reply may take four times as long.
	escape time.Duration
	within func(f *os.File, d time.Duration) bool // whether there is something to read by then
}

// expect follows a question of App, and a piece of a reply: for 5 s from now replies are due.
func (k *keyboard) expect() { k.due.Store(time.Now().Add(5 * time.Second).UnixNano()) }

// observe sees every message before App: pictures for the terminal are answered too.
func (k *keyboard) observe(message tea.Msg) {
	switch m := message.(type) {
	case tea.RawMsg:
		if text, _ := m.Msg.(string); strings.HasPrefix(text, "\x1b]5522;") || strings.Contains(text, "\x1b_G") {
			k.expect()
		}
	case tea.ResumeMsg:
		k.expect()
	}
}

// Read reads what was typed. The beginning of a reply or of a key that came in pieces waits
// for its rest, so that nothing takes it for keys.
func (k *keyboard) Read(b []byte) (int, error) {
	k.reading.Lock()
	defer k.reading.Unlock()
	n, err := k.File.Read(b[len(k.held):])
	if len(k.held) > 2 && k.held[0] == ansi.ESC && k.held[1] != '[' && time.Since(k.since) > 4*k.escape {
		copy(b, b[len(k.held):][:n]) // the reply has no end
		k.held = nil
	}
	n += copy(b, k.held)
	k.held = nil
	if alone := string(b[:n]); k.pasting && (alone == "\x03" || alone == "\x11" || alone == "\x1b[99;5u" || alone == "\x1b[113;5u") {
		n = copy(b, ansi.BracketedPasteEnd+alone) // the end mark was lost: a paste never delivers one of these alone
	}
	// What is pasted may end within a sequence, of which the mark would become a part.
	if marked := bytes.ReplaceAll(b[:n], []byte(ansi.BracketedPasteEnd), []byte(cancel+ansi.BracketedPasteEnd)); len(marked) <= len(b) {
		n = copy(b, marked)
	}
	for err == nil && n < len(b) && k.ambiguous(b[:n]) && time.Now().UnixNano() < k.due.Load() {
		last, more := n-1, 0
		if !k.within(k.File, k.escape) {
			if b[last] == ansi.ESC { // the reader must not join it with a key that comes only now
				n = last + copy(b[last:], "\x1b[27u")
			}
			break
		}
		more, err = k.File.Read(b[n:])
		n += more
		// A single character, behind which nothing comes at once, is a key: a reply goes on.
		single := more == 1 && b[last+1] > ' ' && b[last] == ansi.ESC && !k.within(k.File, k.escape/10)
		if single && strings.IndexByte("[]P_", b[last+1]) >= 0 && k.within(k.File, k.escape) { // on a slow line later
			more, err = k.File.Read(b[n:])
			n += more
			single = !strings.Contains("[6 [? ]1 ]5 ]7 P> _G", string(b[last+1:min(last+3, n)])) // what replies begin with
		}
		if single || b[last] == ansi.ESC && more > 0 && strings.IndexByte("OPX[]^_\\", b[last+1]) < 0 {
			n = last + copy(b[last:], "\x1b[27u"+string(b[last+1:n])) // two keys, not alt with one
		}
	}
	if err != nil {
		return n, err
	}
	if n == 2 && b[0] == ansi.ESC && b[1] > ' ' && b[1] < ansi.DEL && !k.pasting && !strings.ContainsRune("OPX[]^_", rune(b[1])) {
		key, shift := rune(b[1]), 0
		if unicode.IsUpper(key) {
			key, shift = unicode.ToLower(key), 1
		}
		return copy(b, fmt.Sprintf("\x1b[%d;%du", key, 3+shift)), nil
	}
	if bytes.Contains(b[:n], []byte("\x1b[I")) || bytes.Contains(b[:n], []byte("\x1b[?997;")) {
		k.expect() // to what the background is now
	}
	began, ended := bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteStart)), bytes.LastIndex(b[:n], []byte(ansi.BracketedPasteEnd))
	if began != ended {
		k.pasting = began > ended
	}
	whole := n - k.unfinished(b[:n])
	if k.held, k.since = bytes.Clone(b[whole:n]), time.Now(); len(k.held) > 2 && k.held[0] == ansi.ESC {
		k.expect() // a slow terminal replies
	}
	return whole, nil
}

// ambiguous reports whether input ends with a key or the beginning of more.
func (k *keyboard) ambiguous(b []byte) bool {
	n := len(b) - sequence(b)
	return !k.pasting && n > 0 && n <= 2
}

// sequence is where the control sequence begins that input ends in, or its length.
func sequence(b []byte) int {
	begins, state := 0, byte(ansi.NormalState)
	for at := 0; at < len(b); {
		if state == ansi.NormalState {
			begins = at
		}
		_, _, n, next := ansi.DecodeSequence(b[at:], state, nil)
		at, state = at+n, next
		if at == len(b)-1 && b[at] == ansi.ESC && open(b[begins:at]) {
			return begins // the escape may be that of its end
		}
	}
	if state == ansi.NormalState {
		return len(b)
	}
	return begins
}

// open reports whether a sequence holds a text that has not ended.
func open(b []byte) bool {
	return len(b) > 1 && b[0] == ansi.ESC && strings.IndexByte("]P_", b[1]) >= 0 &&
		b[len(b)-1] != ansi.BEL && !bytes.HasSuffix(b, []byte("\x1b\\"))
}

// unfinished is how many bytes at the end are the beginning of a character, of a
// paste's mark or of a longer sequence. An escape or alt+[ is a key, except in a paste.
func (k *keyboard) unfinished(b []byte) int {
	for i := 1; i <= min(len(b), utf8.UTFMax-1); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	if n := len(b) - sequence(b); !k.pasting && n > 2 && n <= 512 { // no reply to our questions is longer
		return n
	}
	for i := min(len(b), len(ansi.BracketedPasteEnd)-1); k.pasting && i > 0; i-- {
		if bytes.HasSuffix(b, []byte(ansi.BracketedPasteEnd[:i])) {
			return i
		}
	}
	return 0
}
