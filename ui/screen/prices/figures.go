package prices

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// mostCalls is how many figures one model's grid may ask the service for.
const mostCalls = 16

// betweenCalls keeps the questions for figures gentle.
const betweenCalls = 150 * time.Millisecond

type priceDueMsg struct{ seq int }

// PricedMsg is the figure of one choice.
type PricedMsg struct {
	Seq    int
	Key    string
	Figure Figure
	stop   bool // the service does not answer: leave it alone
}

// knownMsg are the figures of a model that are known without a call.
type knownMsg struct{ figures map[string]Figure }

// fill asks for the figures in view: at once for those that are known, and,
// once the choice has rested, for the service's own, one after the other.
func (s *Screen) fill() tea.Cmd {
	s.GridSeq++
	if !s.shown || len(s.Grid.Cells) == 0 {
		return nil
	}
	known := s.recall()
	if s.listing.Err != nil {
		return known
	}
	return tea.Batch(known, s.later(restPrices))
}

// recall reads what is known of the figures in view without a call.
func (s *Screen) recall() tea.Cmd {
	var missing []api.Request
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if _, ok := s.figures[FigureKey(c.Request)]; !ok && c.impossible == "" && !c.table.Known() {
			missing = append(missing, c.Request)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, d := s.k.Context, s.backend
	return func() tea.Msg {
		m := knownMsg{map[string]Figure{}}
		for _, r := range missing {
			if e := d.KnownEstimate(ctx, r); e.Known() {
				m.figures[FigureKey(r)] = Figure{Estimate: e, old: true}
			}
		}
		return m
	}
}

func (s *Screen) recalled(m knownMsg) {
	for key, f := range m.figures {
		if _, ok := s.figures[key]; !ok {
			s.figures[key] = f
		}
	}
	s.dirty()
}

func (s *Screen) later(d time.Duration) tea.Cmd {
	seq, ctx := s.GridSeq, s.k.Context
	return func() tea.Msg {
		env.Pause(ctx, d)
		return priceDueMsg{seq}
	}
}

// askNext asks for the first figure that is missing.
func (s *Screen) askNext() tea.Cmd {
	for i := range min(len(s.Grid.Cells), mostCalls) {
		c := &s.Grid.Cells[i]
		key := FigureKey(c.Request)
		if c.impossible != "" {
			continue
		}
		if f, ok := s.figures[key]; ok && !f.old {
			continue
		}
		seq, ctx, d, r := s.GridSeq, s.k.Context, s.backend, c.Request
		k := s.k
		return func() tea.Msg {
			e, err := d.Estimate(ctx, r)
			if ctx.Err() != nil {
				return nil
			}
			m := PricedMsg{Seq: seq, Key: key, Figure: Figure{Estimate: e}}
			if err != nil {
				m.Figure.why, m.stop = env.Sentence(k, err), true
			}
			return m
		}
	}
	return nil
}

func (s *Screen) priced(m PricedMsg) tea.Cmd {
	s.figures[m.Key] = m.Figure
	s.dirty()
	if m.Seq != s.GridSeq || m.stop {
		return nil
	}
	return s.later(betweenCalls)
}

func FigureKey(r api.Request) string {
	return r.Model + "\x00" + r.VideoModel + "\x00" + r.Resolution + "\x00" + r.Duration + "\x00" + r.Size + "\x00" + r.Quality
}

// figureOf is the best figure for a choice: the service's, else the table's.
func (s *Screen) figureOf(c *priceCell) (Figure, bool) {
	f, ok := s.figures[FigureKey(c.Request)]
	if ok && f.Estimate.Known() {
		return f, true
	}
	if c.table.Known() {
		return Figure{Estimate: c.table, why: f.why}, true
	}
	return f, false
}

// gridLines draws the pane of figures.
func (s *Screen) gridLines(w, h int) []string {
	k, t := s.k, s.k.Theme
	m := s.model()
	p := widget.Pane{Width: w, Height: h, Title: api.Clean(m.ID, api.MaxIDText).String(), Focus: s.onGrid}
	if m.ID == "" {
		p.Title = k.Say("Prices")
		return p.Lines(t, nil)
	}
	if s.Grid.timed {
		p.Right = k.Say("− %d s +", s.seconds)
	}
	inner, high := p.Inner()
	f := widget.Facts{Width: inner, Theme: t}
	s.Grid.drawn = s.Grid.frame(inner, high)
	s.drawGrid(&f)
	s.drawChoice(&f)
	s.drawNotes(&f)
	s.drawParameters(&f, m)
	s.skip = max(min(s.skip, len(f.Lines)-high), 0)
	below := len(f.Lines) - high - s.skip
	switch {
	case s.skip > 0 && below > 0:
		p.Foot = "↑ " + strconv.Itoa(s.skip) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.Foot = k.Say("↓ %d more lines", below)
	case s.skip > 0:
		p.Foot = k.Say("↑ %d more lines", s.skip)
	}
	return p.Lines(t, f.Lines[s.skip:])
}

func (s *Screen) drawGrid(f *widget.Facts) {
	k, t, g := s.k, s.k.Theme, &s.Grid
	d := g.drawn
	head := k.Say("Credits for one image")
	if g.timed {
		head = k.Say("Credits for %d s, and per second", s.seconds)
	}
	f.Painted(t.Muted.Paint(head))
	if d.top > 2 {
		f.Lines = append(f.Lines, "")
	}
	var b strings.Builder
	b.WriteString(theme.Blank(d.name))
	for _, col := range g.cols[d.col : d.col+d.cols] {
		num, _ := s.cellParts(d.cell)
		t.Strong.Write(&b, theme.Fit(widget.AlignRight(theme.Cut(clean(col), num), num), d.cell))
	}
	f.Painted(b.String())
	low, any := s.cheapest()
	for i := d.row; i < d.row+d.rows; i++ {
		b.Reset()
		t.Text.Write(&b, theme.Fit(clean(g.rows[i]), d.name))
		for j := d.col; j < d.col+d.cols; j++ {
			s.drawCell(&b, g.at(i, j), d.cell, i == g.row && j == g.col, any, low)
		}
		f.Painted(b.String())
	}
}

// cellParts divides a cell: the figure to the right, a flag, and what a second
// costs where there is room for it.
func (s *Screen) cellParts(w int) (num, per int) {
	if s.Grid.timed && w >= timedCell {
		per = 5
	}
	return w - 1 - per, per
}

func (s *Screen) drawCell(b *strings.Builder, c *priceCell, w int, here, any bool, low api.Credits) {
	in := &s.k.Theme.Inks
	mark := ""
	if here {
		mark = "▹"
		if s.onGrid {
			in, mark = &s.k.Theme.Selected, "▸"
		}
	}
	num, per := s.cellParts(w)
	fig, ok := s.figureOf(c)
	var text string
	ink, flag := in.Text, " "
	switch {
	case c.impossible != "":
		ink, text = in.Faint, "–"
	case !ok:
		ink, text = in.Faint, s.missing()
	default:
		text = env.Amount(fig.Estimate.Credits)
		if fig.Estimate.Source == api.SourceTable {
			text = "≈" + text
		}
		if any && fig.Estimate.Credits == low {
			ink, flag = in.Good, "▾"
		}
		if s.disagrees(c, fig.Estimate) {
			ink, flag = in.Warn, "!"
		}
	}
	if theme.Width(mark+text) > num {
		num, per = num+per, 0
	}
	text = theme.Cut(text, num-theme.Width(mark))
	in.Text.Write(b, theme.Blank(num-theme.Width(mark+text)))
	in.Accent.Write(b, mark)
	ink.Write(b, text+flag)
	second := ""
	if ok && c.impossible == "" {
		second = env.Amount(fig.Estimate.Credits/api.Credits(max(s.seconds, 1))) + "/s"
	}
	in.Muted.Write(b, theme.Fit(widget.AlignRight(second, per), per))
}

// missing is what stands for a figure that is not there.
func (s *Screen) missing() string {
	if s.listing.Err != nil {
		return "?"
	}
	return "…"
}

func (s *Screen) disagrees(c *priceCell, e api.Estimate) bool {
	return c.table.Known() && e.Source == api.SourceService && c.table.Credits != e.Credits
}

// cheapest is the lowest figure of the model, once all of them are known.
func (s *Screen) cheapest() (api.Credits, bool) {
	var low api.Credits
	n, differ := 0, false
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if c.impossible != "" {
			continue
		}
		fig, ok := s.figureOf(c)
		if !ok {
			return 0, false
		}
		if n > 0 && fig.Estimate.Credits != low {
			differ = true
		}
		if n == 0 || fig.Estimate.Credits < low {
			low = fig.Estimate.Credits
		}
		n++
	}
	return low, n > 1 && differ
}

