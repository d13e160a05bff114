package jobs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// rowLook is how a row stands in the list.
type rowLook struct {
	width    int
	at       time.Time
	selected bool
	marked   bool
	dated    bool   // the rows are not grouped by day
	seed     string // that tells it from a row beside it
}

// rowKey is all that the drawing of a row depends on; at only if its time passes.
type rowKey struct {
	rowLook
	id      string
	version int64
	typical result.Typical
	rating  state.Rating
	unseen  bool
	look    env.Look
}

// drawRow gives the row of a job in exactly look.width cells, and the line below it.
func (s *Screen) drawRow(r *state.Row, look rowLook) [2]string {
	key := rowKey{rowLook: look, id: r.ID, version: r.Version, rating: r.Rating, unseen: r.Unseen, look: s.k.Look()}
	key.at = look.at.Truncate(time.Second)
	switch {
	case r.Phase.Active():
		key.typical = s.detail.typical[result.ClassOf(*r)]
	case !expires(r, look.at):
		key.at = time.Time{}
	}
	return s.drawn.Get(key, 2*heldRows, func() [2]string { return s.writeRow(r, look) })
}

// kindSigns stand for the words, which would take the room of titles.
var kindSigns = map[api.Kind]string{api.KindImage: "▩", api.KindVideo: "▶"}

// writeRow styles one row into exactly look.width cells: phase, kind, title, credits
// or what else matters in its phase, time, signs. Below it stands its note.
func (s *Screen) writeRow(r *state.Row, look rowLook) [2]string {
	k, t := s.k, s.k.Theme
	in, mark := t.Row(look.selected)
	phase, phaseWidth := widget.PhaseLook(r.Phase), widget.PhaseWidth(k)
	if r.Phase == api.PhaseRunning {
		phase.Mark = widget.Turning(look.at)
	}
	ink := in.Warn.If(r.Phase == api.PhaseHeld && r.Paused, widget.PhaseStyle(in, r.Phase)) // that waits for the person
	check := " "
	if look.marked {
		check = "✓"
	}
	word, edge := ink, in.Accent
	switch {
	case r.Phase == api.PhaseDone:
		word = in.Muted
	case widget.Broke(r.Phase) && t.Grounds():
		ink, word, edge = t.Failed, t.Failed, in.Accent.If(look.marked, t.Failed)
	}
	line := in.Accent.Paint(strings.TrimSuffix(mark, " ")) + edge.Paint(check) + ink.Paint(phase.Mark+" ") +
		word.Paint(theme.Fit(k.Say(phase.Word), phaseWidth)) + in.Muted.Paint(" "+cmp.Or(kindSigns[r.Kind], "·")+" ")
	dot := " "
	if r.Unseen {
		dot = "•"
	}
	when, whenInk := s.when(r, look, in)
	timeWidth, end := theme.Width("15:04"), 7 // the last column: a blank, what is new, rating, note, number of files
	if look.dated {
		timeWidth = theme.Width(time.DateOnly)
	}
	if r.Phase.Active() { // over the column of signs too, so that the prices stay in theirs
		timeWidth, end = timeWidth+end, 0
	}
	info, infoInk := s.info(r, look.at, in)
	titleAt := 4 + phaseWidth + 3
	room := max(look.width-titleAt-timeWidth-1-end, 1)
	info = theme.Cut(widget.AlignRight(info, 4), max(room/2, min(room-1, 24)))
	room = max(room-theme.Width(info)-1, 0)
	named := *r
	if look.seed != "" {
		named.Label = k.Say("seed %s", look.seed)
	}
	title := in.Faint.If(r.Dismissed || r.Pick < 0, in.Strong.If(look.selected, in.Text))
	line += title.Paint(theme.Fit(result.Name(&named, room), room)) +
		infoInk.Paint(" "+info) + whenInk.Paint(" "+theme.Fit(when, timeWidth))
	if end > 0 {
		line += in.Accent.Paint(" "+dot) + in.Warn.Paint(theme.Fit(" "+result.SignColumns(r), end-2))
	}
	return [2]string{line, in.Faint.Paint(theme.Fit(theme.Blank(titleAt)+s.note(r), look.width))}
}

// noted reports whether a line below a row says why it did not end well.
func noted(r *state.Row) bool {
	return r != nil && (result.OutcomeUnknown(r) || failed(r.Phase) && !r.Error.IsZero())
}

func failed(p api.Phase) bool {
	return p == api.PhaseFailed || p == api.PhaseRejected || p == api.PhaseNotSent
}

func (s *Screen) note(r *state.Row) string {
	switch {
	case !noted(r):
		took := s.k.SayIf(r.Phase == api.PhaseDone && r.EndedAt.After(r.SentAt), "took %s", s.k.Span(r.EndedAt.Sub(r.SentAt)))
		return strings.Join(env.Said(api.Clean(r.Model, 60).String(), took), " · ")
	case failed(r.Phase):
		return result.Cause(s.k, r)
	}
	priced := r.Source != api.SourceNone && r.Source != ""
	return cmp.Or(s.k.SayIf(priced, "may have cost %s cr", r.Credits.String()), s.k.Say("may have cost credits"))
}

