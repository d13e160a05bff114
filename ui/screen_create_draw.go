package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/ui/form"
	"darkroom/ui/theme"
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

func (c *create) view() string {
	d, s := &c.drawn, c.sheet()
	lines := s.form.Lines()
	key := sideKey{c.at, len(s.form.Problems()), s.have[0] + s.have[1] + s.have[2], strings.TrimSpace(s.req.Prompt) == "", s.prompt.Count() > api.MaxPrompt}
	if key != d.sideKey {
		d.sideKey, d.side = key, nil
	}
	if d.whole != "" && d.version == s.form.Version() && d.side != nil {
		return d.whole
	}
	left, right := splitPanes(c.w, 62, 44)
	if d.side == nil {
		if right > 0 {
			d.side = c.sidePane(right)
		} else {
			d.side = []string{""}
			d.strip = c.priceLine(left - 4)
		}
	}
	if d.left == nil || d.version != s.form.Version() || right == 0 {
		if right == 0 {
			lines = append(lines, d.strip)
		}
		d.left = c.formPane(left, lines)
	}
	d.version = s.form.Version()
	if right > 0 {
		d.whole = beside(d.left, d.side)
	} else {
		d.whole = strings.Join(d.left, "\n")
	}
	return d.whole
}

func (c *create) formPane(w int, lines []string) []string {
	s, t := c.sheet(), c.k.theme
	p := pane{w: w, h: c.h, title: c.kindName(s.kind) + " · " + api.Clean(s.model.Value(), 60).String(), focus: true, right: c.switcher()}
	if s.model.Value() == "" {
		p.title = c.kindName(s.kind)
	}
	image, video := t.Muted, t.Tab
	if s.kind == api.KindImage {
		image, video = t.Tab, t.Muted
	}
	p.inked = t.Muted.Paint("‹ ") + image.Paint(c.k.say("Image")) + t.Muted.Paint(" ╱ ") + video.Paint(c.k.say("Video")) + t.Muted.Paint(" ›")
	switch above, below := s.form.More(); {
	case above > 0 && below > 0:
		p.foot = "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.foot = c.k.say("↓ %d more lines", below)
	case above > 0:
		p.foot = c.k.say("↑ %d more lines", above)
	}
	return p.lines(t, lines)
}

func (c *create) kindName(kind api.Kind) string {
	if kind == api.KindImage {
		return c.k.say("Image")
	}
	return c.k.say("Video")
}

// priceLine is price and readiness in one line.
func (c *create) priceLine(w int) string {
	t, s, p := c.k.theme, c.sheet(), &c.price[c.at]
	figure, source := figureText(c.k, p.estimate)
	left := t.Accent.Paint(figure)
	if source != "" {
		left += "  " + c.sourceInk().Paint(source)
	}
	if per := c.perSecond(); per != "" {
		left += t.Faint.Paint("  " + per)
	}
	right := t.Good.Paint("✓ " + c.k.say("ready"))
	switch stops, n, hidden := c.stops(), len(s.form.Problems()), c.hidden(); {
	case len(stops) > 0:
		right = t.Bad.Paint("✗ " + stops[0].short)
	case n > 0:
		right = t.Warn.Paint("○ " + c.k.words.Count(n, "%d thing to do", "%d things to do"))
	case len(hidden) > 0:
		right = t.Warn.Paint("✗ " + theme.Cut(hidden[0], w/2))
	}
	room := w - theme.Width(right)
	return theme.Fit(left, room-1) + " " + right
}

func (c *create) sourceInk() theme.Ink {
	if c.price[c.at].estimate.Source == api.SourceService {
		return c.k.theme.Good
	}
	return c.k.theme.Muted
}

// perSecond says how a video's price comes about: "85 / s × 5 s".
func (c *create) perSecond() string {
	r := c.sheet().req
	rate, ok := api.RateOf(r.VideoModel, r.Resolution)
	if !ok || r.Model != api.Seedance2 || r.Kind != api.KindVideo || r.Duration == "" {
		return ""
	}
	return c.k.say("%s / s × %s s", amount(rate), api.Clean(r.Duration, 12).String())
}

// sidePane is the price, the rates and what is left to do. Its lines keep their
// places whatever arrives.
func (c *create) sidePane(w int) []string {
	t, p := c.k.theme, &c.price[c.at]
	figure, source := figureText(c.k, p.estimate)
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
		status = joinInk(status, t.Faint.Paint(c.k.say("asking the service …")))
	case p.err != "":
		status = joinInk(status, t.Warn.Paint(p.err))
	case !p.estimate.Known():
		status = t.Muted.Paint(c.noPrice())
	}
	body = append(body, "", first, status, "")
	c.drawn.gridAt = len(body)
	body = append(body, c.gridLines(width)...)
	body = append(body, divide(c.k.say("Before you send")))
	body = append(body, c.checklist(width)...)
	return pane{w: w, h: c.h, title: c.k.say("Price")}.lines(t, fitAll(body, width))
}

func joinInk(a, b string) string {
	if a == "" {
		return b
	}
	return a + "  " + b
}

func fitAll(lines []string, w int) []string {
	for i, l := range lines {
		if !strings.HasPrefix(l, divider) && theme.Width(l) > w {
			lines[i] = theme.Cut(l, w)
		}
	}
	return lines
}

// noPrice says why there is no figure.
func (c *create) noPrice() string {
	s := c.sheet()
	for _, p := range s.found {
		if priced[p.Field] {
			return c.k.problem(p)
		}
	}
	return c.k.say("the service has not told one")
}

