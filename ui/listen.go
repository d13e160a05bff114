package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
)

// settle is how long changes gather before they are told: many jobs that
// change at once are one message.
const settle = 40 * time.Millisecond

// awaitChange waits for the next change of jobs or standing. It is armed again
// by App when its message arrives, so there is never more than one.
func awaitChange(k *kit, d appBackend) tea.Cmd {
	ctx, now := k.ctx, k.clock
	return func() tea.Msg {
		ids, err := d.Wait(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			// Without a pause a broken backend would be asked in a loop.
			pause(ctx, time.Second)
			return changedMsg{err: err, at: now(), standing: d.Standing(), again: true}
		}
		pause(ctx, settle)
		m := look(ctx, d)
		m.ids, m.at, m.again = ids, now(), true
		return m
	}
}

// lookAround reads the first figures of the header.
func lookAround(k *kit, d appBackend) tea.Cmd {
	ctx, now := k.ctx, k.clock
	return func() tea.Msg {
		m := look(ctx, d)
		m.at = now()
		return m
	}
}

func tickOnce(k *kit) tea.Cmd {
	ctx, now := k.ctx, k.clock
	return func() tea.Msg {
		at := now()
		pause(ctx, time.Second-time.Duration(at.Nanosecond()))
		return tickedMsg{now()}
	}
}

// changed takes over what a change told and arms the next wait.
func (a *App) changed(m changedMsg) tea.Cmd {
	var cmds []tea.Cmd
	if m.again {
		cmds = append(cmds, awaitChange(a.kit, a.backend))
	}
	before := a.kit.standing
	if m.err == nil {
		a.kit.standing, a.kit.today, a.kit.active, a.kit.all = m.standing, m.today, m.active, m.all
		a.kit.at = m.at
	}
	cmds = append(cmds, a.keyChanged(before), a.storeChanged(before, a.kit.standing), a.lookForEnds(m.ids), a.broadcast(m))
	return tea.Batch(cmds...)
}

// keyChanged goes to the key screen when the service refused the key, when the
// keyring had none after all, and when it keeps one waiting; then back once it
// answered, unless a key is being typed.
func (a *App) keyChanged(before state.Standing) tea.Cmd {
	now := a.kit.standing
	refused := now.KeyRefused && !before.KeyRefused
	missing := now.KeyHint == "" && !now.KeyPending && before.KeyPending
	waiting := now.KeyPending && now.KeyError != "" && before.KeyError == ""
	if (refused || missing || waiting) && !now.Demo {
		return a.show(placeKey)
	}
	if s, ok := a.screens[placeKey].(interface{ idle() bool }); ok && a.at == placeKey && before.KeyPending && now.KeyHint != "" && s.idle() {
		return a.show(placeCreate)
	}
	return nil
}

// look reads what the header shows.
func look(ctx context.Context, d appBackend) changedMsg {
	m := changedMsg{standing: d.Standing()}
	page, err := d.Jobs(ctx, state.Query{Limit: 1})
	if err == nil {
		m.active, m.all = page.Active, page.All
		m.today, err = d.Today(ctx)
	}
	if ctx.Err() == nil {
		m.err = err
	}
	return m
}
