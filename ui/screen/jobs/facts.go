package jobs

import (
	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// factLines say what is known of the job in w cells, most wanted first. Where a
// picture stands above they are few: i shows the rest.
func (d *detail) factLines(w int) []string {
	k, j, t := d.k, &d.job, d.k.Theme
	f := widget.Facts{Width: w, Theme: t}
	f.Painted(d.phaseLine())
	f.Wrapped(reasonStyle(t, j.Phase), k.Reason(j.Error))
	d.addHints(&f)
	f.Joined(t.Text, widget.RequestFacts(k, j.Request))
	f.Joined(t.Muted, result.CreditsAndTimes(k, j, d.usual))
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
	if len(d.kin) < 2 {
		return nil
	}
	var from, to []string
	known := map[string]bool{d.id: true}
	for _, r := range d.kin { // oldest first: sources stand before what uses them
		for _, source := range r.Sources {
			if known[source] {
				known[r.ID] = true
				to = append(to, r.Title)
				break
			}
		}
		if !known[r.ID] {
			from = append(from, r.Title)
		}
	}
	k := d.k
	chain := k.Say("this one")
	switch len(from) {
	case 0:
	case 1:
		chain = from[0] + " → " + chain
	default:
		chain = k.Words.Count(len(from), "%d result", "%d results") + " → " + chain
	}
	switch len(to) {
	case 0:
	case 1:
		chain += " → " + to[0]
	default:
		chain += " → " + k.Words.Count(len(to), "%d result", "%d results")
	}
	return []string{chain, result.ChainCost(k, d.kin)}
}

// phaseLine is the job's phase with the person's rating; for an active job also
// how long it takes.
func (d *detail) phaseLine() string {
	k, j, t := d.k, &d.job, d.k.Theme
	look := widget.PhaseLook(j.Phase)
	line := widget.PhaseStyle(&t.Styles, j.Phase).Paint(look.Mark + " " + k.Say(look.Word))
	if s := result.RatingText(j.Rating); s != "" {
		line += "  " + t.Accent.Paint(s)
	}
	if j.Phase.Active() {
		line += t.Muted.Paint("  " + env.Short(d.waiting().Elapsed()))
	}
	return line
}

func reasonStyle(t *theme.Theme, p api.Phase) theme.Style {
	switch p {
	case api.PhaseUnknown, api.PhaseUnread:
		return t.Text
	case api.PhaseFailed, api.PhaseRejected:
		return t.Bad
	}
	return t.Warn
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
		f.Painted("  " + t.Key.Paint("enter") + "  " + t.Text.Paint(k.Say("settle it")))
		f.Gap()
	case j.Phase == api.PhaseExpired:
		f.Wrapped(t.Muted, k.Say("Its links have expired. Press %s to ask for new ones.", k.Key("fetch", "R")))
	case j.Phase == api.PhaseStale:
		f.Wrapped(t.Muted, k.Say("Not finished after seven days. Press %s to ask once more.", k.Key("refresh", "r")))
	}
}
