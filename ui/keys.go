package ui

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/widget"
)

// The names of the actions that lead to all others, and out.
const (
	allActions = "all_actions"
	helpName   = "help"
	quitName   = "quit"
)

// globalActions is the table of what works on every screen, and while a field is edited.
func (a *App) globalActions() []action.Action {
	k := a.env
	table := []action.Action{
		{Name: allActions, Keys: "ctrl+k", Label: "all actions", Handler: a.openPalette},
		{Name: helpName, Keys: "f1 ?", Display: "?", Label: "help", Handler: a.openHelp},
	}
	for p, label := range tabLabels {
		digit := string(rune('1' + p))
		table = append(table, action.Action{
			Name: strings.ToLower(label), Keys: action.Keys("alt+" + digit + " " + digit), Label: label, Also: tabWords[p],
			Handler: func() tea.Cmd { return a.show(msg.Place(p)) },
		})
	}
	return append(table, []action.Action{
		{Name: "spend", Keys: "$", Label: "spending", Also: "credits budget days", Handler: a.openSpending,
			Offer: func() bool { return a.at != msg.PlacePrices }}, // which says it itself
		{Name: "new_store", Label: "continue with a new database", Handler: a.offerStore,
			Disabled: func() string { return k.SayIf(!k.Health.Choice, "The database is fine.") }},
		{Name: "themes", Label: "theme", Also: "colours", Handler: a.openThemes},
		{Name: "language", Label: "language", Handler: func() tea.Cmd {
			file := filepath.Base(k.Settings.ConfigFile)
			return msg.Notify(msg.ToneHint, k.Say("Set lang to en or zh in %s. It is read again at once.", file))
		}},
		{Name: "reread_settings", Label: "read the settings file again", Handler: a.reread},
		{Name: stopCommands, Keys: "alt+x", Label: "stop your commands", Handler: a.stopRunning,
			Disabled: func() string { return k.SayIf(len(a.running) == 0, "No command is running.") }},
		{Name: "command_output", Label: "output of your last command",
			Handler: func() tea.Cmd {
				return msg.Open(k, widget.NewReader(k, a.last, cmp.Or(a.output, k.Say("The command printed nothing."))))
			},
			Disabled: func() string { return k.SayIf(a.last == "", "No command has ended yet.") }},
		{Name: "suspend", Keys: "ctrl+z", Label: "suspend: fg comes back", Handler: a.suspend},
		{Name: quitName, Keys: "ctrl+q q", Label: "quit", Handler: action.By(a.ask, false)},
	}...)
}

// rebind gives a table the keys of the settings, before a key or a drawing reaches it.
func (a *App) rebind(table []action.Action) {
	if version := a.env.Settings.Version; version > 0 || len(a.bindings) > 0 {
		action.Rebind(table, version, a.bindings, state.KeysOf)
	}
}

// tabLabels are the names of the tabs, in the order of their keys.
var tabLabels = [msg.PlaceCount]string{"Create", "Jobs", "Prices", "Tools"}

var tabWords = [msg.PlaceCount]string{"", "results gallery rating favourites compare contact sheet", "credits spending plan", "agents"}

// pressed gives a key to the first that knows it: leaving and interrupting come first, then
// the overlay on top, then the screen.
func (a *App) pressed(m tea.KeyPressMsg) tea.Cmd {
	key := m.String()
	switch key {
	case "ctrl+q", "ctrl+alt+q": // esc may have come just before
		return a.ask(false)
	case "ctrl+c", "ctrl+alt+c":
		if a.arming++; a.arming >= 2 {
			return a.ask(false)
		}
		return a.tell(msg.ToneHint, a.env.Say("Press ctrl+c again to quit."))
	}
	a.arming = 0
	s, over := a.surface(), a.top() != nil
	if !over {
		a.intent.clicked = tea.Mouse{}
	}
	if !s.Typing() && a.intent.typedBefore(m) {
		return nil
	}
	a.notice.NotifiedMsg = msg.NotifiedMsg{}
	if key == "ctrl+z" {
		return a.suspend()
	}
	typing, own, global := s.Typing(), action.Find(s.Actions(), key), action.Find(a.globals, key)
	if over && global != nil && (!a.whole() || global.Name == quitName) {
		global = nil
	}
	// No field of a screen takes a key that works everywhere.
	if always := !over && !action.Printable(m) && (global != nil || own != nil && own.Always); typing && !always {
		if cmd, done := s.Edit(m); done {
			return cmd
		}
	}
	switch {
	case typing && action.Printable(m):
	case own != nil && (over || global == nil || own.Over && (own.Offer == nil || own.Offer())):
		return a.perform(own)
	case global != nil && global.Name == quitName && action.Printable(m):
		if a.at == msg.PlaceCreate { // where text is written, a letter does not quit
			return tea.Batch(s.Update(m), a.tell(msg.ToneHint, a.env.Say("Press ctrl+q to quit.")))
		}
		return a.ask(true)
	case global != nil:
		return a.perform(global)
	}
	return s.Update(m)
}

