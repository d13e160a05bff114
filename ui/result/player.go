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
	open  func(ctx context.Context, path string, cols, rows int, cell picture.Cell) (frames, error)
	run   *playing // nil: it stands still
	lines []string // the frame that is shown; none while nothing plays
	at    time.Duration
	why   string // why the last video could not be played
}

// frames is a video that is being decoded; *picture.Playback is one.
type frames interface{ Next() (*image.RGBA, error) }

// playing is one run of a video. Commands hold it: nothing in it changes.
type playing struct {
	stop    context.CancelFunc
	profile colorprofile.Profile
	clock   func() time.Time
}

// playMsg brings a frame and the way to the next, or the end and why it came to it.
type playMsg struct {
	run   *playing
	lines []string
	at    time.Duration // of the frame
	next  tea.Cmd
	err   error // of opening the video
}

// NewPlayer makes a player that stands still.
func NewPlayer(k *env.Env) *Player {
	p := &Player{k: k}
	if loader, ok := k.Painter.(*picture.Loader); ok {
		p.open = func(ctx context.Context, path string, cols, rows int, cell picture.Cell) (frames, error) {
			return loader.Play(ctx, path, cols, rows, cell)
		}
	}
	return p
}

// Toggle plays a video in an area of so many cells, or stops it.
func (p *Player) Toggle(path string, cols, rows int) tea.Cmd {
	if p.run != nil {
		p.Stop()
		return nil
	}
	p.why = ""
	if p.open == nil || p.k.Mode == picture.ModeOff {
		p.why = env.Sentence(p.k, picture.ErrOff)
		return nil
	}
	ctx, stop := context.WithCancel(p.k.Context)
	run := &playing{stop: stop, profile: p.k.Theme.Colours, clock: p.k.Clock}
	p.run = run
	open, cell := p.open, p.k.Cell
	return func() tea.Msg {
		source, err := open(ctx, path, cols, rows, cell)
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
	p.lines, p.at = m.lines, m.at
	return m.next
}

// nextFrame waits for the time of frame n and brings it. Frames whose time has
// passed already are left out, a few at a time: a slow terminal shows fewer, not
// later ones, and a slow decoder shows some.
func nextFrame(ctx context.Context, run *playing, source frames, began time.Time, n int) tea.Cmd {
	return func() tea.Msg {
		img, err := source.Next()
		for late := 0; late < 4 && err == nil && run.clock().Sub(began) > time.Duration(n+1)*picture.FrameTime; late++ {
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
		return playMsg{run: run, lines: lines, at: time.Duration(n) * picture.FrameTime, next: nextFrame(ctx, run, source, began, n+1)}
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

func (f *fullScreen) play() tea.Cmd {
	w, h := f.pictureRoom()
	return f.player.Toggle(f.path(), w, h)
}

// position is how far the video is that plays, of the length that was asked for, below the
// whole of it.
func (f *fullScreen) position(inner int) string {
	t := f.k.Theme
	line := t.Accent.Paint("▶") + t.Text.Paint(" "+env.Short(f.player.at))
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
