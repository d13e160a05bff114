package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// noticeFor is how long a notice stays without a key.
const noticeFor = 8 * time.Second

// notice is the one line that says what just happened.
type notice struct {
	msg.NotifiedMsg
	seq int
}

// noticeDueMsg is the end of a notice's time.
type noticeDueMsg struct{ seq int }

func (n *notice) set(k *env.Env, m msg.NotifiedMsg) tea.Cmd {
	n.NotifiedMsg = m
	n.seq++
	return env.Later(k.Context, noticeFor, noticeDueMsg{n.seq})
}

// seen is called with each key: what stood there was read.
func (n *notice) seen() {
	if n.Text != "" {
		n.NotifiedMsg = msg.NotifiedMsg{}
		n.seq++
	}
}

func (n *notice) expire(m noticeDueMsg) {
	if m.seq == n.seq && n.Tone != msg.ToneBad {
		n.NotifiedMsg = msg.NotifiedMsg{}
	}
}

// fail shows an error in words. It stays until a key is pressed.
func (n *notice) fail(k *env.Env, err error) {
	n.NotifiedMsg = msg.NotifiedMsg{Tone: msg.ToneBad, Text: env.Sentence(k, err)}
	n.seq++
}

// width is how many cells the line needs, with one on each side.
func (n *notice) width() int { return 4 + theme.Width(n.Text) }

func (n *notice) line(t *theme.Theme, w int) string {
	style, mark := t.Muted, "· "
	switch n.Tone {
	case msg.ToneGood:
		style, mark = t.Good, "✓ "
	case msg.ToneWarn:
		style, mark = t.Warn, "! "
	case msg.ToneBad:
		style, mark = t.Bad, "✕ "
	}
	if n.Mark != "" {
		mark = n.Mark + " "
	}
	return " " + style.Paint(theme.Fit(mark+n.Text, w-2)) + " "
}

// news is where a job stands now.
type news struct {
	id, title string
	phase     api.Phase
	class     api.ErrorClass
}

// How much of a job's title a notice has, in cells.
const maxTitle, minTitle = 40, 12

// tellNews says on every screen what ended, and keeps the notice true that is
// about a job which is still under way.
func (a *App) tellNews(all, ended []news) tea.Cmd {
	for _, n := range all {
		switch {
		case !n.phase.Ended() && n.id == a.notice.About:
			return a.notice.set(a.env, a.underWay(n))
		case n.phase.Ended() && n.phase != api.PhaseDone && a.at != msg.PlaceJobs:
			a.status.failed++
		}
	}
	switch {
	case len(ended) == 0 || a.notice.Tone == msg.ToneBad && a.notice.Text != "" && a.notice.About == "":
		return nil // an error stays until it was read
	case len(ended) == 1:
		return a.notice.set(a.env, a.endOf(ended[0]))
	}
	return a.notice.set(a.env, a.endsOf(ended))
}

// underWay is the notice of a job that was sent and has not ended.
func (a *App) underWay(n news) msg.NotifiedMsg {
	k := a.env
	m := msg.NotifiedMsg{Tone: msg.ToneGood, About: n.id}
	switch n.phase {
	case api.PhaseIntent, api.PhaseSending:
		m.Tone, m.Text = msg.ToneHint, k.Say("Sending…")
	case api.PhaseUnknown, api.PhaseUnread:
		const format = "The outcome of %s is unknown: it may have been charged. See Jobs."
		m.Tone, m.Text = msg.ToneWarn, k.Say(format, a.cutTitle(n, k.Say(format, "")))
	case api.PhaseFetching:
		m.Text = k.Say("Fetching the result.")
	default:
		m.Text = k.Say("Accepted. You can write the next one.")
	}
	return m
}

// endOf is the notice of a job that has ended.
func (a *App) endOf(n news) msg.NotifiedMsg {
	k, look, where := a.env, widget.PhaseLook(n.phase), a.whereJobsAre()
	if n.phase == api.PhaseDone {
		text := k.Say("%s is done", a.cutTitle(n, k.Say("%s is done", "")+where)) + where
		return msg.NotifiedMsg{Tone: msg.ToneGood, About: n.id, Mark: look.Mark, Text: text}
	}
	text := ": " + k.Say(look.Word)
	if why := widget.ClassWords(k, n.class); why != "" {
		text += ", " + why
	}
	text += where
	return msg.NotifiedMsg{Tone: msg.ToneBad, About: n.id, Mark: look.Mark, Text: a.cutTitle(n, text) + text}
}

// endsOf is the notice of several that ended at once; one failure is enough
// for it not to be good news.
func (a *App) endsOf(ended []news) msg.NotifiedMsg {
	done := 0
	for _, n := range ended {
		if n.phase == api.PhaseDone {
			done++
		}
	}
	m := msg.NotifiedMsg{Tone: msg.ToneGood, Mark: widget.PhaseLook(api.PhaseDone).Mark, Text: a.env.Say("%d done", done)}
	if failed := len(ended) - done; failed > 0 {
		m = msg.NotifiedMsg{Tone: msg.ToneWarn, Text: a.env.Say("%d done, %d failed", done, failed)}
	}
	m.Text += a.whereJobsAre()
	return m
}

// whereJobsAre is the way to the jobs, unless they are in view.
func (a *App) whereJobsAre() string {
	if a.at == msg.PlaceJobs {
		return ""
	}
	return " · alt+2"
}

// cutTitle is as much of a job's title as the notice's line has room for next to
// the rest of its sentence: what happened is not what is cut.
func (a *App) cutTitle(n news, rest string) string {
	room := a.plan.Notice.W - 4 - theme.Width(rest)
	if a.plan.Notice == a.plan.Footer {
		room -= a.footerEntry(action.Named(a.globals, helpName)).to + 2
	}
	return theme.Cut(n.title, min(max(room, minTitle), maxTitle))
}
