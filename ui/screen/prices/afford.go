package prices

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// exampleAmount is shown if there is neither an amount nor a budget.
const exampleAmount = 1000 * api.Credit

func (s *Screen) askAmount() tea.Cmd {
	text := s.k.Say("Enter an amount of credits to see what it buys.")
	if left, ok := leftToday(s.k); ok {
		text = s.k.Say("Enter an amount of credits; 0 is what the budget leaves today: %s.", env.Amount(left))
	}
	return msg.Open(widget.NewAsk(s.k, s.k.Say("What an amount buys"), text, func(text string) tea.Cmd {
		defer s.arrange()
		credits, err := api.ParseLimit(text)
		if err != nil {
			return msg.Notify(msg.ToneHint, s.k.Say("Type a number, such as 2000."))
		}
		s.amount = credits
		return nil
	}))
}

// leftToday is what the day's budget leaves, and false without a budget.
func leftToday(k *env.Env) (api.Credits, bool) {
	t := k.Today
	if t.Budget <= api.BudgetUnreadable {
		return 0, false
	}
	return max(t.Budget-t.Credits.Plus(t.Possibly), 0), true
}

func (s *Screen) drawAfford(p *widget.Pane, w, h int) []string {
	k, t := s.k, s.k.Theme
	f := &widget.Facts{Width: w, Theme: t}
	credits, budget := leftToday(k)
	p.Title = k.Say("%s credits left today buy", env.Amount(credits))
	switch {
	case s.amount > 0:
		credits, p.Title = s.amount, k.Say("%s credits buy", env.Amount(s.amount))
	case !budget:
		credits, p.Title = exampleAmount, k.Say("%s credits buy, for example", env.Amount(exampleAmount))
		f.Wrapped(t.Muted, k.Say("No budget is set. Press %s and type an amount of credits.", k.Key("amount", "b")))
	}
	p.Right = t.Key.Paint(k.Key("amount", "b")) + t.Muted.Paint(" "+k.Say("another amount"))
	pictures := s.picturesFor(credits)
	kinds := len(pictures)
	pictures = pictures[:min(kinds, maxPictures)]
	videos, tiers := s.videosFor(credits, h-len(f.Lines)-len(pictures)-3)
	name, figure, pieces := 0, 0, 0
	for _, b := range slices.Concat(pictures, videos) {
		if name = max(name, theme.Width(b.name)+2); b.figure != "" {
			figure, pieces = max(figure, theme.Width(b.figure)), max(pieces, theme.Width(b.pieces))
		}
	}
	name = min(name, w/2)
	spare := h - len(f.Lines) - len(pictures) - len(videos) - 2
	roomy := spare >= len(pictures)+len(videos)+2
	for i, shown := range [...][]bought{pictures, videos} {
		if len(shown) == 0 {
			continue
		}
		if len(f.Lines)+s.air() > 0 && spare > 0 {
			f.Add("")
			spare--
		}
		head := t.Muted.Paint([...]string{k.Say("pictures"), k.Say("seconds of video")}[i])
		if more := [...]int{kinds, tiers}[i] - len(shown); more > 0 {
			head = widget.Between(head, t.Muted.Paint(k.Say("%d more", more)), w)
		}
		f.Painted(head)
		most := slices.MaxFunc(shown, func(a, b bought) int { return cmp.Compare(a.much, b.much) }).much
		for _, b := range shown {
			line, room := t.Text.Paint(theme.Fit(theme.Cut(b.name, name-2), name)), w-name
			if b.figure != "" {
				room = pieces
				line += bar(t, b.much/max(most, 1), w-name-figure-pieces-2) + t.Text.Paint(widget.AlignRight(b.figure, figure+2))
			}
			f.Painted(line + t.Muted.Paint(widget.AlignRight(b.pieces, room)))
			if roomy {
				f.Add("")
			}
		}
	}
	return f.Lines
}

// bar is a share of w cells.
func bar(t *theme.Theme, share float64, w int) string {
	return theme.Fit(t.Shades[1].Paint(strings.Repeat("▆", max(int(share*float64(w)+0.5), 0))), w)
}

// bought is what an amount pays for of one choice.
type bought struct {
	name           string
	much           float64 // for its bar
	figure, pieces string
}

// videosFor are the seconds of video at the prices of seedance2, or at the cheapest of
// each resolution if there is room for few.
func (s *Screen) videosFor(credits api.Credits, most int) (out []bought, all int) {
	k, table := s.k, pricing.For(s.modelOf(api.Seedance2), s.seconds, "")
	pays := table.Affordable(credits, s.priceOfChoice)
	if all = len(pays); most < all {
		pays = table.Summary(pays)
	}
	for _, a := range pays {
		b := bought{name: clean(a.Choice.Request.VideoModel + " " + a.Choice.Request.Resolution), figure: k.Say("any number")}
		switch {
		case a.Count == 0:
			b.figure, b.pieces = "", k.Say("none: %d s cost %s", s.seconds, env.Amount(a.Credits))
		case a.Count != pricing.Unlimited:
			b.much, b.figure = float64(a.Seconds), k.Say("%s s", env.Thousands(int(a.Seconds)))
			b.pieces = "   " + k.Say("%s × %d s", env.Thousands(int(a.Count)), s.seconds)
		}
		out = append(out, b)
	}
	return out, all
}

const maxPictures = 4

// picturesFor are the pictures of the default size and quality.
func (s *Screen) picturesFor(credits api.Credits) (out []bought) {
	for _, m := range s.models.listing.Models {
		if m.Kind != api.KindImage || m.Price == nil {
			continue
		}
		size, _ := m.Parameter(api.FieldSize)
		quality, _ := m.Parameter(api.FieldQuality)
		r := api.Request{Kind: m.Kind, Model: m.ID, Size: size.Default, Quality: quality.Default}
		if one, _ := s.priceOf(r); one > 0 {
			name := clean(strings.TrimSpace(m.ID + " " + r.Size + " " + r.Quality))
			out = append(out, bought{name: name, much: float64(credits / one), figure: env.Thousands(int(credits / one))})
		}
	}
	return out
}
