package create

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// createDrawn is what the screen drew last.
type createDrawn struct {
	version int64
	left    []string
	side    []string // the right pane, nil: draw it anew
	sideKey sideKey
	strip   string // the price in one line, for narrow terminals
	whole   string
	gridAt  int // the line of the side pane's body that the rates begin on
}

// sideKey is what the right pane shows besides the price.
type sideKey struct {
	at, problems, materials int
	empty                   bool
	over                    bool
}

func (c *Screen) View() string {
	d, s := &c.drawn, c.Sheet()
	lines := s.Form.Lines()
	key := sideKey{c.At, len(s.Form.Problems()), s.have[0] + s.have[1] + s.have[2], strings.TrimSpace(s.Req.Prompt) == "", s.Prompt.Count() > api.MaxPrompt}
	if key != d.sideKey {
		d.sideKey, d.side = key, nil
	}
	if d.whole != "" && d.version == s.Form.Version() && d.side != nil {
		return d.whole
	}
	left, right := widget.SplitPanes(c.w, 62, 44)
	if d.side == nil {
		if right > 0 {
			d.side = c.sidePane(right)
		} else {
			d.side = []string{""}
			d.strip = c.priceLine(left - 4)
		}
	}
	if d.left == nil || d.version != s.Form.Version() || right == 0 {
		if right == 0 {
			lines = append(lines, d.strip)
		}
		d.left = c.formPane(left, lines)
	}
	d.version = s.Form.Version()
	if right > 0 {
		d.whole = widget.Beside(d.left, d.side)
	} else {
		d.whole = strings.Join(d.left, "\n")
	}
	return d.whole
}

func (c *Screen) formPane(w int, lines []string) []string {
	s, t := c.Sheet(), c.k.Theme
	p := widget.Pane{Width: w, Height: c.h, Title: c.kindName(s.kind) + " · " + api.Clean(s.model.Value(), 60).String(), Focus: true, Right: c.switcher()}
	if s.model.Value() == "" {
		p.Title = c.kindName(s.kind)
	}
	image, video := t.Muted, t.Tab
	if s.kind == api.KindImage {
		image, video = t.Tab, t.Muted
	}
	p.Inked = t.Muted.Paint("‹ ") + image.Paint(c.k.Say("Image")) + t.Muted.Paint(" ╱ ") + video.Paint(c.k.Say("Video")) + t.Muted.Paint(" ›")
	switch above, below := s.Form.More(); {
	case above > 0 && below > 0:
		p.Foot = "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.Foot = c.k.Say("↓ %d more lines", below)
	case above > 0:
		p.Foot = c.k.Say("↑ %d more lines", above)
	}
	return p.Lines(t, lines)
}

func (c *Screen) kindName(kind api.Kind) string {
	if kind == api.KindImage {
		return c.k.Say("Image")
	}
	return c.k.Say("Video")
}

// priceLine is price and readiness in one line.
func (c *Screen) priceLine(w int) string {
	t, s, p := c.k.Theme, c.Sheet(), &c.Price[c.At]
	figure, source := figureText(c.k, p.Estimate)
	left := t.Accent.Paint(figure)
	if source != "" {
		left += "  " + c.sourceInk().Paint(source)
	}
	if per := c.perSecond(); per != "" {
		left += t.Faint.Paint("  " + per)
	}
	right := t.Good.Paint("✓ " + c.k.Say("ready"))
	switch stops, n, hidden := c.stops(), len(s.Form.Problems()), c.hidden(); {
	case len(stops) > 0:
		right = t.Bad.Paint("✗ " + stops[0].short)
	case n > 0:
		right = t.Warn.Paint("○ " + c.k.Words.Count(n, "%d thing to do", "%d things to do"))
	case len(hidden) > 0:
		right = t.Warn.Paint("✗ " + theme.Cut(hidden[0], w/2))
	}
	room := w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}

func (c *Screen) sourceInk() theme.Ink {
	if c.Price[c.At].Estimate.Source == api.SourceService {
		return c.k.Theme.Good
	}
	return c.k.Theme.Muted
}

