package ui

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/result"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// awaitChange waits for the next change. There is never more than one.
func awaitChange(k *env.Env, d Session) tea.Cmd {
	ctx, now := k.Context, k.Clock
	return func() tea.Msg {
		ids, err := d.Wait(ctx)
		if err != nil {
			return nil // the program or the session ends
		}
		env.Pause(ctx, 40*time.Millisecond) // changes gather, and are told as one
		m := look(ctx, d, now)
		m.IDs, m.Again = ids, true
		return m
	}
}

func (a *App) keepTime() tea.Cmd {
	s, ok := a.screens[a.at].(interface{ Ticking() bool }) // which shows times passing
	if a.tick || !ok || !s.Ticking() {
		return nil
	}
	a.tick = true
	ctx, now := a.env.Context, a.env.Clock
	return func() tea.Msg {
		env.Pause(ctx, time.Second-time.Duration(now().Nanosecond()))
		return msg.TickedMsg{At: now()}
	}
}

// changed takes over what a change told and arms the next wait.
func (a *App) changed(m msg.ChangedMsg) tea.Cmd {
	var again tea.Cmd
	if m.Again {
		again = awaitChange(a.env, a.opts.Session)
	}
	before := a.env.Health
	a.env.Health = m.Health // known also when the store cannot be read
	if m.Err == nil {
		a.env.Today, a.env.Active, a.env.All, a.env.Unseen = m.Today, m.Active, m.All, m.Unseen
		a.env.At = m.At
		again = tea.Batch(again, a.ring(m.Asks))
	}
	return tea.Batch(again, a.settingsChanged(m.Settings), a.keyChanged(before), a.storeChanged(before),
		a.lookForEnds(m.IDs), a.broadcast(m))
}

// keyChanged goes to the key screen when a key is refused, missing or waits, and back
// once it answered, unless a key is being typed.
func (a *App) keyChanged(before state.Health) tea.Cmd {
	now := a.env.Health
	refused := now.KeyRefused && !before.KeyRefused
	missing := now.KeyHint == "" && !now.KeyPending && before.KeyPending
	waiting := now.KeyPending && !now.KeyError.IsZero() && before.KeyError.IsZero()
	if (refused || missing || waiting) && !now.Demo {
		return a.showUnasked(msg.PlaceKey)
	}
	answered := before.KeyPending && now.KeyHint != ""
	if s, ok := a.screens[msg.PlaceKey].(interface{ Idle() bool }); ok && a.at == msg.PlaceKey && answered && s.Idle() {
		return a.showUnasked(msg.PlaceCreate)
	}
	return nil
}

func look(ctx context.Context, d Session, now func() time.Time) msg.ChangedMsg {
	m := msg.ChangedMsg{Health: d.Health(), Settings: d.Settings()}
	if m.Page, m.Err = d.Jobs(ctx, state.Query{Limit: 1}); m.Err == nil {
		m.Today, m.Err = d.Today(ctx)
	}
	m.At = now()
	return m
}

// offerStore asks whether to go on with a new store. Nothing is sent until then.
func (a *App) offerStore() tea.Cmd {
	k := a.env
	text := k.Reason(k.Health.ReadOnly) + "\n\n" +
		k.Say("Nothing is sent until you agree to continue with a new database. The old file is kept.")
	return msg.Open(k, widget.NewConfirm(k, k.Say("The store"), text, "y", "continue with a new database", func() tea.Cmd {
		return result.Call(k.Context, k.Say("A new database is in use."), a.opts.Session.ChooseStore)
	}))
}

func (a *App) storeChanged(before state.Health) tea.Cmd {
	switch now := a.env.Health; {
	case now.Choice && !before.Choice:
		a.intent.moved()
		return a.offerStore()
	case !now.ReadOnly.IsZero() && before.ReadOnly.IsZero() && !now.Choice:
		return msg.Notify(msg.ToneBad, a.env.Reason(now.ReadOnly))
	}
	return nil
}

