package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/env"
	"darkroom/ui/picture"
)

// sixels are the pictures that are drawn over the frame in pixels.
type sixels struct {
	drawn  []picture.Placed // as the frame was when they were drawn
	latest []picture.Placed // of the last frame
	wait   int              // of the latest sixelDueMsg
	due    bool             // it is on its way
}

// sixelPause is how long a frame has to stay before pictures are drawn over it:
// the renderer has written it then, and a held key draws none.
const sixelPause = 60 * time.Millisecond

// sixelDueMsg says that the pictures of a frame have stayed, and when they are ready
// to be drawn.
type sixelDueMsg struct {
	wait  int
	ready bool
}

// followSixels keeps the sixel pictures in step with the frame. What is no longer in
// it is wiped by drawing all cells again.
func (a *App) followSixels() tea.Cmd {
	if a.env.Mode != picture.ModeSixel && a.sixels.drawn == nil {
		return nil
	}
	now := a.frame().placed
	before := a.sixels.latest
	a.sixels.latest = now
	var wipe tea.Cmd
	for _, d := range a.sixels.drawn {
		q, in := samePlace(now, d)
		p, was := samePlace(before, d)
		if !in || was && p.Scrolled(q) {
			a.sixels.drawn, wipe = nil, tea.ClearScreen
			break
		}
	}
	return tea.Batch(wipe, a.awaitSixels(now, before))
}

// awaitSixels begins the wait for a frame that stays when something is to be
// drawn over it.
func (a *App) awaitSixels(now, before []picture.Placed) tea.Cmd {
	if len(a.missing(now)) == 0 {
		a.sixels.due = false
		return nil
	}
	if a.sixels.due && slices.EqualFunc(now, before, picture.Placed.Same) {
		return nil
	}
	a.sixels.wait++
	a.sixels.due = true
	return env.Later(a.env.Context, sixelPause, sixelDueMsg{wait: a.sixels.wait})
}

// missing are the pictures that are to be drawn, or drawn again.
func (a *App) missing(now []picture.Placed) []picture.Placed {
	var all []picture.Placed
	for _, p := range now {
		if d, ok := samePlace(a.sixels.drawn, p); !ok || d.Overwritten(p) {
			all = append(all, p)
		}
	}
	return all
}

// sixelsDue draws over a frame that stayed.
func (a *App) sixelsDue(m sixelDueMsg) tea.Cmd {
	if m.wait != a.sixels.wait || !a.sixels.due {
		return nil
	}
	now := a.frame().placed
	missing := a.missing(now)
	if !m.ready {
		return func() tea.Msg {
			for _, p := range missing {
				p.Sixel.Data()
			}
			return sixelDueMsg{m.wait, true}
		}
	}
	a.sixels.due = false
	var b strings.Builder
	for _, p := range missing {
		b.WriteString(p.Draw())
	}
	a.sixels.drawn = now
	if b.Len() == 0 {
		return nil
	}
	return tea.Raw(b.String())
}

func samePlace(all []picture.Placed, p picture.Placed) (picture.Placed, bool) {
	if i := slices.IndexFunc(all, p.Same); i >= 0 {
		return all[i], true
	}
	return picture.Placed{}, false
}
