package jobs

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/widget"
)

// makeTable is the one table of the Jobs screen. What settles a doubt comes
// first: it is in the footer exactly when the selected job needs it.
func (s *Screen) makeTable() []action.Action {
	key := func(k ...string) []string { return k }
	return []action.Action{
		{Keys: key("enter"), Label: "result", Handler: s.enter, Disabled: s.whyNone, Offer: func() bool { return !s.full }},
		{Keys: key("esc"), Label: "back", Handler: s.back, Offer: func() bool { return s.full || s.filter.Text() != "" }},
		{Keys: key("a"), Label: "give it its id", Handler: s.attach, Disabled: s.whyNotInDoubt},
		{Keys: key("x"), Label: "not charged", Handler: s.dismiss, Disabled: s.whyNotInDoubt},
		{Keys: key("s"), Label: "send again", Handler: s.resend, Disabled: s.whyNotResent},
		{Keys: key("f"), Label: "fetch again", Handler: s.fetch, Disabled: s.whyNotFetched},
		{Keys: key("o"), Label: "open", Handler: s.open, Disabled: s.whyNoFile},
		{Keys: key("y"), Label: "copy address", Handler: s.copyAddress, Disabled: s.whyNoAddress},
		{Keys: key("r"), Label: "refresh now", Handler: s.refresh, Disabled: s.whyNotRefreshed},
		{Keys: key("e"), Label: "edit and send again", Handler: s.reuse, Disabled: s.whyNone},
		{Keys: key("u"), Label: "use as reference", Handler: s.use, Disabled: s.whyNoAddress},
		{Keys: key("/"), Label: "filter", Handler: s.ask},
		{Keys: key("c"), Label: "compare", Handler: s.compare, Disabled: s.whyNone},
		{Keys: key("v"), Label: "raw answer", Handler: s.showRaw, Disabled: s.whyNone},
		{Keys: key("right", "l"), Label: "next file", Hidden: true, Handler: s.stepper(1), Disabled: s.whyOneFile},
		{Keys: key("left", "h"), Label: "previous file", Hidden: true, Handler: s.stepper(-1), Disabled: s.whyOneFile},
		{Keys: key("down", "j"), Display: "j/k", Label: "next job", Hidden: true, Handler: s.mover(1)},
		{Keys: key("up", "k"), Label: "previous job", Hidden: true, Handler: s.mover(-1)},
		{Keys: key("pgdown", "ctrl+f", "space"), Label: "next page", Hidden: true, Handler: s.pager(1)},
		{Keys: key("pgup", "ctrl+b"), Label: "previous page", Hidden: true, Handler: s.pager(-1)},
		{Keys: key("g", "home"), Display: "g/G", Label: "first job", Hidden: true, Handler: func() tea.Cmd { return s.move(0) }},
		{Keys: key("G", "end", "shift+g"), Label: "last job", Hidden: true, Handler: func() tea.Cmd { return s.move(s.List.total - 1) }},
		{Keys: key("J", "shift+down", "shift+j"), Display: "J/K", Label: "scroll the details", Hidden: true, Handler: s.scroller(1)},
		{Keys: key("K", "shift+up", "shift+k"), Label: "scroll the details back", Hidden: true, Handler: s.scroller(-1)},
	}
}

func (s *Screen) mover(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.List.at + by) }
}

func (s *Screen) pager(by int) func() tea.Cmd {
	return func() tea.Cmd { return s.move(s.List.at + by*max(s.List.rowsHigh-1, 1)) }
}

func (s *Screen) scroller(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.detail.scroll(by)
		s.dirty()
		return nil
	}
}

func (s *Screen) stepper(by int) func() tea.Cmd {
	return func() tea.Cmd {
		if !s.detail.step(by) {
			return nil
		}
		s.dirty()
		return s.detail.paint(s.detailSize())
	}
}

func (s *Screen) enter() tea.Cmd {
	if s.full {
		return s.open()
	}
	s.full = true
	s.detail.top = 0
	s.dirty()
	return s.detail.paint(s.detailSize())
}

// back leaves the result, then the filter.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.full:
		s.full = false
		s.dirty()
		return s.detail.paint(s.detailSize())
	case s.filter.Text() != "":
		s.filter.Set("")
		return s.filterTyped()
	}
	return nil
}

func (s *Screen) ask() tea.Cmd {
	s.asking, s.full = true, false
	s.dirty()
	return nil
}

