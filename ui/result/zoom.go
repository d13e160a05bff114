package result

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"darkroom/ui/picture"
)

// zoomStep is a size of the picture in full screen.
type zoomStep int

// Steps. zoomActual has one pixel of the file for one of the terminal, as far
// as the terminal's cells can tell.
const (
	zoomFit zoomStep = iota
	zoomActual
	zoomTwice
	zoomMax
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

// maxCells is the most cells on a side that a picture can have.
const maxCells = 297

// cellPixels are the pixels of a file that a cell shows at its own size: two
// half blocks, or those of the terminal where it draws pixels.
func (f *fullScreen) cellPixels() picture.Cell {
	if f.k.Mode == picture.ModeBlocks {
		return picture.Cell{Width: 1, Height: 2}
	}
	return cmp.Or(f.k.Cell, picture.DefaultCell)
}

// sign is the size of the picture as the upper border says it. A picture that
// has more cells than can be drawn is smaller than its own size.
func (z zoomView) sign(f *fullScreen) string {
	switch z.zoom {
	case zoomActual:
		cell := f.cellPixels()
		part := min(float64(maxCells*cell.Width)/float64(max(f.picture.Width, 1)),
			float64(maxCells*cell.Height)/float64(max(f.picture.Height, 1)))
		if part < 1 {
			return strconv.Itoa(int(100*part)) + " %"
		}
		return "1:1"
	case zoomTwice:
		return "2×"
	case zoomMax:
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
	case zoomMax:
		w, h = 4*w, 4*h
	}
	return min(max(w, 4), maxCells), min(max(h, 2), maxCells)
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
