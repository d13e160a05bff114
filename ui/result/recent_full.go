package result

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// full is an overlay with a result as large as it fits.
type full struct {
	k       *env.Env
	recent  *Recent // what is chosen there is shown
	w, h    int
	picture Preview
	table   []action.Action
	box     widget.Memo[fullKey, string]
}

// fullKey is all that the overlay's drawing depends on.
type fullKey struct {
	recent  RecentKey
	w, h    int
	picture int
}

// OpenFull shows the chosen result alone.
func (r *Recent) OpenFull() tea.Cmd {
	if r.Empty() {
		return nil
	}
	f := &full{k: r.k, recent: r}
	f.table = []action.Action{
		{Name: "back", Keys: []string{"esc", "enter", "q"}, Display: "esc", Label: "back", Handler: f.back},
		{Name: "next_result", Keys: []string{"right", "l", "down", "j"}, Display: "←/→", Label: "choose", Handler: f.step(1)},
		{Name: "previous_result", Keys: []string{"left", "h", "up", "k"}, Label: "previous result", Hidden: true, Handler: f.step(-1)},
	}
	return msg.Open(f)
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

// Update takes sizes and pictures.
func (f *full) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		body := widget.LayoutFor(m.Width, m.Height).Body
		f.w, f.h = body.W, body.H
		return f.paint()
	case recentReadMsg, msg.ChangedMsg:
		return f.paint()
	case PaintedMsg:
		cmd, _ := f.picture.Painted(m)
		return cmd
	case msg.ArrivedMsg:
		f.picture.Arrived(m)
	case msg.WheelMsg:
		return f.step(m.By)()
	}
	return nil
}

func (f *full) back() tea.Cmd { return tea.Batch(f.k.Erase(f.picture.ID()), msg.CloseTop) }

func (f *full) step(by int) func() tea.Cmd {
	return func() tea.Cmd { return tea.Batch(f.recent.Move(by), f.paint()) }
}

// room is the room for the picture, above two lines of facts.
func (f *full) room() (cols, rows int) {
	w, h := widget.Pane{Width: f.w, Height: f.h}.Inner()
	return w, max(h-3, 1)
}

// paint asks for the picture at the size there is for it.
func (f *full) paint() tea.Cmd {
	if f.recent.Empty() {
		return nil
	}
	path := f.recent.path(f.recent.at(), f.recent.file)
	if path == "" {
		erase := f.k.Erase(f.picture.ID())
		f.picture = Preview{}
		return erase
	}
	cols, rows := f.room()
	return f.picture.Want(f.k, path, cols, rows)
}

// Box draws the overlay.
func (f *full) Box(w, h int) string {
	key := fullKey{f.recent.Key(), w, h, f.picture.Edits()}
	return f.box.Get(key, f.draw)
}

func (f *full) draw() string {
	r := f.recent
	p := widget.Pane{Width: f.w, Height: f.h, Title: f.k.Say("Result"), Focus: true}
	if r.Empty() {
		return strings.Join(p.Lines(f.k.Theme, nil), "\n")
	}
	j, _ := r.Chosen()
	p.Title = j.Title
	p.Right = f.k.Say("%d of %d", r.at()+1, len(r.cards))
	cols, rows := f.room()
	body := r.bigPicture(&f.picture, cols, rows)
	return strings.Join(p.Lines(f.k.Theme, append(body, "", theme.Cut(r.factLine(&j), cols), theme.Cut(r.timeLine(&j), cols))), "\n")
}
