package result

import (
	"context"
	"fmt"
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
	return picture.Picture{Width: 2000, Height: 1000, Cols: cols, Rows: rows}, nil
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
