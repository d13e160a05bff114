package result

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Box draws the overlay.
func (c *compare) Box(w, h int) string {
	p := widget.Pane{Width: w, Height: h, Title: c.k.Say("Compare"), Focus: true, Foot: widget.More(c.k, 0, c.table.Below())}
	lines := c.titles()
	pictures := make([][]string, len(c.columns))
	for i := range c.columns {
		pictures[i] = c.pictureLines(i)
	}
	for y := range c.pictureRows {
		lines = append(lines, c.beside(func(i int) string { return centred(pictures[i], y, c.pictureRows) }))
	}
	lines = append(lines, widget.Divide(c.k.Say("Different")))
	lines = append(lines, c.table.Lines()...)
	inner, _ := p.Inner()
	for i := range lines {
		lines[i] = theme.Cut(lines[i], inner) // the size may be newer than the message that tells it
	}
	return strings.Join(p.Lines(c.k.Theme, lines), "\n")
}

// beside puts a painted part of each job next to each other.
func (c *compare) beside(part func(i int) string) string {
	var b strings.Builder
	for i := range c.columns {
		if i > 0 {
			b.WriteString(gap)
		}
		b.WriteString(theme.Fit(part(i), c.share()))
	}
	return b.String()
}

// titles are the titles of the jobs, and how each ended and is rated.
func (c *compare) titles() []string {
	k, t := c.k, c.k.Theme
	title := func(i int) string {
		if i == c.at {
			return t.Accent.Paint("▸ ") + t.Strong.Paint(theme.Cut(c.columns[i].job.Title, c.share()-2))
		}
		return "  " + t.Text.Paint(theme.Cut(c.columns[i].job.Title, c.share()-2))
	}
	end := func(i int) string {
		j := &c.columns[i].job
		look := widget.PhaseLook(j.Phase)
		return "  " + widget.PhaseStyle(&t.Styles, j.Phase).Paint(look.Mark+" "+k.Say(look.Word)) + "  " + t.Muted.Paint(k.Stamp(j.CreatedAt)) +
			"  " + t.Accent.Paint(RatingText(j.Rating))
	}
	return []string{c.beside(title), c.beside(end)}
}

// pictureLines are the picture of job i, or why there is none.
func (c *compare) pictureLines(i int) []string {
	p := &c.columns[i].preview
	text := p.Why
	if len(c.columns[i].job.Files) == 0 {
		text = c.k.Say("no file")
	}
	if text != "" {
		f := widget.Facts{Width: c.share(), Theme: c.k.Theme}
		f.Wrapped(c.k.Theme.Muted, text)
		return f.Lines
	}
	return Centred(p.Lines, c.share(), c.pictureRows)
}

// aspect is one thing that can be compared, in words, for each of the jobs.
type aspect struct {
	label string
	texts []string
}

// aspects are all that at least one of the jobs has, the prompt first.
func (c *compare) aspects() []aspect {
	k := c.k
	of := func(label string, text func(j *state.Job) string) aspect {
		x := aspect{label: label}
		for i := range c.columns {
			x.texts = append(x.texts, text(&c.columns[i].job))
		}
		return x
	}
	asked := func(label string, text func(r api.Request) string) aspect {
		return of(label, func(j *state.Job) string { return text(j.Request) })
	}
	all := []aspect{
		asked(k.Say("Prompt"), func(r api.Request) string { return r.Prompt }),
		asked(k.Say("Model"), func(r api.Request) string { return r.Model }),
		asked(k.Say("Mode"), func(r api.Request) string { return modeWord(k, r) }),
	}
	fields := api.Settings("")
	for _, f := range api.Fields("") {
		if f.Shape == api.ShapeURL && f.Most == 0 {
			fields = append(fields, f)
		}
	}
	for _, f := range fields {
		all = append(all, asked(k.Say(f.Label), func(r api.Request) string { return f.Text(&r) }))
	}
	all = append(all, asked(k.Say("Materials"), materialsText), of(k.Say("Credits"), c.creditsText), of(k.Say("Took"), tookText))
	return slices.DeleteFunc(all, func(x aspect) bool {
		return !slices.ContainsFunc(x.texts, func(s string) bool { return s != "" })
	})
}

