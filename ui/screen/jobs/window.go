package jobs

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
)

// WindowRows is how many rows are held: enough that paging does not run into
// what is not there yet.
const WindowRows = 300

// window is the part of a long list that is held, and where one stands in the
// whole. The selection is a job, not a number: it stays when rows come and go.
type window struct {
	rows     []state.Row
	offset   int // of rows[0] in the list
	total    int // rows that match the filter
	all      int
	at       int    // selected row in the list
	id       string // and the job it is
	top      int    // first row in view
	rowsHigh int
	Seq      int // of the last question
	asked    int // offset of the last question
	// filterSeq grows with every key in the filter.
	filterSeq int
	fresh     bool // nothing was read yet
	// picked asks for a job to be selected wherever it is found.
	picked string
}

// ListedMsg answers a question for rows.
type ListedMsg struct {
	Seq      int
	Page     state.Page
	expected map[string]pace
	err      error
}

func (m ListedMsg) Failed() error { return m.err }

func (l *window) setHeight(h int) {
	l.rowsHigh = h
	l.reveal()
}

func (l *window) row(n int) (state.Row, bool) {
	if n < l.offset || n >= l.offset+len(l.rows) {
		return state.Row{}, false
	}
	return l.rows[n-l.offset], true
}

func (l *window) current() (state.Row, bool) { return l.row(l.at) }

func (l *window) visible() []state.Row {
	lo := max(l.top-l.offset, 0)
	hi := min(l.top+l.rowsHigh-l.offset, len(l.rows))
	if lo >= hi {
		return nil
	}
	return l.rows[lo:hi]
}

// move selects row to and reports whether that is another one.
func (l *window) move(to int) bool {
	to = max(min(to, l.total-1), 0)
	if to == l.at {
		return false
	}
	l.at = to
	l.id = ""
	if r, ok := l.row(to); ok {
		l.id = r.ID
	}
	l.reveal()
	return true
}

// reveal scrolls as little as needed to have the selection in view.
func (l *window) reveal() {
	l.top = min(l.top, l.at)
	l.top = max(l.top, l.at-l.rowsHigh+1)
	l.top = max(min(l.top, l.total-l.rowsHigh), 0)
}

// short reports whether rows near the view are missing.
func (l *window) short() bool {
	lo, hi := max(l.top-l.rowsHigh, 0), min(l.top+2*l.rowsHigh, l.total)
	if lo >= l.offset && hi <= l.offset+len(l.rows) {
		return false
	}
	// The answer to the question on its way may bring them.
	return lo < l.asked || hi > min(l.asked+WindowRows, l.total)
}

func (l *window) pick(id string) { l.picked = id }

// take puts an answer in the place of what was held, and finds the selection
// again by its job.
func (l *window) take(p state.Page) {
	before := l.at
	l.rows, l.offset, l.total, l.all = p.Rows, p.Offset, p.Total, p.All
	l.fresh = false
	want := l.id
	if l.picked != "" {
		want = l.picked
	}
	found := false
	for i := range l.rows {
		if want != "" && l.rows[i].ID == want {
			l.at, found = l.offset+i, true
			break
		}
	}
	if l.picked != "" && found {
		l.picked = ""
	}
	l.at = max(min(l.at, l.total-1), 0)
	if shift := l.at - before; found && l.top > 0 {
		l.top += shift
	}
	l.id = ""
	if r, ok := l.current(); ok {
		l.id = r.ID
	}
	l.reveal()
}

// reload asks for the rows around the view; shift is by how many new rows the
// view was pushed down.
func (s *Screen) reload(shift int) tea.Cmd {
	l := &s.List
	if l.rowsHigh == 0 {
		l.rowsHigh = 40
	}
	l.Seq++
	offset := max(l.top+shift-(WindowRows-l.rowsHigh)/2, 0)
	if l.picked != "" {
		offset = 0
	}
	l.asked = offset
	seq, ctx, d := l.Seq, s.k.Context, s.backend
	q := state.Query{Filter: s.filter.Text(), Offset: offset, Limit: WindowRows}
	return func() tea.Msg {
		page, err := d.Jobs(ctx, q)
		if ctx.Err() != nil {
			return nil
		}
		return ListedMsg{seq, page, paces(page.Rows), err}
	}
}

func (s *Screen) listed(m ListedMsg) tea.Cmd {
	if m.Seq != s.List.Seq || m.err != nil {
		return nil
	}
	s.List.take(m.Page)
	s.rows.keep(s.List.rows, m.expected)
	s.dirty()
	if s.List.short() && s.List.total > 0 {
		return tea.Batch(s.reload(0), s.detail.want(s.Selected()))
	}
	return s.detail.want(s.Selected())
}

// pace is how long jobs of one sort took lately.
type pace struct{ median, slow time.Duration }

// paceKey names a sort of job by what the list knows of it.
func paceKey(r state.Row) string { return string(r.Kind) + " " + r.Model + " " + r.Credits.String() }

// paces learns from the finished rows. It sorts, so it runs in the command.
func paces(rows []state.Row) map[string]pace {
	took := map[string][]time.Duration{}
	for _, r := range rows {
		if r.Phase == api.PhaseDone && !r.SentAt.IsZero() && r.EndedAt.After(r.SentAt) {
			took[paceKey(r)] = append(took[paceKey(r)], r.EndedAt.Sub(r.SentAt))
		}
	}
	out := make(map[string]pace, len(took))
	for key, all := range took {
		slices.Sort(all)
		out[key] = pace{all[len(all)/2], all[len(all)*9/10]}
	}
	return out
}
