package jobs

import (
	"cmp"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// rowDrawer draws rows and remembers the drawings.
type rowDrawer struct {
	k       *env.Env
	drawn   widget.Memos[string, rowKey, [2]string] // by job
	typical map[result.Class]result.Typical
}

// rowLook is how a row stands in the list.
type rowLook struct {
	width    int
	at       time.Time
	selected bool
	marked   bool
	dated    bool // the rows are not grouped by day
}

// rowKey is all that the drawing of a row depends on; at only if its time passes.
type rowKey struct {
	rowLook
	version int64
	typical result.Typical
	rating  state.Rating
	unseen  bool
	theme   *theme.Theme
	lang    string
}

// draw gives the row of a job in exactly look.width cells, and the line below it.
func (d *rowDrawer) draw(r *state.Row, look rowLook) [2]string {
	key := rowKey{
		rowLook: look, version: r.Version, rating: r.Rating, unseen: r.Unseen,
		theme: d.k.Theme, lang: d.k.Words.Lang(),
	}
	key.at = look.at.Truncate(time.Second)
	switch {
	case r.Phase.Active():
		key.typical = d.typical[result.ClassOf(r)]
	case !expires(r, look.at):
		key.at = time.Time{}
	}
	return d.drawn.Get(r.ID, key, func() [2]string { return d.write(r, look) })
}

const signsWidth = 4 // of the last column: rating, note, number of files

// kindSigns stand for the words, which would take the room of titles.
var kindSigns = map[api.Kind]string{api.KindImage: "▩", api.KindVideo: "▶"}

// write styles one row into exactly look.width cells: phase, kind, title, credits
// or what else matters in its phase, time, signs. Below it stands its note.
func (d *rowDrawer) write(r *state.Row, look rowLook) [2]string {
	k, t := d.k, d.k.Theme
	in, mark, title := &t.Styles, " ", t.Text
	if look.selected {
		in, mark, title = &t.Selected, "▸", t.Selected.Strong
	}
	if r.Dismissed || r.Pick < 0 {
		title = in.Faint
	}
	phaseWidth := widget.PhaseWidth(k)
	phase, ink := widget.PhaseLook(r.Phase), widget.PhaseStyle(in, r.Phase)
	if r.Phase == api.PhaseRunning {
		phase.Mark = widget.Turning(look.at)
	}
	if r.Phase == api.PhaseHeld && r.Paused { // it waits for the person
		phase.Word, ink = "paused", in.Warn
	}
	check := " "
	if look.marked {
		check = "✓"
	}
	var b strings.Builder
	word := ink
	if r.Phase == api.PhaseDone {
		word = in.Muted
	}
	in.Accent.Write(&b, mark+check)
	said := ink.Paint(phase.Mark+" ") + word.Paint(theme.Fit(k.Say(phase.Word), phaseWidth))
	if ink == t.Bad { // a chip, which the ground of the chosen row takes in
		said = t.Element.Lay(said)
	}
	b.WriteString(said)
	in.Muted.Write(&b, " "+cmp.Or(kindSigns[r.Kind], "·")+" ")
	signs := result.Signs(r)
	if r.Unseen {
		signs = "•" + signs
	}
	when, whenInk := d.when(r, look, in)
	timeWidth, end := theme.Width("15:04"), 1+signsWidth
	if look.dated {
		timeWidth = theme.Width(time.DateOnly)
	}
	if r.Phase.Active() { // over the column of signs too, so that the prices stay in theirs
		if timeWidth, end = timeWidth+end, 0; theme.Width(when) > timeWidth {
			when, _, _ = strings.Cut(when, "/")
		}
	}
	info, infoInk := d.info(r, look.at, in)
	titleAt := 4 + phaseWidth + 3
	room := max(look.width-titleAt-timeWidth-1-end, 1)
	info = theme.Cut(info, max(room/2, min(room-1, 24)))
	room = max(room-theme.Width(info)-1, 0)
	title.Write(&b, theme.Fit(result.Name(r, room), room))
	infoInk.Write(&b, " "+info)
	whenInk.Write(&b, " "+theme.Fit(when, timeWidth))
	in.Accent.Write(&b, theme.Fit(" "+signs, end))
	return [2]string{b.String(), t.Faint.Paint(theme.Fit(theme.Blank(titleAt)+d.note(r), look.width))}
}

// noted reports whether a line below a row says why it did not end well.
func noted(r *state.Row) bool {
	return r != nil && (result.OutcomeUnknown(r) || failed(r.Phase) && !r.Error.IsZero())
}

func failed(p api.Phase) bool {
	return p == api.PhaseFailed || p == api.PhaseRejected || p == api.PhaseNotSent
}

func (d *rowDrawer) note(r *state.Row) string {
	switch {
	case !noted(r):
		return ""
	case failed(r.Phase):
		return result.Ended(d.k, r, result.Failure(d.k, r))
	case r.Source == api.SourceNone || r.Source == "":
		return d.k.Say("may have cost credits")
	}
	return d.k.Say("may have cost %s cr", env.Amount(r.Credits))
}

// info is what a job costs, or how it ended.
func (d *rowDrawer) info(r *state.Row, at time.Time, in *theme.Styles) (string, theme.Style) {
	k := d.k
	switch r.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		if r.Dismissed {
			return k.Say("not charged"), in.Faint
		}
	case api.PhaseExpired:
		return k.Say("links expired"), in.Warn
	case api.PhaseStale:
		return k.Say("no end in 7 d"), in.Warn
	case api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent:
		return "–", in.Faint
	case api.PhaseDone:
		if expires(r, at) {
			return k.Say("expires %s", k.Span(r.ExpiresAt.Sub(at))), in.Warn
		} else if r.Files == 0 {
			return k.Say("no file"), in.Muted
		}
	}
	switch r.Source {
	case api.SourceNone, "":
		return "–", in.Faint
	case api.SourceTable:
		return "≈ " + env.Amount(r.Credits), in.Text
	}
	return env.Amount(r.Credits), in.Text
}

