package result

import (
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
	"github.com/rivo/uniseg"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// aspect is one thing that can be compared, in words.
type aspect struct{ label, a, b string }

// aspects are all that at least one of the jobs has, the prompt first.
func (c *compare) aspects() []aspect {
	k := c.k
	a, b := c.jobs[0].Request, c.jobs[1].Request
	all := []aspect{
		{k.Say("Prompt"), a.Prompt, b.Prompt},
		{k.Say("Model"), a.Model, b.Model},
		{k.Say("Mode"), modeWord(k, a), modeWord(k, b)},
		{k.Say("Tier"), a.VideoModel, b.VideoModel},
		{k.Say("Size"), a.Size, b.Size},
		{k.Say("Quality"), a.Quality, b.Quality},
		{k.Say("Resolution"), a.Resolution, b.Resolution},
		{k.Say("Ratio"), a.AspectRatio, b.AspectRatio},
		{k.Say("Duration"), a.Duration, b.Duration},
		{k.Say("Seed"), seedText(a), seedText(b)},
		{k.Say("Image"), a.ImageURL, b.ImageURL},
		{k.Say("Last frame"), a.EndImageURL, b.EndImageURL},
		{k.Say("Video"), a.VideoURL, b.VideoURL},
		{k.Say("Materials"), materialsText(a), materialsText(b)},
		{k.Say("Credits"), creditsText(k, &c.jobs[0]), creditsText(k, &c.jobs[1])},
		{k.Say("Took"), tookText(&c.jobs[0]), tookText(&c.jobs[1])},
	}
	return slices.DeleteFunc(all, func(x aspect) bool { return x.a == "" && x.b == "" })
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

func seedText(r api.Request) string {
	if r.Seed == nil {
		return ""
	}
	return strconv.FormatInt(*r.Seed, 10)
}

func materialsText(r api.Request) string {
	return strings.Join(slices.Concat(r.ImageFiles, r.VideoFiles, r.AudioFiles), "\n")
}

func creditsText(k *env.Env, j *state.Job) string {
	if !j.Estimate.Known() {
		return ""
	}
	return k.Say("%s cr", env.Amount(j.Estimate.Credits))
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
	var rows [][]string
	var same []string
	label := 0
	for _, x := range c.aspects() {
		if x.a == x.b {
			same = append(same, x.label+" "+theme.Cut(api.Clean(widget.OneLine(x.a), 200).String(), 40))
			continue
		}
		label = max(label, theme.Width(x.label)+len(gap))
		rows = append(rows, []string{t.Muted.Paint(x.label), markChange(t, x.a, x.b), markChange(t, x.b, x.a)})
	}
	f := widget.Facts{Width: c.w - 4, Theme: t}
	if len(rows) == 0 {
		f.Painted(t.Muted.Paint(k.Say("The requests are identical.")))
	} else {
		f.Lines = strings.Split(c.renderTable(rows, label), "\n")
	}
	if len(same) > 0 {
		f.Gap()
		f.Painted(t.Strong.Paint(k.Say("The same")))
		f.Joined(t.Muted, same)
	}
	return f.Lines
}

// renderTable sets rows of label, first and second job in columns; the second
// job's stands below its picture.
func (c *compare) renderTable(rows [][]string, label int) string {
	widths := [3]int{label, max(c.half()+len(gap)-label, 8), c.half()}
	styles := [3]lipgloss.Style{}
	for i, w := range widths {
		styles[i] = lipgloss.NewStyle().Width(w)
	}
	styles[1] = styles[1].PaddingRight(len(gap))
	return table.New().Rows(rows...).
		BorderTop(false).BorderBottom(false).BorderLeft(false).BorderRight(false).BorderColumn(false).BorderHeader(false).
		StyleFunc(func(_, column int) lipgloss.Style { return styles[column] }).
		Render()
}

// markChange paints text so that what differs from the other text, between a
// common beginning and a common end, is in the accent.
func markChange(t *theme.Theme, text, other string) string {
	if text == "" {
		return t.Faint.Paint("–")
	}
	mine, its := clusters(text), clusters(other)
	from := 0
	for from < len(mine) && from < len(its) && mine[from] == its[from] {
		from++
	}
	to, end := len(mine), len(its)
	for to > from && end > from && mine[to-1] == its[end-1] {
		to, end = to-1, end-1
	}
	if other == "" || from == 0 && to == len(mine) {
		from, to = 0, 0 // nothing in common: marking all of it says nothing
	}
	return t.Text.Paint(strings.Join(mine[:from], "")) + t.Accent.Paint(strings.Join(mine[from:to], "")) + t.Text.Paint(strings.Join(mine[to:], ""))
}

// clusters are the user-perceived characters of text.
func clusters(text string) []string {
	var out []string
	for g := uniseg.NewGraphemes(api.CleanLines(text, len(text)).String()); g.Next(); {
		out = append(out, g.Str())
	}
	return out
}
