package jobs

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// restFor is how long the selection rests before its job is read: a held key
// starts nothing.
const restFor = 70 * time.Millisecond

// detail is one job with everything known of it.
type detail struct {
	k       *env.Env
	backend result.JobReader
	ID      string // the job that is wanted
	seq     int
	title   string // of the wanted job, before it is read
	job     state.Job
	loaded  bool
	file    int // which of the files is shown
	picture result.Preview
	top     int
	at      time.Time

	w, h  int
	full  bool
	facts []string
	drawn []string
}

type detailDueMsg struct{ seq int }

type DetailedMsg struct {
	Id  string
	Job state.Job
	err error
}

func (m DetailedMsg) Failed() error { return m.err }

// want asks for a job once the selection has rested on it.
func (d *detail) want(id string) tea.Cmd {
	if id == d.ID {
		return nil
	}
	d.ID, d.loaded, d.file, d.top = id, false, 0, 0
	d.drawn, d.facts = nil, nil
	gone := d.k.Erase(d.picture.ID())
	d.picture = result.Preview{}
	d.seq++
	if id == "" {
		d.job = state.Job{}
		return gone
	}
	seq, ctx := d.seq, d.k.Context
	return tea.Batch(gone, func() tea.Msg {
		env.Pause(ctx, restFor)
		return detailDueMsg{seq}
	})
}

func (d *detail) due(m detailDueMsg) tea.Cmd {
	if m.seq != d.seq {
		return nil
	}
	return d.reload()
}

// reload reads the wanted job now.
func (d *detail) reload() tea.Cmd {
	if d.ID == "" {
		return nil
	}
	id, ctx, backend := d.ID, d.k.Context, d.backend
	return func() tea.Msg {
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return DetailedMsg{id, job, err}
	}
}

// take keeps the answer when it is about the job still wanted.
func (d *detail) take(m DetailedMsg) bool {
	if m.Id != d.ID || m.err != nil {
		return false
	}
	if d.loaded && d.job.Version == m.Job.Version {
		return false
	}
	d.job, d.loaded = m.Job, true
	d.file = max(min(d.file, len(m.Job.Files)-1), 0)
	d.drawn, d.facts = nil, nil
	return true
}

func (d *detail) drop()    { d.drawn, d.facts = nil, nil }
func (d *detail) resized() { d.drawn, d.facts = nil, nil }

func (d *detail) scroll(by int) {
	d.top = max(d.top+by, 0)
	d.drawn = nil
}

func (d *detail) tick(at time.Time) {
	d.at = at
	if d.loaded && d.job.Phase.Active() {
		d.drawn, d.facts = nil, nil
	}
}

// step goes to another of the job's files.
func (d *detail) step(by int) bool {
	n := len(d.job.Files)
	if n < 2 {
		return false
	}
	d.file = (d.file + by + n) % n
	d.drawn, d.facts = nil, nil
	return true
}

// path is the file in view, or "".
func (d *detail) path() string {
	if d.file < len(d.job.Files) {
		return d.job.Files[d.file].Path
	}
	return ""
}

// paint asks for the picture of the file in view at the size there is for it.
func (d *detail) paint(w, h int) tea.Cmd { return d.picture.Want(d.k, d.path(), w, h) }

// painted keeps a picture that answers the last question.
func (d *detail) painted(m result.PaintedMsg) (tea.Cmd, bool) {
	cmd, mine := d.picture.Painted(m)
	if mine {
		d.drawn = nil
	}
	return cmd, mine
}

// arrived puts the pixels in the place of the half blocks.
func (d *detail) arrived(m msg.ArrivedMsg) bool {
	if !d.picture.Arrived(m) {
		return false
	}
	d.drawn = nil
	return true
}

// detailSize is how many cells a picture may take.
func (s *Screen) detailSize() (w, h int) {
	left, right := s.split()
	if right == 0 {
		return 0, 0
	}
	s.detail.measure(right, s.h, left == 0)
	return s.detail.pictureRoom()
}

func (d *detail) measure(w, h int, full bool) {
	if w != d.w || h != d.h || full != d.full {
		d.w, d.h, d.full = w, h, full
		d.drawn, d.facts = nil, nil
	}
}

// pictureRoom leaves the facts their lines below the picture.
func (d *detail) pictureRoom() (w, h int) {
	if len(d.job.Files) == 0 {
		return 0, 0
	}
	w, high := widget.Pane{Width: d.w, Height: d.h}.Inner()
	if d.facts == nil {
		d.facts = d.writeFacts(w)
	}
	leave := min(len(d.facts), high/2)
	if d.full {
		leave = min(len(d.facts), max(high/4, 5))
	}
	return w, max(high-leave-1, 0)
}

// lines draws the pane, or the whole body when full.
func (d *detail) lines(w, h int, full bool) []string {
	d.measure(w, h, full)
	if d.drawn != nil {
		return d.drawn
	}
	p := widget.Pane{Width: w, Height: h, Title: d.k.Say("Result"), Focus: full}
	if !d.loaded {
		switch {
		case d.ID == "":
			p.Title = d.k.Say("Nothing selected")
		case d.title != "":
			p.Title = d.title
		}
		return p.Lines(d.k.Theme, nil)
	}
	p.Title = d.job.Title
	if n := len(d.job.Files); n > 1 {
		p.Right = d.k.Say("file %d of %d", d.file+1, n)
	}
	inner, high := p.Inner()
	if d.facts == nil {
		d.facts = d.writeFacts(inner)
	}
	body := d.pictureLines(inner)
	room := high - len(body)
	d.top = max(min(d.top, len(d.facts)-room), 0)
	if below := len(d.facts) - d.top - room; below > 0 {
		p.Foot = d.k.Say("↓ %d more lines", below)
	}
	body = append(body, d.facts[d.top:]...)
	d.drawn = p.Lines(d.k.Theme, body)
	return d.drawn
}

