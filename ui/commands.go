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
		output := strings.Join(all, "\n")
		return thenMsg(func(app *App) tea.Cmd { return app.commandEnded(r, done, output, err) })
	}
	text := a.env.Say("%s is running. %s stops it.", m.Command.Name, a.env.Key(stopCommands, "alt+x"))
	return tea.Batch(run, a.note(msg.NotifiedMsg{Tone: msg.ToneHint, Text: text, Mark: "◐"}))
}

// commandEnded says how a command ended, with the last line that it wrote, and on
// how many results it went well.
func (a *App) commandEnded(of *running, done int, output string, err error) tea.Cmd {
	of.stop()
	k, name := a.env, of.Command.Name
	a.commands.running = slices.DeleteFunc(a.commands.running, func(r *running) bool { return r == of })
	a.commands.name, a.commands.output = name, output
	notice := msg.NotifiedMsg{Tone: msg.ToneGood, Text: k.Say("%s is done", name)}
	if err != nil {
		notice = msg.NotifiedMsg{Tone: msg.ToneBad, Text: env.Sentence(k, err)}
		if len(of.IDs) > 1 {
			notice.Text += " " + k.Say("%d of %d are done.", done, len(of.IDs))
		}
		return a.note(notice)
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
	for _, r := range a.commands.running {
		r.stop()
	}
	return nil // each says itself that it was stopped
}

func (a *App) showOutput() tea.Cmd {
	return msg.Open(widget.NewReader(a.env, a.commands.name, cmp.Or(a.commands.output, a.env.Say("The command printed nothing."))))
}
