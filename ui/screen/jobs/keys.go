package jobs

import (
	"cmp"
	"context"
	"math"
	"strings"

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

// Update takes answers, changes, the time and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	s.gallery.Update(message)
	cmd := s.handle(message)
	if s.inGallery && s.shown {
		return tea.Batch(s.verbs.Update(message), cmd, s.gallery.See(s.backend, s.list.visible()))
	}
	return tea.Batch(s.verbs.Update(message), cmd)
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	if s.detail.picture.Update(message) {
		s.detail.arrange()
		return nil
	}
	switch m := message.(type) {
	case thenMsg:
		return m.then(s)
	case result.FullClosedMsg:
		s.covered = false
		return s.paint()
	case msg.ChangedMsg:
		return s.changed(m)
	case msg.TickedMsg: // it moves the times in view
		if before := s.at; s.shown {
			s.setTime()
			return s.detail.tick(!s.at.Equal(before))
		}
	case tea.WindowSizeMsg:
		return s.paint()
	case widget.FilterDueMsg:
		if s.filter.Due(m) {
			return s.reload()
		}
	case msg.PickedJobMsg:
		s.filter.Reset()
		s.inGallery, s.list.picked = false, m.ID
		s.arrange()
		return tea.Batch(s.paint(), s.reload())
	case msg.PreviewedMsg:
		if s.inGallery || s.list.selected() != m.ID { // keys are meant for another result
			return nil
		}
		return s.Enter(false)
	case tea.PasteMsg:
		if s.filter.Editing {
			return s.filter.Paste(s.k.Context, m.Content)
		}
	case msg.ClickMsg:
		if to, ok := s.rowAt(m.X, m.Y); ok && to == s.list.at {
			return s.verbs.Enter()
		} else if ok {
			return s.move(to)
		} else if m.Y == 0 && !s.filter.Editing {
			return s.clickChip(m.X)
		}
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// thenMsg is what follows in Update when a command has its answer.
type thenMsg struct {
	msg.FailedMsg // why there is none
	then          func(s *Screen) tea.Cmd
}

// stayed follows when the selection has stayed on a job.
func (s *Screen) stayed(id string) tea.Cmd {
	if id != s.detail.id {
		return nil
	}
	s.detail.stays = true
	prefer := s.backend.Prefer
	return tea.Batch(s.detail.look(), func() tea.Msg { prefer(id); return nil })
}

// Edit gives the filter a key; before the first rows it keeps it for them.
func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	if s.awaited {
		s.early = append(s.early, m)
		return nil, true
	}
	return s.filter.Edit(s.k.Context, m)
}

// changed reads the rows again; jobs that came in front push them along.
func (s *Screen) changed(m msg.ChangedMsg) tea.Cmd {
	switch {
	case m.Err != nil || !s.shown:
		return nil
	case s.list.all > 0 && s.filter.Text() == "":
		s.list.pushed = max(m.All-s.list.all, 0)
	}
	if !s.list.latest.Changed() {
		return nil
	}
	return s.reload()
}

// move selects another row and asks for what it needs.
func (s *Screen) move(to int) tea.Cmd {
	if !s.list.move(to) {
		return nil
	}
	return tea.Batch(s.fill(), s.detail.want(s.list.selected()), s.paint())
}

// fill reads the rows again if some near the view are missing.
func (s *Screen) fill() tea.Cmd {
	if !s.list.short() {
		return nil
	}
	return s.reload()
}

// rowAt is the row at a point of the body.
func (s *Screen) rowAt(x, y int) (int, bool) {
	if s.inGallery {
		column, line, ok := s.gallery.CellAt(x-2, y-1)
		grid := s.list.grid()
		if !ok || line >= len(grid) {
			return 0, false
		}
		n := nearest(grid[line], column)
		return n, grid[line].Column(n) == column
	}
	left, _ := s.split()
	lines := s.list.layout()
	if y -= 1; y > 0 && y < len(lines) && lines[y] == noteLine {
		y--
	}
	if x >= left || y < 0 || y >= len(lines) || lines[y] < 0 {
		return 0, false
	}
	return lines[y], true
}

func (s *Screen) wheeled(m msg.WheelMsg) tea.Cmd {
	left, _ := s.split()
	switch {
	case s.inGallery:
		return s.lineBy(m.By)
	case m.X < left:
		return s.move(s.list.at + 3*m.By)
	}
	s.detail.facts.By(3 * m.By)
	return nil
}

// The methods below are what the verbs ask of the screen: see result.Place.

// Row is the selected row.
func (s *Screen) Row() (state.Row, bool) {
	r := *s.list.current()
	return r, r.ID != ""
}

// Job is the job in the side pane, which is the selected one, when it was read.
func (s *Screen) Job() (state.Job, bool) { return s.detail.job, s.detail.loaded }

// File is the number of the file in the side pane.
func (s *Screen) File() int { return s.detail.file }

// Move selects another row.
func (s *Screen) Move(by int) tea.Cmd { return s.move(s.list.at + by) }
func (s *Screen) At() (n, of int)     { return s.list.at, s.list.total }

// Enter shows the selected result full screen.
func (s *Screen) Enter(zoom bool) tea.Cmd {
	s.covered = true
	return tea.Batch(s.gallery.Want(nil, ""), result.OpenFullScreen(s.k, s.backend, s, &s.marks, zoom))
}

// SetRating shows a rating before the store has it.
func (s *Screen) SetRating(id string, r state.Rating) {
	if n := s.list.index(id); n >= 0 {
		s.list.rows[n].Rating = r
		s.list.version++
	}
}

func (s *Screen) whyNotRefreshed() string {
	r := s.list.current()
	open := r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseExpired || state.GivenUp(r.Phase, r.Error))
	return s.k.SayIf(!open, "This job has ended; there is nothing to ask for.")
}