// perSecond says how a video's price comes about: "85 / s × 5 s".
func (c *Screen) perSecond() string {
	r := c.Sheet().Req
	rate, ok := api.RateOf(r.VideoModel, r.Resolution)
	if !ok || r.Model != api.Seedance2 || r.Kind != api.KindVideo || r.Duration == "" {
		return ""
	}
	return c.k.Say("%s / s × %s s", env.Amount(rate), api.Clean(r.Duration, 12).String())
}

// sidePane is the price, the rates and what is left to do. Its lines keep their
// places whatever arrives.
func (c *Screen) sidePane(w int) []string {
	t, p := c.k.Theme, &c.Price[c.At]
	figure, source := figureText(c.k, p.Estimate)
	width := w - 4
	var body []string
	per := c.perSecond()
	first := t.Accent.Paint(figure)
	if per != "" {
		first += "   " + t.Muted.Paint(per)
	}
	status := c.sourceInk().Paint(source)
	switch {
	case p.asking:
		status = joinInk(status, t.Faint.Paint(c.k.Say("asking the service …")))
	case p.err != "":
		status = joinInk(status, t.Warn.Paint(p.err))
	case !p.Estimate.Known():
		status = t.Muted.Paint(c.noPrice())
	}
	body = append(body, "", first, status, "")
	c.drawn.gridAt = len(body)
	body = append(body, c.gridLines(width)...)
	body = append(body, widget.Divide(c.k.Say("Before you send")))
	body = append(body, c.checklist(width)...)
	return widget.Pane{Width: w, Height: c.h, Title: c.k.Say("Price")}.Lines(t, fitAll(body, width))
}

func joinInk(a, b string) string {
	if a == "" {
		return b
	}
	return a + "  " + b
}

func fitAll(lines []string, w int) []string {
	for i, l := range lines {
		if !strings.HasPrefix(l, widget.Divider) && theme.Width(l) > w {
			lines[i] = theme.Cut(l, w)
		}
	}
	return lines
}

// noPrice says why there is no figure.
func (c *Screen) noPrice() string {
	s := c.Sheet()
	for _, p := range s.found {
		if priced[p.Field] {
			return c.k.Problem(p)
		}
	}
	return c.k.Say("the service has not told one")
}

const gridName = 14

// gridLines is the seedance2 table for the duration, the chosen cell marked; for
// another model its listed price, in as many lines.
func (c *Screen) gridLines(w int) []string {
	t, s := c.k.Theme, c.Sheet()
	out := make([]string, 6)
	if s.Req.Kind != api.KindVideo || s.Req.Model != api.Seedance2 {
		if listed := listedPrice(c.k, s.listing); listed != "" {
			out[0] = t.Muted.Paint(c.k.Say("listed: %s", listed))
		}
		return out
	}
	resolutions := api.Resolutions("")
	cell := min((w-gridName)/len(resolutions), 9)
	var b strings.Builder
	b.WriteString(theme.Blank(gridName))
	for _, r := range resolutions {
		b.WriteString(t.Muted.Paint(widget.AlignRight(r, cell)))
	}
	out[0] = b.String()
	for i, tier := range api.VideoModels() {
		b.Reset()
		name := t.Muted
		if tier == s.Req.VideoModel {
			name = t.Text
		}
		b.WriteString(name.Paint(theme.Fit(tier, gridName)))
		for _, r := range resolutions {
			c.cell(&b, tier, r, cell)
		}
		out[1+i] = b.String()
	}
	return out
}

func (c *Screen) cell(b *strings.Builder, tier, resolution string, w int) {
	t, r := c.k.Theme, c.Sheet().Req
	here := tier == r.VideoModel && resolution == r.Resolution
	r.VideoModel, r.Resolution = tier, resolution
	text, ink := "–", t.Faint
	if rate, ok := api.RateOf(tier, resolution); ok {
		ink = t.Muted
		if e := api.TableEstimate(r); e.Known() {
			text = env.Amount(e.Credits)
		} else {
			text = env.Amount(rate) + "/s"
		}
	}
	if here {
		text, ink = "▸"+text, t.Accent
	}
	ink.Write(b, widget.AlignRight(text, w))
}

