package result

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// readPause is how long a result must stay chosen before its job is read: a held
// key starts nothing.
const readPause = 70 * time.Millisecond

// fullScreen is the overlay that shows the result chosen in a place as large as
// it fits, with one line of facts. It follows the place's choice, and is itself
// a place for the verbs.
type fullScreen struct {
	widget.Passive
	k       *env.Env
	backend Backend
	place   Place
	verbs   *Verbs
	table   []action.Action

	id      string // of the result that is shown
	seq     int    // of the last pause before its job is read
	job     state.Job
	loaded  bool
	file    int
	picture Preview
	view    zoomView
	player  *Player // of a video
	sheet   bool    // a video's nine frames are shown
	w, h    int     // of the body
}

// FullClosedMsg says that the full screen was left.
type FullClosedMsg struct{}

// fullDueMsg says that a result has stayed chosen.
type fullDueMsg struct {
	of  *fullScreen
	seq int
}

// OpenFullScreen shows the result that is chosen in a place alone, with zoom at
// its own size.
func OpenFullScreen(k *env.Env, b Backend, p Place, m *Marks, zoom bool) tea.Cmd {
	f := &fullScreen{k: k, backend: b, place: p, player: NewPlayer(k)}
	f.verbs = NewVerbs(k, b, f, m, func() bool { return true })
	f.table = f.makeTable()
	if zoom {
		f.view.zoom = zoomActual
	}
	return msg.Open(f)
}

// makeTable are the verbs, of which enter opens the file here, and the ways to
// move.
func (f *fullScreen) makeTable() []action.Action {
	keys := func(k ...string) []string { return k }
	table := []action.Action{
		{Name: "back", Keys: keys("esc", "q"), Display: "esc", Label: "back", Handler: f.back},
		{Name: "next_result", Keys: keys("right", "l"), Display: "←/→", Label: "choose", Hidden: true, Handler: f.steer(1, 0)},
		{Name: "previous_result", Keys: keys("left", "h"), Label: "previous result", Hidden: true, Handler: f.steer(-1, 0)},
		{Name: "down", Keys: keys("down", "j"), Label: "next result", Hidden: true, Handler: f.steer(0, 1)},
		{Name: "up", Keys: keys("up", "k"), Label: "previous result", Hidden: true, Handler: f.steer(0, -1)},
		{Name: "next_file", Keys: keys("tab", "]"), Label: "next file", Handler: f.step(1), Disabled: f.whyOneFile},
		{Name: "previous_file", Keys: keys("shift+tab", "["), Label: "previous file", Hidden: true, Handler: f.step(-1), Disabled: f.whyOneFile},
		{Name: "zoom_in", Keys: keys("+", "="), Label: "zoom in", Hidden: true, Handler: f.zoomBy(1)},
		{Name: "zoom_out", Keys: keys("-"), Label: "zoom out", Hidden: true, Handler: f.zoomBy(-1)},
		{Name: "play", Keys: keys("space"), Label: "play", Handler: f.play, Offer: f.playable, Disabled: f.whyNoVideo},
	}
	for _, verb := range f.verbs.Actions() {
		switch verb.Name {
		case "full_screen":
			verb.Label, verb.Hidden = "open", true
		case "hide", "settle":
			verb.Hidden = true
		}
		table = append(table, verb)
	}
	return action.First(table, "back", "favourite", "reject", "stars_1", "next_file", "make_video")
}

// Row is the result that is chosen in the place.
func (f *fullScreen) Row() (state.Row, bool) { return f.place.Row() }

// Job is the one that is shown, when it was read.
func (f *fullScreen) Job() (state.Job, bool) { return f.job, f.loaded }

// File is the number of the file that is shown.
func (f *fullScreen) File() int { return f.file }

// Move chooses another result in the place.
func (f *fullScreen) Move(by int) tea.Cmd {
	move := f.place.Move(by)
	return tea.Batch(move, f.follow())
}

// Enter opens the file, and with zoom changes the size.
func (f *fullScreen) Enter(zoom bool) tea.Cmd {
	if zoom && f.showsVideo() {
		return f.toSheet()
	}
	if zoom {
		return f.setZoom((f.view.zoom + 1) % zoomSteps)
	}
	if why := f.verbs.whyNoFile(); why != "" {
		return msg.Notify(msg.ToneHint, why)
	}
	return f.verbs.Open()
}

