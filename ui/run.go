package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/display"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

const (
	giveBackAfter = 2 * time.Second // without a frame
	stuckAfter    = 3 * time.Second // of a signal, while the terminal takes no output
	cancel        = "\x18"          // ends any sequence that the terminal sends
)

// Ended is how a run ended when it was not by the person's own key.
type Ended struct{ Signal os.Signal }

func (e *Ended) Error() string { return fmt.Sprintf("ended by %v", e.Signal) }

// ErrDemo says that the person asked for the demo instead.
var ErrDemo = errors.New("the demo was asked for")

// Run shows the App until it is quit, ctx ends or a signal comes. In every case the terminal is as
// it was. It returns *Ended after a signal and *Crashed after a panic; a panic outside the screens has ended ctx.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Stop(signals)

	// The start makes 8 MiB, most of which is in use: to find that out takes a tenth of its processor time, so the first
	// collection comes at 16. After the last frame what is free goes back to the system, which the collector does minutes later.
	percent, giveBack := debug.SetGCPercent(400), time.AfterFunc(giveBackAfter, debug.FreeOSMemory)
	defer giveBack.Stop()
	defer debug.SetGCPercent(percent)
	time.AfterFunc(time.Second, func() { debug.SetGCPercent(percent) })
	app := New(ctx, o)
	app.die = stop
	fills := !strings.HasPrefix(o.Env("TERM"), "screen") || o.Env("TMUX") != "" // all of today's do but GNU screen
	app.screen = display.New(os.Stdout, lipgloss.Writer.Profile, fills, func(draw func()) {
		defer giveBack.Reset(giveBackAfter)
		defer app.caught()
		state.CrashAt("frame")
		draw()
	})
	app.screen.Questions = app.questions()
	keys := &keyboard{File: os.Stdin, escape: 300 * time.Millisecond, within: inputWithin}
	keys.expect()
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithOutput(app.screen),
		tea.WithColorProfile(lipgloss.Writer.Profile), // found already: in tmux each look at it runs a program
		tea.WithFPS(30), // looks for modes and titles to write, each of which wakes it; frames do not wait for them
		tea.WithFilter(func(m tea.Model, message tea.Msg) tea.Msg {
			keys.observe(message)
			return app.screen.Observe(m, message)
		}),
	}
	if modes, err := term.GetState(os.Stdin.Fd()); runtime.GOOS != "windows" && err == nil {
		options = append(options, tea.WithInput(keys))
		defer func() { _ = term.Restore(os.Stdin.Fd(), modes) }() // an editor may have left others
	}
	p := tea.NewProgram(app, options...)
	app.screen.Ask = func() { p.Send(display.DueMsg{}) }

	// Cancelling restores the terminal on every path out of Run, also when the terminal itself is gone.
	// One that takes no more output is left as it is, stuckAfter after the signal; without a signal the first
	// goroutine waits until the process ends.
	stuck, ran := make(chan struct{}), make(chan error, 1)
	go func() {
		ended := <-signals
		for app.env.Lent.Load() > 0 && (ended == syscall.SIGINT || ended == syscall.SIGQUIT) {
			ended = <-signals
		}
		stop(&Ended{ended})
		time.AfterFunc(stuckAfter, func() { close(stuck) })
	}()
	go func() {
		_, err := p.Run()
		ran <- err
	}()
	var err error
	select {
	case err = <-ran:
	case <-stuck:
		return context.Cause(ctx)
	}
	app.screen.Restore()
	if term.IsTerminal(os.Stdout.Fd()) {
		fmt.Fprint(os.Stdout, ansi.ResetModeLightDark)
	}
	if app.takes { // Bubble Tea leaves the last report behind
		_, _ = os.Stdout.WriteString(ansi.ClearProgramStatus)
	}
	switch cause := context.Cause(ctx).(type) {
	case *Ended:
		finish(app.screens[app.at].Blur())
		return cause
	case *Crashed:
		return cause
	}
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return &Crashed{}
	case err != nil && ctx.Err() == nil:
		return err
	case app.wantsDemo:
		return ErrDemo
	}
	return nil
}

// commandBroke follows a panic in a command: the program goes on.
func (a *App) commandBroke(note string) tea.Cmd {
	text := a.env.Say("Something inside darkroom broke. Your jobs are safe; what you just did may not have happened.")
	return a.tell(msg.ToneBad, strings.Join(env.Said(text, a.env.SayIf(note != "", "A note is in %s.", note)), " "))
}