// deed runs something at the door for the selected job and says how it went.
func (s *Screen) deed(done string, do func(ctx context.Context, id string) error) tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	return s.deedFor(r.ID, done, do)
}

// deedFor is deed for a job that a question was asked about: another one may
// be selected by the time it is answered.
func (s *Screen) deedFor(id, done string, do func(ctx context.Context, id string) error) tea.Cmd {
	ctx := s.k.Context
	return func() tea.Msg {
		if err := do(ctx, id); err != nil {
			return msg.FailedMsg{Err: err}
		}
		if done == "" {
			return nil
		}
		return msg.NotifiedMsg{Tone: msg.ToneGood, Text: done}
	}
}

func (s *Screen) refresh() tea.Cmd {
	return s.deed(s.k.Say("Asked the service just now."), s.backend.Refresh)
}

func (s *Screen) fetch() tea.Cmd {
	return s.deed(s.k.Say("Its files are being fetched again."), s.backend.Fetch)
}

func (s *Screen) open() tea.Cmd {
	if why := s.whyNoFile(); why != "" {
		return msg.Notify(msg.ToneHint, why)
	}
	n, door := s.detail.file, s.backend
	return s.deed("", func(ctx context.Context, id string) error { return door.OpenFile(ctx, id, n+1) })
}

// copyAddress puts the result's address on the clipboard, through the terminal.
func (s *Screen) copyAddress() tea.Cmd {
	address := s.address()
	if address == "" {
		return nil
	}
	return tea.Batch(tea.SetClipboard(address),
		msg.Notify(msg.ToneGood, s.k.Say("The address is on the clipboard, if the terminal allows it.")))
}

// address is the shown file's, cleaned so that nothing but what is printed can
// reach the clipboard.
func (s *Screen) address() string {
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

func (s *Screen) reuse() tea.Cmd {
	if !s.detail.loaded || s.detail.ID != s.Selected() {
		return nil
	}
	j, ctx, backend := s.detail.job, s.k.Context, s.backend
	if j.Phase != api.PhaseRejected {
		return msg.Load(j.Request, false)
	}
	return func() tea.Msg {
		return msg.LoadedMsg{Request: j.Request, Problems: result.FieldErrors(ctx, backend, j.ID)}
	}
}

// use hands the shown file's address to Create as a reference.
func (s *Screen) use() tea.Cmd {
	m := msg.UsedMsg{Address: s.address(), Kind: api.MaterialImage}
	if s.shownIsVideo() {
		m.Kind = api.MaterialVideo
	}
	if at := s.detail.job.ExpiresAt; at.After(s.k.At) {
		m.Expires = s.k.Span(at.Sub(s.k.At))
	}
	return func() tea.Msg { return m }
}

func (s *Screen) shownIsVideo() bool {
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
func (s *Screen) compare() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	marked := s.rows.marked
	s.mark("")
	switch marked {
	case "":
		s.mark(r.ID)
		return msg.Notify(msg.ToneHint, s.k.Say("Marked. Press c on another job to see the two side by side."))
	case r.ID:
		return msg.Notify(msg.ToneHint, s.k.Say("No longer marked."))
	}
	return result.ReadTwo(s.k, s.backend, marked, r.ID)
}

// mark remembers the job that others are compared with; "" is none.
func (s *Screen) mark(id string) {
	s.rows.forget(s.rows.marked)
	s.rows.forget(id)
	s.rows.marked = id
	s.dirty()
}

func (s *Screen) attach() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	ctx, id, backend := k.Context, r.ID, s.backend
	return msg.Open(widget.NewAsk(k, k.Say("Give the job its id"),
		k.Say("The id that the service shows for this job. From then on it is followed as usual."),
		func(typed string) tea.Cmd {
			return func() tea.Msg {
				if err := backend.Attach(ctx, id, typed); err != nil {
					return msg.FailedMsg{Err: err}
				}
				return msg.NotifiedMsg{Tone: msg.ToneGood, Text: k.Say("The job has its id; its status is being asked for.")}
			}
		}))
}

func (s *Screen) dismiss() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	return msg.Open(widget.NewConfirm(k, k.Say("Not charged?"),
		k.Say("The job stays in the list, and its credits no longer count as possibly spent. Do this only when the service's own pages do not show it."),
		"y", "declare it not charged",
		func() tea.Cmd {
			return s.deedFor(r.ID, k.Say("It no longer counts as possibly spent."), s.backend.Dismiss)
		}))
}

