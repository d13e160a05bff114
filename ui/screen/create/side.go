package create

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// sideKey is what the side pane is drawn from.
type sideKey struct {
	look
	w, h   int
	price  priceShown
	grid   gridShown
	ready  readiness
	offset int // of the list
}

func (c *Screen) sideKey(w int) sideKey {
	return sideKey{look: c.look(), w: w, h: c.h, price: c.priceShown(), grid: c.gridShown(), ready: c.ready, offset: c.list.Offset()}
}

// priceShown is the price in words.
type priceShown struct {
	amount, source, perSecond string
	status                    string // why the service's figure is missing, or that it is on its way
	quoted                    bool   // the source is the service
	asking, failed            bool
	dearer                    string // what it cost when it was last sent, if that was less
}

func (c *Screen) priceShown() priceShown {
	p := &c.prices[c.at]
	out := priceShown{perSecond: c.perSecond(), quoted: p.estimate.Source == api.SourceService, asking: p.asking}
	out.amount, out.source = figureText(c.env, p.estimate)
	if e := p.estimate; e.Dearer() {
		out.dearer = c.env.Say("Dearer than when last sent: %s credits on %s.", env.Amount(e.Sent), c.env.Stamp(e.SentAt))
	}
	switch {
	case p.asking:
		out.status = c.env.Say("asking the service …")
	case p.err != "":
		out.status, out.failed = p.err, true
	case !p.estimate.Known():
		out.status = c.whyNoPrice()
	}
	return out
}

// style is that of the source.
func (p priceShown) style(t *theme.Theme) theme.Ink {
	if p.quoted {
		return t.Good
	}
	return t.Muted
}

// line is the source and the status.
func (p priceShown) line(t *theme.Theme) string {
	style := t.Muted
	switch {
	case p.asking:
		style = t.Faint
	case p.failed:
		style = t.Warn
	}
	switch {
	case p.status == "":
		return p.style(t).Paint(p.source)
	case p.source == "":
		return style.Paint(p.status)
	}
	return p.style(t).Paint(p.source) + "  " + style.Paint(p.status)
}

// perSecond says how a video's price comes about: "85 / s × 5 s".
func (c *Screen) perSecond() string {
	r := &c.draft().request
	rate, ok := api.RateOf(r.VideoModel, r.Resolution)
	if !ok || r.Model != api.Seedance2 || r.Kind != api.KindVideo || r.Duration == "" {
		return ""
	}
	return c.env.Say("%s / s × %s s", env.Amount(rate), api.Clean(r.Duration, 12).String())
}

// whyNoPrice says why there is no figure.
func (c *Screen) whyNoPrice() string {
	for _, p := range c.draft().found {
		if api.Estimated(p.Field) {
			return c.draft().sentence(p)
		}
	}
	return c.env.Say("the service gave no figure")
}

// Lines of the side pane's body: the rates begin behind the price, the list
// behind the rates and a divider.
const (
	gridAt = 4
	listAt = gridAt + gridLines + 1
)

// drawSide draws the price, the rates and the list of what is left to do. Its
// lines keep their places whatever arrives.
func (c *Screen) drawSide(k sideKey) []string {
	t, w := k.theme, k.w-4
	first := t.Accent.Paint(k.price.amount)
	if k.price.perSecond != "" {
		first += "   " + t.Muted.Paint(k.price.perSecond)
	}
	body := []string{"", theme.Cut(first, w), theme.Cut(k.price.line(t), w), t.Warn.Paint(theme.Cut(k.price.dearer, w))}
	body = append(body, k.grid.draw(t, w)...)
	body = append(body, widget.Divide(k.words.Say("Before you send")))
	body = append(body, c.list.Lines()...)
	p := widget.Pane{Width: k.w, Height: k.h, Title: k.words.Say("Price")}
	if below := c.list.Below(); below > 0 {
		p.Foot = k.words.Say("↓ %d more lines", below)
	}
	return p.Lines(t, body)
}

const (
	gridName  = 14 // cells of the first column
	gridLines = 6
)

// gridCell is how wide a cell of the rates is.
func gridCell(w, columns int) int { return min((w-gridName)/columns, 9) }

// gridShown is what the rates are drawn from: the chosen cell and the duration,
// or the listed price of a model that the table does not have.
type gridShown struct {
	rates                      bool
	tier, resolution, duration string
	listed                     string
}

func (c *Screen) gridShown() gridShown {
	d := c.draft()
	if d.kind == api.KindVideo && d.request.Model == api.Seedance2 {
		return gridShown{rates: true, tier: d.request.VideoModel, resolution: d.request.Resolution, duration: d.request.Duration}
	}
	if listed := listedPrice(c.env, d.listing); listed != "" {
		return gridShown{listed: c.env.Say("listed: %s", listed)}
	}
	return gridShown{}
}

// draw draws the rate table for the duration with the chosen cell marked, or
// the listed price in as many lines.
func (g gridShown) draw(t *theme.Theme, w int) []string {
	out := make([]string, gridLines)
	if !g.rates {
		out[0] = theme.Cut(t.Muted.Paint(g.listed), w)
		return out
	}
	resolutions := api.Resolutions("")
	cell := gridCell(w, len(resolutions))
	var b strings.Builder
	b.WriteString(theme.Blank(gridName))
	for _, r := range resolutions {
		b.WriteString(t.Muted.Paint(widget.AlignRight(r, cell)))
	}
	out[0] = b.String()
	for i, tier := range api.VideoModels() {
		b.Reset()
		name := t.Muted
		if tier == g.tier {
			name = t.Text
		}
		b.WriteString(name.Paint(theme.Fit(tier, gridName)))
		for _, r := range resolutions {
			g.cell(&b, t, tier, r, cell)
		}
		out[1+i] = b.String()
	}
	return out
}

func (g gridShown) cell(b *strings.Builder, t *theme.Theme, tier, resolution string, w int) {
	text, style := "–", t.Faint
	if rate, ok := api.RateOf(tier, resolution); ok {
		style = t.Muted
		r := api.Request{Kind: api.KindVideo, Model: api.Seedance2, VideoModel: tier, Resolution: resolution, Duration: g.duration}
		if e := api.TableEstimate(r); e.Known() {
			text = env.Amount(e.Credits)
		} else {
			text = env.Amount(rate) + "/s"
		}
	}
	if tier == g.tier && resolution == g.resolution {
		text, style = "▸"+text, t.Accent
	}
	style.Write(b, widget.AlignRight(text, w))
}