// info is what a job costs, or how it ended.
func (s *Screen) info(r *state.Row, at time.Time, in *theme.Styles) (string, theme.Style) {
	k := s.k
	switch r.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		if r.Dismissed {
			return k.Say("not charged"), in.Faint
		}
	case api.PhaseExpired:
		return k.Say("links expired"), in.Warn
	case api.PhaseStale:
		return k.Say("no end in 7 d"), in.Warn
	case api.PhaseDone:
		if expires(r, at) {
			return k.Say("expires %s", k.Span(r.ExpiresAt.Sub(at))), in.Warn
		} else if r.Files == 0 {
			return k.Say("no file"), in.Muted
		}
	}
	switch {
	case r.Source == api.SourceNone, r.Source == "", r.Free():
		return "–", in.Faint
	case r.Source == api.SourceTable:
		return "≈ " + r.Credits.String(), in.Text
	}
	return r.Credits.String(), in.Text
}

// when is the time of a row: when it was made, or how long an active job takes,
// compared with how long its class took lately.
func (s *Screen) when(r *state.Row, look rowLook, in *theme.Styles) (string, theme.Style) {
	took := look.at.Sub(cmp.Or(r.SentAt, r.CreatedAt))
	typical, ok := s.detail.typical[result.ClassOf(*r)]
	switch {
	case !r.Phase.Active() && look.dated:
		return r.CreatedAt.Format(time.DateOnly), in.Muted
	case r.Phase == api.PhaseHeld && r.CreatedAt.Format(time.DateOnly) != look.at.Format(time.DateOnly): // no day stands above it
		return r.CreatedAt.Format("01-02"), in.Muted
	case !r.Phase.Active():
		return r.CreatedAt.Format("15:04"), in.Muted
	case ok && took > typical.Slow && took > typical.Median+30*time.Second:
		return env.Short(took) + " " + s.k.Say("slow"), in.Warn
	}
	return env.Short(took), in.Run
}

// expires reports whether a result that was not fetched is still at its link.
func expires(r *state.Row, at time.Time) bool {
	return r.Phase == api.PhaseDone && r.Files == 0 && r.ExpiresAt.After(at)
}

func (s *Screen) drawList(w int) []string {
	p := widget.Pane{
		Width: w, Height: s.h, Title: s.title(s.k.Say("Jobs")), Right: s.count(),
		Focus: true, Quiet: true,
	}
	inner, high := p.Inner()
	lines, look := make([]string, 0, high), rowLook{width: inner, at: s.at, dated: !s.list.days}
	var drawn [2]string
	layout := s.list.layout()
	if len(layout) > 0 && (s.list.total <= s.list.height || s.k.Theme.Grounds()) { // else the title says it
		p.Scrolled(s.k, s.list.top, s.list.total-1-slices.Max(layout))
	}
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
			look.selected, look.marked, look.seed = n == s.list.at, s.marks.Has(r.ID), ""
			for _, beside := range [...]*state.Row{s.list.row(n - 1), s.list.row(n + 1)} {
				if beside != nil && r.Label == "" && beside.Title == r.Title && beside.Seed != r.Seed {
					look.seed = r.Seed
				}
			}
			drawn = s.drawRow(r, look)
			lines = append(lines, drawn[0])
		}
	}
	if s.list.total == 0 && s.list.version > 0 {
		lines = append(lines, s.emptyLines(inner)...)
	}
	if s.footed() {
		lines = append(append(lines, make([]string, max(high-galleryFacts-len(lines), 0))...), s.facts(inner)...)
	}
	return p.Keep(&s.framed, s.k.Theme, lines)
}

// dayName is the day of the first row in lines of a layout, as people say it.
func (s *Screen) dayName(lines []int) string {
	first := slices.IndexFunc(lines, func(n int) bool { return n >= 0 })
	if first < 0 || s.list.row(lines[first]) == nil {
		return ""
	}
	r := s.list.row(lines[first])
	if entry := asking(r); entry != "" {
		return s.k.Say("%s asks", entry)
	} else if r.Phase == api.PhaseHeld {
		return env.Capital(s.k.Say("held"))
	}
	now := s.k.At.In(r.CreatedAt.Location())
	switch name := r.CreatedAt.Format(time.DateOnly); {
	case name == now.Format(time.DateOnly):
		return s.k.Say("Today")
	case name == now.AddDate(0, 0, -1).Format(time.DateOnly):
		return s.k.Say("Yesterday")
	case name >= now.AddDate(0, 0, -6).Format(time.DateOnly):
		return s.k.Say(days[r.CreatedAt.Weekday()])
	default:
		return s.k.Say(days[r.CreatedAt.Weekday()]) + " " + name
	}
}

