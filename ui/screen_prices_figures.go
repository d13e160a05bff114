package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/theme"
)

// mostCalls is how many figures one model's grid may ask the service for.
const mostCalls = 16

// betweenCalls keeps the questions for figures gentle.
const betweenCalls = 150 * time.Millisecond

type priceDueMsg struct{ seq int }

// pricedMsg is the figure of one choice.
type pricedMsg struct {
	seq    int
	key    string
	figure figure
	stop   bool // the service does not answer: leave it alone
}

// fill asks for the figures in view, one after the other, once the choice has
// rested.
func (s *prices) fill() tea.Cmd {
	s.gridSeq++
	if !s.shown || len(s.grid.cells) == 0 || s.listing.Err != nil {
		return nil
	}
	return s.later(restPrices)
}

func (s *prices) later(d time.Duration) tea.Cmd {
	seq, ctx := s.gridSeq, s.k.ctx
	return func() tea.Msg {
		pause(ctx, d)
		return priceDueMsg{seq}
	}
}

// askNext asks for the first figure that is missing.
func (s *prices) askNext() tea.Cmd {
	for i := range min(len(s.grid.cells), mostCalls) {
		c := &s.grid.cells[i]
		key := figureKey(c.request)
		if c.impossible != "" {
			continue
		}
		if _, ok := s.figures[key]; ok {
			continue
		}
		seq, ctx, d, r := s.gridSeq, s.k.ctx, s.k.door, c.request
		k := s.k
		return func() tea.Msg {
			e, err := d.Estimate(ctx, r)
			if ctx.Err() != nil {
				return nil
			}
			m := pricedMsg{seq: seq, key: key, figure: figure{estimate: e}}
			if err != nil {
				m.figure.why, m.stop = sentence(k, err), true
			}
			return m
		}
	}
	return nil
}

func (s *prices) priced(m pricedMsg) tea.Cmd {
	s.figures[m.key] = m.figure
	s.dirty()
	if m.seq != s.gridSeq || m.stop {
		return nil
	}
	return s.later(betweenCalls)
}

func figureKey(r api.Request) string {
	return r.Model + "\x00" + r.VideoModel + "\x00" + r.Resolution + "\x00" + r.Duration + "\x00" + r.Size + "\x00" + r.Quality
}

// figureOf is the best figure for a choice: the service's, else the table's.
func (s *prices) figureOf(c *priceCell) (figure, bool) {
	f, ok := s.figures[figureKey(c.request)]
	if ok && f.estimate.Known() {
		return f, true
	}
	if c.table.Known() {
		return figure{c.table, f.why}, true
	}
	return f, false
}

// gridLines draws the right pane.
func (s *prices) gridLines(w int) []string {
	k, t := s.k, s.k.theme
	m := s.model()
	p := pane{w: w, h: s.h, title: api.Clean(m.ID, api.MaxIDText).String(), focus: s.onGrid}
	if m.ID == "" {
		p.title = k.say("Prices")
		return p.lines(t, nil)
	}
	if s.grid.timed {
		p.right = k.say("− %d s +", s.seconds)
	}
	inner, _ := p.inner()
	f := facts{w: inner, t: t}
	s.drawGrid(&f)
	s.drawChoice(&f)
	s.drawNotes(&f)
	s.drawParameters(&f, m)
	return p.lines(t, f.lines)
}

func (s *prices) drawGrid(f *facts) {
	k, t, g := s.k, s.k.theme, &s.grid
	head := k.say("Credits for one image")
	if g.timed {
		head = k.say("Credits for %d s, and per second", s.seconds)
	}
	f.painted(t.Muted.Paint(head))
	f.lines = append(f.lines, "")
	cw := g.cellWidth(0)
	var b strings.Builder
	b.WriteString(theme.Blank(nameWidth))
	for _, col := range g.cols {
		t.Strong.Write(&b, theme.Fit("  "+clean(col), cw))
	}
	f.painted(b.String())
	low, any := s.cheapest()
	for i, row := range g.rows {
		b.Reset()
		t.Text.Write(&b, theme.Fit(clean(row), nameWidth))
		for j := range g.cols {
			s.drawCell(&b, g.at(i, j), cw, i == g.row && j == g.col, any, low)
		}
		f.painted(b.String())
	}
}

func (s *prices) drawCell(b *strings.Builder, c *priceCell, w int, here, any bool, low api.Credits) {
	in := &s.k.theme.Inks
	mark := "  "
	if here {
		mark = "▹ "
		if s.onGrid {
			in, mark = &s.k.theme.Selected, "▸ "
		}
	}
	fig, ok := s.figureOf(c)
	in.Accent.Write(b, mark)
	switch {
	case c.impossible != "":
		in.Faint.Write(b, theme.Fit("–", w-2))
		return
	case !ok:
		in.Faint.Write(b, theme.Fit("…", w-2))
		return
	}
	e := fig.estimate
	ink, text := in.Text, amount(e.Credits)
	if e.Source == api.SourceTable {
		text = "≈" + text
	}
	if any && e.Credits == low {
		ink, text = in.Good, text+"▾"
	}
	if s.disagrees(c, e) {
		ink, text = in.Warn, text+"!"
	}
	ink.Write(b, text)
	rest := w - 2 - theme.Width(text)
	per := ""
	if s.grid.timed && w >= widestCell {
		per = " " + amount(e.Credits/api.Credits(max(s.seconds, 1))) + "/s"
	}
	in.Muted.Write(b, theme.Fit(per, rest))
}

