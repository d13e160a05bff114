package result

import (
	"cmp"
	"context"
	"image"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// StayPause is how long a result must stay chosen before its job is read, or its picture
// drawn, and it counts as looked at: a held key draws none that is passed over.
const StayPause = 70 * time.Millisecond

// fullScreen is the overlay that shows the result chosen in a place as large as
// it fits, with one line of facts. It is itself a place for the verbs.
type fullScreen struct {
	widget.Passive
	Place   // where the result was chosen
	k       *env.Env
	backend Backend
	verbs   *Verbs

	id      string // of the result that is shown
	job     state.Job
	loaded  bool
	file    int
	picture Preview
	zoom    int          // of zooms
	panX    int          // cells right of the middle
	panY    int          // and below it
	player  *Player      // of a video
	sheet   bool         // a video's nine frames are shown
	ground  theme.Ground // of the last picture
	w, h    int          // of the body
}

// FullClosedMsg says that the full screen was left.
type FullClosedMsg struct{}

// OpenFullScreen shows the chosen result alone, with zoom at its own size.
func OpenFullScreen(k *env.Env, b Backend, p Place, m *Marks, zoom bool) tea.Cmd {
	f := &fullScreen{Place: p, k: k, backend: b, player: NewPlayer(k), picture: NewPreview(k)}
	f.verbs = NewVerbs(k, b, f, m, func() bool { return true })
	f.Table = f.makeTable()
	if zoom {
		f.zoom = zoomActual
	}
	return msg.Open(k, f)
}

func (f *fullScreen) makeTable() []action.Action {
	by := action.By[int]
	table := []action.Action{
		{Name: "back", Keys: "esc q", Display: "esc", Label: "back", Handler: f.back},
		{Name: "next_result", Keys: "right l", Display: "←/→", Label: "previous or next", Handler: f.steer(1, 0)},
		{Name: "previous_result", Keys: "left h", Label: "previous result", Hidden: true, Handler: f.steer(-1, 0)},
		{Name: "down", Keys: "down j", Display: "j/k", Label: "another result", Hidden: true, Handler: f.steer(0, 1)},
		{Name: "up", Keys: "up k", Label: "previous result", Hidden: true, Handler: f.steer(0, -1)},
		{Name: "next_file", Keys: "tab ]", Label: "another file", Handler: by(f.step, 1), Disabled: f.whyOneFile},
		{Name: "previous_file", Keys: "shift+tab [", Label: "previous file", Hidden: true,
			Handler: by(f.step, -1), Disabled: f.whyOneFile},
		{Name: "zoom_in", Keys: "+ =", Display: "+/-", Label: "larger or smaller", Hidden: true, Handler: by(f.zoomBy, 1)},
		{Name: "zoom_out", Keys: "-", Label: "zoom out", Hidden: true, Handler: by(f.zoomBy, -1)},
		{Name: "play", Keys: "space", Label: "play", Handler: f.play, Disabled: f.whyNoVideo},
		{Name: "next_frame", Keys: ".", Display: ",/.", Label: "one frame back or on", Hidden: true,
			Handler: by(f.stepFrame, 1), Disabled: f.whyNoVideo},
		{Name: "previous_frame", Keys: ",", Label: "previous frame", Hidden: true, Handler: by(f.stepFrame, -1), Disabled: f.whyNoVideo},
	}
	for _, verb := range f.verbs.Table {
		switch verb.Name {
		case "full_screen":
			verb.Label, verb.Hidden = "open", true
		case "hide", "settle", "send_again":
			verb.Hidden = true
		case "make_video":
			verb.Handler, verb.Disabled, verb.Offer = f.nextShot, f.whyNoShot, func() bool { return f.player.run != nil }
		}
		table = append(table, verb)
	}
	return action.First(table, "back", "next_result", "play", "stars_1", "make_video", "favourite", "reject", "next_file")
}

func (f *fullScreen) Job() (state.Job, bool) { return f.job, f.loaded }
func (f *fullScreen) File() int              { return f.file }

func (f *fullScreen) Move(by int) tea.Cmd {
	return tea.Batch(f.Place.Move(by), f.follow())
}

// Enter opens the file, and with zoom changes the size.
func (f *fullScreen) Enter(zoom bool) tea.Cmd {
	why := f.verbs.whyNoFiles()
	switch {
	case zoom && f.showsVideo():
		return f.toSheet()
	case zoom:
		return f.setZoom((f.zoom + 1) % len(zooms))
	case why != "":
		return msg.Notify(msg.ToneHint, why)
	}
	return f.verbs.Open()
}

func (f *fullScreen) Whole() bool { return true } // help can be opened from here

// back leaves the contact sheet, then the zoom, then the full screen.
func (f *fullScreen) back() tea.Cmd {
	f.player.Stop()
	switch {
	case f.sheet:
		return f.toSheet()
	case f.zoom != zoomFit:
		return f.setZoom(zoomFit)
	}
	return tea.Batch(f.picture.Close(), f.k.Do(msg.ClosedMsg{}, FullClosedMsg{}))
}

// steer pans while the picture is zoomed, else it chooses another result.
func (f *fullScreen) steer(x, y int) func() tea.Cmd {
	return func() tea.Cmd {
		if f.zoom != zoomFit {
			f.panX, f.panY = f.panX+panCols*x, f.panY+panRows*y
			f.clampPan()
			return nil
		}
		return f.Move(x + y)
	}
}

// step shows another file of the job, as large as it fits.
func (f *fullScreen) step(by int) tea.Cmd {
	n := len(f.job.Files)
	f.file = (f.file + by + n) % n
	f.player.Stop()
	return f.setZoom(zoomFit)
}

func (f *fullScreen) whyOneFile() string {
	return f.k.SayIf(len(f.job.Files) < 2, "This job has one file at most.")
}

func (f *fullScreen) Update(message tea.Msg) tea.Cmd {
	cmd, play := f.handle(message), action.Named(f.Table, "play")
	if play.Label = "play"; f.player.run != nil && f.player.run != held {
		play.Label = "stop"
	}
	return tea.Batch(f.verbs.Update(message), cmd, f.follow())
}

// Restyle tints the ground by the picture; that of the last one stays until there is another.
func (f *fullScreen) Restyle() {
	if f.picture.Mean.A > 0 {
		f.ground = f.k.Theme.Tint(f.picture.Mean)
	}
}

func (f *fullScreen) handle(message tea.Msg) tea.Cmd {
	if f.picture.Update(message) {
		f.Restyle()
		cmd := f.paint() // its own size was not known before
		f.clampPan()
		return cmd
	}
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		f.w, f.h = m.Width, m.Height
		f.player.Stop() // its frames have the old size
		return f.paint()
	case msg.WentMsg:
		f.player.Stop()
		return f.picture.Close()
	case playMsg:
		return f.player.Update(m)
	case msg.WheelMsg:
		return f.steer(0, m.By)()
	}
	return nil
}

