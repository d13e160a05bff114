package result

import (
	"context"
	"math"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/picture"
	"darkroom/ui/theme"
)

// Preview is a file drawn in cells: the last question and its answer. The zero
// Preview has asked nothing.
type Preview struct {
	k     *env.Env
	asked question
	stop  context.CancelFunc // ends what is being drawn for the last question
	Lines []string
	Why   string // why there is none
	// Width and Height are those of the source in pixels, once it is drawn.
	Width, Height int
	// graphic is the same in pixels; its lines are shown when the terminal has
	// said that it holds the image.
	graphic *picture.Graphic
	there   bool
	drawn   bool // what was asked for; until then Lines may be of another size
	edits   int
}

// question is all that a drawing depends on.
type question struct {
	path  string
	w, h  int
	on    picture.Terminal
	sheet bool // nine frames of a video
}

// PaintedMsg brings a file drawn in cells, to every preview that asked for it.
type PaintedMsg struct {
	asked   question
	picture picture.Picture
	err     error
}

// ID of the image in the terminal's memory, or 0.
func (p *Preview) ID() int {
	if p.graphic == nil {
		return 0
	}
	return p.graphic.ID
}

// Loading reports whether a picture is being drawn that shows nothing yet.
func (p *Preview) Loading() bool { return p.asked.path != "" && p.Lines == nil && p.Why == "" }

// Drawn reports whether Lines are what was asked for last.
func (p *Preview) Drawn() bool { return p.drawn }

// Edits grows with every change of what the preview shows.
func (p *Preview) Edits() int { return p.edits }

// Close ends what is being drawn, makes the terminal forget the image and
// leaves an empty preview.
func (p *Preview) Close() tea.Cmd {
	if p.stop != nil {
		p.stop()
	}
	var erase tea.Cmd
	if p.k != nil {
		erase = p.k.Erase(p.ID())
	}
	*p = Preview{edits: p.edits + 1}
	return erase
}

// Want asks for a file's picture at a size; the same question is asked once.
// What was asked for before is not drawn any more.
func (p *Preview) Want(k *env.Env, path string, w, h int) tea.Cmd {
	return p.want(k, question{path: path, w: w, h: h})
}

// sheetPainter draws contact sheets of videos; *picture.Loader is one.
type sheetPainter interface {
	LoadSheet(ctx context.Context, path string, cols, rows int, on picture.Terminal) (picture.Picture, error)
}

// WantSheet is Want for nine frames of a video.
func (p *Preview) WantSheet(k *env.Env, path string, w, h int) tea.Cmd {
	_, sheets := k.Painter.(sheetPainter)
	return p.want(k, question{path: path, w: w, h: h, sheet: sheets})
}

func (p *Preview) want(k *env.Env, asked question) tea.Cmd {
	path, w, h := asked.path, asked.w, asked.h
	if path == "" || k.Painter == nil || w < 4 || h < 2 {
		return nil
	}
	asked.on = k.Terminal()
	if p.asked == asked {
		return nil
	}
	if p.stop != nil {
		p.stop()
	}
	erase := k.Erase(p.ID())
	if p.asked.path != path {
		p.Lines, p.Why, p.Width, p.Height = nil, "", 0, 0
	} else if p.there {
		p.Lines = nil // they name an image that is being erased
	}
	p.k, p.asked, p.graphic, p.there, p.drawn = k, asked, nil, false, false
	p.edits++
	ctx, stop := context.WithCancel(k.Context)
	p.stop = stop
	painter := k.Painter
	return tea.Batch(erase, func() tea.Msg {
		defer stop()
		load := painter.Load
		if sheets, ok := painter.(sheetPainter); ok && asked.sheet {
			load = sheets.LoadSheet
		}
		got, err := load(ctx, path, w, h, asked.on)
		if ctx.Err() != nil {
			return nil
		}
		return PaintedMsg{asked, got, err}
	})
}

// Painted keeps a picture that answers the last question, and gives the
// terminal the pixels if it takes any.
func (p *Preview) Painted(m PaintedMsg) (tea.Cmd, bool) {
	if m.asked != p.asked {
		return nil, false
	}
	p.Lines, p.Why, p.graphic, p.drawn = m.picture.Lines, "", m.picture.Graphic, true
	p.Width, p.Height = m.picture.Width, m.picture.Height
	if m.err != nil {
		p.Why = env.Sentence(p.k, m.err)
	}
	p.edits++
	if p.graphic != nil {
		return tea.Raw(p.graphic.Transmit), true
	}
	return nil, true
}

