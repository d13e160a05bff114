package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// settle is how long changes gather before they are told: many jobs that
// change at once are one message.
const settle = 40 * time.Millisecond

// awaitChange waits for the next change of jobs or health. It is armed again
// by App when its message arrives, so there is never more than one.
func awaitChange(k *env.Env, d appBackend) tea.Cmd {
	ctx, now := k.Context, k.Clock
	return func() tea.Msg {
		ids, err := d.Wait(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Without a pause a broken backend would be asked in a loop.
			env.Pause(ctx, time.Second)
			return msg.ChangedMsg{Err: err, At: now(), Health: d.Health(), Settings: d.Settings(), Again: true}
		}
		env.Pause(ctx, settle)
		m := look(ctx, d, now)
		m.IDs, m.Again = ids, true
		return m
	}
}

// lookAround reads the first figures of the header.
func lookAround(k *env.Env, d appBackend) tea.Cmd {
	ctx, now := k.Context, k.Clock
	return func() tea.Msg { return look(ctx, d, now) }
}

func tickOnce(k *env.Env) tea.Cmd {
	ctx, now := k.Context, k.Clock
	return func() tea.Msg {
		at := now()
		env.Pause(ctx, time.Second-time.Duration(at.Nanosecond()))
		return msg.TickedMsg{At: now()}
	}
}

// keepTime keeps one tick in flight as long as something shown needs it.
func (a *App) keepTime() tea.Cmd {
	if a.tick {
		return nil
	}
	c, ok := a.screens[a.at].(clock)
	if !ok || !c.Ticking() {
		return nil
	}
	a.tick = true
	return tickOnce(a.env)
}

// changed takes over what a change told and arms the next wait.
func (a *App) changed(m msg.ChangedMsg) tea.Cmd {
	var cmds []tea.Cmd
	if m.Again {
		cmds = append(cmds, awaitChange(a.env, a.backend))
	}
	before := a.env.Health
	a.env.Health = m.Health // known also when the store cannot be read
	if m.Err == nil {
		a.env.Today, a.env.Active, a.env.All, a.env.Unseen = m.Today, m.Active, m.All, m.Unseen
		a.env.At = m.At
	}
	cmds = append(cmds, a.settingsChanged(m.Settings), a.keyChanged(before), a.storeChanged(before, a.env.Health))
	cmds = append(cmds, a.lookForEnds(m.IDs), a.broadcast(m))
	return tea.Batch(cmds...)
}

// keyChanged goes to the key screen when the service refused the key, when the
// keyring had none after all, and when it keeps one waiting; then back once it
// answered, unless a key is being typed.
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

// look reads what the header shows.
func look(ctx context.Context, d appBackend, now func() time.Time) msg.ChangedMsg {
	m := msg.ChangedMsg{Health: d.Health(), Settings: d.Settings()}
	page, err := d.Jobs(ctx, state.Query{Limit: 1})
	if err == nil {
		m.Active, m.All, m.Unseen = page.Active, page.All, page.Unseen
		m.Today, err = d.Today(ctx)
	}
	if ctx.Err() == nil {
		m.Err = err
	}
	m.At = now()
	return m
}

// offerStore asks whether to go on with a new store, when the one there is
// damaged or was written by a newer darkroom. Nothing is sent until then.
func (a *App) offerStore() tea.Cmd {
	k := a.env
	ctx, d, done := k.Context, a.backend, k.Say("A new store is in use.")
	text := k.Reason(k.Health.ReadOnly) + "\n\n" +
		k.Say("Nothing is sent until you agree to go on with a new store. The old file is kept.")
	return msg.Open(widget.NewConfirm(k, k.Say("The store"), text, "y", "go on with a new store", func() tea.Cmd {
		return func() tea.Msg {
			if err := d.ChooseStore(ctx); err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
		}
	}))
}

func (a *App) whyNoChoice() string {
	return a.env.SayIf(!a.env.Health.Choice, "The store needs no decision.")
}

// storeChanged offers the choice as soon as there is one, or says once why
// nothing can be sent.
func (a *App) storeChanged(before, now state.Health) tea.Cmd {
	switch {
	case now.Choice && !before.Choice:
		a.intent.moved()
		return a.offerStore()
	case !now.ReadOnly.IsZero() && before.ReadOnly.IsZero() && !now.Choice:
		return msg.Notify(msg.ToneBad, a.env.Reason(now.ReadOnly))
	}
	return nil
}
