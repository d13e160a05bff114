package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// maxRunning is how many own commands run at a time.
const maxRunning = 4

// stopCommands is the name of the action that stops them.
const stopCommands = "stop_commands"

// commands are the person's own commands that run, and what the last one that
// ended wrote.
type commands struct {
	running []*running
	name    string // of the last one; "" before the first
	output  string
}

// running is a command on one or several results, one after the other.
type running struct {
	msg.CommandMsg
	stop context.CancelFunc
}

type commandEndedMsg struct {
	of     *running
	done   int // on how many results it went well
	output string
	err    error
}

// runCommand runs a person's own command in the background.
func (a *App) runCommand(m msg.CommandMsg) tea.Cmd {
	same := func(r *running) bool {
		return r.Command.Name == m.Command.Name && slices.Equal(r.IDs, m.IDs) && r.File == m.File
	}
	switch {
	case slices.ContainsFunc(a.commands.running, same):
		return msg.Notify(msg.ToneHint, a.env.Say("%s is running on it already.", m.Command.Name))
	case len(a.commands.running) >= maxRunning:
		return msg.Notify(msg.ToneHint, a.env.Say("%d commands are running already.", maxRunning))
	}
	ctx, stop := context.WithCancel(a.env.Context)
	r := &running{m, stop}
	a.commands.running = append(a.commands.running, r)
	backend := a.backend
	run := func() tea.Msg {
		ended := commandEndedMsg{of: r}
		var all []string
		for _, id := range m.IDs {
			written, err := backend.Results().Run(ctx, m.Command, id, m.File)
			if text := written.String(); text != "" {
				all = append(all, text)
			}
			if ended.err = err; err != nil {
				break
			}
			ended.done++
		}
		ended.output = strings.Join(all, "\n")
		return ended
	}
	text := a.env.Say("%s is running. %s stops it.", m.Command.Name, a.env.Key(stopCommands, "alt+x"))
	return tea.Batch(run, a.notice.set(a.env, msg.NotifiedMsg{Tone: msg.ToneHint, Text: text, Mark: "◐"}))
}

// commandEnded says how a command ended, with the last line that it wrote.
func (a *App) commandEnded(m commandEndedMsg) tea.Cmd {
	m.of.stop()
	k, name := a.env, m.of.Command.Name
	a.commands.running = slices.DeleteFunc(a.commands.running, func(r *running) bool { return r == m.of })
	a.commands.name, a.commands.output = name, m.output
	notice := msg.NotifiedMsg{Tone: msg.ToneGood, Text: k.Say("%s is done", name)}
	if m.err != nil {
		notice = msg.NotifiedMsg{Tone: msg.ToneBad, Text: env.Sentence(k, m.err)}
		if len(m.of.IDs) > 1 {
			notice.Text += " " + k.Say("%d of %d are done.", m.done, len(m.of.IDs))
		}
		return a.notice.set(k, notice)
	}
	if m.done > 1 {
		notice.Text = k.Say("%s: %d done", name, m.done)
	}
	if m.output != "" {
		notice.Text += " · " + m.output[strings.LastIndexByte(m.output, '\n')+1:]
	}
	return a.notice.set(k, notice)
}

// stopRunning stops every own command.
func (a *App) stopRunning() tea.Cmd {
	for _, r := range a.commands.running {
		r.stop()
	}
	return nil // each says itself that it was stopped
}

func (a *App) whyNoneRuns() string {
	return a.env.SayIf(len(a.commands.running) == 0, "No command is running.")
}

// showOutput shows what the last command wrote.
func (a *App) showOutput() tea.Cmd {
	text := a.commands.output
	if text == "" {
		text = a.env.Say("It wrote nothing.")
	}
	return msg.Open(widget.NewReader(a.env, a.commands.name, text))
}

func (a *App) whyNoOutput() string {
	return a.env.SayIf(a.commands.name == "", "No command has ended yet.")
}
