package prices

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// seedance2 is the model whose rates are published.
var seedance2 = api.Model{ID: api.Seedance2, Kind: api.KindVideo}

// modelList is the models that the service lists, and the selected one.
type modelList struct {
	listing state.Listing
	loading bool        // the service is being asked
	found   []api.Model // those that match the filter
	choices []string    // what can be chosen for each
	rows    widget.Picker
	filter  widget.Filter
}

// known reports whether there is an answer, if only the stored one.
func (l *modelList) known() bool { return l.listing.Err != nil || !l.listing.At.IsZero() }

// readModels reads the stored listing, or asks the service for its own.
func (s *Screen) readModels(stored bool) tea.Cmd {
	ctx, read := s.k.Context, s.backend.KnownModels
	if !stored {
		s.models.loading, read = true, s.backend.Models
	}
	return func() tea.Msg {
		listing := read(ctx)
		return thenMsg(func(screen *Screen) tea.Cmd { return screen.listed(listing, stored) })
	}
}

// listed takes a listing over, unless it is empty or the service was quicker.
func (s *Screen) listed(listing state.Listing, stored bool) tea.Cmd {
	l, none := &s.models, len(listing.Models) == 0
	if stored && (l.known() || none) {
		return nil
	}
	if none && listing.Err != nil {
		listing.Models = []api.Model{seedance2}
	}
	l.listing, l.loading = listing, l.loading && stored
	return s.search()
}

// search finds the models that match the filter and keeps the selected one.
func (s *Screen) search() tea.Cmd {
	l := &s.models
	words := strings.Fields(strings.ToLower(l.filter.Text()))
	l.found = slices.DeleteFunc(slices.Clone(l.listing.Models), func(m api.Model) bool {
		text := strings.ToLower(m.ID + " " + m.Label + " " + string(m.Kind))
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
	})
	slices.SortFunc(l.found, func(a, b api.Model) int { return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.ID, b.ID)) })
	l.choices = l.choices[:0]
	for _, m := range l.found {
		table := pricing.For(m, 0, "")
		l.choices = append(l.choices, "    "+strings.Join(cleaned(table.Cols), " · ")+"    "+strings.Join(cleaned(table.Rows), " · "))
	}
	l.rows.KeepRows(len(l.found))
	l.rows.Select(max(slices.IndexFunc(l.found, func(m api.Model) bool { return m.ID == s.grid.Model.ID }), 0))
	return s.layOut()
}

func (l *modelList) selected() (m api.Model) {
	if row, ok := l.rows.Selected(); ok {
		m = l.found[row]
	}
	return m
}

// modelOf is the listed model of an id, or one of that id alone.
func (s *Screen) modelOf(id string) api.Model {
	for _, m := range s.models.listing.Models {
		if m.ID == id {
			return m
		}
	}
	if id == api.Seedance2 {
		return seedance2
	}
	return api.Model{ID: id}
}

// switchKind goes from seedance2 to the first image model, and back.
func (s *Screen) switchKind() tea.Cmd {
	s.pane = paneGrid
	s.models.rows.Select(s.otherKind())
	return s.layOut()
}

// otherKind is the place of the first model of the other kind among those found,
// seedance2 before other video models; -1 when there is none.
func (s *Screen) otherKind() int {
	video, found := s.models.selected().Kind == api.KindVideo, s.models.found
	if i := slices.IndexFunc(found, func(m api.Model) bool { return !video && m.ID == api.Seedance2 }); i >= 0 {
		return i
	}
	return slices.IndexFunc(found, func(m api.Model) bool { return (m.Kind == api.KindVideo) != video })
}

func (s *Screen) whyNoModel() string {
	return s.k.SayIf(len(s.models.found) == 0, "There is no model to choose.")
}

func (s *Screen) drawModels(p *widget.Pane, w int) []string {
	k, l := s.k, &s.models
	p.Title, p.Right = l.filter.Title(p.Width, k.Say("Models")), s.source()
	if len(l.found) == 0 {
		why := k.Say("The service lists no models.")
		switch {
		case l.filter.Text() != "":
			why = k.Say("No model matches. Press esc to see all of them.")
		case l.loading:
			why = k.Say("Loading the service's models.")
		}
		return widget.Muted(k, why, w)
	}
	name, price := 0, 0 // the widths of the columns, so that they agree for all
	for _, m := range l.listing.Models {
		name = max(name, theme.Width(clean(m.ID)))
		price = max(price, theme.Width(s.modelPrice(m)))
	}
	name, price = min(name, 24), min(price, w/2)
	lines := l.rows.Lines(func(row int, selected bool) string { return s.modelLine(row, w, name, price, selected) })
	if l.listing.Err == nil || l.loading {
		return lines
	}
	p.Right += "   " + k.Theme.Key.Paint(k.Key("refresh", "r")) + k.Theme.Muted.Paint(" "+k.Say("refresh"))
	why := "✕ " + env.AsSentence(env.Shortly(k, l.listing.Err))
	if l.listing.At.IsZero() { // seedance2 alone
		why += " " + k.Say("These are the published rates of seedance2.")
	}
	return append(lines[:min(len(lines), len(l.found))], k.Theme.Warn.Paint(theme.Cut(why, w)))
}

// modelLine draws a model of the list: its name, its kind, the price, and what can be
// chosen for it.
func (s *Screen) modelLine(row, w, name, price int, selected bool) string {
	k, m := s.k, &s.models.found[row]
	in, mark := k.Theme.Row(selected)
	if s.pane != paneModels && k.Theme.Grounds() {
		mark = "  "
	}
	kind := "  " + theme.Fit(k.Say(widget.KindWord(m.Kind)), widget.KindWidth(k)) + "  "
	return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(theme.Cut(clean(m.ID), name), name)) +
		in.Muted.Paint(kind) + in.Text.Paint(widget.AlignRight(theme.Cut(s.modelPrice(*m), price), price)) +
		in.Muted.Paint(theme.Fit(s.models.choices[row], w-2-name-theme.Width(kind)-price))
}

func (s *Screen) source() string {
	k, l := s.k, &s.models.listing
	switch {
	case !s.models.known():
		return ""
	case s.models.loading:
		return k.Say("loading")
	case l.Err == nil:
		return k.Say("listed at %s", k.Stamp(l.At))
	case l.At.IsZero():
		return k.Say("offline, no listing yet")
	}
	return k.Say("offline, listed at %s", k.Stamp(l.At))
}

// modelPrice is the listed price of a model, as Create says it, or the published one.
func (s *Screen) modelPrice(m api.Model) string {
	switch rate, _ := api.RateOf(api.TierFast, "720p"); {
	case m.Price != nil:
		return s.inUnit(m.Price.Credits.String(), m.Price.Unit)
	case m.ID == api.Seedance2:
		return s.inUnit(rate.String(), "second")
	}
	return s.k.Say("no price")
}

var unitWords = map[string]string{"second": "%s / s", "image": "%s / image", "call": "%s / call"}

func (s *Screen) inUnit(amount, unit string) string {
	return s.k.Say(cmp.Or(unitWords[unit], "%s"), amount)
}
