package result

import (
	"context"
	"image"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/ui/env"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Player plays a video in cells, without sound. A view holds one, draws its Lines
// in the place of the picture, and stops it when it leaves the view.
type Player struct {
	k     *env.Env
	open  func(ctx context.Context, path string, cols, rows int, cell picture.Cell, frame int) (frames, error)
	run   *playing // nil: it stands still
	lines []string // the frame that is shown; none while nothing plays
	at    time.Duration
	each  time.Duration // of a frame of the video
	why   string        // why the last video could not be played
}

// frames is a video that is being decoded; *picture.Playback is one.
type frames interface {
	Start() (frame int, each time.Duration)
	Next() (*image.RGBA, error)
}

// playing is one run of a video. Commands hold it: nothing in it changes.
type playing struct {
	stop    context.CancelFunc
	profile colorprofile.Profile
	clock   func() time.Time
	one     bool // frame, and no more
}

// held is the run of a video that stands at a frame.
var held = &playing{stop: func() {}}

// playMsg brings a frame and the way to the next, or the end and why it came to it.
type playMsg struct {
	run   *playing
	lines []string
	at    time.Duration // of the frame
	each  time.Duration
	next  tea.Cmd
	err   error // of opening the video
}

// NewPlayer makes a player that stands still.
func NewPlayer(k *env.Env) *Player {
	p := &Player{k: k}
	if loader, ok := k.Painter.(*picture.Loader); ok {
		p.open = func(ctx context.Context, path string, cols, rows int, cell picture.Cell, frame int) (frames, error) {
			return loader.Play(ctx, path, cols, rows, cell, frame)
		}
	}
	return p
}

// Step holds a video that plays, and else shows the frame so many further on; before the
// first comes the last. While one is on its way it does nothing.
func (p *Player) Step(path string, cols, rows, by int) tea.Cmd {
	switch {
	case p.run == nil || p.run == held:
		return p.begin(path, cols, rows, p.frame()+by, true)
	case !p.run.one && p.lines != nil:
		p.run.stop()
		p.run = held
	}
	return nil
}

func (p *Player) frame() int { return int((p.at + p.each/2) / max(p.each, 1)) }

// Toggle plays a video in an area of so many cells, from the frame that is held, or stops it.
func (p *Player) Toggle(path string, cols, rows int) tea.Cmd {
	if p.run != nil && p.run != held {
		p.Stop()
		return nil
	}
	return p.begin(path, cols, rows, p.frame(), false)
}

func (p *Player) begin(path string, cols, rows, frame int, one bool) tea.Cmd {
	p.why = ""
	if p.open == nil || p.k.Mode == picture.ModeOff {
		p.why = env.Sentence(p.k, picture.ErrOff)
		return nil
	}
	ctx, stop := context.WithCancel(p.k.Context)
	run := &playing{stop: stop, profile: p.k.Theme.Colours, clock: p.k.Clock, one: one}
	p.run = run
	open, cell := p.open, p.k.Cell
	return func() tea.Msg {
		source, err := open(ctx, path, cols, rows, cell, frame)
		if err != nil {
			return playMsg{run: run, err: err}
		}
		return nextFrame(ctx, run, source, run.clock(), 0)()
	}
}

// Stop ends a video, at once.
func (p *Player) Stop() {
	if p.run == nil {
		return
	}
	p.run.stop()
	p.run, p.lines, p.at = nil, nil, 0
}

// Update takes the player's own answers.
func (p *Player) Update(m playMsg) tea.Cmd {
	if m.run != p.run {
		return nil
	}
	if m.next == nil {
		p.Stop()
		if m.err != nil {
			p.why = env.Sentence(p.k, m.err)
		}
		return nil
	}
	p.lines, p.at, p.each = m.lines, m.at, m.each
	if m.run.one {
		m.run.stop()
		p.run = held
		return nil
	}
	return m.next
}

// nextFrame waits for the time of frame n and brings it. Frames whose time has
// passed already are left out, a few at a time: a slow terminal shows fewer, not
// later ones, and a slow decoder shows some.
func nextFrame(ctx context.Context, run *playing, source frames, began time.Time, n int) tea.Cmd {
	return func() tea.Msg {
		img, err := source.Next()
		for late := 0; late < 4 && err == nil && !run.one && run.clock().Sub(began) > time.Duration(n+1)*picture.FrameTime; late++ {
			img, err = source.Next()
			n++
		}
		if err != nil {
			return playMsg{run: run}
		}
		lines := picture.Blocks(img, run.profile)
		env.Pause(ctx, time.Duration(n)*picture.FrameTime-run.clock().Sub(began))
		if ctx.Err() != nil {
			return nil
		}
		frame, each := source.Start()
		at := time.Duration(frame)*each + time.Duration(n)*picture.FrameTime
		return playMsg{run: run, lines: lines, at: at, each: each, next: nextFrame(ctx, run, source, began, n+1)}
	}
}

func (f *fullScreen) showsVideo() bool {
	job := f.job
	if !f.loaded {
		job.Row, _ = f.place.Row()
	}
	return f.path() != "" && isVideo(&job, f.file)
}

func (f *fullScreen) whyNoVideo() string {
	if !f.showsVideo() {
		return f.k.Say("This file is not a video.")
	}
	return f.picture.Why // what keeps a picture of it from being drawn keeps it from being played
}

func (f *fullScreen) stepFrame(by int) tea.Cmd {
	w, h := f.pictureRoom()
	return f.player.Step(f.path(), w, h, by)
}

func (f *fullScreen) play() tea.Cmd {
	w, h := f.pictureRoom()
	return f.player.Toggle(f.path(), w, h)
}

// position is how far the video is that plays, of the length that was asked for, below the
// whole of it.
func (f *fullScreen) position(inner int) string {
	t := f.k.Theme
	line := t.Accent.Paint("▶") + t.Text.Paint(" "+env.Short(f.player.at))
	if f.player.run == held {
		line = t.Accent.Paint("■") + t.Text.Paint(" "+f.k.Say("%.2f s", f.player.at.Seconds()))
	}
	length, _ := strconv.Atoi(f.job.Request.Duration)
	if length < 1 {
		return line
	}
	long := time.Duration(length) * time.Second
	line += t.Muted.Paint(" / "+env.Short(long)) + "  "
	wide := inner
	if lines := f.shownLines(); len(lines) > 0 {
		wide = min(theme.Width(lines[0]), inner)
	}
	played := widget.Share{Part: float64(f.player.at) / float64(long), Mark: "━", Style: t.Accent}
	return theme.Blank((inner-wide)/2) + line + widget.Bar(t, max(wide-theme.Width(line), 1), played)
}

// toSheet puts a contact sheet in the place of the first frame, or takes it away.
func (f *fullScreen) toSheet() tea.Cmd {
	f.player.Stop()
	f.sheet = !f.sheet
	return f.paint()
}

func (f *fullScreen) shownLines() []string {
	if f.player.lines != nil {
		return f.player.lines
	}
	if f.picture.Loading() {
		return []string{f.k.Theme.Faint.Paint("···")}
	}
	return f.picture.Lines
}
