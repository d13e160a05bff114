package prices

import (
	"strconv"
	"strings"

	"darkroom/api"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// areas are where the models and the prices stand: side by side, or one above
// the other where there is little room. It depends on what is listed, not on
// what is found, so that filtering moves nothing.
func (s *Screen) areas() (models, figures widget.Rect) {
	left, right := widget.SplitPanes(s.w, 40, 58)
	if right > 0 {
		return widget.Rect{X: 0, Y: 0, W: left, H: s.h}, widget.Rect{X: left, Y: 0, W: right, H: s.h}
	}
	rows := min(max(len(s.models.listing.Models), 1), max((s.h-2)/4, 1))
	return widget.Rect{X: 0, Y: 0, W: s.w, H: rows + 2}, widget.Rect{X: 0, Y: rows + 2, W: s.w, H: max(s.h-rows-2, 0)}
}

// inner is the size of the pane of prices between its borders.
func (s *Screen) inner() (w, h int) {
	_, r := s.areas()
	return widget.Pane{Width: r.W, Height: r.H}.Inner()
}

// modelsKey is what the pane of models depends on.
type modelsKey struct {
	look
	version int64
	w, h    int
	at, top int
	filter  string // as far as it is in view
	loading bool
	focus   bool
}

// figuresKey is what the pane of prices depends on: the lines in it, and which
// of them are in view.
type figuresKey struct {
	contentKey
	height, offset int
}

type bodyKey struct {
	models  modelsKey
	figures figuresKey
}

// View joins the panes.
func (s *Screen) View() string {
	models, figures := s.areas()
	l := &s.models
	key := bodyKey{
		modelsKey{s.look(), l.version, models.W, models.H, l.at, l.top, "", l.loading, !s.onGrid},
		figuresKey{s.scrolled, figures.H, s.scroll.Offset()},
	}
	if l.filtering || !l.filter.Empty() {
		key.models.filter = "/ " + l.filter.Window(widget.FilterRoom(models.W))
	}
	return s.drawn.body.Get(key, func() string {
		upper := s.drawn.models.Get(key.models, func() []string { return s.modelLines(key.models) })
		lower := s.drawn.figures.Get(key.figures, func() []string { return s.figureLines(figures) })
		if figures.X > 0 {
			return widget.Beside(upper, lower)
		}
		return strings.Join(upper, "\n") + "\n" + strings.Join(lower, "\n")
	})
}

// figureLines draws the pane of prices.
func (s *Screen) figureLines(r widget.Rect) []string {
	k := s.k
	p := widget.Pane{Width: r.W, Height: r.H, Title: api.Clean(s.grid.model.ID, api.MaxIDText).String(), Focus: s.onGrid}
	if s.grid.model.ID == "" {
		p.Title = k.Say("Prices")
		return p.Lines(k.Theme, nil)
	}
	if s.grid.timed {
		p.Right = k.Say("− %d s +", s.seconds)
	}
	switch above, below := s.scroll.Offset(), s.scroll.Below(); {
	case above > 0 && below > 0:
		p.Foot = "↑ " + strconv.Itoa(above) + "  ↓ " + strconv.Itoa(below)
	case below > 0:
		p.Foot = k.Say("↓ %d more lines", below)
	case above > 0:
		p.Foot = k.Say("↑ %d more lines", above)
	}
	return p.Lines(k.Theme, s.scroll.Lines())
}

// modelLines draws the pane of models.
func (s *Screen) modelLines(key modelsKey) []string {
	k, l := s.k, &s.models
	p := widget.Pane{Width: key.w, Height: key.h, Title: k.Say("Models"), Focus: key.focus, Foot: s.source()}
	if key.filter != "" {
		p.Title = key.filter
	}
	inner, high := p.Inner()
	if len(l.found) == 0 {
		f := widget.Facts{Width: inner, Theme: k.Theme}
		f.Wrapped(k.Theme.Muted, s.whyEmpty())
		return p.Lines(k.Theme, f.Lines)
	}
	wide := s.priceWidth()
	var lines []string
	for n := l.top; n < min(l.top+high, len(l.found)); n++ {
		lines = append(lines, s.modelLine(l.listing.Models[l.found[n]], inner, wide, n == l.at))
	}
	return p.Lines(k.Theme, lines)
}

// whyEmpty says why no model is in view.
func (s *Screen) whyEmpty() string {
	k, l := s.k, &s.models
	switch {
	case !l.filter.Empty():
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
		return ""
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

// priceWidth is the widest price, so that the columns of all models agree.
func (s *Screen) priceWidth() int {
	wide := 0
	for _, m := range s.models.listing.Models {
		wide = max(wide, theme.Width(s.modelPrice(m)))
	}
	return wide
}

// nameWidth is the longest name of a model, within reason.
func (s *Screen) nameWidth() int {
	wide := 0
	for _, m := range s.models.listing.Models {
		wide = max(wide, theme.Width(api.Clean(m.ID, api.MaxIDText).String()))
	}
	return min(wide, 24)
}

// modelPrice is a model's listed price; seedance2's rates are published, so it
// is never without one.
func (s *Screen) modelPrice(m api.Model) string {
	if m.Price == nil && m.ID == api.Seedance2 {
		return s.k.Say("published rates")
	}
	return priceText(s.k, m.Price)
}

func (s *Screen) modelLine(m api.Model, w, wide int, selected bool) string {
	k := s.k
	in, mark := &k.Theme.Inks, "  "
	if selected {
		in, mark = &k.Theme.Selected, "▸ "
	}
	price := theme.Cut(s.modelPrice(m), w/2)
	priceInk := in.Text
	if m.Price == nil {
		priceInk = in.Muted
	}
	wide = min(wide, w/2)
	kind := "  " + theme.Fit(k.Say(widget.KindWord(m.Kind)), widget.KindWidth(k)) + "  "
	if w-2-theme.Width(kind)-wide < s.nameWidth() {
		kind = "  " // the name says more than its kind
	}
	var b strings.Builder
	in.Accent.Write(&b, mark)
	in.Text.Write(&b, theme.Fit(api.Clean(m.ID, api.MaxIDText).String(), w-2-theme.Width(kind)-wide))
	in.Muted.Write(&b, kind)
	priceInk.Write(&b, widget.AlignRight(price, wide))
	return b.String()
}

func priceText(k *env.Env, p *api.Price) string {
	if p == nil {
		return k.Say("no price")
	}
	switch p.Unit {
	case "second":
		return k.Say("%s cr / s", env.Amount(p.Credits))
	case "image":
		return k.Say("%s cr / image", env.Amount(p.Credits))
	case "call":
		return k.Say("%s cr / call", env.Amount(p.Credits))
	}
	return k.Say("%s cr", env.Amount(p.Credits))
}