// resend asks once, and twice where the first sending may have been charged.
func (s *Screen) resend() tea.Cmd {
	k := s.k
	r, ok := s.current()
	if !ok {
		return nil
	}
	ctx, id, backend := k.Context, r.ID, s.backend
	confirmID := state.NewConfirmID
	send := func() tea.Cmd {
		return func() tea.Msg {
			job, err := backend.Resend(ctx, id, confirmID())
			if err != nil {
				return msg.FailedMsg{Err: err}
			}
			return msg.PickedJobMsg{ID: job.ID}
		}
	}
	price := k.Say("price not known")
	if r.Source == api.SourceService || r.Source == api.SourceTable {
		price = k.Say("%s credits", env.Amount(r.Credits))
	}
	if !inDoubt(r) {
		return msg.Open(widget.NewConfirm(k, k.Say("Send again?"), k.Say("The same request is sent as a new job: %s.", price), "y", "send it", send))
	}
	again := widget.NewConfirm(k, k.Say("Charged twice?"),
		k.Say("If the first one was accepted after all, you pay for both: %s each.", price), "s", "send it all the same", send)
	return msg.Open(widget.NewConfirm(k, k.Say("Send again?"),
		k.Say("The outcome of the first sending is not known, so this may be charged twice."), "y", "go on",
		func() tea.Cmd { return msg.Open(again) }))
}

func inDoubt(r state.Row) bool {
	return (r.Phase == api.PhaseUnknown || r.Phase == api.PhaseUnread) && !r.Dismissed
}

func (s *Screen) whyNone() string {
	if _, ok := s.current(); !ok {
		return s.k.Say("No job is selected.")
	}
	return ""
}

func (s *Screen) whyNotInDoubt() string {
	if r, ok := s.current(); !ok || !inDoubt(r) {
		return s.k.Say("Only for jobs whose outcome is unknown.")
	}
	return ""
}

func (s *Screen) whyNotResent() string {
	r, ok := s.current()
	if ok {
		switch r.Phase {
		case api.PhaseUnknown, api.PhaseUnread, api.PhaseNotSent, api.PhaseRejected, api.PhaseIntent:
			return ""
		}
	}
	return s.k.Say("Only for jobs that were not accepted. Press e to edit and send this one again.")
}

func (s *Screen) whyNotFetched() string {
	r, ok := s.current()
	if ok && (r.Phase == api.PhaseExpired || r.Phase == api.PhaseFailed && r.RemoteID != "" || r.Phase == api.PhaseDone && r.Files == 0) {
		return ""
	}
	return s.k.Say("There is nothing to fetch again.")
}

func (s *Screen) whyNoFile() string {
	if r, ok := s.current(); !ok || r.Files == 0 {
		return s.k.Say("This job has no file yet.")
	}
	return ""
}

func (s *Screen) whyNoAddress() string {
	if s.detail.loaded && s.detail.ID == s.Selected() {
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
	return s.k.Say("This job has no address yet.")
}

func (s *Screen) whyNotRefreshed() string {
	r, ok := s.current()
	if ok && r.RemoteID != "" && (r.Phase.Active() || r.Phase == api.PhaseStale || r.Phase == api.PhaseExpired) {
		return ""
	}
	return s.k.Say("This job has ended; there is nothing to ask for.")
}

func (s *Screen) whyOneFile() string {
	if len(s.detail.job.Files) > 1 {
		return ""
	}
	return s.k.Say("This job has one file at most.")
}

// showRaw shows the newest answer as it was received.
func (s *Screen) showRaw() tea.Cmd {
	r, ok := s.current()
	if !ok {
		return nil
	}
	k, ctx, id, backend := s.k, s.k.Context, r.ID, s.backend
	return func() tea.Msg {
		raw, err := backend.RawAnswer(ctx, id)
		if err != nil {
			return msg.FailedMsg{Err: err}
		}
		if len(raw) == 0 {
			return msg.NotifiedMsg{Tone: msg.ToneHint, Text: k.Say("No answer about this job was received yet.")}
		}
		return msg.OpenedMsg{Overlay: widget.NewReader(k, k.Say("Raw answer"), widget.Pretty(raw))}
	}
}