// Arrived puts the pixels in the place of the half blocks.
func (p *Preview) Arrived(m msg.ArrivedMsg) bool {
	if !m.OK || p.there || p.ID() == 0 || m.ID != p.ID() {
		return false
	}
	p.there, p.Lines = true, p.graphic.Lines
	p.edits++
	return true
}

// Ratio is width by height of what a request makes, as far as it says.
func Ratio(r api.Request) float64 {
	for _, s := range []string{r.AspectRatio, r.Size} {
		for _, sep := range []string{":", "x", "×"} {
			a, b, ok := strings.Cut(s, sep)
			x, err1 := strconv.ParseFloat(a, 64)
			y, err2 := strconv.ParseFloat(b, 64)
			if ok && err1 == nil && err2 == nil && x > 0 && y > 0 {
				return min(max(x/y, 0.25), 4)
			}
		}
	}
	if r.Kind == api.KindVideo {
		return 16.0 / 9
	}
	return 1
}

// FitRatio is the largest box of a ratio in an area of cells, which are twice
// as high as wide.
func FitRatio(ratio float64, cols, rows int) (c, r int) {
	c, r = cols, int(math.Round(float64(cols)/ratio/2))
	if r > rows {
		c, r = int(math.Round(float64(rows)*ratio*2)), rows
	}
	return max(min(c, cols), 1), max(min(r, rows), 1)
}

// Frame is a box around Cols×Rows cells with something in its middle.
type Frame struct {
	Theme      *theme.Theme
	Edge       theme.Style
	Open       bool // blanks in place of the lines
	Cols, Rows int
	Body       []string // painted
	Filled     bool     // the body fills the box already
	Foot       string   // painted, in the lower edge
}

// Lines draws the box.
func (f Frame) Lines() []string {
	b := f.Theme.Frame
	if f.Open {
		b.TopLeft, b.TopRight, b.BottomLeft, b.BottomRight, b.Top, b.Bottom, b.Left, b.Right = " ", " ", " ", " ", " ", " ", " ", " "
	}
	out := make([]string, 0, f.Rows+3)
	out = append(out, f.Edge.Paint(b.TopLeft+strings.Repeat(b.Top, f.Cols)+b.TopRight))
	left, right := f.Edge.Paint(b.Left), f.Edge.Paint(b.Right)
	body := f.Body[:min(len(f.Body), f.Rows)]
	for y := range f.Rows {
		line := centred(body, y, f.Rows)
		if !f.Filled {
			before := (f.Cols - theme.Width(line)) / 2
			line = theme.Blank(before) + line + theme.Blank(f.Cols-before-theme.Width(line))
		}
		out = append(out, left+line+right)
	}
	if f.Foot == "" {
		return append(out, f.Edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, f.Cols)+b.BottomRight))
	}
	rest := f.Cols - theme.Width(f.Foot) - 2
	before := max(rest/2, 0)
	return append(out, f.Edge.Paint(b.BottomLeft+strings.Repeat(b.Bottom, before))+" "+f.Foot+" "+
		f.Edge.Paint(strings.Repeat(b.Bottom, max(rest-before, 0))+b.BottomRight))
}

// leastText is how wide a box with text in it is, whatever its ratio, where there
// is room.
const leastText = 40

// Instead is what stands in cols×rows cells where there is no picture: a box in
// the ratio that it would have, and in its middle what body says in a width.
func Instead(t *theme.Theme, ratio float64, cols, rows int, body func(w int) []string) []string {
	f := Frame{Theme: t, Edge: t.Border}
	f.Cols, f.Rows = FitRatio(ratio, max(cols-2, 1), max(rows-2, 1))
	f.Cols = max(f.Cols, min(leastText, cols-2))
	f.Body = body(max(min(f.Cols-4, 72), 1))
	widest := 0
	for _, l := range f.Body {
		widest = max(widest, theme.Width(l))
	}
	for i, l := range f.Body {
		f.Body[i] = theme.Fit(l, widest)
	}
	return Centred(f.Lines(), cols, rows)
}

// Centred puts painted lines into the middle of cols×rows cells.
func Centred(lines []string, cols, rows int) []string {
	out := make([]string, rows)
	for y := range out {
		line := centred(lines, y, rows)
		out[y] = theme.Blank((cols-theme.Width(line))/2) + line
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