// drawChoice says all about the figure under the cursor.
func (s *Screen) drawChoice(f *widget.Facts) {
	k, t, g := s.k, s.k.Theme, &s.Grid
	if len(g.Cells) == 0 {
		return
	}
	f.Gap()
	c := g.cell()
	name := strings.TrimSpace(strings.Join(filled(clean(g.rows[g.row]), clean(g.cols[g.col])), " · "))
	if name == "" {
		name = clean(g.model.ID)
	}
	if c.impossible != "" {
		f.Painted(t.Faint.Paint("– " + name))
		f.Wrapped(t.Muted, c.impossible)
		return
	}
	fig, ok := s.figureOf(c)
	if !ok {
		f.Painted(t.Text.Paint(name))
		why := k.Say("no figure yet")
		if s.listing.Err != nil {
			why = k.Say("Its price was not told yet.")
		}
		if fig.why != "" {
			why = fig.why
		}
		f.Wrapped(t.Muted, why)
		return
	}
	f.Painted(t.Strong.Paint(name+"  ") + t.Accent.Paint(k.Say("%s credits", env.Amount(fig.Estimate.Credits))) + "  " + s.from(fig))
	if s.disagrees(c, fig.Estimate) {
		f.Wrapped(t.Warn, k.Say("The service says %s, the published table %s credits; the service decides.",
			env.Amount(fig.Estimate.Credits), env.Amount(c.table.Credits)))
	}
}