// when is the time of a row: when it was made, or how long an active job takes,
// compared with how long its class took lately.
func (d *rowDrawer) when(r *state.Row, look rowLook, in *theme.Styles) (string, theme.Style) {
	took := look.at.Sub(cmp.Or(r.SentAt, r.CreatedAt))
	typical, ok := d.typical[result.ClassOf(r)]
	switch {
	case !r.Phase.Active() && look.dated:
		return r.CreatedAt.Format(time.DateOnly), in.Muted
	case !r.Phase.Active():
		return r.CreatedAt.Format("15:04"), in.Muted
	case ok && took > typical.Slow && took > typical.Median+30*time.Second:
		return env.Short(took) + " " + d.k.Say("slow"), in.Warn
	case ok:
		return env.Short(took) + "/~" + env.Short(typical.Median), in.Muted
	}
	return env.Short(took), in.Muted
}

// expires reports whether a result that was not fetched is still at its link.
func expires(r *state.Row, at time.Time) bool {
	return r.Phase == api.PhaseDone && r.Files == 0 && r.ExpiresAt.After(at)
}

func (s *Screen) drawList(w int) []string {
	p := widget.Pane{
		Width: w, Height: s.h, Title: s.title(s.k.Say("Jobs")), Right: s.count(),
		Focus: true, Quiet: true, Filled: s.list.total > 0,
	}
	inner, high := p.Inner()
	lines, look := make([]string, 0, high), rowLook{width: inner, at: s.at, dated: !s.list.days}
	var drawn [2]string
	layout := s.list.layout()
	for i, n := range layout {
		switch r := s.list.row(max(n, 0)); {
		case n == blankLine:
			lines = append(lines, "")
		case n == dayLine:
			lines = append(lines, s.k.Theme.Faint.Paint(theme.Fit(" "+s.dayName(layout[i+1:]), inner)))
		case n == noteLine:
			lines = append(lines, drawn[1])
		case r == nil:
			lines = append(lines, s.k.Theme.Faint.Paint(theme.Fit("  …", inner)))
		default:
			look.selected, look.marked = n == s.list.at, s.marks.Has(r.ID)
			drawn = s.rows.draw(r, look)
			lines = append(lines, drawn[0])
		}
	}
	if s.list.total == 0 && s.list.version > 0 {
		lines = append(lines, s.emptyLines(inner)...)
	}
	return p.Keep(&s.framed, s.k.Theme, lines)
}

// dayName is the day of the first of rows, as people say it.
func (s *Screen) dayName(rows []int) string {
	if len(rows) == 0 || s.list.row(rows[0]) == nil {
		return ""
	}
	r := s.list.row(rows[0])
	if entry := asking(r); entry != "" {
		return s.k.Say("%s asks", entry)
	}
	now := s.k.At.In(r.CreatedAt.Location())
	week := now.AddDate(0, 0, -6).Format(time.DateOnly)
	switch name := r.CreatedAt.Format(time.DateOnly); name {
	case now.Format(time.DateOnly):
		return s.k.Say("Today")
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return s.k.Say("Yesterday")
	default:
		if name >= week {
			return s.k.Say(days[r.CreatedAt.Weekday()])
		}
		return name
	}
}

var days = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
