package result

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// CommandName is the name of the action that runs the person's own command i,
// from 0. Its key and label are those of the settings, which may change at any
// time: there is an action for each command that there can be.
func CommandName(i int) string { return "own_command_" + strconv.Itoa(i+1) }

func (v *Verbs) commandActions() []action.Action {
	table := make([]action.Action, state.MostCommands)
	for i := range table {
		table[i] = action.Action{Name: CommandName(i), Hidden: true, Disabled: v.whyNoFile, Handler: func() tea.Cmd { return v.runCommand(i) }}
	}
	return table
}

// runCommand runs a command on the shown file; with marks it asks once and runs
// it on the first file of each.
func (v *Verbs) runCommand(i int) tea.Cmd {
	if i >= len(v.k.Settings.Commands) {
		return nil
	}
	m := msg.CommandMsg{Command: v.k.Settings.Commands[i], IDs: v.marks.IDs(), File: 1}
	run := func() tea.Cmd { return func() tea.Msg { return m } }
	if len(m.IDs) == 0 {
		m.IDs, m.File = []string{v.chosen()}, v.place.File()+1
		return run()
	}
	question := v.k.Say("Run this command on the first file of each?") + "\n" + strings.Join(m.Command.Run, " ")
	return msg.Open(widget.NewConfirm(v.k, v.markedTitle(), question, "y", "run", run))
}
