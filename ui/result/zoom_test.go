package result

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
)

// At its own size a pixel of the file is one of the terminal, and what has more
// cells than can be drawn says how small it is.
func TestThePictureAtItsOwnSize(t *testing.T) {
	t.Parallel()
	cell := picture.Cell{Width: 8, Height: 17}
	for _, c := range []struct {
		mode          picture.Mode
		cell          picture.Cell
		width, height int
		w, h          int
		sign          string
	}{
		{picture.ModeKitty, cell, 640, 360, 80, 22, "1:1"},
		{picture.ModeSixel, cell, 640, 360, 80, 22, "1:1"},
		{picture.ModeKitty, picture.Cell{}, 640, 360, 64, 18, "1:1"},
		{picture.ModeBlocks, cell, 200, 120, 200, 60, "1:1"},
		{picture.ModeKitty, cell, 7680, 4320, 297, 255, "30 %"},
		{picture.ModeBlocks, cell, 640, 360, 297, 180, "46 %"},
	} {
		f := &fullScreen{k: &env.Env{Mode: c.mode, Cell: c.cell}, w: 120, h: 36, view: zoomView{zoom: zoomActual}}
		f.picture.Width, f.picture.Height = c.width, c.height
		if w, h := f.view.size(f); w != c.w || h != c.h || f.view.sign(f) != c.sign {
			t.Errorf("%s, %v, %d×%d: %d×%d cells, %q", c.mode, c.cell, c.width, c.height, w, h, f.view.sign(f))
		}
	}
}

// onePlace is a place with one result.
type onePlace struct{ Place }

func (onePlace) Row() (state.Row, bool) { return state.Row{ID: "a", File: "a.png"}, true }

// measuredPainter has pictures of 2000 × 1000 pixels and notes the areas.
type measuredPainter struct{ areas []string }

func (m *measuredPainter) Load(_ context.Context, _ string, cols, rows int, _ picture.Terminal) (picture.Picture, error) {
	m.areas = append(m.areas, fmt.Sprintf("%d×%d", cols, rows))
	return picture.Picture{Lines: []string{""}, Width: 2000, Height: 1000, Cols: cols, Rows: rows}, nil
}

// Opened at its own size, the picture is asked for again when that is known.
func TestOpenedAtItsOwnSize(t *testing.T) {
	t.Parallel()
	painter := &measuredPainter{}
	k := newBench(t, painter).k
	k.Mode, k.Cell = picture.ModeKitty, picture.Cell{Width: 8, Height: 17}
	f := &fullScreen{k: k, place: onePlace{}, w: 120, h: 36, view: zoomView{zoom: zoomActual}}
	for cmds := []tea.Cmd{f.paint()}; len(cmds) > 0; cmds = cmds[1:] {
		if cmds[0] == nil {
			continue
		}
		switch m := cmds[0]().(type) {
		case tea.BatchMsg:
			cmds = append(cmds, m...)
		case msg.SequencedMsg:
			cmds = append(append(cmds, func() tea.Msg { return m.Message }), m.Rest...)
		default:
			cmds = append(cmds, f.handle(m))
		}
	}
	if got := strings.Join(painter.areas, " "); got != "116×33 250×59" {
		t.Errorf("drawn at %s", got)
	}
}

// Until another size is drawn the middle of the old one is shown, not the part
// that was chosen for the new one.
func TestTheMiddleIsShownUntilTheSizeIsDrawn(t *testing.T) {
	t.Parallel()
	f := &fullScreen{k: &env.Env{}, player: &Player{}, view: zoomView{zoom: zoomMax, panX: 4, panY: 2}}
	f.picture.Lines = []string{"00000000", "01234567", "11234568", "99999999"}
	if got := strings.Join(f.window(4, 2), " "); got != "2345 2345" {
		t.Errorf("while it is drawn: %q", got)
	}
	f.picture.drawn = true
	if got := strings.Join(f.window(4, 2), " "); got != "99" {
		t.Errorf("drawn: %q", got)
	}
}

// The middle of a zoomed picture is in view whatever its ratio, also of one that has
// more cells than can be drawn, and after the terminal became smaller and large again.
func TestTheMiddleIsZoomed(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ cols, rows int }{{297, 79}, {40, 66}, {232, 20}} {
		f := &fullScreen{k: &env.Env{}, player: &Player{}, view: zoomView{zoom: zoomTwice}}
		f.picture.drawn = true
		for y := range size.rows {
			line := []byte(strings.Repeat(".", size.cols))
			if y == size.rows/2 {
				line[size.cols/2] = 'x'
			}
			f.picture.Lines = append(f.picture.Lines, string(line))
		}
		for _, room := range []struct{ w, h int }{{120, 36}, {80, 24}, {120, 36}} {
			f.w, f.h = room.w, room.h
			f.clampPan()
			w, h := f.pictureRoom()
			lines := f.window(w, h)
			y := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "x") })
			if y < 0 || (y-min(h, size.rows)/2)/2 != 0 || (strings.IndexByte(lines[y], 'x')-min(w, size.cols)/2)/2 != 0 {
				t.Errorf("%v in %v: the middle is not in the middle of\n%s", size, room, strings.Join(lines, "\n"))
			}
		}
	}
}
