package ui

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

const noticeFor = 8 * time.Second

// notice is the one line that says what just happened.
type notice struct {
	msg.NotifiedMsg
	seq int
}

func (a *App) note(m msg.NotifiedMsg) tea.Cmd {
	seq := a.notice.seq + 1
	a.notice = notice{m, seq}
	return env.Later(a.env.Context, noticeFor, thenMsg(func(app *App) tea.Cmd {
		if n := &app.notice; n.seq == seq && n.Tone != msg.ToneBad {
			n.NotifiedMsg = msg.NotifiedMsg{}
		}
		return nil
	}))
}

func (a *App) tell(t msg.Tone, text string) tea.Cmd {
	return a.note(msg.NotifiedMsg{Tone: t, Text: text})
}

// seen is called with each key: what stood there was read.
func (n *notice) seen() {
	if n.Text != "" {
		n.NotifiedMsg = msg.NotifiedMsg{}
		n.seq++
	}
}

func (n *notice) width() int { return 4 + theme.Width(n.Text) }

func (n *notice) line(t *theme.Theme, w int) string {
	style := [...]theme.Style{t.Muted, t.Good, t.Warn, t.Bad}[n.Tone]
	mark := cmp.Or(n.Mark, [...]string{"·", "✓", "!", "✕"}[n.Tone])
	return " " + style.Paint(theme.Fit(mark+" "+n.Text, w-2)) + " "
}

// How much of a job's title a notice has, in cells.
const maxTitle, minTitle = 40, 12

func (a *App) underWay(j *state.Job) msg.NotifiedMsg {
	k := a.env
	m := msg.NotifiedMsg{Tone: msg.ToneGood, About: j.ID}
	switch j.Phase {
	case api.PhaseIntent, api.PhaseSending:
		m.Tone, m.Text = msg.ToneHint, k.Say("Sending…")
		if j.Phase == api.PhaseIntent && !j.Error.IsZero() { // what it waits for
			m.Text = env.AsSentence(k.Reason(j.Error))
		}
	case api.PhaseUnknown, api.PhaseUnread:
		const format = "The outcome of %s is unknown: it may have been charged. See Jobs."
		m.Tone, m.Text = msg.ToneWarn, k.Say(format, a.cutTitle(j, k.Say(format, "")))
	case api.PhaseFetching:
		m.Text = k.Say("Fetching the result.")
	default:
		m.Text = k.Say("Accepted. You can write the next one.")
	}
	return m
}

// endOf is the notice of jobs that have ended; one failure makes it bad news.
func (a *App) endOf(ended []state.Job) msg.NotifiedMsg {
	k, where, done := a.env, "", 0
	if a.at != msg.PlaceJobs {
		where = "   " + k.Say("%s shows it", action.Named(a.globals, "jobs").KeyText())
	}
	for i := range ended {
		if ended[i].Phase == api.PhaseDone {
			done++
		}
	}
	j := &ended[0]
	look := widget.PhaseLook(j.Phase)
	switch failed := len(ended) - done; {
	case len(ended) > 1 && failed > 0:
		return msg.NotifiedMsg{Tone: msg.ToneWarn, Text: k.Say("%d done, %d failed", done, failed) + where}
	case len(ended) > 1:
		return msg.NotifiedMsg{Tone: msg.ToneGood, Mark: look.Mark, Text: k.Say("%d done", done) + where}
	}
	m := msg.NotifiedMsg{Tone: msg.ToneGood, About: j.ID, Mark: look.Mark}
	if done == 0 {
		m.Tone = msg.ToneBad
		why := widget.ClassWords(k, j.ErrClass)
		if why != "" && j.Phase == api.PhaseRejected {
			why = k.Say("%s: nothing was charged", why)
		}
		if why != "" {
			where = ", " + why + where
		}
	}
	m.Text = endText(k, j.Phase, a.cutTitle(j, endText(k, j.Phase, "")+where)) + where
	return m
}

// endText says of a title how its job ended.
func endText(k *env.Env, p api.Phase, title string) string {
	return k.Say("%s: “%s”", env.Capital(k.Say(widget.PhaseLook(p).Word)), title)
}

// cutTitle cuts a title so that what happened is in view.
func (a *App) cutTitle(j *state.Job, rest string) string {
	room := a.plan.Notice.W - 4 - theme.Width(rest)
	if a.plan.Notice == a.plan.Footer {
		room -= len("f1 ") + theme.Width(a.env.Say("help")) + 2
	}
	return theme.Cut(j.Title, min(max(room, minTitle), maxTitle))
}
