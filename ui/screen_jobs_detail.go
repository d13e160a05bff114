package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// restFor is how long the selection rests before its job is read: a held key
// starts nothing.
const restFor = 70 * time.Millisecond

// detail is one job with everything known of it.
type detail struct {
	k       *kit
	backend jobReader
	id      string // the job that is wanted
	seq     int
	title   string // of the wanted job, before it is read
	job     state.Job
	loaded  bool
	file    int // which of the files is shown
	picture preview
	top     int
	at      time.Time

	w, h  int
	full  bool
	facts []string
	drawn []string
}

type detailDueMsg struct{ seq int }

type detailedMsg struct {
	id  string
	job state.Job
	err error
}

func (m detailedMsg) failed() error { return m.err }

// want asks for a job once the selection has rested on it.
func (d *detail) want(id string) tea.Cmd {
	if id == d.id {
		return nil
	}
	d.id, d.loaded, d.file, d.top = id, false, 0, 0
	d.drawn, d.facts = nil, nil
	gone := d.k.erase(d.picture.id())
	d.picture = preview{}
	d.seq++
	if id == "" {
		d.job = state.Job{}
		return gone
	}
	seq, ctx := d.seq, d.k.ctx
	return tea.Batch(gone, func() tea.Msg {
		pause(ctx, restFor)
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
	if d.id == "" {
		return nil
	}
	id, ctx, backend := d.id, d.k.ctx, d.backend
	return func() tea.Msg {
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return detailedMsg{id, job, err}
	}
}

// take keeps the answer when it is about the job still wanted.
func (d *detail) take(m detailedMsg) bool {
	if m.id != d.id || m.err != nil {
		return false
	}
	if d.loaded && d.job.Version == m.job.Version {
		return false
	}
	d.job, d.loaded = m.job, true
	d.file = max(min(d.file, len(m.job.Files)-1), 0)
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
func (d *detail) paint(w, h int) tea.Cmd { return d.picture.want(d.k, d.path(), w, h) }

// painted keeps a picture that answers the last question.
func (d *detail) painted(m paintedMsg) (tea.Cmd, bool) {
	cmd, mine := d.picture.painted(m)
	if mine {
		d.drawn = nil
	}
	return cmd, mine
}

// arrived puts the pixels in the place of the half blocks.
func (d *detail) arrived(m arrivedMsg) bool {
	if !d.picture.arrived(m) {
		return false
	}
	d.drawn = nil
	return true
}

// detailSize is how many cells a picture may take.
func (s *jobs) detailSize() (w, h int) {
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
	w, high := pane{w: d.w, h: d.h}.inner()
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
	p := pane{w: w, h: h, title: d.k.say("Result"), focus: full}
	if !d.loaded {
		switch {
		case d.id == "":
			p.title = d.k.say("Nothing selected")
		case d.title != "":
			p.title = d.title
		}
		return p.lines(d.k.theme, nil)
	}
	p.title = d.job.Title
	if n := len(d.job.Files); n > 1 {
		p.right = d.k.say("file %d of %d", d.file+1, n)
	}
	inner, high := p.inner()
	if d.facts == nil {
		d.facts = d.writeFacts(inner)
	}
	body := d.pictureLines(inner)
	room := high - len(body)
	d.top = max(min(d.top, len(d.facts)-room), 0)
	if below := len(d.facts) - d.top - room; below > 0 {
		p.foot = d.k.say("↓ %d more lines", below)
	}
	body = append(body, d.facts[d.top:]...)
	d.drawn = p.lines(d.k.theme, body)
	return d.drawn
}

// pictureLines are the picture's lines, centred; blank ones hold its place
// until it is painted, so that nothing moves when it comes.
func (d *detail) pictureLines(w int) []string {
	_, high := d.pictureRoom()
	if high < 2 || d.k.painter == nil {
		return nil
	}
	if d.picture.why != "" {
		f := facts{w: w, t: d.k.theme}
		f.wrapped(d.k.theme.Muted, d.picture.why)
		return append(f.lines, "")
	}
	lines := make([]string, high+1)
	pad := max(high-len(d.picture.lines), 0) / 2
	for i, l := range d.picture.lines {
		if pad+i < high {
			lines[pad+i] = theme.Blank((w-theme.Width(l))/2) + l
		}
	}
	return lines
}

// writeFacts says what is known of the job, most wanted first.
func (d *detail) writeFacts(w int) []string {
	k, j := d.k, &d.job
	t := k.theme
	f := facts{w: w, t: t}
	look := lookOf(j.Phase)
	line := phaseInk(&t.Inks, j.Phase).Paint(look.mark + " " + k.say(look.word))
	if !j.Status.IsZero() {
		line += t.Muted.Paint("  " + k.say("the service says %s", j.Status.String()))
	}
	if j.Phase.Active() {
		line += t.Muted.Paint("  " + short(d.since()))
		if n := min(w-theme.Width(line)-2, 12); j.Progress >= 0 && n >= 4 {
			line += "  " + bar(t, j.Progress, n)
		}
	}
	f.painted(line)
	wrapReason(&f, t.Bad, j.Phase, j.Error.String(), d)
	d.writeHints(&f)
	f.gap()
	f.joined(t.Text, requestFacts(k, j.Request))
	f.joined(t.Muted, d.moneyAndTimes())
	for i, file := range j.Files {
		ink, mark := t.Muted, "  "
		if i == d.file && len(j.Files) > 1 {
			ink, mark = t.Text, "▸ "
		}
		f.painted(ink.Paint(mark + theme.CutLeft(tilde(file.Path, k.home), w-2)))
	}
	if j.RemoteID != "" {
		f.painted(t.Faint.Paint(theme.Cut(k.say("id %s · at the service %s", j.ID, api.Clean(j.RemoteID, api.MaxIDText)), w)))
	} else {
		f.painted(t.Faint.Paint(theme.Cut(k.say("id %s", j.ID), w)))
	}
	f.gap()
	f.wrapped(t.Muted, api.CleanLines(j.Request.Prompt, 5000).String())
	return f.lines
}

// writeHints says what can be done about a job that ended in doubt.
func (d *detail) writeHints(f *facts) {
	k, t := d.k, d.k.theme
	j := &d.job
	switch {
	case j.Dismissed:
		f.wrapped(t.Muted, k.say("You declared it not charged."))
	case j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread:
		f.gap()
		f.wrapped(t.Doubt, k.say("Look at the service's own pages whether this job is there."))
		f.painted(hint(t, "a", k.say("it is there: give it its id")))
		f.painted(hint(t, "x", k.say("it is not: declare it not charged")))
		f.painted(hint(t, "s", k.say("send it again; this may be charged twice")))
	case j.Phase == api.PhaseExpired:
		f.wrapped(t.Muted, k.say("Its links are gone. Press f to ask for fresh ones."))
	case j.Phase == api.PhaseStale:
		f.wrapped(t.Muted, k.say("No end was seen within seven days. Press r to ask once more."))
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
		at = d.k.at
	}
	return at.Sub(from)
}

// moneyAndTimes is the line of credits and moments.
func (d *detail) moneyAndTimes() []string {
	k, j := d.k, &d.job
	parts := []string{}
	if j.Estimate.Known() {
		cr := k.say("%s cr", amount(j.Estimate.Credits))
		if j.Estimate.Source == api.SourceTable {
			cr = "≈ " + cr
		}
		parts = append(parts, cr)
	} else {
		parts = append(parts, k.say("price not known"))
	}
	if !j.SentAt.IsZero() {
		parts = append(parts, k.say("sent %s", k.stamp(j.SentAt)))
	}
	if !j.EndedAt.IsZero() {
		parts = append(parts, k.say("ended %s (%s)", k.stamp(j.EndedAt), short(j.EndedAt.Sub(j.SentAt))))
	}
	if len(j.Files) == 0 && !j.ExpiresAt.IsZero() && j.ExpiresAt.After(k.at) {
		parts = append(parts, k.say("links expire in %s", k.span(j.ExpiresAt.Sub(k.at))))
	}
	return parts
}

// wrapReason writes a job's error in the ink of its phase.
func wrapReason(f *facts, ink theme.Ink, p api.Phase, s string, d *detail) {
	switch p {
	case api.PhaseUnknown, api.PhaseUnread:
		ink = f.t.Text
	case api.PhaseFailed, api.PhaseRejected:
	default:
		ink = f.t.Warn
	}
	f.wrapped(ink, d.k.reason(s))
}
