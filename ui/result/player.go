package result

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Player plays a video in cells, without sound. A view holds one, draws its Lines
// in the place of the picture, and stops it when it leaves the view.
type Player struct {
	k     *env.Env
	open  func(ctx context.Context, path string, cols, rows int, cell picture.Cell, frame int) (frames, error)
	still func(ctx context.Context, path string, at time.Duration) ([]byte, time.Duration, error)
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
	err   error // without a first frame
}

// NewPlayer makes a player that stands still.
func NewPlayer(k *env.Env) *Player {
	p := &Player{k: k}
	if loader, ok := k.Painter.(*picture.Loader); ok {
		p.still = loader.Frame
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
		p.why = env.Sentence(p.k, m.err)
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
		if err != nil && n == 0 { // not one of them can be decoded
			return playMsg{run: run, err: picture.ErrVideo}
		} else if err != nil {
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
		job.Row, _ = f.Row()
	}
	return f.path() != "" && IsVideo(&job, f.file)
}

func (f *fullScreen) whyNoVideo() string {
	// What keeps a picture of it from being drawn keeps it from being played.
	return cmp.Or(f.k.SayIf(!f.showsVideo(), "This file is not a video."), f.picture.Why)
}

// nextShot hands the frame in view to Create as the first one of a video in the same settings.
func (f *fullScreen) nextShot() tea.Cmd {
	if !f.showsVideo() {
		return f.verbs.withFreshAddress(true)
	}
	path, at, still, backend := f.path(), f.player.at, f.player.still, f.backend
	return f.verbs.withJob(func(j state.Job) tea.Cmd {
		return ask(f.verbs, func(ctx context.Context) (string, error) {
			png, at, err := still(ctx, path, at)
			if err != nil {
				return "", err
			}
			return backend.Materials().SaveFrame(ctx, path, at, png)
		}, func(saved string) tea.Cmd {
			return f.k.Do(msg.LoadedMsg{Request: j.Request.Next(saved), Frame: j.ID})
		})
	})
}

func (f *fullScreen) whyNoShot() string {
	if !f.showsVideo() {
		return f.verbs.whyNoVideo()
	}
	return f.k.SayIf(f.player.still == nil || f.sheet && f.player.lines == nil, "This is a contact sheet: step to a frame first.")
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

// Ratio is width by height of what a request makes, as far as it says.
func Ratio(r api.Request) float64 {
	for _, s := range []string{r.AspectRatio, r.Size} {
		var x, y float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(strings.ReplaceAll(s, "×", ":"), "x", ":"), "%g:%g", &x, &y); err == nil && x > 0 && y > 0 {
			return min(max(x/y, 0.25), 4)
		}
	}
	if r.Kind == api.KindVideo {
		return 16.0 / 9
	}
	return 1
}

// CellRatio is a ratio for FitRatio in the terminal's cells, which may not be half as wide as high.
func CellRatio(k *env.Env, ratio float64) float64 {
	if k.Cell.Width > 0 {
		ratio *= float64(k.Cell.Height) / float64(2*k.Cell.Width)
	}
	return ratio
}

// FitRatio is the largest box of a ratio in an area of cells.
func FitRatio(ratio float64, cols, rows int) (c, r int) {
	c, r = cols, int(math.Round(float64(cols)/ratio/2))
	if r > rows {
		c, r = int(math.Round(float64(rows)*ratio*2)), rows
	}
	return max(min(c, cols), 1), max(min(r, rows), 1)
}

// Frame is a box around Cols×Rows cells with something in its middle: a plate, or lines if
// the theme has no grounds.
type Frame struct {
	Theme      *theme.Theme
	Chosen     bool
	Open       bool // blanks in place of the lines
	Cols, Rows int
	Body       []string // painted
	Filled     bool     // the body fills the box already
	Foot       string   // painted, as wide as the box, in its lower edge
}

// Lines draws the box.
func (f Frame) Lines() []string {
	b, plate, edge := f.Theme.Frame, theme.Ground{}, f.Theme.Focus.If(f.Chosen, f.Theme.Border)
	if f.Theme.Grounds() {
		f.Open = true
		if !f.Filled {
			plate = f.Theme.Element
		}
	}
	if f.Open {
		if b = lipgloss.HiddenBorder(); f.Chosen {
			b.TopLeft, b.Left, b.BottomLeft = "▎", "▎", "▎"
		}
	}
	out := []string{edge.Paint(b.TopLeft + strings.Repeat(b.Top, f.Cols) + b.TopRight)}
	left, right, body := edge.Paint(b.Left), edge.Paint(b.Right), f.Body[:min(len(f.Body), f.Rows)]
	if !f.Filled {
		body = Centred(body, f.Cols, f.Rows)
	}
	for y := range f.Rows {
		out = append(out, left+plate.Lay(centred(body, y, f.Rows))+right)
	}
	if f.Foot != "" {
		return append(out, edge.Paint(b.BottomLeft)+f.Foot+edge.Paint(b.BottomRight))
	}
	return append(out, edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, f.Cols)+b.BottomRight))
}

// minText is how wide a box with text is, whatever its ratio, if there is room.
const minText = 40

// Instead is what stands in the middle of cols×rows cells in place of a picture of a ratio:
// a box with what body says in a width.
func Instead(t *theme.Theme, ratio float64, cols, rows int, body func(w int) []string) []string {
	f := Frame{Theme: t}
	f.Cols, f.Rows = FitRatio(ratio, min(max(cols-2, 1), 2*minText), max(rows-2, 1))
	f.Cols = max(f.Cols, min(minText, cols-2))
	f.Body = body(max(min(f.Cols-4, 72), 1))
	f.Rows = min(f.Rows, len(f.Body)+4)
	f.Body = strings.Split(lipgloss.JoinVertical(lipgloss.Left, f.Body...), "\n") // all as wide as the widest
	return Centred(f.Lines(), cols, rows)
}

// Centred puts painted lines into the middle of cols×rows cells, and fills these up.
func Centred(lines []string, cols, rows int) []string {
	out := make([]string, rows)
	for y := range out {
		line := centred(lines, y, rows)
		width := theme.Width(line)
		left := max(cols-width, 0) / 2
		out[y] = theme.Blank(left) + line + theme.Blank(cols-width-left)
	}
	return out
}

// centred is line y of a block that stands in the middle of so many lines.
func centred(block []string, y, lines int) string {
	if y -= max(lines-len(block), 0) / 2; y >= 0 && y < len(block) {
		return block[y]
	}
	return ""
}
