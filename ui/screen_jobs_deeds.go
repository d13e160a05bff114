package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
)

// makeTable is the one table of the Jobs screen. What settles a doubt comes
// first: it is in the footer exactly when the selected job needs it.
func (s *jobs) makeTable() []action {
	key := func(k ...string) []string { return k }
	return []action{
		{keys: key("enter"), label: "result", do: s.enter, why: s.whyNone, offer: func() bool { return !s.full }},
		{keys: key("esc"), label: "back", do: s.back, offer: func() bool { return s.full || s.filter.text() != "" }},
		{keys: key("a"), label: "give it its id", do: s.attach, why: s.whyNotInDoubt},
		{keys: key("x"), label: "not charged", do: s.dismiss, why: s.whyNotInDoubt},
		{keys: key("s"), label: "send again", do: s.resend, why: s.whyNotResent},
		{keys: key("f"), label: "fetch again", do: s.fetch, why: s.whyNotFetched},
		{keys: key("o"), label: "open", do: s.open, why: s.whyNoFile},
		{keys: key("y"), label: "copy address", do: s.copyAddress, why: s.whyNoAddress},
		{keys: key("r"), label: "refresh now", do: s.refresh, why: s.whyNotRefreshed},
		{keys: key("e"), label: "edit and send again", do: s.reuse, why: s.whyNone},
		{keys: key("u"), label: "use as reference", do: s.use, why: s.whyNoAddress},
		{keys: key("/"), label: "filter", do: s.ask},
		{keys: key("c"), label: "compare", do: s.compare, why: s.whyNone},
		{keys: key("v"), label: "raw answer", do: s.showRaw, why: s.whyNone},
		{keys: key("right", "l"), label: "next file", quiet: true, do: s.stepper(1), why: s.whyOneFile},
		{keys: key("left", "h"), label: "previous file", quiet: true, do: s.stepper(-1), why: s.whyOneFile},
		{keys: key("down", "j"), show: "j/k", label: "next job", quiet: true, do: s.mover(1)},
		{keys: key("up", "k"), label: "previous job", quiet: true, do: s.mover(-1)},
		{keys: key("pgdown", "ctrl+f", "space"), label: "next page", quiet: true, do: s.pager(1)},
		{keys: key("pgup", "ctrl+b"), label: "previous page", quiet: true, do: s.pager(-1)},
		{keys: key("g", "home"), show: "g/G", label: "first job", quiet: true, do: func() tea.Cmd { return s.move(0) }},
		{keys: key("G", "end", "shift+g"), label: "last job", quiet: true, do: func() tea.Cmd { return s.move(s.list.total - 1) }},
		{keys: key("J", "shift+down", "shift+j"), show: "J/K", label: "scroll the details", quiet: true, do: s.scroller(1)},
		{keys: key("K", "shift+up", "shift+k"), label: "scroll the details back", quiet: true, do: s.scroller(-1)},
	}
}

func (s *jobs) mover(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.list.at + by) }
}

func (s *jobs) pager(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.list.at + by*max(s.list.rowsHigh-1, 1)) }
}

func (s *jobs) scroller(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.detail.scroll(by)
		s.dirty()
		return nil
	}
}

func (s *jobs) stepper(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if !s.detail.step(by) {
			return nil
		}
		s.dirty()
		return s.detail.paint(s.detailSize())
	}
}

func (s *jobs) enter() tea.Cmd {
	if s.full {
		return s.open()
	}
	s.full = true
	s.detail.top = 0
	s.dirty()
	return s.detail.paint(s.detailSize())
}

// back leaves the result, then the filter.
func (s *jobs) back() tea.Cmd {
	switch {
	case s.full:
		s.full = false
		s.dirty()
		return s.detail.paint(s.detailSize())
	case s.filter.text() != "":
		s.filter.set("")
		return s.filterTyped()
	}
	return nil
}

func (s *jobs) ask() tea.Cmd {
	s.asking, s.full = true, false
	s.dirty()
	return nil
}

// deed runs something at the door for the selected job and says how it went.
func (s *jobs) deed(done string, do func(ctx context.Context, id string) error) tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	return s.deedFor(r.ID, done, do)
}