// SetRating shows a rating before the store has it.
func (f *fullScreen) SetRating(id string, r state.Rating) { f.place.SetRating(id, r) }

// Actions are the overlay's keys.
func (f *fullScreen) Actions() []action.Action { return f.table }

// Whole is true: help and the list of all actions can be opened from here.
func (f *fullScreen) Whole() bool { return true }

// back leaves the zoom, then the overlay.
func (f *fullScreen) back() tea.Cmd {
	f.player.Stop()
	if f.sheet {
		return f.toSheet()
	}
	if f.view.zoom != zoomFit {
		return f.setZoom(zoomFit)
	}
	return msg.Sequence(f.picture.Close(), msg.CloseTop, func() tea.Msg { return FullClosedMsg{} })
}

// steer pans while the picture is zoomed, else it chooses another result.
func (f *fullScreen) steer(x, y int) func() tea.Cmd {
	return func() tea.Cmd {
		if f.view.zoom != zoomFit {
			f.pan(panCols*x, panRows*y)
			return nil
		}
		return f.Move(x + y)
	}
}

func (f *fullScreen) step(by int) func() tea.Cmd {
	return func() tea.Cmd {
		n := len(f.job.Files)
		f.file = (f.file + by + n) % n
		f.player.Stop()
		f.view = zoomView{}
		return f.paint()
	}
}

func (f *fullScreen) whyOneFile() string {
	return f.k.SayIf(!f.loaded || len(f.job.Files) < 2, "This job has one file at most.")
}

// Update takes answers, sizes, the mouse, and keys that lead to the tabs.
func (f *fullScreen) Update(message tea.Msg) tea.Cmd {
	cmd := f.handle(message)
	return tea.Batch(f.verbs.Update(message), cmd, f.follow())
}

func (f *fullScreen) handle(message tea.Msg) tea.Cmd {
	if f.picture.Update(message) {
		cmd := f.paint() // its own size was not known before
		if f.picture.Drawn() {
			f.clampPan()
		}
		return cmd
	}
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		f.w, f.h = bodySize(m)
		f.player.Stop() // its frames have the old size
		return f.paint()
	case tea.KeyPressMsg:
		return f.toTab(m.String())
	case fullDueMsg:
		if m.of == f && m.seq == f.seq {
			return f.read()
		}
	case playMsg:
		return f.player.Update(m)
	case msg.WheelMsg:
		return f.steer(0, m.By)()
	}
	return nil
}

// toTab leaves the overlay for a tab.
func (f *fullScreen) toTab(key string) tea.Cmd {
	for p := range msg.PlaceCount {
		if key == "alt+"+string(rune('1'+p)) {
			f.player.Stop()
			return msg.Sequence(f.picture.Close(), msg.GoTo(p))
		}
	}
	return nil
}

// follow shows the result that is chosen now, and reads one again that changed.
func (f *fullScreen) follow() tea.Cmd {
	row, ok := f.place.Row()
	switch {
	case !ok:
		return nil
	case row.ID == f.id && (!f.loaded || f.job.Version >= row.Version):
		return nil
	case row.ID == f.id:
		f.job.Version = row.Version // it is asked for once
		return f.read()
	}
	f.player.Stop()
	f.sheet = false
	f.id, f.loaded, f.job, f.file = row.ID, false, state.Job{}, 0
	f.view.panX, f.view.panY = 0, 0
	f.seq++
	seq, of, ctx := f.seq, f, f.k.Context
	due := func() tea.Msg {
		env.Pause(ctx, readPause)
		return fullDueMsg{of, seq}
	}
	if row.File == "" {
		return tea.Batch(f.picture.Close(), due)
	}
	return tea.Batch(f.paint(), due)
}

// read reads the job, and notes that it was looked at.
func (f *fullScreen) read() tea.Cmd {
	id, backend := f.id, f.backend
	row, _ := f.place.Row()
	return f.verbs.ask(func(ctx context.Context) (func(*Verbs) tea.Cmd, error) {
		if row.Unseen {
			_ = backend.Results().See(ctx, id) // the badge stays, no more
		}
		job, err := backend.Job(ctx, id)
		return func(*Verbs) tea.Cmd { return f.take(job) }, err
	})
}