// checklist says what is ready and what is not, one line each.
func (c *Screen) checklist(w int) []string {
	s, t := c.Sheet(), c.k.Theme
	counts := map[string]int{}
	materials := "settings" // the one image of other models stands among these
	if s.kind == api.KindVideo && s.Req.Model == api.Seedance2 {
		materials = "materials"
	}
	for _, p := range s.Form.Problems() {
		switch p.Field {
		case api.FieldPrompt:
			counts["prompt"]++
		case MaterialsField, api.FieldImageURL, api.FieldEndImageURL, api.FieldVideoURL:
			counts[materials]++
		default:
			counts["settings"]++
		}
	}
	line := func(name, label string, extra string) string {
		mark := t.Good.Paint("✓ ")
		if counts[name] > 0 {
			mark = t.Warn.Paint("○ ")
		}
		return mark + t.Text.Paint(theme.Fit(label, gridName-2)) + t.Muted.Paint(extra)
	}
	n := s.have[0] + s.have[1] + s.have[2]
	out := []string{line("prompt", c.k.Say("prompt"), "")}
	if materials == "materials" {
		extra := c.k.Say("none")
		if n > 0 {
			extra = strconv.Itoa(n) + c.publicWords()
		}
		out = append(out, line("materials", c.k.Say("materials"), extra))
	}
	out = append(out, line("settings", c.k.Say("settings"), ""))
	out = append(out, c.hiddenLines(w)...)
	out = append(out, c.standing(w)...)
	if len(s.Form.Problems()) > 0 {
		out = append(out, "")
		for _, l := range widget.Wrap(s.Form.Problems()[0].Text, w) {
			out = append(out, t.Muted.Paint(l))
		}
	}
	return out
}

// stop is a reason outside of the form why nothing would be sent.
type stop struct{ short, text string }

// stops are what the key, the store and the budget have against it.
func (c *Screen) stops() []stop {
	k, st := c.k, c.k.Standing
	var out []stop
	switch {
	case st.ReadOnly != "":
		out = append(out, stop{k.Say("nothing can be sent"), env.AsSentence(k.Translate(st.ReadOnly))})
	case st.KeyHint == "" && !st.KeyPending && !st.Demo:
		out = append(out, stop{k.Say("no API key"), k.Say("There is no API key: nothing can be sent.")})
	}
	e := c.Price[c.At].Estimate
	if b := k.Today.Budget; b > 0 && e.Known() {
		if over := k.Today.Credits + k.Today.Possibly + e.Credits - b; over > 0 {
			out = append(out, stop{k.Say("over today's budget"), k.Say("%s credits over today's budget of %s", env.Amount(over), env.Amount(b))})
		}
	}
	return out
}

// standing says what is against sending, and that the budget is nearly spent.
func (c *Screen) standing(w int) []string {
	k, t := c.k, c.k.Theme
	var out []string
	write := func(ink theme.Ink, mark, text string) {
		for i, l := range widget.Wrap(text, max(w-2, 10)) {
			if i > 0 {
				mark = "  "
			}
			out = append(out, ink.Paint(mark+l))
		}
	}
	stops := c.stops()
	for _, s := range stops {
		write(t.Bad, "✗ ", s.text)
	}
	if today := k.Today; today.Near() && len(stops) == 0 {
		write(t.Warn, "! ", k.Say("%s of today's budget of %s credits are or may be spent", env.Amount(today.Credits+today.Possibly), env.Amount(today.Budget)))
	}
	return out
}

// clickGrid takes a press on a rate: the cell is loaded into the form.
func (c *Screen) clickGrid(x, y int) tea.Cmd {
	s := c.Sheet()
	row := y - c.drawn.gridAt - 1
	tiers, resolutions := api.VideoModels(), api.Resolutions("")
	_, w := widget.SplitPanes(c.w, 62, 44)
	cell := min((w-4-gridName)/len(resolutions), 9)
	if s.Req.Model != api.Seedance2 || s.kind != api.KindVideo || row < 0 || row >= len(tiers) || x < gridName || cell < 1 {
		return nil
	}
	column := (x - gridName) / cell
	if column >= len(resolutions) {
		return nil
	}
	if _, ok := api.RateOf(tiers[row], resolutions[column]); !ok {
		return msg.Notify(msg.ToneHint, c.k.Say("%s does not come in %s.", tiers[row], resolutions[column]))
	}
	s.wanted = ""
	s.Tier.SetValue(tiers[row])
	s.Form.Settle()
	s.resolution.SetValue(resolutions[column])
	s.Form.Settle()
	return c.Changed()
}
