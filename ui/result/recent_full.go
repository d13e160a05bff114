package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// full is an overlay with a result as large as it fits.
type full struct {
	recent *Recent // what is chosen there is shown
	table  []action.Action
	box    widget.Memo[RecentKey, string]
}

// Enter shows the chosen result alone.
func (r *Recent) Enter(bool) tea.Cmd {
	if r.Empty() {
		return nil
	}
	f := &full{recent: r}
	f.table = []action.Action{
		{Name: "back", Keys: []string{"esc", "enter", "q"}, Display: "esc", Label: "back", Handler: f.back},
		{Name: "next_result", Keys: []string{"right", "l", "down", "j"}, Display: "←/→", Label: "choose", Handler: f.step(1)},
		{Name: "previous_result", Keys: []string{"left", "h", "up", "k"}, Label: "previous result", Hidden: true, Handler: f.step(-1)},
	}
	for _, verb := range r.verbs.Actions() {
		if verb.Name != "full_screen" && verb.Name != "settle" {
			f.table = append(f.table, f.leaving(verb))
		}
	}
	j, _ := r.Job()
	return tea.Batch(msg.Open(f), func() tea.Msg { return msg.SeenMsg{ID: j.ID} })
}

// Actions are the overlay's keys.
func (f *full) Actions() []action.Action { return f.table }

// Typing is false: there is no field.
func (f *full) Typing() bool { return false }

// Edit takes no key.
func (f *full) Edit(tea.KeyPressMsg) (tea.Cmd, bool) { return nil, false }

// Cursor is nil: there is no field.
func (f *full) Cursor() *tea.Cursor { return nil }

// Restyle does nothing: the drawing states what it depends on.
func (f *full) Restyle() {}

// Update takes sizes. The pictures are those of the strip.
func (f *full) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		return f.recent.setFull(widget.Rect{W: body.W, H: body.H})
	case msg.WheelMsg:
		return f.recent.Move(m.By)
	}
	return nil
}

// setFull sets the size of the overlay with the chosen result.
func (r *Recent) setFull(size widget.Rect) tea.Cmd {
	r.full = size
	r.edits++
	return r.want()
}

func (f *full) back() tea.Cmd {
	return tea.Batch(f.recent.setFull(widget.Rect{}), msg.CloseTop)
}

// leaving makes a verb that loads something into Create close the overlay
// before; App closes what is open when it shows a screen.
func (f *full) leaving(verb action.Action) action.Action {
	switch verb.Name {
	case "make_video", "again", "use", "edit", "final":
		handler := verb.Handler
		verb.Handler = func() tea.Cmd { return tea.Batch(f.recent.setFull(widget.Rect{}), handler()) }
	}
	return verb
}

func (f *full) step(by int) func() tea.Cmd {
	return func() tea.Cmd { return f.recent.Move(by) }
}

// Box draws the overlay.
func (f *full) Box(int, int) string { return f.box.Get(f.recent.Key(), f.draw) }

func (f *full) draw() string {
	r := f.recent
	p := widget.Pane{Width: r.full.W, Height: r.full.H, Title: r.k.Say("Result"), Focus: true}
	if r.Empty() {
		return strings.Join(p.Lines(r.k.Theme, nil), "\n")
	}
	j, _ := r.Job()
	p.Title = j.Title
	p.Right = r.k.Say("%d of %d", r.at()+1, len(r.cards))
	w, _ := p.Inner()
	body := append(r.bigPicture(r.full), "", theme.Cut(r.factLine(&j), w), theme.Cut(r.timeLine(&j), w))
	return strings.Join(p.Lines(r.k.Theme, body), "\n")
}
