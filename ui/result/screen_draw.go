package result

import (
	"cmp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

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

// zoomStep is a size of the picture in full screen.
type zoomStep int

// Steps. zoomActual has one pixel of the file for one of the terminal, as far
// as the terminal's cells can tell.
const (
	zoomFit zoomStep = iota
	zoomActual
	zoomTwice
	zoomMost
	zoomSteps
)

// Cells that a key pans by.
const (
	panCols = 8
	panRows = 4
)

// zoomView is the size of the picture, and what of it is in view.
type zoomView struct {
	zoom       zoomStep
	panX, panY int // cells right of and below the middle
}

// mostCells is the most cells on a side that a picture can have.
const mostCells = 297

// cellPixels are the pixels of a file that a cell shows at its own size: two
// half blocks, or those of the terminal where it draws pixels.
func (f *fullScreen) cellPixels() picture.Cell {
	if f.k.Mode == picture.ModeBlocks {
		return picture.Cell{Width: 1, Height: 2}
	}
	return cmp.Or(f.k.Cell, picture.UsualCell)
}

// sign is the size of the picture as the upper border says it. A picture that
// has more cells than can be drawn is smaller than its own size.
func (z zoomView) sign(f *fullScreen) string {
	switch z.zoom {
	case zoomActual:
		cell := f.cellPixels()
		part := min(float64(mostCells*cell.Width)/float64(max(f.picture.Width, 1)), float64(mostCells*cell.Height)/float64(max(f.picture.Height, 1)))
		if part < 1 {
			return strconv.Itoa(int(100*part)) + " %"
		}
		return "1:1"
	case zoomTwice:
		return "2×"
	case zoomMost:
		return "4×"
	}
	return ""
}

// size is the box in cells that the picture is asked for.
func (z zoomView) size(f *fullScreen) (w, h int) {
	w, h = f.pictureRoom()
	switch z.zoom {
	case zoomActual:
		if f.picture.Width == 0 {
			return w, h
		}
		cell := f.cellPixels()
		w, h = (f.picture.Width+cell.Width-1)/cell.Width, (f.picture.Height+cell.Height-1)/cell.Height
	case zoomTwice:
		w, h = 2*w, 2*h
	case zoomMost:
		w, h = 4*w, 4*h
	}
	return min(max(w, 4), mostCells), min(max(h, 2), mostCells)
}

// pictureRoom is the room for the picture in the frame, above the line of facts.
func (f *fullScreen) pictureRoom() (w, h int) { return max(f.w-4, 0), max(f.h-3, 0) }

func (f *fullScreen) setZoom(z zoomStep) tea.Cmd {
	f.view = zoomView{zoom: z}
	return f.paint()
}

func (f *fullScreen) zoomBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		return f.setZoom(max(min(f.view.zoom+zoomStep(by), zoomSteps-1), zoomFit))
	}
}

func (f *fullScreen) pan(x, y int) {
	f.view.panX, f.view.panY = f.view.panX+x, f.view.panY+y
	if f.picture.Drawn() {
		f.clampPan()
	}
}

// clampPan keeps the view within the picture.
func (f *fullScreen) clampPan() {
	x, y := hidden(f.picture.Lines, f.w-4, f.h-3)
	f.view.panX = max(min(f.view.panX, x-x/2), -x/2)
	f.view.panY = max(min(f.view.panY, y-y/2), -y/2)
}

// hidden is how many cells more than the room a picture is wide and high.
func hidden(lines []string, w, h int) (x, y int) {
	if len(lines) == 0 {
		return 0, 0
	}
	return max(ansi.StringWidth(lines[0])-w, 0), max(len(lines)-h, 0)
}

// window is the part of the picture that is in view. Until a new size is drawn it
// is the middle of the old one.
func (f *fullScreen) window(w, h int) []string {
	lines := f.shownLines()
	x, y := hidden(lines, w, h)
	x, y = x/2, y/2
	if f.picture.Drawn() {
		x, y = x+f.view.panX, y+f.view.panY
	}
	return picture.Window(lines, x, y, w, h)
}
