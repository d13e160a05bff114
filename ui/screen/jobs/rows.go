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
	drawn   widget.Memos[string, rowKey, string] // by job
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

// draw gives the row of a job in exactly look.width cells.
func (d *rowDrawer) draw(r *state.Row, look rowLook) string {
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
	return d.drawn.Get(r.ID, key, func() string { return d.write(r, look) })
}

const (
	signsWidth = 4  // of the last column: rating, note, number of files
	narrowRow  = 60 // below it some rows show no time
)

// write styles one row into exactly look.width cells: phase, kind, title, credits
// or what else matters in its phase, time, signs.
func (d *rowDrawer) write(r *state.Row, look rowLook) string {
	k := d.k
	in, mark := &k.Theme.Styles, " "
	if look.selected {
		in, mark = &k.Theme.Selected, "▸"
	}
	phaseWidth, kindWidth := widget.PhaseWidth(k)+1, widget.KindWidth(k)+1
	phase, ink := widget.PhaseLook(r.Phase), widget.PhaseStyle(in, r.Phase)
	if r.Phase == api.PhaseRunning {
		phase.Mark = widget.Turning(look.at)
	}
	if look.marked {
		mark += "◆"
	} else {
		mark += " "
	}
	var b strings.Builder
	blankOr(ink, in.Accent, mark).Write(&b, mark)
	ink.Write(&b, phase.Mark+" "+theme.Fit(k.Say(phase.Word), phaseWidth))
	in.Muted.Write(&b, theme.Fit(k.Say(widget.KindWord(r.Kind)), kindWidth))
	signs := result.Signs(r)
	if r.Unseen {
		signs = "•" + signs
	}
	when, whenInk := d.when(r, look, in)
	info, infoInk := d.info(r, look.at, in)
	if look.width < narrowRow && !r.Phase.Active() && r.Phase != api.PhaseDone {
		when = "" // what went wrong needs the room
	}
	room := max(look.width-4-phaseWidth-kindWidth-signsWidth-1-theme.Width(when)-1, 1)
	if r.Phase == api.PhaseHeld && r.Paused {
		info, infoInk = d.paused(r, room, in)
	}
	info = theme.Cut(info, infoRoom(r, room-1))
	title := in.Text
	if r.Dismissed || r.Pick < 0 {
		title = in.Faint
	}
	room = max(room-theme.Width(info)-1, 0)
	title.Write(&b, theme.Fit(titleText(r, room), room))
	infoInk.Write(&b, " "+info)
	whenInk.Write(&b, " "+when)
	blankOr(whenInk, in.Accent, signs).Write(&b, " "+theme.Fit(signs, signsWidth))
	return b.String()
}

// blankOr is the style of a text, or that of its neighbour where it shows nothing:
// the colour of blanks would be written to the terminal with every key.
func blankOr(beside, ink theme.Style, text string) theme.Style {
	if strings.TrimSpace(text) == "" {
		return beside
	}
	return ink
}

// infoRoom is how wide the figure or reason of a row may be: a reason takes what the
// title leaves, or half of the room.
func infoRoom(r *state.Row, room int) int {
	switch r.Phase {
	case api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent:
		return max(room-theme.Width(r.Title)-2, room/2)
	}
	return max(room/2, min(room, 24)) // "may have cost 1,240.5 cr"
}

// info is what a job costs, or why it did not end well.
func (d *rowDrawer) info(r *state.Row, at time.Time, in *theme.Styles) (string, theme.Style) {
	k := d.k
	switch r.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		if r.Dismissed {
			return k.Say("not charged"), in.Faint
		}
		if r.Source == api.SourceNone || r.Source == "" {
			return k.Say("may have cost credits"), in.Doubt
		}
		return k.Say("may have cost %s cr", env.Amount(r.Credits)), in.Doubt
	case api.PhaseExpired:
		return k.Say("links expired"), in.Warn
	case api.PhaseStale:
		return k.Say("no end in 7 d"), in.Warn
	case api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent:
		line, _, _ := strings.Cut(k.Words.Reason(r.Error), "\n")
		return env.AsSentence(line), in.Muted
	case api.PhaseDone:
		if expires(r, at) {
			return k.Say("expires %s", k.Span(r.ExpiresAt.Sub(at))), in.Warn
		} else if r.Files == 0 {
			return k.Say("no file"), in.Faint
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
		Width: w, Height: s.h, Title: s.filter.Title(w, s.k.Say("Jobs")), Right: s.count(),
		Focus: true, Filled: s.list.total > 0,
	}
	inner, high := p.Inner()
	lines := make([]string, 0, high)
	look := rowLook{width: inner, at: s.at, dated: !s.list.days}
	layout := s.list.layout()
	for i, n := range layout {
		r := s.list.row(max(n, 0))
		if n == dayLine {
			lines = append(lines, s.dayLine(layout[i+1:], inner))
			continue
		}
		if r == nil {
			lines = append(lines, s.k.Theme.Faint.Paint(theme.Fit("  …", inner)))
			continue
		}
		look.selected, look.marked = n == s.list.at, s.marks.Has(r.ID)
		lines = append(lines, s.rows.draw(r, look))
	}
	if s.list.total == 0 && s.list.version > 0 {
		lines = append(lines, s.emptyLines(inner)...)
	}
	return p.Keep(&s.framed, s.k.Theme, lines)
}

// dayLine names the day of the row below it, as people say it.
func (s *Screen) dayLine(below []int, w int) string {
	name := ""
	if len(below) > 0 {
		if r := s.list.row(below[0]); r != nil {
			now := s.k.At.In(r.CreatedAt.Location())
			switch name = r.CreatedAt.Format(time.DateOnly); name {
			case now.Format(time.DateOnly):
				name = s.k.Say("today")
			case now.AddDate(0, 0, -1).Format(time.DateOnly):
				name = s.k.Say("yesterday")
			}
			name = " " + name + " "
		}
	}
	return s.k.Theme.Faint.Paint("–" + theme.Cut(name, max(w-2, 0)) + strings.Repeat("─", max(w-1-theme.Width(name), 0)))
}
