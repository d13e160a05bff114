package jobs

import (
	"time"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/result"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// factLines say what is known of the job in w cells, most wanted first.
func (d *detail) factLines(w int) []string {
	k, j, t := d.k, &d.job, d.k.Theme
	f := widget.Facts{Width: w, Theme: t}
	f.Painted(d.phaseLine(w))
	f.Wrapped(reasonInk(t, j.Phase), k.Reason(j.Error.String()))
	d.addHints(&f)
	f.Gap()
	f.Joined(t.Text, widget.RequestFacts(k, j.Request))
	f.Joined(t.Muted, result.CreditsAndTimes(k, j))
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

// phaseLine is the job's phase; for an active job also how long it takes and
// how far it is.
func (d *detail) phaseLine(w int) string {
	k, j, t := d.k, &d.job, d.k.Theme
	look := widget.PhaseLook(j.Phase)
	line := widget.PhaseStyle(&t.Inks, j.Phase).Paint(look.Mark + " " + k.Say(look.Word))
	if !j.Phase.Active() {
		return line
	}
	line += t.Muted.Paint("  " + env.Short(d.elapsed()))
	if n := min(w-theme.Width(line)-2, 12); j.Progress >= 0 && n >= 4 {
		line += "  " + widget.ProgressBar(t, j.Progress, n)
	}
	return line
}

func (d *detail) elapsed() time.Duration {
	from := d.job.SentAt
	if from.IsZero() {
		from = d.job.CreatedAt
	}
	return d.k.At.Sub(from)
}

// reasonInk is the ink of a job's error.
func reasonInk(t *theme.Theme, p api.Phase) theme.Ink {
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
		f.Painted(hint(t, "enter", k.Say("settle it")))
	case j.Phase == api.PhaseExpired:
		f.Wrapped(t.Muted, k.Say("Its links have expired. Press R to ask for new ones."))
	case j.Phase == api.PhaseStale:
		f.Wrapped(t.Muted, k.Say("Not finished after seven days. Press r to ask once more."))
	}
}

func hint(t *theme.Theme, key, text string) string {
	return "  " + t.Key.Paint(key) + "  " + t.Text.Paint(text)
}