// follow shows the result that is chosen now, and reads one again that changed.
func (f *fullScreen) follow() tea.Cmd {
	row, ok := f.Row()
	switch {
	case !ok || row.ID == f.id && (!f.loaded || f.job.Version >= row.Version):
		return nil
	case row.ID == f.id:
		f.job.Version = row.Version // it is asked for once
		return f.read()
	}
	f.player.Stop()
	f.sheet = false
	f.id, f.loaded, f.job, f.file = row.ID, false, state.Job{}, 0
	f.panX, f.panY = 0, 0
	due := env.Later(f.k.Context, StayPause, answerMsg{asker: f.verbs, then: func() tea.Cmd {
		if row.ID != f.id {
			return nil
		}
		return f.read()
	}})
	if row.File == "" {
		return tea.Batch(f.picture.Close(), due)
	}
	return tea.Batch(f.paint(), due)
}

// read reads the job, and notes that it was looked at.
func (f *fullScreen) read() tea.Cmd {
	id, backend := f.id, f.backend
	row, _ := f.Row()
	return ask(f.verbs, func(ctx context.Context) (state.Job, error) {
		if row.Unseen {
			backend.Results().See(ctx, id)
		}
		return backend.Job(ctx, id)
	}, func(job state.Job) tea.Cmd {
		if job.ID != f.id {
			return nil
		}
		f.job, f.loaded = job, true
		f.file = max(min(f.file, len(job.Files)-1), 0)
		return f.paint()
	})
}

// path is the shown file; of the first one the row knows it before the job is read.
func (f *fullScreen) path() string {
	if f.file < len(f.job.Files) {
		return f.job.Files[f.file].Path
	}
	if row, ok := f.Row(); ok && f.file == 0 {
		return row.File
	}
	return ""
}

func (f *fullScreen) paint() tea.Cmd {
	w, h := f.pictureSize()
	th := Thumb{Path: f.path(), Cols: w, Rows: h}
	if f.sheet && f.showsVideo() {
		th.Stills = image.Pt(3, 3)
	}
	return f.picture.Want(th)
}

func (f *fullScreen) Box(w, h int) string {
	k, t := f.k, f.k.Theme
	row, ok := f.Row()
	p := widget.Pane{Width: w, Height: h, Title: row.Title, Focus: true, Quiet: true, Ground: f.ground, Inset: true}
	if !ok {
		p.Title = k.Say("Nothing selected")
		return strings.Join(p.Lines(t, nil), "\n")
	}
	mark, file := "", k.SayIf(len(f.job.Files) > 1, "file %d of %d", f.file+1, len(f.job.Files))
	if f.verbs.marks.Has(row.ID) {
		mark = "✓ " + k.Say("marked")
	}
	words := env.Said(mark, Length(k, row.Kind, row.Duration), file, f.player.why, f.zoomSign())
	signs := api.Map(words, func(word string) string { return t.Chip(t.Muted.Paint(word)) })
	if n, of := f.At(); of > 1 {
		signs = append(signs, t.Muted.Paint(k.Say("%s of %s", env.Thousands(n+1), env.Thousands(of))))
	}
	if rating := PaintRating(t, row.Rating); rating != "" && row.Files > 0 {
		signs = append(signs, rating)
	}
	p.Right = strings.Join(signs, "  ")
	inner, high := p.Inner()
	room := max(high-3, 0)
	lines := Centred(f.window(inner, room), inner, room)
	if f.picture.Why != "" && f.player.run == nil || row.File == "" && len(f.picture.Lines) == 0 {
		lines = f.instead(&row, inner, room)
	}
	lines = append([]string{""}, lines...)
	line := t.Muted.Paint(strings.Join(FactsIn(k, f), " · "))
	if f.player.run == nil {
		line = widget.Between(line, t.Muted.Paint(widget.Tilde(row.File, k.Home)), inner) // where it fits whole
	} else {
		line = theme.Cut(line, inner/2) + "   "
		line += f.position(inner - theme.Width(line))
	}
	lines = append(lines, "", theme.Cut(line, inner))
	return strings.Join(p.Lines(t, lines), "\n")
}