// take shows a job that was read, if it is the chosen one still.
func (f *fullScreen) take(job state.Job) tea.Cmd {
	if job.ID != f.id {
		return nil
	}
	f.job, f.loaded = job, true
	f.file = max(min(f.file, len(job.Files)-1), 0)
	return f.paint()
}

// path is the file that is shown, or "".
func (f *fullScreen) path() string {
	if f.loaded && f.file < len(f.job.Files) {
		return f.job.Files[f.file].Path
	}
	if row, ok := f.place.Row(); ok && f.file == 0 {
		return row.File
	}
	return ""
}

// paint asks for the picture at the size of now.
func (f *fullScreen) paint() tea.Cmd {
	w, h := f.view.size(f)
	return f.picture.Want(f.k, Thumb{Path: f.path(), Cols: w, Rows: h, Sheet: f.sheet && f.showsVideo()})
}

// Box draws the overlay over the whole body.
func (f *fullScreen) Box(w, h int) string {
	k, t := f.k, f.k.Theme
	row, ok := f.place.Row()
	p := widget.Pane{Width: w, Height: h, Title: row.Title, Focus: true}
	if !ok {
		p.Title = k.Say("Nothing selected")
		return strings.Join(p.Lines(t, nil), "\n")
	}
	p.Right = f.signs(&row)
	inner, high := p.Inner()
	room := max(high-1, 0)
	lines := make([]string, 0, high)
	switch shown := f.window(inner, room); {
	case f.picture.Why != "" && !f.player.Playing() || row.File == "" && len(f.picture.Lines) == 0:
		lines = append(lines, f.instead(&row, inner, room)...)
	default:
		lines = append(lines, Centred(shown, inner, room)...)
	}
	for len(lines) < room {
		lines = append(lines, "")
	}
	lines = append(lines[:room], theme.Cut(f.factLine(&row), inner))
	return strings.Join(p.Lines(t, lines), "\n")
}

// signs are what stands in the upper border: mark, rating, file and zoom.
func (f *fullScreen) signs(row *state.Row) string {
	var parts []string
	if f.verbs.marks.Has(row.ID) {
		parts = append(parts, "◆ "+f.k.Say("marked"))
	}
	if s := RatingText(row.Rating); s != "" {
		parts = append(parts, s)
	}
	if f.loaded && len(f.job.Files) > 1 {
		parts = append(parts, f.k.Say("file %d of %d", f.file+1, len(f.job.Files)))
	}
	if why := f.player.Why(); why != "" {
		parts = append(parts, why)
	}
	if sign := f.view.sign(f); sign != "" {
		parts = append(parts, sign)
	}
	return strings.Join(parts, " · ")
}

// instead stands where no picture is: why, the phase, the error and the prompt.
func (f *fullScreen) instead(row *state.Row, w, h int) []string {
	request := api.Request{Kind: row.Kind}
	if f.loaded {
		request = f.job.Request
	}
	return Instead(f.k.Theme, Ratio(request), w, h, func(w int) []string {
		k, t, look := f.k, f.k.Theme, widget.PhaseLook(row.Phase)
		facts := widget.Facts{Width: w, Theme: t}
		facts.Painted(widget.PhaseStyle(&t.Styles, row.Phase).Paint(look.Mark + " " + k.Say(look.Word)))
		if f.picture.Why != "" {
			facts.Wrapped(t.Text, k.Say("No preview: %s", f.picture.Why))
		}
		if !row.Error.IsZero() {
			facts.Wrapped(t.Text, k.Reason(row.Error))
		}
		facts.Gap()
		facts.Wrapped(t.Muted, api.CleanLines(request.Prompt, 5000).String())
		return facts.Lines
	})
}

// factLine is the one line of facts.
func (f *fullScreen) factLine(row *state.Row) string {
	k, t := f.k, f.k.Theme
	if !f.loaded {
		return t.Muted.Paint(strings.Join(RowFacts(k, row), " · "))
	}
	return t.Muted.Paint(strings.Join(JobFacts(k, &f.job), " · "))
}
