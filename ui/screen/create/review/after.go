package review

import (
	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/msg"
)

// sentNotice says that the last job is on its way; App replaces it when the
// job's phase changes.
func sentNotice(k *env.Env, m SubmittedMsg) tea.Cmd {
	notice := msg.NotifiedMsg{Tone: msg.ToneHint, Text: k.Say("Sending…"), About: m.job.ID}
	if m.sent > 1 {
		notice.Text = k.Say("Sending %d…", m.sent)
	}
	return func() tea.Msg { return notice }
}

// TypedMsg is what was typed while a request was sent.
type TypedMsg struct{ Text string }

// typedAfter hands to the prompt what was typed while the request was sent.
func typedAfter(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return func() tea.Msg { return TypedMsg{text} }
}

// afterSend goes to Jobs when the settings say so; else Create stays.
func afterSend(k *env.Env, id string) tea.Cmd {
	if k.Settings.AfterSend != "jobs" {
		return nil
	}
	return msg.ShowJob(id)
}
