package jobs

import (
	"strings"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// rowCache keeps drawn rows: a row is styled once for each version, width and
// ground, and again only when the time in it moves.
type rowCache struct {
	k        *env.Env
	drawn    map[string]*drawnRow
	expected map[string]pace
	at       time.Time // the time that rows show
	width    int
	marked   string // the job that others are compared with
	words    [2]int // widths of the columns of phase and kind
}

type drawnRow struct {
	version  int64
	at       time.Time // zero: shows no time
	plain    string
	selected string
}

// crowd is how many rows may move every second; more of them move every fifth,
// so that twenty running jobs stay quiet on the line.
const crowd = 4

func (c *rowCache) drop() { c.drawn = nil }

// forget lets a row be drawn anew.
func (c *rowCache) forget(id string) { delete(c.drawn, id) }

// keep forgets rows that are no longer held and takes over the new paces.
func (c *rowCache) keep(rows []state.Row, expected map[string]pace) {
	c.expected = expected
	if len(c.drawn) <= 2*WindowRows {
		return
	}
	held := make(map[string]*drawnRow, len(rows))
	for i := range rows {
		if d, ok := c.drawn[rows[i].ID]; ok {
			held[rows[i].ID] = d
		}
	}
	c.drawn = held
}

// tick moves the time of the rows in view.
func (c *rowCache) tick(at time.Time, visible []state.Row) {
	n := 0
	for i := range visible {
		if visible[i].Phase.Active() {
			n++
		}
	}
	if n > crowd {
		at = at.Truncate(5 * time.Second)
	}
	c.at = at
}

func (c *rowCache) draw(r state.Row, w int, selected bool) string {
	if c.width != w || c.drawn == nil {
		c.drawn, c.width = make(map[string]*drawnRow, WindowRows), w
		c.words = [2]int{widget.PhaseWidth(c.k) + 1, widget.KindWidth(c.k) + 1}
	}
	at := time.Time{}
	if r.Phase.Active() {
		if c.at.IsZero() {
			c.at = c.k.At
		}
		at = c.at
	}
	d := c.drawn[r.ID]
	if d == nil || d.version != r.Version || !d.at.Equal(at) {
		d = &drawnRow{version: r.Version, at: at}
		c.drawn[r.ID] = d
	}
	if selected {
		if d.selected == "" {
			d.selected = c.write(r, w, at, &c.k.Theme.Selected, "▸")
		}
		return d.selected
	}
	if d.plain == "" {
		d.plain = c.write(r, w, at, &c.k.Theme.Inks, " ")
	}
	return d.plain
}

// write styles one row into exactly w cells.
func (c *rowCache) write(r state.Row, w int, at time.Time, in *theme.Inks, mark string) string {
	k := c.k
	look, ink := widget.PhaseLook(r.Phase), widget.PhaseStyle(in, r.Phase)
	if r.Phase == api.PhaseRunning && !at.IsZero() {
		look.Mark = widget.Spin[int(at.Unix())%len(widget.Spin)]
	}
	if r.ID == c.marked {
		mark += "◆"
	} else {
		mark += " "
	}
	right, rightInk := c.right(r, at, in)
	var b strings.Builder
	in.Accent.Write(&b, mark)
	ink.Write(&b, look.Mark+" "+theme.Fit(k.Say(look.Word), c.words[0]))
	in.Muted.Write(&b, theme.Fit(k.Say(widget.KindWord(r.Kind)), c.words[1])+" ")
	room := w - 5 - c.words[0] - c.words[1]
	right = theme.Cut(right, c.rightRoom(r, room))
	title := in.Text
	if r.Dismissed {
		title = in.Faint
	}
	titleRoom := room
	if right != "" {
		titleRoom -= theme.Width(right) + 1
		right = " " + right
	}
	title.Write(&b, theme.Fit(r.Title, titleRoom))
	rightInk.Write(&b, right)
	return b.String()
}

// rightRoom is how wide the last column of a row may be. A figure is never cut
// for a title; a reason takes what the title leaves, or half of the room.
func (c *rowCache) rightRoom(r state.Row, room int) int {
	switch r.Phase {
	case api.PhaseFailed, api.PhaseRejected, api.PhaseNotSent:
		return max(room-theme.Width(r.Title)-2, room/2)
	}
	return max(room/2, min(room, 20))
}

// right is the last column: what matters about a job in its phase.
func (c *rowCache) right(r state.Row, at time.Time, in *theme.Inks) (string, theme.Ink) {
	k := c.k
	switch r.Phase {
	case api.PhaseIntent, api.PhaseSending, api.PhaseQueued, api.PhaseRunning:
		since := r.SentAt
		if since.IsZero() {
			since = r.CreatedAt
		}
		elapsed := at.Sub(since)
		p, ok := c.expected[paceKey(r)]
		switch {
		case ok && elapsed > p.slow && elapsed > p.median+30*time.Second:
			return env.Short(elapsed) + " " + k.Say("slow"), in.Warn
		case ok:
			return env.Short(elapsed) + " / ~" + env.Short(p.median), in.Muted
		}
		return env.Short(elapsed), in.Muted
	case api.PhaseFetching:
		return k.Say("files on their way"), in.Fetch
	case api.PhaseDone:
		switch {
		case r.Files > 0:
			return k.Words.Count(r.Files, "%d file", "%d files"), in.Muted
		case !r.ExpiresAt.IsZero() && r.ExpiresAt.After(k.At):
			return k.Say("expires %s", k.Span(r.ExpiresAt.Sub(k.At))), in.Warn
		}
		return k.Say("no file"), in.Faint
	case api.PhaseUnknown, api.PhaseUnread:
		if r.Dismissed {
			return k.Say("not charged"), in.Faint
		}
		if r.Source == api.SourceNone || r.Source == "" {
			return k.Say("maybe charged"), in.Doubt
		}
		return k.Say("maybe %s cr spent", env.Amount(r.Credits)), in.Doubt
	case api.PhaseExpired:
		return k.Say("links expired"), in.Warn
	case api.PhaseStale:
		return k.Say("no end in 7 d"), in.Warn
	}
	return k.Reason(firstLine(r.Error.String())), in.Muted
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func cutTo(s string, w int) string { return theme.Cut(s, w) }