var days = [...]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

// onAsked reports whether an agent asked for the selected request, and it waits.
func (s *Screen) onAsked() bool { return asking(s.list.current()) != "" && s.list.current().Paused }

// asked is what a request of an agent, and all that its entry asks for, cost
// now, and what was spent.
type asked struct {
	row      state.Row
	one, all state.Offer
	today    state.Spent
	spent    api.Credits // of the entry
	may      state.Grant
}

// review asks for the prices of what an agent asks for. No address in it is asked.
func (s *Screen) review() tea.Cmd {
	m, ctx, queue := asked{row: *s.list.current(), today: s.k.Today}, s.k.Context, s.queue
	return func() tea.Msg {
		var err error
		if m.one, err = queue.Offer(ctx, m.row.ID, false); len(m.one.Held) > 0 {
			m.all, _ = queue.Offer(ctx, m.row.ID, true)
			m.spent, m.may, err = queue.SpentBy(ctx, m.row.Entry)
		}
		return thenMsg{msg.FailedMsg{Err: err}, func(screen *Screen) tea.Cmd { return screen.openReview(m) }}
	}
}

// openReview shows first what is ours: who asks, the price of now, the balance. What
// the agent wrote comes last, marked on each line.
func (s *Screen) openReview(m asked) tea.Cmd {
	if len(m.one.Held) == 0 {
		return nil
	}
	k, h := s.k, m.one.Held[0]
	price := cmp.Or(k.SayIf(m.one.Price.Known(), "%s credits now", m.one.Price.Credits.String()), k.Say("price not known"))
	price += k.SayIf(m.one.Price.Known() && m.one.Price.Credits > m.one.Agreed, ", %s when it was asked for", m.one.Agreed.String())
	today, own := m.today.Tightest(), state.Spent{Credits: m.spent.Plus(m.one.Price.Credits), Budget: m.may.PerDay}
	today.Credits = today.Credits.Plus(m.one.Price.Credits)
	facts := strings.Join(append([]string{price}, widget.RequestFacts(k, h.Request)...), " · ")
	balance := func(before api.Credits, after state.Spent) string {
		return strings.Join(env.Said(k.TodayLine(before, after)), " · ")
	}
	again := k.SayIf(!m.one.Reason.IsZero() && h.Code == "again", "If you agree, it is sent once more.")
	lines := append(env.Said(k.Reason(m.one.Reason), again, s.dead(m.one)), facts,
		balance(m.today.Tightest().Credits, today), k.Say("%s: %s", m.row.Entry, balance(m.spent, own)), "")
	text := strings.Join(append(lines, marked(h.Request, markedWidth)...), "\n")
	queue, said := s.queue, k.Say("Declined. Nothing was spent.")
	send := func() tea.Cmd {
		return result.Call(k.Context, k.Say("It is sent in its turn."), func(ctx context.Context) error { return queue.Resume(ctx, m.one) })
	}
	if m.one.Copied { // that takes one more question
		send = func() tea.Cmd { return s.askSend(m.one) }
	}
	box := widget.NewConfirm(k, k.Say("Send what %s asks for?", m.row.Entry), text, "y", "send", send)
	box.Table = slices.Insert(box.Table, 1,
		action.Action{Name: "send_all", Keys: "A shift+a", Display: "A", Label: "send all", Closes: true, Confirms: true,
			Handler: func() tea.Cmd { return s.askSend(m.all) }, Offer: func() bool { return len(m.all.Held) > 1 }},
		action.Action{Name: "decline", Keys: "d", Label: "decline", Closes: true, Handler: func() tea.Cmd {
			ask := widget.NewAsk(k, k.Say("Decline"), k.Say("Say why: the agent reads it."), func(why string) tea.Cmd {
				return result.Call(k.Context, said, func(ctx context.Context) error { return queue.Decline(ctx, why, m.row.ID) })
			})
			ask.Table[0].Label = "decline"
			return msg.Open(k, ask)
		}},
		action.Action{Name: "edit", Keys: "e", Label: "edit", Closes: true, Handler: func() tea.Cmd {
			return k.Do(msg.LoadedMsg{Request: h.Request, Asked: &m.row})
		}})
	return msg.Open(k, box)
}

const markedWidth, markedLines = 52, 6 // cells of a line in any window that shows a box, and lines

// marked is what an agent wrote: cleaned, cut, and each line with a mark, so that
// none can look like one of ours.
func marked(r api.Request, w int) []string {
	texts := []string{"“" + r.Prompt + "”"}
	r.MapAddresses(func(_, address string) string { texts = append(texts, address); return address })
	var lines []string
	for i, text := range texts {
		lines = append(lines, widget.WrapTo(api.Clean(api.OneLine(text), 2000).String(), max(w-3, 1), max(markedLines-2*min(i, 2), 2))...)
	}
	return api.Map(lines, func(line string) string { return "▏ " + line })
}