// Backend is what Jobs needs; it is called from commands only.
type Backend interface {
	result.Backend
	Queue() state.Queue
	Jobs(ctx context.Context, q state.Query) (state.Page, error)
	Refresh(ctx context.Context, id string) error
	Prefer(id string) // the job that is polled before all others that are due
}

// makeActions is the one table of the Jobs screen: the verbs, which are about the
// selected result, and what list and gallery themselves can do.
func (s *Screen) makeActions() []action.Action {
	by, alone := action.By[int], func() bool { return s.onHeld() && s.marks.Len() == 0 }
	table := []action.Action{
		{Name: "review_asked", Display: "enter", Label: "review", Handler: s.review, Offer: s.onAsked,
			Disabled: func() string { return s.k.SayIf(!s.onAsked(), "Only for requests that are held.") }},
		{Name: "pause_queue", Keys: "P shift+p", Display: "P", Label: "hold", Handler: s.pauseOrSend, Disabled: s.whyNotHeld,
			Offer: func() bool { return s.onHeld() && !s.onAsked() && !s.list.current().Paused }},
		{Name: "send_held", Display: "P", Label: "send", Handler: s.pauseOrSend, Disabled: s.whyNotHeld,
			Offer: func() bool { return s.onHeld() && !s.onAsked() && s.list.current().Paused }},
		{Name: "remove_held", Display: "del", Label: "remove", Handler: s.removeHeld, Offer: alone, Disabled: s.whyNotHeld},
	}
	for _, verb := range s.verbs.Table {
		switch verb.Name {
		case "hide":
			verb = instead(verb, alone, s.removeHeld) // one key deletes it
		case "full_screen":
			verb = instead(verb, s.onAsked, s.review)
		}
		table = append(table, verb)
		if verb.Name == "full_screen" {
			table = append(table,
				action.Action{Name: "gallery", Keys: "g", Label: "gallery", Handler: s.toggleGallery, Offer: func() bool { return !s.inGallery }},
				action.Action{Name: "list", Display: "g", Label: "list", Handler: s.toggleGallery, Offer: func() bool { return s.inGallery }})
		}
	}
	right := widget.Moving("right", "←/→", "another file", by(s.across, 1), "right l")
	left := widget.Moving("left", "", "previous file", by(s.across, -1), "left h")
	right.Offer = func() bool {
		r, ok := s.Row()
		return ok && r.Files > 1 && !s.inGallery
	}
	left.Offer = right.Offer
	table = append(table, []action.Action{
		{Name: "filter", Keys: "/", Label: "filter", Handler: func() tea.Cmd { s.filter.Editing = true; return nil }},
		{Name: "sort", Keys: "S shift+s", Label: "sort", Handler: s.nextSort},
		{Name: "larger", Keys: "+ =", Display: "+/-", Label: "larger or smaller", Hidden: true, Handler: by(s.grow, 1),
			Disabled: s.whyNoGallery},
		{Name: "smaller", Keys: "-", Label: "smaller", Hidden: true, Handler: by(s.grow, -1), Disabled: s.whyNoGallery},
		{Name: "refresh", Keys: "r", Label: "refresh now", Disabled: s.whyNotRefreshed,
			Handler: func() tea.Cmd { return s.call(s.k.Say("Status refreshed."), s.backend.Refresh) }},
		right, left,
		widget.Moving("next_job", "j/k", "choose", by(s.lineBy, 1), "down j"),
		widget.Moving("previous_job", "", "previous job", by(s.lineBy, -1), "up k"),
		widget.Moving("next_page", "pgdown/pgup", "page", by(s.pageBy, 1), "pgdown ctrl+f"),
		widget.Moving("previous_page", "", "previous page", by(s.pageBy, -1), "pgup ctrl+b"),
		widget.Moving("first_job", "home/end", "first or last", by(s.move, 0), "home"),
		widget.Moving("last_job", "", "last job", by(s.move, math.MaxInt), "end"),
		{Name: "send_earlier", Keys: "ctrl+up", Display: "ctrl+↑/↓", Label: "send earlier or later", Hidden: true,
			Handler: by(s.moveHeld, -1), Disabled: s.whyNotHeld},
		{Name: "send_later", Keys: "ctrl+down", Label: "send later", Hidden: true, Handler: by(s.moveHeld, 1), Disabled: s.whyNotHeld},
		widget.Moving("scroll_down", "J/K", "scroll the details", action.Do(s.detail.facts.By, 1), "J shift+down shift+j"),
		widget.Moving("scroll_up", "", "scroll the details back", action.Do(s.detail.facts.By, -1), "K shift+up shift+k"),
	}...)
	table = action.Unless(func() bool { return s.filter.Editing }, table)
	return append(table, action.Action{Name: "back", Keys: "esc", Label: "back", Handler: s.back,
		Offer: func() bool { return s.inGallery || s.filter.Editing || s.filter.Text() != "" || s.marks.Len() > 0 }})
}

