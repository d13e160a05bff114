package ui

import (
	"strconv"
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

// knownMsg are the figures of a model that are known without a call.
type knownMsg struct{ figures map[string]figure }

// fill asks for the figures in view: at once for those that are known, and,
// once the choice has rested, for the service's own, one after the other.
func (s *prices) fill() tea.Cmd {
	s.gridSeq++
	if !s.shown || len(s.grid.cells) == 0 {
		return nil
	}
	known := s.recall()
	if s.listing.Err != nil {
		return known
	}
	return tea.Batch(known, s.later(restPrices))
}

// recall reads what is known of the figures in view without a call.
func (s *prices) recall() tea.Cmd {
	var missing []api.Request
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if _, ok := s.figures[figureKey(c.request)]; !ok && c.impossible == "" && !c.table.Known() {
			missing = append(missing, c.request)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ctx, d := s.k.ctx, s.backend
	return func() tea.Msg {
		m := knownMsg{map[string]figure{}}
		for _, r := range missing {
			if e := d.KnownEstimate(ctx, r); e.Known() {
				m.figures[figureKey(r)] = figure{estimate: e, old: true}
			}
		}
		return m
	}
}

func (s *prices) recalled(m knownMsg) {
	for key, f := range m.figures {
		if _, ok := s.figures[key]; !ok {
			s.figures[key] = f
		}
	}
	s.dirty()
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
		if f, ok := s.figures[key]; ok && !f.old {
			continue
		}
		seq, ctx, d, r := s.gridSeq, s.k.ctx, s.backend, c.request
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
		return figure{estimate: c.table, why: f.why}, true
	}
	return f, false
}

// gridLines draws the pane of figures.
func (s *prices) gridLines(w, h int) []string {
	k, t := s.k, s.k.theme
	m := s.model()
	p := pane{w: w, h: h, title: api.Clean(m.ID, api.MaxIDText).String(), focus: s.onGrid}
	if m.ID == "" {
		p.title = k.say("Prices")
		return p.lines(t, nil)
	}
	if s.grid.timed {
		p.right = k.say("− %d s +", s.seconds)
	}
	inner, high := p.inner()
	f := facts{w: inner, t: t}
	s.grid.drawn = s.grid.frame(inner, high)
	s.drawGrid(&f)
	s.drawChoice(&f)
	s.drawNotes(&f)
	s.drawParameters(&f, m)
	s.skip = max(min(s.skip, len(f.lines)-high), 0)
	below := len(f.lines) - high - s.skip
	switch {
	case s.skip > 0 && below > 0:
		p.foot = "↑ " + strconv.Itoa(s.skip) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.foot = k.say("↓ %d more lines", below)
	case s.skip > 0:
		p.foot = k.say("↑ %d more lines", s.skip)
	}
	return p.lines(t, f.lines[s.skip:])
}

func (s *prices) drawGrid(f *facts) {
	k, t, g := s.k, s.k.theme, &s.grid
	d := g.drawn
	head := k.say("Credits for one image")
	if g.timed {
		head = k.say("Credits for %d s, and per second", s.seconds)
	}
	f.painted(t.Muted.Paint(head))
	if d.top > 2 {
		f.lines = append(f.lines, "")
	}
	var b strings.Builder
	b.WriteString(theme.Blank(d.name))
	for _, col := range g.cols[d.col : d.col+d.cols] {
		num, _ := s.cellParts(d.cell)
		t.Strong.Write(&b, theme.Fit(right(theme.Cut(clean(col), num), num), d.cell))
	}
	f.painted(b.String())
	low, any := s.cheapest()
	for i := d.row; i < d.row+d.rows; i++ {
		b.Reset()
		t.Text.Write(&b, theme.Fit(clean(g.rows[i]), d.name))
		for j := d.col; j < d.col+d.cols; j++ {
			s.drawCell(&b, g.at(i, j), d.cell, i == g.row && j == g.col, any, low)
		}
		f.painted(b.String())
	}
}

// cellParts divides a cell: the figure to the right, a flag, and what a second
// costs where there is room for it.
func (s *prices) cellParts(w int) (num, per int) {
	if s.grid.timed && w >= timedCell {
		per = 5
	}
	return w - 1 - per, per
}

func (s *prices) drawCell(b *strings.Builder, c *priceCell, w int, here, any bool, low api.Credits) {
	in := &s.k.theme.Inks
	mark := ""
	if here {
		mark = "▹"
		if s.onGrid {
			in, mark = &s.k.theme.Selected, "▸"
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
		text = amount(fig.estimate.Credits)
		if fig.estimate.Source == api.SourceTable {
			text = "≈" + text
		}
		if any && fig.estimate.Credits == low {
			ink, flag = in.Good, "▾"
		}
		if s.disagrees(c, fig.estimate) {
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
		second = amount(fig.estimate.Credits/api.Credits(max(s.seconds, 1))) + "/s"
	}
	in.Muted.Write(b, theme.Fit(right(second, per), per))
}

// missing is what stands for a figure that is not there.
func (s *prices) missing() string {
	if s.listing.Err != nil {
		return "?"
	}
	return "…"
}

func (s *prices) disagrees(c *priceCell, e api.Estimate) bool {
	return c.table.Known() && e.Source == api.SourceService && c.table.Credits != e.Credits
}

// cheapest is the lowest figure of the model, once all of them are known.
func (s *prices) cheapest() (api.Credits, bool) {
	var low api.Credits
	n, differ := 0, false
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if c.impossible != "" {
			continue
		}
		fig, ok := s.figureOf(c)
		if !ok {
			return 0, false
		}
		if n > 0 && fig.estimate.Credits != low {
			differ = true
		}
		if n == 0 || fig.estimate.Credits < low {
			low = fig.estimate.Credits
		}
		n++
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
		if s.listing.Err != nil {
			why = k.say("Its price was not told yet.")
		}
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
		switch at := fig.estimate.At; {
		case at.IsZero():
			return t.Good.Paint("✓ " + k.say("the service"))
		case s.listing.Err != nil:
			return t.Muted.Paint("✓ " + k.say("the service, %s", k.stamp(at)))
		default:
			return t.Good.Paint("✓ " + k.say("the service, %s", k.stamp(at)))
		}
	}
	line := t.Warn.Paint("≈ " + k.say("the published table"))
	if fig.why != "" {
		line += t.Muted.Paint("  " + fig.why)
	}
	return line
}

// drawNotes points out what the figures teach.
func (s *prices) drawNotes(f *facts) {
	k, t, g := s.k, s.k.theme, &s.grid
	f.gap()
	s.drawTrouble(f)
	if legend := s.legend(); legend != "" {
		f.painted(legend)
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

// drawTrouble says that the service does not answer, and what is known all the
// same and since when.
func (s *prices) drawTrouble(f *facts) {
	k, t := s.k, s.k.theme
	if s.listing.Err == nil || s.loading {
		return
	}
	f.wrapped(t.Warn, "✕ "+asSentence(shortly(k, s.listing.Err)))
	if s.listing.At.IsZero() {
		f.wrapped(t.Muted, k.say("It has told nothing yet: only the published rates of seedance2 are known. Press r to ask again."))
	} else {
		f.wrapped(t.Muted, k.say("The models are as it told them at %s. Press r to ask again.", k.stamp(s.listing.At)))
	}
	f.gap()
}

// legend explains the marks that are in view.
func (s *prices) legend() string {
	k, t := s.k, s.k.theme
	var parts []string
	if _, any := s.cheapest(); any {
		parts = append(parts, t.Good.Paint("▾ ")+t.Muted.Paint(k.say("cheapest")))
	}
	table, differs := false, false
	for i := range s.grid.cells {
		c := &s.grid.cells[i]
		if fig, ok := s.figureOf(c); ok && c.impossible == "" {
			table = table || fig.estimate.Source == api.SourceTable
			differs = differs || s.disagrees(c, fig.estimate)
		}
	}
	if table {
		parts = append(parts, t.Text.Paint("≈ ")+t.Muted.Paint(k.say("the published table")))
	}
	if differs {
		parts = append(parts, t.Warn.Paint("! ")+t.Muted.Paint(k.say("not as published")))
	}
	return strings.Join(parts, "   ")
}

// drawParameters lists what else the model takes.
func (s *prices) drawParameters(f *facts, m api.Model) {
	k, t := s.k, s.k.theme
	if len(m.Parameters) == 0 {
		return
	}
	f.gap()
	f.lines = append(f.lines, divide(k.say("Parameters")))
	wide := 0
	for _, p := range m.Parameters {
		wide = max(wide, theme.Width(clean(p.Name)))
	}
	wide = min(wide, f.w/3) + 2
	for _, p := range m.Parameters {
		words := make([]string, 0, len(p.Values)+1)
		for _, v := range p.Values {
			words = append(words, t.Muted.Paint(clean(v)))
		}
		if len(words) == 0 && p.Type != "" {
			words = append(words, t.Muted.Paint(clean(p.Type)))
		}
		if p.Default != "" {
			words = append(words, t.Faint.Paint(k.say("default %s", clean(p.Default))))
		}
		f.listed(t.Text.Paint(theme.Fit(clean(p.Name), wide)), wide, words)
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
