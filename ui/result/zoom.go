package result

import (
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
	zoomMost
	zoomSteps
)

func (z zoomStep) next() zoomStep { return (z + 1) % zoomSteps }

// Cells that a key pans by.
const (
	panCols = 8
	panRows = 4
)

// zoomView is the size of the picture, and what of it is in view.
type zoomView struct {
	zoom       zoomStep
	panX, panY int // cells left of and above the view
}

// mostCells is the most cells on a side that a picture can have.
const mostCells = 297

// Pixels of a cell: two half blocks, or what is sent for one to a terminal that
// draws pixels.
const (
	pixelsWide = 10
	pixelsHigh = 20
)

// size is the box in cells that the picture is asked for.
func (z zoomView) size(f *fullScreen) (w, h int) {
	w, h = f.pictureRoom()
	switch z.zoom {
	case zoomActual:
		if f.picture.Width == 0 {
			return w, h
		}
		if f.k.Mode == picture.ModeKitty {
			w, h = (f.picture.Width+pixelsWide-1)/pixelsWide, (f.picture.Height+pixelsHigh-1)/pixelsHigh
		} else {
			w, h = f.picture.Width, (f.picture.Height+1)/2
		}
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
	if z != zoomFit { // the middle of the picture stays in view
		w, h := f.view.size(f)
		roomW, roomH := f.pictureRoom()
		f.view.panX, f.view.panY = max(w-roomW, 0)/2, max(h-roomH, 0)/2
	}
	f.version++
	return f.paint()
}

func (f *fullScreen) zoomBy(by int) func() tea.Cmd {
	return func() tea.Cmd {
		return f.setZoom(max(min(f.view.zoom+zoomStep(by), zoomSteps-1), zoomFit))
	}
}

func (f *fullScreen) pan(x, y int) {
	f.view.panX, f.view.panY = f.view.panX+x, f.view.panY+y
	f.clampPan()
}

// clampPan keeps the view within the picture.
func (f *fullScreen) clampPan() {
	w, h := f.pictureRoom()
	cols := 0
	for _, l := range f.picture.Lines[:min(len(f.picture.Lines), 1)] {
		cols = ansi.StringWidth(l)
	}
	f.view.panX = max(min(f.view.panX, cols-w), 0)
	f.view.panY = max(min(f.view.panY, len(f.picture.Lines)-h), 0)
}

// window is the part of lines that is in view.
func (z zoomView) window(lines []string, w, h int) []string {
	from := min(z.panY, len(lines))
	lines = lines[from:min(from+h, len(lines))]
	if len(lines) == 0 || ansi.StringWidth(lines[0]) <= w {
		return lines
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Cut(l, z.panX, z.panX+w)
	}
	return out
}