// guard wraps a command, and the commands it leads to, so that a panic becomes
// a message. The value of the panic is not kept: it could hold anything. What
// comes after the program's end is dropped.
func (a *App) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	ctx, dir, guard := a.env.Context, a.opts.StateDir, a.guard
	return func() (message tea.Msg) {
		defer func() {
			if v := recover(); v != nil {
				note := CrashNote(dir, v, debug.Stack())
				message = thenMsg(func(app *App) tea.Cmd { return app.commandBroke(note) })
			}
		}()
		state.CrashAt("command")
		if message = cmd(); ctx.Err() != nil {
			return nil
		}
		batch, _ := message.(tea.BatchMsg)
		for i, c := range batch {
			batch[i] = guard(c)
		}
		return message
	}
}

// Crashed says that a run ended because something broke.
type Crashed struct {
	Note string // path of the crash note, or ""
}

func (e *Crashed) Error() string { return "something inside darkroom broke" }

// caught ends the run when Update, View or a frame broke: App's own state may be half
// changed then. Bubble Tea would print the panic's value, which could hold
// anything. Without a run, as in a test, the panic goes on.
func (a *App) caught() {
	if a.die == nil {
		return
	}
	if v := recover(); v != nil && !a.dead.Swap(true) {
		a.die(&Crashed{Note: CrashNote(a.opts.StateDir, v, debug.Stack())})
	}
}

