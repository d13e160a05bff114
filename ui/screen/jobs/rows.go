package jobs

import (
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// rowDrawer draws rows and remembers the drawings: a row is styled once for
// each version and width, and again only when the time in it moves.
type rowDrawer struct {
	k        *env.Env
	plain    widget.Memos[string, rowKey, string] // by job
	selected widget.Memos[string, rowKey, string]
	usual    map[result.Class]result.Usual
	columns  widget.Memo[string, columns]
}

// rowKey is all that the drawing of a job's row depends on.
type rowKey struct {
	version int64
	second  int64 // 0 shows no time
	usual   result.Usual
	width   int
	marked  bool
	rating  state.Rating
	theme   *theme.Theme
	lang    string
}

// columns are the widths of the columns of words.
type columns struct{ phase, kind int }

// rowLook is how a row stands in the list.
type rowLook struct {
	width    int
	at       time.Time
	selected bool
	marked   bool // others are compared with it
}

// manyActive is how many rows may move every second; more of them move every
// fifth, so that twenty running jobs stay quiet on the line.
const manyActive = 4

// rowTime is the time that rows show at a moment.
func rowTime(at time.Time, visible []state.Row) time.Time {
	n := 0
	for i := range visible {
		if visible[i].Phase.Active() {
			n++
		}
	}
	if n > manyActive {
		return at.Truncate(5 * time.Second)
	}
	return at
}

// keep forgets rows that are no longer held and takes over the new timings.
func (d *rowDrawer) keep(rows []state.Row, usual map[result.Class]result.Usual) {
	d.usual = usual
	if d.plain.Len()+d.selected.Len() <= 2*heldRows {
		return
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	d.plain.Keep(ids)
	d.selected.Keep(ids)
}

// draw gives the row of a job in exactly look.width cells.
func (d *rowDrawer) draw(r *state.Row, look rowLook) string {
	key := rowKey{version: r.Version, width: look.width, marked: look.marked, rating: r.Rating, theme: d.k.Theme, lang: d.k.Words.Lang()}
	if r.Phase.Active() {
		key.second, key.usual = look.at.Unix(), d.usual[result.ClassOf(r)]
	} else if expires(r, look.at) {
		key.second = look.at.Unix()
	}
	if look.selected {
		return d.selected.Get(r.ID, key, func() string { return d.write(r, look, &d.k.Theme.Selected, "▸") })
	}
	return d.plain.Get(r.ID, key, func() string { return d.write(r, look, &d.k.Theme.Inks, " ") })
}

// write styles one row into exactly look.width cells.
func (d *rowDrawer) write(r *state.Row, look rowLook, in *theme.Inks, mark string) string {
	k := d.k
	wide := d.columns.Get(k.Words.Lang(), func() columns { return columns{widget.PhaseWidth(k) + 1, widget.KindWidth(k) + 1} })
	phase, ink := widget.PhaseLook(r.Phase), widget.PhaseStyle(in, r.Phase)
	if r.Phase == api.PhaseRunning {
		phase.Mark = widget.Spin[int(look.at.Unix())%len(widget.Spin)]
	}
	if look.marked {
		mark += "◆"
	} else {
		mark += " "
	}
	right, rightInk := d.right(r, look.at, in)
	var b strings.Builder
	in.Accent.Write(&b, mark)
	ink.Write(&b, phase.Mark+" "+theme.Fit(k.Say(phase.Word), wide.phase))
	in.Muted.Write(&b, theme.Fit(k.Say(widget.KindWord(r.Kind)), wide.kind)+" ")
	room := look.width - 5 - wide.phase - wide.kind
	right = theme.Cut(right, rightRoom(r, room))
	title := in.Text
	if r.Dismissed {
		title = in.Faint
	}
	titleRoom := room
	if right != "" {
		titleRoom -= theme.Width(right) + 1
		right = " " + right
	}
	if signs := result.RatingText(r.Rating); signs != "" && theme.Width(signs)+8 < titleRoom {
		titleRoom -= theme.Width(signs) + 1
		right = " " + signs + right
	}
	title.Write(&b, theme.Fit(r.Title, titleRoom))
	rightInk.Write(&b, right)
	return b.String()
}

// rightRoom is how wide the last column of a row may be. A figure is never cut
// for a title; a reason takes what the title leaves, or half of the room.
func rightRoom(r *state.Row, room int) int {
	switch r.Phase {
	case api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent:
		return max(room-theme.Width(r.Title)-2, room/2)
	}
	return max(room/2, min(room, 24)) // "may have cost 1,240.5 cr"
}

// right is the last column: what matters about a job in its phase.
func (d *rowDrawer) right(r *state.Row, at time.Time, in *theme.Inks) (string, theme.Ink) {
	k := d.k
	switch r.Phase {
	case api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning:
		return d.elapsed(r, at, in)
	case api.PhaseFetching:
		return k.Say("fetching files"), in.Fetch
	case api.PhaseDone:
		switch {
		case r.Files > 0:
			return k.Words.Count(r.Files, "%d file", "%d files"), in.Muted
		case expires(r, at):
			return k.Say("expires %s", k.Span(r.ExpiresAt.Sub(at))), in.Warn
		}
		return k.Say("no file"), in.Faint
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
	}
	line, _, _ := strings.Cut(r.Error.String(), "\n")
	return k.Reason(line), in.Muted
}

// elapsed is how long an active job takes, beside how long its class took
// lately.
func (d *rowDrawer) elapsed(r *state.Row, at time.Time, in *theme.Inks) (string, theme.Ink) {
	since := r.SentAt
	if since.IsZero() {
		since = r.CreatedAt
	}
	took := at.Sub(since)
	usual, ok := d.usual[result.ClassOf(r)]
	switch {
	case ok && took > usual.Slow && took > usual.Median+30*time.Second:
		return env.Short(took) + " " + d.k.Say("slow"), in.Warn
	case ok:
		return env.Short(took) + " / ~" + env.Short(usual.Median), in.Muted
	}
	return env.Short(took), in.Muted
}

// expires reports whether a result that was not fetched is still at its link.
func expires(r *state.Row, at time.Time) bool {
	return r.Phase == api.PhaseDone && r.Files == 0 && r.ExpiresAt.After(at)
}
