package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
)

// The names of the actions that lead to all others.
const (
	allActions = "all_actions"
	helpName   = "help"
)

// globalActions is the table of what works on every screen. The first ones
// work anywhere, also while a field is edited.
func (a *App) globalActions() []action.Action {
	table := []action.Action{
		{Name: allActions, Keys: []string{"ctrl+k"}, Label: "all actions", Handler: a.openPalette, Always: true},
		{Name: helpName, Keys: []string{"f1", "?"}, Display: "?", Label: "help", Handler: a.openHelp},
	}
	for p, label := range tabLabels {
		digit := string(rune('1' + p))
		table = append(table, action.Action{
			Name: strings.ToLower(label), Keys: []string{"alt+" + digit, digit}, Label: label, Hidden: true,
			Handler: func() tea.Cmd { return a.show(msg.Place(p)) },
		})
	}
	return append(table,
		action.Action{Name: "new_store", Label: "go on with a new store", Hidden: true, Handler: a.offerStore, Disabled: a.whyNoChoice},
		action.Action{Name: "themes", Label: "theme", Hidden: true, Handler: a.openThemes, Disabled: a.whyNoFile},
		action.Action{Name: "reread_settings", Label: "read the settings file again", Hidden: true, Handler: a.reread, Disabled: a.whyNoFile},
		action.Action{Name: stopCommands, Keys: []string{"alt+x"}, Label: "stop your commands", Hidden: true,
			Handler: a.stopRunning, Disabled: a.whyNoneRuns},
		action.Action{Name: "command_output", Label: "output of your last command", Hidden: true, Handler: a.showOutput, Disabled: a.whyNoOutput},
		action.Action{Name: "suspend", Keys: []string{"ctrl+z"}, Label: "suspend", Hidden: true, Always: true, Handler: suspend},
		action.Action{Name: "quit", Keys: []string{"ctrl+q", "q"}, Display: "q", Label: "quit", Hidden: true, Handler: a.quit},
	)
}

// rebind gives a table the keys of the settings. Every table in force comes by
// here before a key or a drawing can reach it.
func (a *App) rebind(table []action.Action) {
	if version := a.env.Settings.Version; version > 0 || len(a.bindings) > 0 {
		action.Rebind(table, version, a.bindings, state.KeysOf)
	}
}

// tabLabels are the names of the tabs, in the order of their keys.
var tabLabels = [msg.PlaceCount]string{"Create", "Jobs", "Prices", "Tools"}

func (a *App) pressed(m tea.KeyPressMsg) tea.Cmd {
	key := m.String()
	switch key {
	case "ctrl+q":
		return a.quit()
	case "ctrl+c":
		return a.interrupt()
	}
	a.arming = 0
	if !a.typing() && a.intent.typedBefore(m) {
		return nil
	}
	a.notice.seen()
	if key == "ctrl+z" {
		return suspend()
	}
	if top := a.top(); top != nil {
		return a.pressedOverlay(top, m, key)
	}
	s := a.screens[a.at]
	typing := s.Typing()
	if typing && !a.anywhere(s, m, key) {
		if cmd, done := s.Edit(m); done {
			return cmd
		}
	}
	if !typing || !action.Printable(m) {
		own := action.Find(s.Actions(), key)
		if own == nil || !own.Over || own.Offer != nil && !own.Offer() {
			if act := action.Find(a.globals, key); act != nil {
				return a.perform(act)
			}
		}
		if own != nil {
			return a.perform(own)
		}
	}
	return s.Update(m)
}

// typing reports whether a field has the keys.
func (a *App) typing() bool {
	if top := a.top(); top != nil {
		return top.Typing()
	}
	return a.screens[a.at].Typing()
}

// whole reports whether a screen is in view, or an overlay that is as good as
// one: from there help and the list of all actions can be opened.
func (a *App) whole() bool {
	top := a.top()
	if top == nil {
		return true
	}
	wide, ok := top.(interface{ Whole() bool })
	return ok && wide.Whole()
}

func (a *App) pressedOverlay(top msg.Overlay, m tea.KeyPressMsg, key string) tea.Cmd {
	typing := top.Typing()
	if typing {
		if cmd, done := top.Edit(m); done {
			return cmd
		}
	}
	if !typing || !action.Printable(m) {
		if act := action.Find(top.Actions(), key); act != nil {
			return a.perform(act)
		}
		if act := action.Find(a.globals, key); act != nil && a.whole() && (act.Name == allActions || act.Name == helpName) {
			return a.perform(act)
		}
		if key == "esc" {
			a.closeTop()
			return nil
		}
	}
	return top.Update(m)
}

// anywhere reports whether a key is one that no field may take.
func (a *App) anywhere(s screen, m tea.KeyPressMsg, key string) bool {
	if action.Printable(m) {
		return false
	}
	if action.Find(a.globals, key) != nil {
		return true
	}
	act := action.Find(s.Actions(), key)
	return act != nil && act.Always
}

// clicked gives a press of the left button to the footer, the tab, the overlay
// or the screen under it.
func (a *App) clicked(m tea.MouseClickMsg) tea.Cmd {
	if m.Button != tea.MouseLeft || a.plan.TooSmall {
		return nil
	}
	entry := a.footerAt(m.X)
	a.notice.seen()
	front, top := a.front(), a.top()
	switch {
	case front.Holds(m.X, m.Y):
		return a.input(msg.ClickMsg{X: m.X - front.X, Y: m.Y - front.Y})
	case a.plan.Footer.Holds(m.X, m.Y) && entry != nil:
		return a.perform(entry)
	case a.plan.Header.Holds(m.X, m.Y) && top == nil:
		return a.clickedTab(m.X)
	}
	return nil
}

func (a *App) wheeled(m tea.MouseWheelMsg) tea.Cmd {
	by := 0
	switch m.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
		by = 1
	}
	if by == 0 || a.plan.TooSmall {
		return nil
	}
	front := a.front()
	return a.input(msg.WheelMsg{X: m.X - front.X, Y: m.Y - front.Y, By: by})
}

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

func isPriced(o msg.Overlay) bool {
	_, yes := o.(priced)
	return yes
}

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