func (s *prices) disagrees(c *priceCell, e api.Estimate) bool {
	return c.table.Known() && e.Source == api.SourceService && c.table.Credits != e.Credits
}

// cheapest is the lowest figure in view.
func (s *prices) cheapest() (api.Credits, bool) {
	var low api.Credits
	n, differ := 0, false
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if c.impossible != "" {
			continue
		}
		if fig, ok := s.figureOf(c); ok {
			if n > 0 && fig.estimate.Credits != low {
				differ = true
			}
			if n == 0 || fig.estimate.Credits < low {
				low = fig.estimate.Credits
			}
			n++
		}
	}
	return low, n > 1 && differ
}

// drawChoice says all about the figure under the cursor.
func (s *prices) drawChoice(f *facts) {
	k, t, g := s.k, s.k.theme, &s.grid
	if len(g.cells) == 0 {
		return
	}
	f.gap()
	c := g.cell()
	name := strings.TrimSpace(strings.Join(filled(clean(g.rows[g.row]), clean(g.cols[g.col])), " · "))
	if name == "" {
		name = clean(g.model.ID)
	}
	if c.impossible != "" {
		f.painted(t.Faint.Paint("– " + name))
		f.wrapped(t.Muted, c.impossible)
		return
	}
	fig, ok := s.figureOf(c)
	if !ok {
		f.painted(t.Text.Paint(name))
		why := k.say("no figure yet")
		if fig.why != "" {
			why = fig.why
		}
		f.wrapped(t.Muted, why)
		return
	}
	f.painted(t.Strong.Paint(name+"  ") + t.Accent.Paint(k.say("%s credits", amount(fig.estimate.Credits))) + "  " + s.from(fig))
	if s.disagrees(c, fig.estimate) {
		f.wrapped(t.Warn, k.say("The service says %s, the published table %s credits; the service decides.",
			amount(fig.estimate.Credits), amount(c.table.Credits)))
	}
}

// from says where a figure is from and how old it is.
func (s *prices) from(fig figure) string {
	k, t := s.k, s.k.theme
	if fig.estimate.Source == api.SourceService {
		if fig.estimate.At.IsZero() {
			return t.Good.Paint("✓ " + k.say("the service"))
		}
		return t.Good.Paint("✓ "+k.say("the service")) + t.Muted.Paint(", "+k.stamp(fig.estimate.At))
	}
	line := t.Warn.Paint("≈ " + k.say("the published table"))
	if fig.why != "" {
		line += t.Muted.Paint("; " + fig.why)
	} else if s.listing.Err != nil {
		line += t.Muted.Paint("; " + k.say("the service does not answer"))
	}
	return line
}

// drawNotes points out what the figures teach.
func (s *prices) drawNotes(f *facts) {
	k, t, g := s.k, s.k.theme, &s.grid
	f.gap()
	if _, any := s.cheapest(); any {
		f.painted(t.Good.Paint("▾ ") + t.Muted.Paint(k.say("cheapest")))
	}
	if g.model.ID != api.Seedance2 {
		return
	}
	for i := 0; i+1 < len(g.rows); i += 2 {
		for j := range g.cols {
			less, more := g.at(i, j), g.at(i+1, j)
			a, aok := s.figureOf(less)
			b, bok := s.figureOf(more)
			if aok && bok && less.impossible == "" && more.impossible == "" && a.estimate.Credits == b.estimate.Credits {
				f.wrapped(t.Text, k.say("Same price for more: at %s, %s costs what %s does.", g.cols[j], g.rows[i+1], g.rows[i]))
			}
		}
	}
}

// drawParameters lists what else the model takes.
func (s *prices) drawParameters(f *facts, m api.Model) {
	k, t := s.k, s.k.theme
	if len(m.Parameters) == 0 {
		return
	}
	f.gap()
	f.lines = append(f.lines, divide(k.say("Parameters")))
	for _, p := range m.Parameters {
		var b strings.Builder
		t.Text.Write(&b, theme.Fit(clean(p.Name), nameWidth))
		values := make([]string, 0, len(p.Values))
		for _, v := range p.Values {
			values = append(values, clean(v))
		}
		text := strings.Join(values, "  ")
		if text == "" {
			text = clean(p.Type)
		}
		t.Muted.Write(&b, " "+text)
		if p.Default != "" {
			t.Faint.Write(&b, "  "+k.say("default %s", clean(p.Default)))
		}
		f.painted(b.String())
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
