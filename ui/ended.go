package ui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
)

// maxLooks bounds how many changed jobs are read to see whether they ended.
const maxLooks = 64

// endedMsg tells of jobs that have just ended, and of the one that the notice is
// about.
type endedMsg struct {
	news    []news
	preview string // a job to show, when the settings say so
	refused []msg.RefusedMsg
	msg.FailedMsg
}

// lookForEnds reads the changed jobs for those that ended since App began, and
// opens or shows what is done when the settings say so. The store lets one
// window alone do that.
func (a *App) lookForEnds(ids []string) tea.Cmd {
	fresh := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return a.ended[id] })
	if len(fresh) == 0 {
		return nil
	}
	fresh = fresh[:min(len(fresh), maxLooks)]
	look := lookAtEnds{a.env.Context, a.backend, a.began, a.env.Settings.OnDone, a.notice.About}
	return func() tea.Msg {
		var m endedMsg
		for _, id := range fresh {
			look.at(id, &m)
		}
		if len(m.news) == 0 {
			return nil
		}
		return m
	}
}

// lookAtEnds is what the command that looks for ended jobs works with.
type lookAtEnds struct {
	ctx     context.Context
	backend appBackend
	began   time.Time
	onDone  string
	about   string // the job that the notice tells of
}

// at looks at one changed job.
func (l *lookAtEnds) at(id string, m *endedMsg) {
	j, err := l.backend.Job(l.ctx, id)
	if err != nil {
		return
	}
	ended := j.Phase.Ended() && !j.EndedAt.Before(l.began)
	if id == l.about || ended {
		m.news = append(m.news, news{id, j.Title, j.Phase, j.ErrClass})
	}
	if !ended {
		return
	}
	switch {
	case j.Phase == api.PhaseDone:
		l.open(&j, m)
	case j.Phase == api.PhaseRejected && j.ErrClass != api.ClassKey && j.ErrClass != api.ClassCredits:
		m.refused = append(m.refused, msg.RefusedMsg{Request: j.Request, Problems: result.FieldErrors(l.ctx, l.backend, id)})
	}
}

// open opens or shows a job that is done, if the settings say so and no window
// did it yet.
func (l *lookAtEnds) open(j *state.Job, m *endedMsg) {
	if l.onDone != "open" && l.onDone != "preview" || j.Opened {
		return
	}
	first, err := l.backend.Results().MarkOpened(l.ctx, j.ID)
	switch {
	case err != nil:
		m.Err = err
	case first && l.onDone == "open":
		m.Err = l.backend.Results().Show(l.ctx, j.ID, 1, state.InOpener)
	case first:
		m.preview = j.ID
	}
}

// tookEnds remembers who ended, tells a person who is away, and shows what is
// to be shown unless something is being typed.
func (a *App) tookEnds(m endedMsg) tea.Cmd {
	ended := slices.DeleteFunc(slices.Clone(m.news), func(n news) bool { return !n.phase.Ended() })
	for _, n := range ended {
		a.ended[n.id] = true
	}
	cmds := []tea.Cmd{a.tellNews(m.news, ended)}
	if !a.away {
		cmds = append(cmds, a.attend())
	} else if len(ended) > 0 {
		a.missed = true
		cmds = append(cmds, tea.Raw(a.notification(ended)))
	}
	if m.preview != "" && a.top() == nil && a.at == msg.PlaceJobs && !a.screens[msg.PlaceJobs].Typing() {
		a.intent.moved()
		cmds = append(cmds, a.broadcast(msg.PreviewedMsg{ID: m.preview}))
	}
	for _, r := range m.refused {
		cmds = append(cmds, a.broadcast(r))
	}
	return tea.Batch(cmds...)
}

// attended takes note of the window gaining or losing the focus, and says what
// ended meanwhile.
func (a *App) attended(message tea.Msg) tea.Cmd {
	_, here := message.(tea.FocusMsg)
	a.away, a.env.Focused = !here, here
	if !here {
		return nil
	}
	if !a.missed {
		return tea.RequestBackgroundColor
	}
	a.missed = false
	return tea.Batch(tea.RequestBackgroundColor, a.lookBack(0))
}

// absence is what happened while nobody looked.
type absence struct {
	away   bool
	missed bool // something ended meanwhile
	ended  map[string]bool
	began  time.Time
}

// absentMsg brings what ended since a person last looked.
type absentMsg struct {
	absence       state.Absence
	msg.FailedMsg // why it could not be read
}

// lookBackPause leaves the processors to the first frame: looking back reads
// every job.
const lookBackPause = 100 * time.Millisecond

// lookBack reads what ended since a person last looked.
func (a *App) lookBack(after time.Duration) tea.Cmd {
	ctx, backend := a.env.Context, a.backend
	return func() tea.Msg {
		env.Pause(ctx, after)
		absence, err := backend.Results().Attend(ctx)
		return absentMsg{absence, msg.FailedMsg{Err: err}}
	}
}

// attend notes that the person has seen what ended.
func (a *App) attend() tea.Cmd {
	ctx, backend := a.env.Context, a.backend
	return func() tea.Msg {
		_, _ = backend.Results().Attend(ctx) // it is told once more, no harm
		return nil
	}
}

// welcomeBack says what ended while the program did not run, or while nobody
// looked.
func (a *App) welcomeBack(absence state.Absence) tea.Cmd {
	if absence.Count() == 0 {
		return nil
	}
	k, done, failed, expired, credits := a.env, absence.Done, absence.Broken, absence.Expired, env.Amount(absence.Credits)
	text := k.Say("While you were away: %d done, %d failed.", done, failed)
	switch {
	case expired > 0 && absence.Credits > 0:
		text = k.Say("While you were away: %d done, %d failed, %d with expired links, about %s cr.", done, failed, expired, credits)
	case expired > 0:
		text = k.Say("While you were away: %d done, %d failed, %d with expired links.", done, failed, expired)
	case absence.Credits > 0:
		text = k.Say("While you were away: %d done, %d failed, about %s cr.", done, failed, credits)
	}
	return a.notice.set(k, msg.NotifiedMsg{Tone: msg.ToneHint, Text: text})
}