const gridName = 14

// gridLines is the seedance2 table for the duration, the chosen cell marked; for
// another model its listed price, in as many lines.
func (c *create) gridLines(w int) []string {
	t, s := c.k.theme, c.sheet()
	out := make([]string, 6)
	if s.req.Kind != api.KindVideo || s.req.Model != api.Seedance2 {
		if listed := listedPrice(c.k, s.listing); listed != "" {
			out[0] = t.Muted.Paint(c.k.say("listed: %s", listed))
		}
		return out
	}
	resolutions := api.Resolutions("")
	cell := min((w-gridName)/len(resolutions), 9)
	var b strings.Builder
	b.WriteString(theme.Blank(gridName))
	for _, r := range resolutions {
		b.WriteString(t.Muted.Paint(right(r, cell)))
	}
	out[0] = b.String()
	for i, tier := range api.VideoModels() {
		b.Reset()
		name := t.Muted
		if tier == s.req.VideoModel {
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

func (c *create) cell(b *strings.Builder, tier, resolution string, w int) {
	t, r := c.k.theme, c.sheet().req
	here := tier == r.VideoModel && resolution == r.Resolution
	r.VideoModel, r.Resolution = tier, resolution
	text, ink := "–", t.Faint
	if rate, ok := api.RateOf(tier, resolution); ok {
		ink = t.Muted
		if e := api.TableEstimate(r); e.Known() {
			text = amount(e.Credits)
		} else {
			text = amount(rate) + "/s"
		}
	}
	if here {
		text, ink = "▸"+text, t.Accent
	}
	ink.Write(b, right(text, w))
}

// checklist says what is ready and what is not, one line each.
func (c *create) checklist(w int) []string {
	s, t := c.sheet(), c.k.theme
	counts := map[string]int{}
	materials := "settings" // the one image of other models stands among these
	if s.kind == api.KindVideo && s.req.Model == api.Seedance2 {
		materials = "materials"
	}
	for _, p := range s.form.Problems() {
		switch p.Field {
		case api.FieldPrompt:
			counts["prompt"]++
		case materialsField, api.FieldImageURL, api.FieldEndImageURL, api.FieldVideoURL:
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
	out := []string{line("prompt", c.k.say("prompt"), "")}
	if materials == "materials" {
		extra := c.k.say("none")
		if n > 0 {
			extra = strconv.Itoa(n) + c.publicWords()
		}
		out = append(out, line("materials", c.k.say("materials"), extra))
	}
	out = append(out, line("settings", c.k.say("settings"), ""))
	out = append(out, c.hiddenLines(w)...)
	out = append(out, c.standing(w)...)
	if len(s.form.Problems()) > 0 {
		out = append(out, "")
		for _, l := range form.Wrap(s.form.Problems()[0].Text, w) {
			out = append(out, t.Muted.Paint(l))
		}
	}
	return out
}

// stop is a reason outside of the form why nothing would be sent.
type stop struct{ short, text string }

// stops are what the key, the store and the budget have against it.
func (c *create) stops() []stop {
	k, st := c.k, c.k.standing
	var out []stop
	switch {
	case st.ReadOnly != "":
		out = append(out, stop{k.say("nothing can be sent"), asSentence(k.translate(st.ReadOnly))})
	case st.KeyHint == "" && !st.KeyPending && !st.Demo:
		out = append(out, stop{k.say("no API key"), k.say("There is no API key: nothing can be sent.")})
	}
	e := c.price[c.at].estimate
	if b := k.today.Budget; b > 0 && e.Known() {
		if over := k.today.Credits + k.today.Possibly + e.Credits - b; over > 0 {
			out = append(out, stop{k.say("over today's budget"), k.say("%s credits over today's budget of %s", amount(over), amount(b))})
		}
	}
	return out
}

// standing says what is against sending, and that the budget is nearly spent.
func (c *create) standing(w int) []string {
	k, t := c.k, c.k.theme
	var out []string
	write := func(ink theme.Ink, mark, text string) {
		for i, l := range form.Wrap(text, max(w-2, 10)) {
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
	if today := k.today; today.Near() && len(stops) == 0 {
		write(t.Warn, "! ", k.say("%s of today's budget of %s credits are or may be spent", amount(today.Credits+today.Possibly), amount(today.Budget)))
	}
	return out
}

// clickGrid takes a press on a rate: the cell is loaded into the form.
func (c *create) clickGrid(x, y int) tea.Cmd {
	s := c.sheet()
	row := y - c.drawn.gridAt - 1
	tiers, resolutions := api.VideoModels(), api.Resolutions("")
	_, w := splitPanes(c.w, 62, 44)
	cell := min((w-4-gridName)/len(resolutions), 9)
	if s.req.Model != api.Seedance2 || s.kind != api.KindVideo || row < 0 || row >= len(tiers) || x < gridName || cell < 1 {
		return nil
	}
	column := (x - gridName) / cell
	if column >= len(resolutions) {
		return nil
	}
	if _, ok := api.RateOf(tiers[row], resolutions[column]); !ok {
		return say(toneHint, c.k.say("%s does not come in %s.", tiers[row], resolutions[column]))
	}
	s.wanted = ""
	s.tier.SetValue(tiers[row])
	s.form.Settle()
	s.resolution.SetValue(resolutions[column])
	s.form.Settle()
	return c.changed()
}