// whole reports whether help and the list of all actions can be opened.
func (a *App) whole() bool {
	wide, ok := a.top().(interface{ Whole() bool })
	return a.top() == nil || ok && wide.Whole()
}

func (a *App) clicked(m tea.MouseClickMsg) tea.Cmd {
	if m.Button != tea.MouseLeft || a.plan.TooSmall {
		return nil
	}
	front, top := a.frame().front, a.top()
	act := a.shownAt(m.X, m.Y, front)
	a.notice.NotifiedMsg = msg.NotifiedMsg{}
	if act != nil && act.Confirms && a.intent.near(m) { // it may have led here
		return a.tell(msg.ToneHint, a.env.Say("Move the pointer, and click again."))
	}
	if act == nil || !a.tooSoon(act) {
		a.intent.clicked = m.Mouse()
	}
	switch {
	case act != nil:
		return a.perform(act)
	case front.Holds(m.X, m.Y):
		return a.surface().Update(msg.ClickMsg{X: m.X - front.X, Y: m.Y - front.Y})
	case a.plan.Header.Holds(m.X, m.Y) && top == nil:
		if p := slices.IndexFunc(a.tabs(), func(t tab) bool { return m.X >= t.from && m.X < t.to }); p >= 0 {
			return a.show(msg.Place(p))
		}
	}
	return nil
}

// shownAt is the action whose key is shown at a cell, or nil.
func (a *App) shownAt(x, y int, front widget.Rect) *action.Action {
	own, dialog := a.top().(keyed)
	screen, shows := a.screens[a.at].(interface{ At(x, y int) *action.Action })
	switch {
	case dialog && front.Holds(x, y):
		return own.Keys().At(front.W, front.H, x-front.X, y-front.Y)
	case shows && a.top() == nil && front.Holds(x, y):
		return screen.At(x-front.X, y-front.Y)
	case a.plan.Footer.Holds(x, y):
		keys, from := a.foot()
		return keys.At(a.plan.Footer.W+4, 2, x-from+2, 0)
	}
	return nil
}

func (a *App) wheeled(m tea.MouseWheelMsg) tea.Cmd {
	by := map[tea.MouseButton]int{tea.MouseWheelUp: -1, tea.MouseWheelDown: 1}[m.Button]
	if by == 0 || a.plan.TooSmall {
		return nil
	}
	front := a.frame().front
	return a.surface().Update(msg.WheelMsg{X: m.X - front.X, Y: m.Y - front.Y, By: by})
}

const (
	// confirmAfter is how long after a paste or a new question keys confirm nothing.
	confirmAfter = 300 * time.Millisecond
	// heldAfter is the same where the key that answers a question has led to it: held down, it
	// repeats itself that late at first.
	heldAfter = time.Second
	// actAfter is how long after the screen changed by itself printable keys
	// that no field takes do nothing.
	actAfter = time.Second
	// showAfter is how long after a key nothing opens by itself.
	showAfter = 1500 * time.Millisecond
	// typingPause is the pause that ends what was being typed then.
	typingPause = 500 * time.Millisecond
)

// intent tells keys that were meant for what is in view from those that were
// written before it came, or by a paste.
type intent struct {
	now     time.Time // when the message that is handled came
	confirm time.Time // until then nothing confirms
	act     time.Time // until then printable keys are for fields only
	show    time.Time // until then nothing opens by itself
	asked   question
	key     string    // the last one,
	keyAt   time.Time // when it came
	clicked tea.Mouse // the last click that did something; the zero Mouse is none
	scale   float64   // of these waits, for tests
}