// from says where a figure is from and how old it is.
func (s *Screen) from(fig Figure) string {
	k, t := s.k, s.k.Theme
	if fig.Estimate.Source == api.SourceService {
		switch at := fig.Estimate.At; {
		case at.IsZero():
			return t.Good.Paint("✓ " + k.Say("the service"))
		case s.listing.Err != nil:
			return t.Muted.Paint("✓ " + k.Say("the service, %s", k.Stamp(at)))
		default:
			return t.Good.Paint("✓ " + k.Say("the service, %s", k.Stamp(at)))
		}
	}
	line := t.Warn.Paint("≈ " + k.Say("the published table"))
	if fig.why != "" {
		line += t.Muted.Paint("  " + fig.why)
	}
	return line
}

// drawNotes points out what the figures teach.
func (s *Screen) drawNotes(f *widget.Facts) {
	k, t, g := s.k, s.k.Theme, &s.Grid
	f.Gap()
	s.drawTrouble(f)
	if legend := s.legend(); legend != "" {
		f.Painted(legend)
	}
	if g.model.ID != api.Seedance2 {
		return
	}
	for i := 0; i+1 < len(g.rows); i += 2 {
		for j := range g.cols {
			less, more := g.at(i, j), g.at(i+1, j)
			a, aok := s.figureOf(less)
			b, bok := s.figureOf(more)
			if aok && bok && less.impossible == "" && more.impossible == "" && a.Estimate.Credits == b.Estimate.Credits {
				f.Wrapped(t.Text, k.Say("Same price for more: at %s, %s costs what %s does.", g.cols[j], g.rows[i+1], g.rows[i]))
			}
		}
	}
}

// drawTrouble says that the service does not answer, and what is known all the
// same and since when.
func (s *Screen) drawTrouble(f *widget.Facts) {
	k, t := s.k, s.k.Theme
	if s.listing.Err == nil || s.loading {
		return
	}
	f.Wrapped(t.Warn, "✕ "+env.AsSentence(env.Shortly(k, s.listing.Err)))
	if s.listing.At.IsZero() {
		f.Wrapped(t.Muted, k.Say("It has told nothing yet: only the published rates of seedance2 are known. Press r to ask again."))
	} else {
		f.Wrapped(t.Muted, k.Say("The models are as it told them at %s. Press r to ask again.", k.Stamp(s.listing.At)))
	}
	f.Gap()
}

// legend explains the marks that are in view.
func (s *Screen) legend() string {
	k, t := s.k, s.k.Theme
	var parts []string
	if _, any := s.cheapest(); any {
		parts = append(parts, t.Good.Paint("▾ ")+t.Muted.Paint(k.Say("cheapest")))
	}
	table, differs := false, false
	for i := range s.Grid.Cells {
		c := &s.Grid.Cells[i]
		if fig, ok := s.figureOf(c); ok && c.impossible == "" {
			table = table || fig.Estimate.Source == api.SourceTable
			differs = differs || s.disagrees(c, fig.Estimate)
		}
	}
	if table {
		parts = append(parts, t.Text.Paint("≈ ")+t.Muted.Paint(k.Say("the published table")))
	}
	if differs {
		parts = append(parts, t.Warn.Paint("! ")+t.Muted.Paint(k.Say("not as published")))
	}
	return strings.Join(parts, "   ")
}

// drawParameters lists what else the model takes.
func (s *Screen) drawParameters(f *widget.Facts, m api.Model) {
	k, t := s.k, s.k.Theme
	if len(m.Parameters) == 0 {
		return
	}
	f.Gap()
	f.Lines = append(f.Lines, widget.Divide(k.Say("Parameters")))
	wide := 0
	for _, p := range m.Parameters {
		wide = max(wide, theme.Width(clean(p.Name)))
	}
	wide = min(wide, f.Width/3) + 2
	for _, p := range m.Parameters {
		words := make([]string, 0, len(p.Values)+1)
		for _, v := range p.Values {
			words = append(words, t.Muted.Paint(clean(v)))
		}
		if len(words) == 0 && p.Type != "" {
			words = append(words, t.Muted.Paint(clean(p.Type)))
		}
		if p.Default != "" {
			words = append(words, t.Faint.Paint(k.Say("default %s", clean(p.Default))))
		}
		f.Listed(t.Text.Paint(theme.Fit(clean(p.Name), wide)), wide, words)
	}
}

// clean makes a listing's word fit for the terminal.
func clean(s string) string { return api.Clean(s, 64).String() }

// filled leaves out what is empty.
func filled(parts ...string) []string {
	out := parts[:0]
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}
