package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
)

const (
	// confirmAfter is how long after a paste, and after a question began to be
	// shown, keys confirm nothing.
	confirmAfter = 300 * time.Millisecond
	// actAfter is how long after the screen changed by itself printable keys
	// that no field takes do nothing.
	actAfter = time.Second
	// typingPause is the pause that ends what was being typed then.
	typingPause = 500 * time.Millisecond
)

// intent tells keys that were meant for what is in view from those that were
// written before it came, or by a paste.
type intent struct {
	now     time.Time // when the message that is handled came
	confirm time.Time // until then nothing confirms
	act     time.Time // until then printable keys are for fields only
	asked   question
	scale   float64 // of these waits, for tests; 0 counts as 1
}

// scaled is a wait at the time scale of the settings, which is obeyed for a
// service on this machine only.
func (i *intent) scaled(d time.Duration) time.Duration {
	if i.scale <= 0 || i.scale == 1 {
		return d
	}
	return max(time.Duration(float64(d)*i.scale), 10*time.Millisecond)
}

// question is what the top overlay asks; the zero question is none.
type question struct {
	overlay msg.Overlay
	label   string // of the action that answers it
	ready   bool   // it can be answered now
	amount  int64  // the credits that the answer spends
}

// priced is implemented by overlays that ask for an agreement to a price, which
// may change while they are open.
type priced interface{ Amount() int64 }

func questionOf(o msg.Overlay) question {
	if o == nil {
		return question{}
	}
	table := o.Actions()
	for i := range table {
		if !table[i].Confirms {
			continue
		}
		q := question{overlay: o, label: table[i].Label, ready: table[i].Ready()}
		if p, ok := o.(priced); ok {
			q.amount = p.Amount()
		}
		return q
	}
	return question{}
}

// arrived takes note of the time, and of input that confirms nothing: the end
// of a paste may stand inside of what was pasted, and what follows then looks
// like typed keys. Keys that follow each other without a pause belong together.
func (i *intent) arrived(now time.Time, message tea.Msg) (pressed bool) {
	i.now = now
	switch message.(type) {
	case tea.PasteMsg, tea.PasteEndMsg:
		i.confirm = now.Add(i.scaled(confirmAfter))
	case tea.KeyPressMsg, tea.MouseClickMsg:
		return true
	}
	return false
}

// handled looks whether another question is asked than before the message.
func (i *intent) handled(top msg.Overlay, pressed bool) {
	asked := questionOf(top)
	if asked != i.asked && asked.ready || pressed && i.now.Before(i.confirm) {
		i.confirm = i.now.Add(i.scaled(confirmAfter))
	}
	i.asked = asked
}

// moved takes note that the screen changed without a key asking for it.
func (i *intent) moved() { i.act = i.now.Add(i.scaled(actAfter)) }

// typedBefore reports whether a printable key that no field takes was meant for
// what was in view before. Writing that goes on is not cut in the middle.
func (i *intent) typedBefore(m tea.KeyPressMsg) bool {
	if !action.Printable(m) || !i.now.Before(i.act) {
		return false
	}
	if until := i.now.Add(i.scaled(typingPause)); until.After(i.act) {
		i.act = until
	}
	return true
}

// perform does an action for a key or a click, or says why not. It alone
// decides whether something is confirmed.
func (a *App) perform(act *action.Action) tea.Cmd {
	if act.Confirms && a.intent.now.Before(a.intent.confirm) && act.Ready() {
		return a.notice.set(a.env, msg.NotifiedMsg{Tone: msg.ToneHint, Text: a.env.Say("Press %s again.", act.KeyText())})
	}
	return msg.Perform(act)
}