// deedFor is deed for a job that a question was asked about: another one may
// be selected by the time it is answered.
func (s *jobs) deedFor(id, done string, do func(ctx context.Context, id string) error) tea.Cmd {
	ctx := s.k.ctx
	return func() tea.Msg {
		if err := do(ctx, id); err != nil {
			return failedMsg{err}
		}
		if done == "" {
			return nil
		}
		return saidMsg{toneGood, done}
	}
}

func (s *jobs) refresh() tea.Cmd {
	return s.deed(s.k.say("Asked the service just now."), s.backend.Refresh)
}

func (s *jobs) fetch() tea.Cmd {
	return s.deed(s.k.say("Its files are being fetched again."), s.backend.Fetch)
}

func (s *jobs) open() tea.Cmd {
	if why := s.whyNoFile(); why != "" {
		return say(toneHint, why)
	}
	n, door := s.detail.file, s.backend
	return s.deed("", func(ctx context.Context, id string) error { return door.OpenFile(ctx, id, n+1) })
}

// copyAddress puts the result's address on the clipboard, through the terminal.
func (s *jobs) copyAddress() tea.Cmd {
	address := s.address()
	if address == "" {
		return nil
	}
	return tea.Batch(tea.SetClipboard(address),
		say(toneGood, s.k.say("The address is on the clipboard, if the terminal allows it.")))
}

// address is the shown file's, cleaned so that nothing but what is printed can
// reach the clipboard.
func (s *jobs) address() string {
	j, raw := &s.detail.job, ""
	switch n := s.detail.file; {
	case n < len(j.Files) && j.Files[n].URL != "":
		raw = j.Files[n].URL
	case n < len(j.Results):
		raw = j.Results[n].URL
	}
	clean := api.Clean(raw, api.MaxAddressText).String()
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, clean)
}

func (s *jobs) reuse() tea.Cmd {
	if !s.detail.loaded || s.detail.id != s.selected() {
		return nil
	}
	j, ctx, backend := s.detail.job, s.k.ctx, s.backend
	if j.Phase != api.PhaseRejected {
		return load(j.Request, false)
	}
	return func() tea.Msg { return loadedMsg{request: j.Request, told: fieldErrors(ctx, backend, j.ID)} }
}

// use hands the shown file's address to Create as a reference.
func (s *jobs) use() tea.Cmd {
	m := usedMsg{address: s.address(), kind: api.MaterialImage}
	if s.shownIsVideo() {
		m.kind = api.MaterialVideo
	}
	if at := s.detail.job.ExpiresAt; at.After(s.k.at) {
		m.expires = s.k.span(at.Sub(s.k.at))
	}
	return func() tea.Msg { return m }
}

func (s *jobs) shownIsVideo() bool {
	j, n := &s.detail.job, s.detail.file
	media := ""
	switch {
	case n < len(j.Files):
		media = j.Files[n].MediaType
	case n < len(j.Results):
		media = j.Results[n].MediaType
	}
	if kind, _, ok := strings.Cut(media, "/"); ok && (kind == "image" || kind == "video") {
		return kind == "video"
	}
	return j.Kind == api.KindVideo
}

// compare marks a job, and at the second one shows the two side by side.
func (s *jobs) compare() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	marked := s.rows.marked
	s.mark("")
	switch marked {
	case "":
		s.mark(r.ID)
		return say(toneHint, s.k.say("Marked. Press c on another job to see the two side by side."))
	case r.ID:
		return say(toneHint, s.k.say("No longer marked."))
	}
	return readTwo(s.k, s.backend, marked, r.ID)
}

// mark remembers the job that others are compared with; "" is none.
func (s *jobs) mark(id string) {
	s.rows.forget(s.rows.marked)
	s.rows.forget(id)
	s.rows.marked = id
	s.dirty()
}

func (s *jobs) attach() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	ctx, id, backend := k.ctx, r.ID, s.backend
	return open(newAsk(k, k.say("Give the job its id"),
		k.say("The id that the service shows for this job. From then on it is followed as usual."),
		func(typed string) tea.Cmd {
			return func() tea.Msg {
				if err := backend.Attach(ctx, id, typed); err != nil {
					return failedMsg{err}
				}
				return saidMsg{toneGood, k.say("The job has its id; its status is being asked for.")}
			}
		}))
}