func modeWord(k *env.Env, r api.Request) string {
	switch {
	case r.Kind != api.KindVideo || r.Model != api.Seedance2:
		return ""
	case r.Mode() == api.ModeFirstLastFrame:
		return k.Say("first and last frame")
	}
	return k.Say("references")
}

func materialsText(r api.Request) string {
	return strings.Join(slices.Concat(r.ImageFiles, r.VideoFiles, r.AudioFiles), "\n")
}

// creditsText is what a job cost, with the difference to the first one.
func (c *compare) creditsText(j *state.Job) string {
	if !j.Estimate.Known() {
		return ""
	}
	text := c.k.Say("%s cr", env.Amount(j.Estimate.Credits))
	first := &c.columns[0].job
	if j.ID == first.ID || !first.Estimate.Known() {
		return text
	}
	switch by := j.Estimate.Credits - first.Estimate.Credits; {
	case by > 0:
		text += " (+" + env.Amount(by) + ")"
	case by < 0:
		text += " (−" + env.Amount(-by) + ")"
	}
	return text
}

func tookText(j *state.Job) string {
	if j.EndedAt.IsZero() || j.SentAt.IsZero() {
		return ""
	}
	return env.Short(j.EndedAt.Sub(j.SentAt))
}

// tableLines are what differs, side by side, and below it what is the same.
func (c *compare) tableLines() []string {
	k, t := c.k, c.k.Theme
	f := widget.Facts{Width: c.w - 4, Theme: t}
	var same []string
	var different []aspect
	label := 0
	for _, x := range c.aspects() {
		if !slices.ContainsFunc(x.texts, func(s string) bool { return s != x.texts[0] }) {
			same = append(same, x.label+" "+theme.Cut(api.Clean(api.OneLine(x.texts[0]), 200).String(), 40))
			continue
		}
		different = append(different, x)
		label = max(label, theme.Width(x.label)+len(gap))
	}
	for _, x := range different {
		if len(c.columns) > 2 {
			f.Painted(t.Muted.Paint(x.label))
			f.Lines = append(f.Lines, c.renderRow(x, 0)...)
		} else {
			f.Lines = append(f.Lines, c.renderRow(x, label)...)
		}
	}
	if len(f.Lines) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The requests are identical.")))
	}
	if len(same) > 0 {
		f.Gap()
		f.Painted(t.Strong.Paint(k.Say("The same")))
		f.Joined(t.Muted, same)
	}
	return f.Lines
}

// renderRow sets the texts of an aspect in columns, each below its picture. Of
// two jobs the label stands in a column of its own, which takes the room from the
// first one's. What the first text does not have is marked in the others, and in
// the first what the second does not have.
func (c *compare) renderRow(x aspect, label int) []string {
	var cells []string
	widths := make([]int, 0, len(x.texts)+1)
	if label > 0 {
		cells, widths = append(cells, c.k.Theme.Muted.Paint(x.label)), append(widths, label)
	}
	for i, text := range x.texts {
		other := x.texts[0]
		if i == 0 {
			other = x.texts[1]
		}
		cells, widths = append(cells, markWords(c.k.Theme, text, other)), append(widths, c.share()+len(gap))
	}
	last := len(cells) - 1
	widths[last] = c.share()
	if label > 0 {
		widths[1] = max(widths[1]-label, 8)
	}
	return strings.Split(table.New().Row(cells...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(_, column int) lipgloss.Style {
			style := lipgloss.NewStyle().Width(widths[column])
			if column == last {
				return style
			}
			return style.PaddingRight(len(gap))
		}).Render(), "\n")
}