// pictureLines are the picture's lines, centred; blank ones hold its place
// until it is painted, so that nothing moves when it comes.
func (d *detail) pictureLines(w int) []string {
	_, high := d.pictureRoom()
	if high < 2 || d.k.Painter == nil {
		return nil
	}
	if d.picture.Why != "" {
		f := widget.Facts{Width: w, Theme: d.k.Theme}
		f.Wrapped(d.k.Theme.Muted, d.picture.Why)
		return append(f.Lines, "")
	}
	lines := make([]string, high+1)
	pad := max(high-len(d.picture.Lines), 0) / 2
	for i, l := range d.picture.Lines {
		if pad+i < high {
			lines[pad+i] = theme.Blank((w-theme.Width(l))/2) + l
		}
	}
	return lines
}

// writeFacts says what is known of the job, most wanted first.
func (d *detail) writeFacts(w int) []string {
	k, j := d.k, &d.job
	t := k.Theme
	f := widget.Facts{Width: w, Theme: t}
	look := widget.PhaseLook(j.Phase)
	line := widget.PhaseStyle(&t.Inks, j.Phase).Paint(look.Mark + " " + k.Say(look.Word))
	if !j.Status.IsZero() {
		line += t.Muted.Paint("  " + k.Say("the service says %s", j.Status.String()))
	}
	if j.Phase.Active() {
		line += t.Muted.Paint("  " + env.Short(d.since()))
		if n := min(w-theme.Width(line)-2, 12); j.Progress >= 0 && n >= 4 {
			line += "  " + widget.ProgressBar(t, j.Progress, n)
		}
	}
	f.Painted(line)
	wrapReason(&f, t.Bad, j.Phase, j.Error.String(), d)
	d.writeHints(&f)
	f.Gap()
	f.Joined(t.Text, widget.RequestFacts(k, j.Request))
	f.Joined(t.Muted, d.moneyAndTimes())
	for i, file := range j.Files {
		ink, mark := t.Muted, "  "
		if i == d.file && len(j.Files) > 1 {
			ink, mark = t.Text, "▸ "
		}
		f.Painted(ink.Paint(mark + theme.CutLeft(widget.Tilde(file.Path, k.Home), w-2)))
	}
	if j.RemoteID != "" {
		f.Painted(t.Faint.Paint(theme.Cut(k.Say("id %s · at the service %s", j.ID, api.Clean(j.RemoteID, api.MaxIDText)), w)))
	} else {
		f.Painted(t.Faint.Paint(theme.Cut(k.Say("id %s", j.ID), w)))
	}
	f.Gap()
	f.Wrapped(t.Muted, api.CleanLines(j.Request.Prompt, 5000).String())
	return f.Lines
}

// writeHints says what can be done about a job that ended in doubt.
func (d *detail) writeHints(f *widget.Facts) {
	k, t := d.k, d.k.Theme
	j := &d.job
	switch {
	case j.Dismissed:
		f.Wrapped(t.Muted, k.Say("You declared it not charged."))
	case j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread:
		f.Gap()
		f.Wrapped(t.Doubt, k.Say("Look at the service's own pages whether this job is there."))
		f.Painted(hint(t, "a", k.Say("it is there: give it its id")))
		f.Painted(hint(t, "x", k.Say("it is not: declare it not charged")))
		f.Painted(hint(t, "s", k.Say("send it again; this may be charged twice")))
	case j.Phase == api.PhaseExpired:
		f.Wrapped(t.Muted, k.Say("Its links are gone. Press f to ask for fresh ones."))
	case j.Phase == api.PhaseStale:
		f.Wrapped(t.Muted, k.Say("No end was seen within seven days. Press r to ask once more."))
	}
}

func hint(t *theme.Theme, key, text string) string {
	return "  " + t.Key.Paint(key) + "  " + t.Text.Paint(text)
}

func (d *detail) since() time.Duration {
	from := d.job.SentAt
	if from.IsZero() {
		from = d.job.CreatedAt
	}
	at := d.at
	if at.IsZero() {
		at = d.k.At
	}
	return at.Sub(from)
}

// moneyAndTimes is the line of credits and moments.
func (d *detail) moneyAndTimes() []string {
	k, j := d.k, &d.job
	parts := []string{}
	if j.Estimate.Known() {
		cr := k.Say("%s cr", env.Amount(j.Estimate.Credits))
		if j.Estimate.Source == api.SourceTable {
			cr = "≈ " + cr
		}
		parts = append(parts, cr)
	} else {
		parts = append(parts, k.Say("price not known"))
	}
	if !j.SentAt.IsZero() {
		parts = append(parts, k.Say("sent %s", k.Stamp(j.SentAt)))
	}
	if !j.EndedAt.IsZero() {
		parts = append(parts, k.Say("ended %s (%s)", k.Stamp(j.EndedAt), env.Short(j.EndedAt.Sub(j.SentAt))))
	}
	if len(j.Files) == 0 && !j.ExpiresAt.IsZero() && j.ExpiresAt.After(k.At) {
		parts = append(parts, k.Say("links expire in %s", k.Span(j.ExpiresAt.Sub(k.At))))
	}
	return parts
}

// wrapReason writes a job's error in the ink of its phase.
func wrapReason(f *widget.Facts, ink theme.Ink, p api.Phase, s string, d *detail) {
	switch p {
	case api.PhaseUnknown, api.PhaseUnread:
		ink = f.Theme.Text
	case api.PhaseFailed, api.PhaseRejected:
	default:
		ink = f.Theme.Warn
	}
	f.Wrapped(ink, d.k.Reason(s))
}