func (s *jobs) dismiss() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	return open(newConfirm(k, k.say("Not charged?"),
		k.say("The job stays in the list, and its credits no longer count as possibly spent. Do this only when the service's own pages do not show it."),
		"y", "declare it not charged",
		func() tea.Cmd {
			return s.deedFor(r.ID, k.say("It no longer counts as possibly spent."), s.backend.Dismiss)
		}))
}

// resend asks once, and twice where the first sending may have been charged.
func (s *jobs) resend() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	ctx, id, backend := k.ctx, r.ID, s.backend
	confirmID := state.NewConfirmID
	send := func() tea.Cmd {
		return func() tea.Msg {
			job, err := backend.Resend(ctx, id, confirmID())
			if err != nil {
				return failedMsg{err}
			}
			return pickedJobMsg{job.ID}
		}
	}
	price := k.say("price not known")
	if r.Source == api.SourceService || r.Source == api.SourceTable {
		price = k.say("%s credits", amount(r.Credits))
	}
	if !inDoubt(r) {
		return open(newConfirm(k, k.say("Send again?"), k.say("The same request is sent as a new job: %s.", price), "y", "send it", send))
	}
	again := newConfirm(k, k.say("Charged twice?"),
		k.say("If the first one was accepted after all, you pay for both: %s each.", price), "s", "send it all the same", send)
	return open(newConfirm(k, k.say("Send again?"),
		k.say("The outcome of the first sending is not known, so this may be charged twice."), "y", "go on",
		func() tea.Cmd { return open(again) }))
}

func inDoubt(r state.Row) bool {
	return (r.Phase == api.PhaseUnknown || r.Phase == api.PhaseUnread) && !r.Dismissed
}

func (s *jobs) whyNone() string {
	if _, ok := s.current(); !ok {
		return s.k.say("No job is selected.")
	}
	return ""
}

func (s *jobs) whyNotInDoubt() string {
	if r, ok := s.current(); !ok || !inDoubt(r) {
		return s.k.say("Only for jobs whose outcome is unknown.")
	}
	return ""
}

func (s *jobs) whyNotResent() string {
	r, ok := s.current()
	if ok {
		switch r.Phase {
		case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected, api.PhaseIntent:
			return ""
		}
	}
	return s.k.say("Only for jobs that were not accepted. Press e to edit and send this one again.")
}

func (s *jobs) whyNotFetched() string {
	r, ok := s.current()
	if ok && (r.Phase == api.PhaseExpired || r.Phase == api.PhaseFailed && r.RemoteID != "" || r.Phase == api.PhaseDone && r.Files == 0) {
		return ""
	}
	return s.k.say("There is nothing to fetch again.")
}

func (s *jobs) whyNoFile() string {
	if r, ok := s.current(); !ok || r.Files == 0 {
		return s.k.say("This job has no file yet.")
	}
	return ""
}

func (s *jobs) whyNoAddress() string {
	if s.detail.loaded && s.detail.id == s.selected() {
		for i := range s.detail.job.Results {
			if s.detail.job.Results[i].URL != "" {
				return ""
			}
		}
		for i := range s.detail.job.Files {
			if s.detail.job.Files[i].URL != "" {
				return ""
			}
		}
	}
	return s.k.say("This job has no address yet.")
}

func (s *jobs) whyNotRefreshed() string {
	r, ok := s.current()
	if ok && r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseStale || r.Phase == api.PhaseExpired) {
		return ""
	}
	return s.k.say("This job has ended; there is nothing to ask for.")
}

func (s *jobs) whyOneFile() string {
	if len(s.detail.job.Files) > 1 {
		return ""
	}
	return s.k.say("This job has one file at most.")
}

// showRaw shows the newest answer as it was received.
func (s *jobs) showRaw() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	k, ctx, id, backend := s.k, s.k.ctx, r.ID, s.backend
	return func() tea.Msg {
		raw, err := backend.RawAnswer(ctx, id)
		if err != nil {
			return failedMsg{err}
		}
		if len(raw) == 0 {
			return saidMsg{toneHint, k.say("No answer about this job was received yet.")}
		}
		return openedMsg{newReader(k, k.say("Raw answer"), pretty(raw))}
	}
}