// ring tells of what agents ask for, each request once, also a person who is away.
func (a *App) ring(asks []state.Row) (cmd tea.Cmd) {
	a.env.Asked = len(asks)
	fresh, total := false, api.Credits(0)
	for i, one := range asks { // those of an entry stand together
		fresh, total = fresh || !a.rung[one.ID], total.Plus(one.Credits)
		a.rung[one.ID] = true
		if i+1 < len(asks) && asks[i+1].Entry == one.Entry {
			continue
		}
		if text := a.env.Say("%s asks for %s credits", one.Entry, total.String()); fresh {
			cmd = tea.Batch(cmd, a.tell(msg.ToneWarn, text+" · "+action.Named(a.globals, "jobs").KeyText()))
			if !a.env.Focused {
				cmd = tea.Batch(cmd, tea.Raw(a.alert(text)))
			}
		}
		fresh, total = false, 0
	}
	return cmd
}

// endedMsg brings jobs that have just ended, and the one that the notice is about.
type endedMsg struct {
	jobs    []state.Job
	preview string // a job to show, when the settings say so
	refused []msg.RefusedMsg
	unseen  bool // a video of which no frame can be drawn
	msg.FailedMsg
}

// lookForEnds reads the changed jobs for those that ended since App began.
func (a *App) lookForEnds(ids []string) tea.Cmd {
	fresh := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return a.ended[id] })
	if len(fresh) == 0 {
		return nil
	}
	fresh = fresh[:min(len(fresh), 64)] // each is read
	ctx, backend, began, onDone, about := a.env.Context, a.opts.Session, a.began, a.env.Settings.OnDone, a.notice.About
	return func() tea.Msg {
		var m endedMsg
		for _, id := range fresh {
			j, err := backend.Job(ctx, id)
			ended := j.Phase.Ended() && !j.EndedAt.Before(began)
			if err != nil || !ended && id != about {
				continue
			}
			m.jobs = append(m.jobs, j)
			m.unseen = m.unseen || j.Phase == api.PhaseDone && j.Kind == api.KindVideo && !picture.Frames()
			switch {
			case !ended:
			case j.Phase == api.PhaseDone && (onDone == "open" || onDone == "preview") && !j.Opened:
				first, err := backend.Results().MarkOpened(ctx, id) // the store lets one window do it
				if first && onDone == "open" {
					err = backend.Results().Show(ctx, id, 1, state.InOpener)
				} else if first {
					m.preview = id
				}
				m.Err = cmp.Or(m.Err, err)
			case j.Phase == api.PhaseRejected && j.ErrClass != api.ClassKey && !j.ErrClass.UsedUp():
				m.refused = append(m.refused, msg.RefusedMsg{Request: j.Request, Problems: result.FieldErrors(ctx, backend, id)})
			}
		}
		if len(m.jobs) == 0 {
			return nil
		}
		return m
	}
}

// tookEnds shows what ended, and tells a person who is away.
func (a *App) tookEnds(m endedMsg) tea.Cmd {
	var ended []state.Job
	notice, about := msg.NotifiedMsg{}, false
	for _, j := range m.jobs {
		switch {
		case !j.Phase.Ended():
			if j.ID == a.notice.About {
				notice, about = a.underWay(&j), true
			}
			continue
		case j.Phase != api.PhaseDone && a.at != msg.PlaceJobs:
			a.failed++
		}
		ended = append(ended, j)
		a.ended[j.ID] = true
	}
	unread := a.notice.Tone == msg.ToneBad && a.notice.Text != "" && a.notice.About == ""
	if !about && len(ended) > 0 && !unread { // an error stays until it was read
		notice = a.endOf(ended)
	}
	if m.unseen && !a.toldFrames && notice.Text != "" {
		a.toldFrames = true
		notice.Text += " · " + a.env.Say("install ffmpeg to see it here")
	}
	var cmds []tea.Cmd
	if notice.Text != "" {
		cmds = append(cmds, a.note(notice))
	}
	switch {
	case a.env.Focused && a.lookedBack: // else that counts what was read since the start
		ctx, backend := a.env.Context, a.opts.Session
		cmds = append(cmds, func() tea.Msg { _, _ = backend.Attend(ctx); return nil }) // without this note they are told once more, no harm
	case !a.env.Focused && len(ended) > 0:
		a.missed = true
		cmds = append(cmds, tea.Raw(a.notification(ended)))
	}
	quiet := !a.intent.now.Before(a.intent.show)
	if m.preview != "" && quiet && a.top() == nil && a.at == msg.PlaceJobs && !a.screens[msg.PlaceJobs].Typing() {
		a.intent.moved()
		cmds = append(cmds, a.broadcast(msg.PreviewedMsg{ID: m.preview}))
	}
	return tea.Batch(append(cmds, api.Map(m.refused, func(r msg.RefusedMsg) tea.Cmd { return a.broadcast(r) })...)...)
}