// lineBy moves to the line below or above: a row of the list, or a row of cells.
func (s *Screen) lineBy(by int) tea.Cmd {
	if s.inGallery && s.list.total > 0 {
		return s.move(s.list.beside(s.list.at, by))
	}
	return s.move(s.list.at + by)
}

func (s *Screen) pageBy(by int) tea.Cmd {
	return s.lineBy(by * max(s.list.lines()-1, 1))
}

// across goes to the next cell, or in the list to the job's next file.
func (s *Screen) across(by int) tea.Cmd {
	if s.inGallery {
		return s.move(s.list.at + by)
	}
	d, files := &s.detail, s.list.current().Files
	if files < 2 {
		return nil
	}
	d.file = (d.file + by + files) % files
	d.arrange()
	return d.paint()
}

// back leaves the filter, then the marks, then the gallery.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.filter.Text() != "":
		return s.filter.Clear(s.k.Context)
	case s.marks.Len() > 0:
		s.marks.Clear()
	case s.inGallery:
		return s.toggleGallery()
	}
	return nil
}

// orders are the names that a query takes, and what the pane says of them.
var orders = []struct{ name, Label string }{
	{},
	{name: "oldest", Label: "oldest first"},
	{name: "credits", Label: "by credits"},
	{name: "title", Label: "by title"},
	{name: "time", Label: "by time taken"},
	{name: "stars", Label: "by rating"},
}

// nextSort puts the list into the next order.
func (s *Screen) nextSort() tea.Cmd {
	s.order = (s.order + 1) % len(orders)
	s.list.days = s.order < 2 // by time
	s.list.picked = s.list.selected()
	return s.reload()
}

