package jobs

import (
	"slices"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// View draws the body.
func (s *Screen) View() []string {
	left, right := s.split()
	switch {
	case s.inGallery:
		return s.drawGallery()
	case right == 0:
		return s.drawList(left)
	}
	return s.beside.Join(s.drawList(left), s.detail.draw(s.list.current().Title))
}

// drawGallery draws the gallery's pane: the grid above a line of facts.
func (s *Screen) drawGallery() []string {
	p := widget.Pane{
		Width: s.w, Height: s.h, Title: s.filter.Title(s.w, s.k.Say("Gallery")), Right: s.count(),
		Focus: true, Filled: true,
	}
	inner, high := p.Inner()
	lines := s.gallery.Lines(s.list.cells(), s.list.version, s.list.at, &s.marks)
	if s.list.total == 0 && s.list.version > 0 {
		lines = s.emptyLines(inner)
		p.Filled = false
	}
	lines = append(make([]string, 0, high), lines[:min(len(lines), high-1)]...)
	for len(lines) < high-1 {
		lines = append(lines, "")
	}
	return p.Keep(&s.framed, s.k.Theme, append(lines, theme.Fit(s.factLine(), inner)))
}

func (s *Screen) factLine() string {
	r, ok := s.Row()
	if !ok {
		return ""
	}
	facts := result.RowFacts(s.k, &r)
	if job, read := s.Job(); read {
		facts = result.JobFacts(s.k, &job)
	}
	line := s.k.Theme.Text.Paint(r.Title)
	if signs := result.RatingText(r.Rating); signs != "" {
		line += "  " + s.k.Theme.Accent.Paint(signs)
	}
	return line + "  " + s.k.Theme.Muted.Paint(strings.Join(facts, " · "))
}

// count is how many jobs there are, in which order, and how many are marked.
func (s *Screen) count() string {
	var parts []string
	if n := s.marks.Len(); n > 0 {
		parts = append(parts, s.k.Say("%d marked", n))
	}
	if s.order > 0 {
		parts = append(parts, s.k.Say(orders[s.order].Label))
	}
	switch {
	case s.list.all == 0:
	case s.filter.Text() != "" || s.inGallery:
		parts = append(parts, s.k.Say("%s of %s", env.Thousands(s.list.total), env.Thousands(s.list.all)))
	default:
		parts = append(parts, s.k.Say("all %s", env.Thousands(s.list.all)))
	}
	return strings.Join(parts, " · ")
}

func (s *Screen) emptyLines(w int) []string {
	k, t, f := s.k, s.k.Theme, widget.Facts{Width: w, Lines: []string{""}}
	switch {
	case s.filter.Text() != "":
		f.Painted(t.Muted.Paint(k.Say("No job matches. Press esc to see all of them.")))
	case s.list.all > 0: // a gallery without results
		f.Painted(t.Text.Paint(k.Say("There are no results yet.")))
	default:
		f.Painted(t.Text.Paint(k.Say("Nothing has been sent yet.")))
		f.Painted(t.Muted.Paint(k.Say("Press %s and write a prompt; every job you send stays here.", k.Key("create", "1"))))
	}
	return f.Lines
}

// factLines say what is known of the job in w cells, most wanted first.
func (d *detail) factLines(w int) []string {
	k, j, t := d.k, &d.job, d.k.Theme
	f := widget.Facts{Width: w, Theme: t}
	f.Painted(d.phaseLine())
	ink := t.Warn
	switch j.Phase {
	case api.PhaseUnknown, api.PhaseUnread:
		ink = t.Text
	case api.PhaseFailed, api.PhaseRejected:
		ink = t.Bad
	}
	f.Wrapped(ink, k.Reason(j.Error))
	d.addHints(&f)
	f.Joined(t.Text, widget.RequestFacts(k, j.Request))
	f.Joined(t.Muted, result.CreditsAndTimes(k, j, d.typical[result.ClassOfJob(j)]))
	f.Joined(t.Muted, d.lineage())
	if j.Note != "" {
		f.Painted(t.Text.Paint(theme.Cut("✎ "+j.Note, w)))
	}
	if len(j.Files) == 0 {
		f.Gap()
		f.Wrapped(t.Muted, api.CleanLines(j.Request.Prompt, 5000).String())
	}
	return f.Lines
}

// lineage is what the job was made from and into, and what all of it cost.
func (d *detail) lineage() []string {
	if len(d.relatives) < 2 {
		return nil
	}
	var from, to []string
	known := map[string]bool{d.id: true}
	for _, r := range d.relatives { // oldest first: sources stand before what uses them
		if slices.ContainsFunc(r.Sources, func(id string) bool { return known[id] }) {
			known[r.ID] = true
			to = append(to, r.Title)
		} else if !known[r.ID] {
			from = append(from, r.Title)
		}
	}
	k := d.k
	var chain []string
	for _, titles := range [][]string{from, {k.Say("this one")}, to} {
		switch len(titles) {
		case 0:
		case 1:
			chain = append(chain, titles[0])
		default:
			chain = append(chain, k.Words.Count(len(titles), "%d result", "%d results"))
		}
	}
	return []string{strings.Join(chain, " → "), result.ChainCost(k, d.relatives)}
}

// phaseLine is the job's phase and rating, and how long it takes while it is active.
func (d *detail) phaseLine() string {
	k, j, t := d.k, &d.job, d.k.Theme
	line := widget.PhaseText(k, j.Phase)
	if s := result.RatingText(j.Rating); s != "" {
		line += "  " + t.Accent.Paint(s)
	}
	if j.Phase.Active() {
		line += t.Muted.Paint("  " + env.Short(d.waiting().Elapsed()))
	}
	return line
}

// addHints says what can be done about a job without a clear end.
func (d *detail) addHints(f *widget.Facts) {
	k, t, j := d.k, d.k.Theme, &d.job
	switch {
	case j.Dismissed:
		f.Wrapped(t.Muted, k.Say("Marked as not charged."))
	case j.Phase == api.PhaseUnknown || j.Phase == api.PhaseUnread:
		f.Gap()
		f.Wrapped(t.Doubt, k.Say("Check the service's website for this job."))
		f.Painted("  " + t.Key.Paint("enter") + "  " + t.Text.Paint(k.Say("resolve it")))
		f.Gap()
	case j.Phase == api.PhaseExpired:
		f.Wrapped(t.Muted, k.Say("Its links have expired. Press %s to ask for new ones.", k.Key("fetch", "R")))
	case j.Phase == api.PhaseStale:
		f.Wrapped(t.Muted, k.Say("Not finished after seven days. Press %s to ask once more.", k.Key("refresh", "r")))
	}
}

// pictureLines are the picture's lines, centred; blank ones hold its place
// until it is painted, so that nothing moves when it comes.
func (d *detail) pictureLines(w int) []string {
	switch {
	case d.pictureH < 2:
		return nil
	case d.job.Phase.Active():
		lines := make([]string, d.pictureH+1)
		copy(lines, d.waiting().Lines(w, d.pictureH))
		return lines
	case d.k.Painter == nil:
		return nil
	case d.picture.Why != "":
		return append(result.Instead(d.k.Theme, result.Ratio(d.job.Request), w, d.pictureH, func(w int) []string {
			return widget.Muted(d.k, d.picture.Why, w)
		}), "")
	}
	shown := d.picture.Lines
	if d.picture.Loading() {
		shown = []string{d.k.Theme.Faint.Paint("···")}
	}
	return append(result.Centred(shown, w, d.pictureH), "")
}

func (d *detail) draw(title string) []string {
	p := widget.Pane{Width: d.w, Height: d.h, Title: title}
	if !d.loaded {
		switch {
		case d.id == "":
			p.Title = d.k.Say("Nothing selected")
		case title == "":
			p.Title = d.k.Say("Result")
		}
		return p.Keep(&d.framed, d.k.Theme, nil)
	}
	p.Title = d.job.Title
	if n := len(d.job.Files); n > 1 {
		p.Right = d.k.Say("file %d of %d", d.file+1, n)
	}
	p.Foot = widget.More(d.k, 0, d.facts.Below())
	return p.Keep(&d.framed, d.k.Theme, slices.Concat(d.above, d.facts.Lines()))
}