// scaled is a wait at the time scale of the settings.
func (i *intent) scaled(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)*i.scale), 10*time.Millisecond)
}

// question is what the top overlay asks; the zero question is none.
type question struct {
	overlay msg.Overlay
	label   string // of the action that answers it
	keys    string // which do
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

func questionOf(o msg.Overlay) (q question) {
	if o == nil {
		return q
	}
	if act, ok := api.Find(o.Actions(), func(act action.Action) bool { return act.Confirms }); ok {
		q = question{overlay: o, label: act.Label, keys: string(act.Keys), ready: act.Ready()}
		if p, ok := o.(priced); ok {
			q.amount = p.Amount()
		}
	}
	return q
}

// arrived takes note of the time, and of input that confirms nothing: the end
// of a paste may stand inside of what was pasted, and what follows then looks
// like typed keys. Keys that follow each other without a pause belong together.
func (i *intent) arrived(now time.Time, message tea.Msg) (pressed bool) {
	i.now = now
	switch m := message.(type) {
	case tea.MouseWheelMsg:
		i.show = now.Add(i.scaled(showAfter))
	case tea.ResumeMsg:
		i.confirm = now.Add(i.scaled(confirmAfter)) // of an hour
	case tea.PasteMsg, tea.PasteEndMsg, tea.WindowSizeMsg:
		i.wait(&i.confirm, confirmAfter)
	case tea.KeyPressMsg:
		i.show, i.key, i.keyAt = now.Add(i.scaled(showAfter)), m.String(), now
		return true
	case tea.MouseClickMsg:
		i.show = now.Add(i.scaled(showAfter))
		return true
	}
	return false
}

// near reports whether a click lies at most two cells from the last one, which may have led to
// the question that it answers.
func (i *intent) near(m tea.MouseClickMsg) bool {
	x, y := m.X-i.clicked.X, m.Y-i.clicked.Y
	return i.clicked != tea.Mouse{} && max(x, -x, y, -y) <= 2
}

func (i *intent) handled(top msg.Overlay, pressed bool) {
	asked := questionOf(top)
	switch changed := asked != i.asked; {
	case changed && slices.Contains(strings.Fields(asked.keys), i.key) && i.now.Before(i.keyAt.Add(i.scaled(heldAfter))):
		i.wait(&i.confirm, heldAfter) // it may have led there by way of an answer
	case changed && asked.ready, pressed && i.now.Before(i.confirm):
		i.wait(&i.confirm, confirmAfter)
	}
	i.asked = asked
}

// wait puts a moment off to after some time, or leaves it if it is later.
func (i *intent) wait(until *time.Time, d time.Duration) {
	if next := i.now.Add(i.scaled(d)); next.After(*until) {
		*until = next
	}
}

// moved takes note that the screen changed without a key asking for it.
func (i *intent) moved() { i.act = i.now.Add(i.scaled(actAfter)) }

// typedBefore reports whether a printable key was meant for what was in view before.
// Writing that goes on is not cut in the middle.
func (i *intent) typedBefore(m tea.KeyPressMsg) bool {
	if !action.Printable(m) || !i.now.Before(i.act) {
		return false
	}
	i.wait(&i.act, typingPause)
	return true
}

// perform does an action for a key or a click, or says why not. It alone
// decides whether something is confirmed.
func (a *App) perform(act *action.Action) tea.Cmd {
	if why := act.Why(); why != "" {
		return a.tell(msg.ToneHint, why)
	}
	if a.tooSoon(act) {
		return a.tell(msg.ToneHint, a.env.Say("Press %s again.", act.KeyText()))
	}
	if act.Closes {
		a.closeTop() // the next key is for what is below, however soon it comes
	}
	if act.Handler == nil {
		return nil
	}
	return act.Handler()
}

// tooSoon reports whether what is confirmed was not in view long enough, or is not at all.
func (a *App) tooSoon(act *action.Action) bool {
	return act.Confirms && (a.plan.TooSmall || a.intent.now.Before(a.intent.confirm))
}