func (f *fullScreen) instead(row *state.Row, w, h int) []string {
	request := f.job.Request
	request.Kind = row.Kind // also before it is loaded
	return Instead(f.k.Theme, Ratio(request), w, h, func(w int) []string {
		k, t := f.k, f.k.Theme
		facts := widget.Facts{Width: w, Theme: t}
		facts.Painted(widget.PhaseText(k, row.Phase))
		facts.Wrapped(t.Text, k.SayIf(f.picture.Why != "", "No preview: %s", f.picture.Why))
		facts.Wrapped(t.Text, Failure(k, row))
		facts.Gap()
		facts.Wrapped(t.Muted, api.CleanLines(request.Prompt, 5000).String())
		return facts.Lines
	})
}

// zooms are the sizes of a picture in proportion to the room. 0 is its own: one pixel of the
// file for one of the terminal, as far as the terminal's cells can tell.
var zooms = [...]int{zoomFit: 1, zoomActual: 0, 2, 4}

const (
	zoomFit = iota
	zoomActual
)

// Cells that a key pans by.
const (
	panCols = 8
	panRows = 4
)

// cellPixels are the pixels of a file that a cell shows at its own size: two as
// blocks, or those of the terminal where it draws pixels.
func (f *fullScreen) cellPixels() picture.Cell {
	if f.k.Mode == picture.ModeBlocks {
		return picture.Cell{Width: 1, Height: 2}
	}
	return cmp.Or(f.k.Cell, picture.DefaultCell)
}

// zoomSign is the size of the picture as the upper border says it. A picture that
// has more cells than can be drawn is smaller than its own size.
func (f *fullScreen) zoomSign() string {
	switch factor := zooms[f.zoom]; {
	case factor == 1:
		return ""
	case factor > 1:
		return strconv.Itoa(factor) + "×"
	}
	cell := f.cellPixels()
	part := min(float64(picture.MaxCells*cell.Width)/float64(max(f.picture.Width, 1)),
		float64(picture.MaxCells*cell.Height)/float64(max(f.picture.Height, 1)))
	if part < 1 {
		return strconv.Itoa(int(100*part)) + " %"
	}
	return "1:1"
}

// pictureSize is the box in cells that the picture is asked for.
func (f *fullScreen) pictureSize() (w, h int) {
	w, h = f.pictureRoom()
	if factor := zooms[f.zoom]; factor > 0 {
		w, h = factor*w, factor*h
	} else if f.picture.Width > 0 {
		cell := f.cellPixels()
		w, h = (f.picture.Width+cell.Width-1)/cell.Width, (f.picture.Height+cell.Height-1)/cell.Height
	}
	return min(max(w, 4), picture.MaxCells), min(max(h, 2), picture.MaxCells)
}

func (f *fullScreen) pictureRoom() (w, h int) { return max(f.w-2*widget.Inset, 0), max(f.h-5, 0) }

func (f *fullScreen) setZoom(z int) tea.Cmd {
	f.zoom, f.panX, f.panY = z, 0, 0
	return f.paint()
}

func (f *fullScreen) zoomBy(by int) tea.Cmd {
	return f.setZoom(max(min(f.zoom+by, len(zooms)-1), zoomFit))
}

// clampPan keeps the window within the picture.
func (f *fullScreen) clampPan() {
	if !f.picture.Drawn {
		return
	}
	w, h := f.pictureRoom()
	x, y := hidden(f.picture.Lines, w, h)
	f.panX = max(min(f.panX, x-x/2), -x/2)
	f.panY = max(min(f.panY, y-y/2), -y/2)
}

// hidden is how many columns and lines of a picture have no room.
func hidden(lines []string, w, h int) (x, y int) {
	return max(ansi.StringWidth(cmp.Or(lines...))-w, 0), max(len(lines)-h, 0)
}

// window is the part of the picture in view, of the old size until a new one is drawn.
func (f *fullScreen) window(w, h int) []string {
	lines := f.shownLines()
	x, y := hidden(lines, w, h)
	x, y = x/2, y/2
	if f.picture.Drawn {
		x, y = x+f.panX, y+f.panY
	}
	return picture.Window(lines, x, y, w, h)
}
