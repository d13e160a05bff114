package prices

import (
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// areas are where the parts stand. It depends on the size and the pane that has
// the keys alone, so that nothing moves when something arrives.
type areas struct{ models, afford, figures, plan widget.Rect }

const (
	// affordHigh is the least height of what an amount pays for.
	affordHigh = 9
	// modelsNarrow is how many models are in view above the prices on a narrow
	// screen.
	modelsNarrow = 3
	// maxPlan is the most lines of the plan beside the prices.
	maxPlan = 14
)

func (s *Screen) areas() areas {
	var a areas
	left, right := widget.SplitPanes(s.w, 40, 68)
	if right == 0 {
		rows := min(modelsNarrow, max((s.h-2)/5, 1))
		a.models = widget.Rect{W: s.w, H: min(rows+2, s.h)}
		rest := widget.Rect{Y: a.models.H, W: s.w, H: max(s.h-a.models.H, 0)}
		if s.pane == panePlan {
			a.plan = rest
			if rest.H > affordHigh+planHead+5 {
				a.plan.H -= affordHigh
				a.afford = widget.Rect{Y: a.plan.Y + a.plan.H, W: s.w, H: affordHigh}
			}
		} else {
			a.figures = rest
		}
		return a
	}
	a.models = widget.Rect{W: left, H: s.h}
	if s.h >= affordHigh+8 {
		high := min(max(s.h/2, affordHigh), affordHigh+7)
		a.models.H -= high
		a.afford = widget.Rect{Y: a.models.H, W: left, H: high}
	}
	plan := min(max(s.h/3, 7), maxPlan)
	a.figures = widget.Rect{X: left, W: right, H: s.h - plan}
	a.plan = widget.Rect{X: left, Y: a.figures.H, W: right, H: plan}
	return a
}

// inner is the size of the pane of prices between its borders.
func (s *Screen) inner() (w, h int) {
	r := s.areas().figures
	return widget.Pane{Width: r.W, Height: r.H}.Inner()
}

// View joins the panes. Those beside the one that has the keys mostly stay.
func (s *Screen) View() []string {
	if s.ledger {
		return s.spendLines()
	}
	a := s.areas()
	left := s.modelLines(a.models)
	var right []string
	if a.figures.H > 0 {
		right = s.figureLines(a.figures)
	}
	if a.plan.H > 0 {
		right = append(right, s.planLines(a.plan)...)
	}
	switch {
	case a.afford.H == 0:
	case a.figures.X > 0:
		left = append(left, s.affordLines(a.afford)...)
	default:
		right = append(right, s.affordLines(a.afford)...)
	}
	if a.figures.X > 0 {
		return s.drawn.beside.Join(left, right)
	}
	return append(left, right...)
}

// figureLines draws the pane of prices.
func (s *Screen) figureLines(r widget.Rect) []string {
	k := s.k
	p := widget.Pane{Width: r.W, Height: r.H, Title: api.Clean(s.grid.Model.ID, api.MaxIDText).String(), Focus: s.pane == paneGrid}
	if s.grid.Model.ID == "" {
		p.Title = k.Say("Prices")
		return p.Lines(k.Theme, nil)
	}
	if s.grid.Chosen {
		p.Right = k.Say("− %d s +", s.seconds)
		if s.grid.Refusal.Code != "" {
			p.Right = "✕ " + p.Right
			p.Inked = k.Theme.Warn.Paint(p.Right)
		}
	}
	p.Foot = widget.More(k, s.scroll.Offset(), s.scroll.Below())
	if s.asking.active() {
		p.Foot = k.Say("quoted %d of %d, esc stops", s.asking.done, s.asking.all)
	}
	return p.Keep(&s.drawn.figures, k.Theme, s.scroll.Lines())
}

// modelLines draws the pane of models.
func (s *Screen) modelLines(r widget.Rect) []string {
	k, l := s.k, &s.models
	p := widget.Pane{Width: r.W, Height: r.H, Title: l.filter.Title(r.W, k.Say("Models")), Focus: s.pane == paneModels, Foot: s.source()}
	inner, _ := p.Inner()
	if len(l.found) == 0 {
		f := widget.Facts{Width: inner, Theme: k.Theme}
		f.Wrapped(k.Theme.Muted, s.whyEmpty())
		return p.Lines(k.Theme, f.Lines)
	}
	wide := s.columns()
	return p.Keep(&s.drawn.models, k.Theme, l.rows.Lines(func(row int, selected bool) string {
		return s.modelLine(l.listing.Models[l.found[row]], inner, wide, selected)
	}))
}

// whyEmpty says why no model is in view.
func (s *Screen) whyEmpty() string {
	k, l := s.k, &s.models
	switch {
	case l.filter.Text() != "":
		return k.Say("No model matches. Press esc to see all of them.")
	case l.loading:
		return k.Say("Loading the service's models.")
	case l.listing.Err != nil:
		return env.Sentence(k, l.listing.Err)
	}
	return k.Say("The service lists no models.")
}

// source says how old the listing is.
func (s *Screen) source() string {
	k, l := s.k, &s.models
	switch {
	case !l.known:
	case l.loading:
		return k.Say("loading")
	case l.listing.Err != nil && l.listing.At.IsZero():
		return k.Say("offline, no listing yet")
	case l.listing.Err != nil:
		return k.Say("offline, listed at %s", k.Stamp(l.listing.At))
	case !l.listing.At.IsZero():
		return k.Say("listed at %s", k.Stamp(l.listing.At))
	}
	return ""
}

// columns are the widths of the columns of models, so that they agree for all.
type columns struct{ name, price int }

func (s *Screen) columns() columns {
	var c columns
	for _, m := range s.models.listing.Models {
		c.name = max(c.name, theme.Width(api.Clean(m.ID, api.MaxIDText).String()))
		c.price = max(c.price, theme.Width(s.modelPrice(m)))
	}
	c.name = min(c.name, 24)
	return c
}

// modelPrice is a model's listed price; seedance2's rates are published, so it
// is never without one.
func (s *Screen) modelPrice(m api.Model) string {
	if m.Price == nil && m.ID == api.Seedance2 {
		return s.k.Say("published rates")
	}
	return priceText(s.k, m.Price)
}

func (s *Screen) modelLine(m api.Model, w int, all columns, selected bool) string {
	k := s.k
	in, mark := k.Theme.Row(selected)
	price := theme.Cut(s.modelPrice(m), w/2)
	priceStyle := in.Text
	if m.Price == nil {
		priceStyle = in.Muted
	}
	wide := min(all.price, w/2)
	kind := "  " + theme.Fit(k.Say(widget.KindWord(m.Kind)), widget.KindWidth(k)) + "  "
	if w-2-theme.Width(kind)-wide < all.name {
		kind = "  " // the name says more than its kind
	}
	var b strings.Builder
	in.Accent.Write(&b, mark)
	in.Text.Write(&b, theme.Fit(api.Clean(m.ID, api.MaxIDText).String(), w-2-theme.Width(kind)-wide))
	in.Muted.Write(&b, kind)
	priceStyle.Write(&b, widget.AlignRight(price, wide))
	return b.String()
}

func priceText(k *env.Env, p *api.Price) string {
	if p == nil {
		return k.Say("no price")
	}
	amount := env.Amount(p.Credits)
	switch p.Unit {
	case "second":
		return k.Say("%s cr / s", amount)
	case "image":
		return k.Say("%s cr / image", amount)
	case "call":
		return k.Say("%s cr / call", amount)
	}
	return k.Say("%s cr", amount)
}