// toggleGallery shows a gallery or the list, with the same job selected.
func (s *Screen) toggleGallery() tea.Cmd {
	s.inGallery = !s.inGallery
	s.list.picked = s.list.selected()
	s.arrange()
	if s.inGallery {
		return tea.Batch(s.detail.picture.Close(), s.reload())
	}
	return tea.Batch(s.gallery.Want(nil, ""), s.reload(), s.detail.paint())
}

func (s *Screen) grow(by int) tea.Cmd {
	s.gallery.Grow(by)
	return s.resized()
}

func (s *Screen) resized() tea.Cmd {
	s.arrange()
	return tea.Batch(s.fill(), s.paint())
}

func (s *Screen) whyNoGallery() string {
	return s.k.SayIf(!s.inGallery, "Only in the gallery: press %s.", s.k.Key("gallery", "g"))
}

// instead lets a key do something else while when holds; that is offered under its own name.
func instead(a action.Action, when func() bool, do func() tea.Cmd) action.Action {
	handler, disabled := a.Handler, a.Disabled
	a.Handler = func() tea.Cmd {
		if when() {
			return do()
		}
		return handler()
	}
	a.Disabled = func() string {
		if when() {
			return ""
		}
		return disabled()
	}
	return action.Unless(when, []action.Action{a})[0]
}

func (s *Screen) onHeld() bool { return s.list.current().Phase == api.PhaseHeld }

func (s *Screen) whyNotHeld() string {
	return s.k.SayIf(!s.onHeld(), "Only for requests that are held.")
}

func (s *Screen) call(done string, do func(ctx context.Context, id string) error) tea.Cmd {
	id := s.list.selected()
	return result.Call(s.k.Context, done, func(ctx context.Context) error { return do(ctx, id) })
}

// pauseOrSend pauses the queue of the selected job, or asks for the prices of one
// that waits for the person, for the question whether it is to be sent.
func (s *Screen) pauseOrSend() tea.Cmd {
	r := s.list.current()
	if s.onAsked() {
		return s.review()
	}
	if !r.Paused {
		return s.call(s.k.Say("Held. Nothing more of this is sent."), s.queue.Pause)
	}
	ctx, queue, id := s.k.Context, s.queue, r.ID
	return func() tea.Msg {
		offer, err := queue.Offer(ctx, id, true)
		if len(offer.Held) == 0 {
			return msg.FailedMsg{Err: err}
		}
		return thenMsg{then: func(screen *Screen) tea.Cmd { return screen.askSend(offer) }} // without a price it still can be sent
	}
}

// askSend asks whether what waits is to be sent, and says why it waits.
func (s *Screen) askSend(offer state.Offer) tea.Cmd {
	k, n := s.k, len(offer.Held)
	price := cmp.Or(k.SayIf(offer.Price.Known(), "%s credits", offer.Price.Credits.String()), k.Say("an unknown price"))
	text := env.AsSentence(k.Words.Count(n, "%d request is sent", "%d requests are sent one by one"))
	for _, h := range offer.Held[:min(n, 5)] {
		text += "\n  " + theme.Cut(api.Clean(api.OneLine(h.Request.Prompt), 100).String(), markedWidth)
	}
	queue := s.queue
	ask := widget.NewConfirm(k, k.Say("Send the held requests?"), text, "y", "send", func() tea.Cmd {
		return result.Call(k.Context, "", func(ctx context.Context) error { return queue.Resume(ctx, offer) })
	})
	ask.Words, ask.Warning = k.Say("Send %s", price), strings.Join(env.Said(k.Reason(offer.Reason), s.dead(offer)), " ")
	return msg.Open(s.k, ask)
}

func (s *Screen) dead(offer state.Offer) string {
	return s.k.SayIf(offer.Dead, "A link has expired.")
}

// removeHeld deletes the selected job, on which nothing was spent.
func (s *Screen) removeHeld() tea.Cmd {
	decline := s.queue.Decline
	return s.call(s.k.Say("Removed. Nothing was spent."), func(ctx context.Context, id string) error { return decline(ctx, "", id) })
}

// moveHeld sends the selected job earlier or later.
func (s *Screen) moveHeld(by int) tea.Cmd {
	move := s.queue.Move
	return s.call("", func(ctx context.Context, id string) error { return move(ctx, id, by < 0) })
}
