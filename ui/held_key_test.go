package ui

import (
	"context"
	"sync"
	"testing"
	"time"

	"darkroom/ui/env"
	"darkroom/ui/picture"
)

// slowPainter takes a while for each file and counts what becomes of it.
type slowPainter struct {
	mu sync.Mutex
	loads
}

// loads are how many pictures were begun and drawn, how many are under way, and
// how many were at most.
type loads struct{ begun, drawn, now, top int }

// counted returns the counts, and begins them anew.
func (s *slowPainter) counted() loads {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.loads
	s.loads = loads{now: was.now}
	return was
}

func (s *slowPainter) Load(ctx context.Context, _ string, cols, _ int, _ picture.Terminal) (picture.Picture, error) {
	s.count(1, 0)
	env.Pause(ctx, 300*time.Millisecond)
	if ctx.Err() != nil {
		s.count(-1, 0)
		return picture.Picture{}, ctx.Err()
	}
	s.count(-1, 1)
	return picture.Picture{Lines: []string{"▀"}, Cols: cols, Rows: 1, Width: 2, Height: 2}, nil
}

func (s *slowPainter) count(now, drawn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun += max(now, 0)
	s.drawn += drawn
	s.now += now
	s.top = max(s.top, s.now)
}

// A key that is held draws no picture that is passed over, one file at a time
// is drawn, and where it stops the picture comes.
func TestAHeldKeyDrawsNothingThatIsPassedOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before []string
		key    string
		most   int // that are drawn: those in view at the end
	}{
		"list":        {nil, "j", 1},
		"full screen": {[]string{"enter"}, "right", 2}, // and in the pane behind it
		"gallery":     {[]string{"g"}, "down", 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			painter := &slowPainter{}
			fly(t, 120, 40, func(d *fakeSession) { d.fillDone(200) }, func(p *pilot) {
				p.app.env.Painter = painter
				p.keys(append([]string{"alt+2"}, c.before...)...)
				p.passes(20)
				painter.counted()
				for range 50 {
					p.keys(c.key)
					p.pass(30 * time.Millisecond)
				}
				held := painter.counted()
				if held.drawn > 0 {
					t.Errorf("%d pictures were drawn while the key was held", held.drawn)
				}
				p.passes(40)
				after := painter.counted()
				after.begun, after.top = held.begun+after.begun, max(held.top, after.top)
				t.Logf("begun %d, drawn %d, %d at a time", after.begun, after.drawn, after.top)
				if after.drawn < 1 || after.drawn > c.most || after.top != 1 || after.now != 0 {
					t.Errorf("begun %d, drawn %d, %d at a time, %d go on", after.begun, after.drawn, after.top, after.now)
				}
			})
		})
	}
}

// passes lets one picture after the other come.
func (p *pilot) passes(pictures int) {
	p.t.Helper()
	for range pictures {
		p.pass(500 * time.Millisecond)
	}
}