// CrashNote writes where it broke to a file that only its owner reads, in dir
// or else in the folder of temporary files, and returns its path, or "" when
// neither can be written. The panic's value is named by its type alone, unless
// the runtime made it: a value of ours could hold a prompt or a key.
func CrashNote(dir string, v any, stack []byte) string {
	what := fmt.Sprintf("%T", v)
	if e, ok := v.(runtime.Error); ok {
		what = e.Error()
	}
	text := fmt.Sprintf("darkroom broke at %s\npanic: %s\n\n%s", time.Now().UTC().Format(time.RFC3339), what, stack)
	for _, in := range [][2]string{{dir, "crash-*.txt"}, {os.TempDir(), "darkroom-crash-*.txt"}} {
		if in[0] == "" || os.MkdirAll(in[0], 0o700) != nil {
			continue
		}
		f, err := os.CreateTemp(in[0], in[1]) // 0600
		if err != nil {
			continue
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err == nil {
			return filepath.Clean(f.Name())
		}
		_ = os.Remove(f.Name())
	}
	return ""
}

// ask looks what would be lost if the program ended: a job may be shown as not saved before
// that change of the health is told. A letter can be a slip of typing.
func (a *App) ask(letter bool) tea.Cmd {
	if a.quitting() {
		return nil
	}
	ctx, b, passing, words := a.env.Context, a.opts.Session, a.opts.Passing, a.env.Words
	tool, _ := a.screens[msg.PlaceTools].(interface{ Calling() bool })
	busy := letter && (len(a.running) > 0 || tool.Calling())
	return func() tea.Msg {
		unsaved := b.Health().Unsaved
		// What is held comes first: a filter would look at every job.
		page, err := b.Jobs(ctx, state.Query{Limit: 1})
		if err == nil && page.Held > 1 {
			page, _ = b.Jobs(ctx, state.Query{Limit: page.Held})
		}
		waiting := len(slices.DeleteFunc(page.Rows, func(r state.Row) bool { return r.Phase != api.PhaseHeld || r.Paused }))
		var losses []string
		if waiting > 0 {
			losses = append(losses, words.Count(waiting, "%d request waits in the queue.", "%d requests wait in the queue."))
		}
		if busy {
			losses = append(losses, words.Say("A command or a tool is running, and is stopped."))
		}
		switch {
		case passing && page.All > 0:
			losses = append(losses, words.Say("Everything made in the demo is deleted with it."))
		case waiting > 0:
			losses = append(losses, words.Say("They stay in the queue and wait for you when darkroom starts again."))
		case letter && page.Active > 0:
			losses = append(losses, words.Count(page.Active, "%d job is running.", "%d jobs are running."),
				words.Say("The service goes on; results are fetched when darkroom starts again."))
		}
		return thenMsg(func(app *App) tea.Cmd { return app.quitWith(unsaved, strings.Join(losses, "\n")) })
	}
}

func (a *App) quitting() bool {
	top, ok := a.top().(*widget.Confirm)
	return ok && top.Quitting
}

// quitWith leaves at once, unless something would be lost or a letter may have been
// a slip, which asks once, or an accepted job is not saved yet: that asks twice. A
// send in progress is waited for when the session closes, and said there.
func (a *App) quitWith(unsaved int, losses string) tea.Cmd {
	switch {
	case unsaved == 0 && losses == "":
		return a.leave()
	case a.quitting(): // of a second key press
		return nil
	}
	k := a.env
	if unsaved == 0 {
		ask := widget.NewConfirm(k, k.Say("Quit now?"), losses, "enter y", "quit", a.leave)
		ask.Quitting = true
		return msg.Open(a.env, ask)
	}
	last := widget.NewConfirm(k, k.Say("Quit anyway?"),
		k.Say("Without its id the job cannot be followed, and its credits may be lost. The id is shown in Jobs: write it down first."),
		"l", "lose it and quit", a.leave)
	first := widget.NewConfirm(k, k.Say("Quit now?"),
		k.Say("The service has accepted a job, but the store could not take its id yet. darkroom tries again every second; "+
			"stay until it is saved."),
		"y", "quit", func() tea.Cmd { return msg.Open(a.env, last) })
	first.Quitting, last.Quitting = true, true
	return msg.Open(a.env, first)
}

func (a *App) leave() tea.Cmd {
	leave := a.screens[a.at].Blur()
	return func() tea.Msg {
		finish(leave)
		return tea.QuitMsg{}
	}
}

// finish runs a command and those it leads to, and waits for them.
func finish(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	batch, _ := cmd().(tea.BatchMsg)
	for _, c := range batch {
		finish(c)
	}
}

const maxRunning = 4

const stopCommands = "stop_commands"

type running struct {
	msg.CommandMsg
	stop context.CancelFunc
}

func (a *App) runCommand(m msg.CommandMsg) tea.Cmd {
	same := func(r *running) bool {
		return r.Command.Name == m.Command.Name && slices.Equal(r.IDs, m.IDs) && r.File == m.File
	}
	switch {
	case slices.ContainsFunc(a.running, same):
		return msg.Notify(msg.ToneHint, a.env.Say("%s is running on it already.", m.Command.Name))
	case len(a.running) >= maxRunning:
		return msg.Notify(msg.ToneHint, a.env.Say("%d commands are running already.", maxRunning))
	}
	ctx, stop := context.WithCancel(a.env.Context)
	r, backend := &running{m, stop}, a.opts.Session
	a.running = append(a.running, r)
	run := func() tea.Msg {
		var all []string
		var err error
		done := 0
		for _, id := range m.IDs {
			written, failed := backend.Results().Run(ctx, m.Command, id, m.File)
			if text := written.String(); text != "" {
				all = append(all, text)
			}
			if err = failed; err != nil {
				break
			}
			done++
		}
		return thenMsg(func(app *App) tea.Cmd { return app.commandEnded(r, done, strings.Join(all, "\n"), err) })
	}
	text := a.env.Say("%s is running. %s stops it.", m.Command.Name, a.env.Key(stopCommands, "alt+x"))
	return tea.Batch(run, a.note(msg.NotifiedMsg{Tone: msg.ToneHint, Text: text, Mark: "◐"}))
}

// commandEnded says how a command ended, with the last line that it wrote, and on
// how many results it went well.
func (a *App) commandEnded(of *running, done int, output string, err error) tea.Cmd {
	of.stop()
	k, name := a.env, of.Command.Name
	a.running = slices.DeleteFunc(a.running, func(r *running) bool { return r == of })
	a.last, a.output = name, output
	notice := msg.NotifiedMsg{Tone: msg.ToneGood, Text: k.Say("%s is done", name)}
	if err != nil {
		several := k.SayIf(len(of.IDs) > 1, "%d of %d are done.", done, len(of.IDs))
		return a.tell(msg.ToneBad, strings.Join(env.Said(env.Sentence(k, err), several), " "))
	}
	if done > 1 {
		notice.Text = k.Say("%s: %d done", name, done)
	}
	if output != "" {
		notice.Text += " · " + output[strings.LastIndexByte(output, '\n')+1:]
	}
	return a.note(notice)
}

func (a *App) stopRunning() tea.Cmd {
	for _, r := range a.running {
		r.stop()
	}
	return nil // each says itself that it was stopped
}
