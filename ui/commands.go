package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

const maxRunning = 4

const stopCommands = "stop_commands"

type commands struct {
	running []*running
	name    string // of the last one; "" before the first
	output  string
}

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
	return tea.Batch(run, a.note(msg.NotifiedMsg{Tone: msg.ToneHint, Text: text, Mark: "◐"}))
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
		return a.note(notice)
	}
	if m.done > 1 {
		notice.Text = k.Say("%s: %d done", name, m.done)
	}
	if m.output != "" {
		notice.Text += " · " + m.output[strings.LastIndexByte(m.output, '\n')+1:]
	}
	return a.note(notice)
}

func (a *App) stopRunning() tea.Cmd {
	for _, r := range a.commands.running {
		r.stop()
	}
	return nil // each says itself that it was stopped
}

func (a *App) showOutput() tea.Cmd {
	return msg.Open(widget.NewReader(a.env, a.commands.name, cmp.Or(a.commands.output, a.env.Say("The command printed nothing."))))
}