func (a *App) attended(message tea.Msg) tea.Cmd {
	var back tea.Cmd
	if _, a.env.Focused = message.(tea.FocusMsg); !a.env.Focused {
		return nil
	}
	if a.missed {
		back = a.lookBack(0)
	}
	a.missed = false
	return tea.Batch(tea.RequestBackgroundColor, back)
}

// lookBackPause leaves the processors to the first frame: every job is read.
const lookBackPause = 100 * time.Millisecond

func (a *App) lookBack(after time.Duration) tea.Cmd {
	ctx, backend := a.env.Context, a.opts.Session
	return func() tea.Msg {
		env.Pause(ctx, after)
		absence, err := backend.Attend(ctx)
		return thenMsg(func(app *App) tea.Cmd { return app.welcomeBack(absence, err) })
	}
}

func (a *App) welcomeBack(absence state.Absence, err error) tea.Cmd {
	a.lookedBack = true
	switch {
	case err != nil: // it could not be read
		return a.tell(msg.ToneBad, env.Sentence(a.env, err))
	case absence.Count() == 0:
		return nil
	}
	k := a.env
	text := k.Say("While you were away: %d done, %d failed", absence.Done, absence.Broken) +
		k.SayIf(absence.Expired > 0, ", %d with expired links", absence.Expired) +
		k.SayIf(absence.Credits > 0, ", about %s cr", absence.Credits.String())
	return a.tell(msg.ToneHint, env.AsSentence(text))
}

// SettingsFile is the settings file as the screens change it; a state.Session
// is one. It is called from commands only.
type SettingsFile interface {
	// Reread reads the file if it has changed, or always when asked to, and reports
	// whether that changed the settings.
	Reread(always bool) bool
	SaveTheme(name string) error
}

func (a *App) settingsChanged(now state.Settings) tea.Cmd {
	before := a.env.Settings
	if now.Version <= before.Version {
		return nil
	}
	a.env.Settings = now
	if now.Lang != before.Lang {
		a.env.Words = words.For(now.Lang)
	}
	a.bindings = bindingsOf(now)
	a.rebind(a.globals)
	a.restyle()
	cmds := []tea.Cmd{a.note(a.settingsNotice())}
	if now.Pictures != before.Pictures {
		a.setPictures()
		if query := a.detector.Query(); query != "" {
			cmds = append(cmds, tea.Raw(query), readCellSize)
		}
		cmds = append(cmds, a.repaint())
	}
	return tea.Batch(cmds...)
}

// settingsNotice says what is wrong with the settings, else that they were read.
func (a *App) settingsNotice() msg.NotifiedMsg {
	set := &a.env.Settings
	if len(set.Problems) == 0 {
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: a.env.Say("The settings file was read again.")}
	}
	// The whole path would push what is wrong out of the line.
	text := env.AsSentence(strings.ReplaceAll(a.env.Words.Reason(set.Problems[0]), set.ConfigFile, filepath.Base(set.ConfigFile)))
	if more := len(set.Problems) - 1; more > 0 {
		text += " " + a.env.Say("(%d more: darkroom doctor)", more)
	}
	if set.Refused {
		text = a.env.Say("Settings unchanged.") + " " + text
	}
	return msg.NotifiedMsg{Tone: msg.ToneWarn, Text: text}
}

func (a *App) reread() tea.Cmd {
	file, same := a.opts.SettingsFile, a.env.Say("The settings file has not changed.")
	return func() tea.Msg {
		if file.Reread(true) {
			return nil // it is told as a change
		}
		return msg.NotifiedMsg{Tone: msg.ToneHint, Text: same}
	}
}

func bindingsOf(set state.Settings) map[string]action.Binding {
	all := map[string]action.Binding{}
	for name, keys := range set.Keys {
		all[name] = action.Binding{Keys: keys}
	}
	for i, c := range set.Commands {
		all[result.CommandName(i)] = action.Binding{
			Keys:  strings.Fields(c.Key),                 // none or one
			Label: strings.ReplaceAll(c.Name, "%", "%%"), // a label is a format
		}
	}
	return all
}
