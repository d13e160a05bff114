// Package prices is the screen of what everything costs: the models of the
// service, every price of the selected one, plans, and what was spent.
package prices

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/api/pricing"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// pane is a part of the screen.
type pane int

// Panes, in the order in which tab goes through the first three.
const (
	paneGrid pane = iota // every price of the selected model
	panePlan
	paneModels
	paneAfford // what an amount pays for: it never has the keys
	paneCount
)

// Screen shows the models, every price of the selected one, a plan, and what an
// amount pays for. The listing, the answered prices and the plan are what it holds;
// all that is drawn is made of them.
type Screen struct {
	widget.Passive
	k       *env.Env
	backend Backend
	w, h    int
	pane    pane // that has the keys

	models    modelList
	figures   map[string]figure // answered prices, by the key of their choice
	spans     map[string]span   // of them, by the id of a model
	grid      grid
	seconds   int           // the duration that videos are priced for
	perSecond bool          // prices of videos are shown by the second
	duration  widget.Filter // what is typed of it
	before    int           // the duration that nothing typed stands for
	plan      planned
	amount    api.Credits // that the person asked about; 0: what the day's budget leaves

	shown  bool
	asking *asking   // for the prices in view; nil when all were answered
	now    time.Time // for the age of prices: when the screen came into view, then each minute
	visit  int       // grows when the screen comes into view and when it goes

	scroll widget.Scroll    // the pane of prices
	rates  widget.RateFrame // of the table in it
	need   int              // lines that it needs
	beside [paneCount]widget.Beside
	frames [paneCount]widget.Frame
}

// New makes the screen; it asks for nothing until it gets the focus. Until there
// is a listing it shows seedance2, whose rates are published.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{
		k: k, backend: b, seconds: 5, figures: map[string]figure{}, spans: map[string]span{},
		duration: widget.Filter{Line: widget.Line{Limit: 4, Allow: func(r rune) bool { return r >= '0' && r <= '9' }}},
		models:   modelList{listing: state.Listing{Models: []api.Model{seedance2}}},
	}
	s.search()
	s.Table = action.Then(s.table(), s.arrange)
	return s
}

func (s *Screen) Restyle()     { s.arrange() }
func (s *Screen) Typing() bool { return s.typing() != nil }

// Resize gives the body's size.
func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

// Focus asks for the models at first, and for prices that are missing.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.visit++
	s.now = s.k.At
	s.learn(api.Seedance2) // whose rates are published
	defer s.arrange()
	if s.models.listing.Err == nil && (s.models.loading || s.models.known()) {
		return tea.Batch(s.watchAge(), s.fill())
	}
	return tea.Batch(s.watchAge(), s.readModels(true), s.readModels(false), s.readPlans())
}

// Blur stops the questions: prices that nobody looks at are not asked for.
func (s *Screen) Blur() tea.Cmd {
	s.shown = false
	s.models.filter.Editing = false
	s.duration.Editing = false
	s.endAsking()
	s.visit++
	return nil
}

// Update takes answers, pastes and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	defer s.arrange()
	switch m := message.(type) {
	case thenMsg:
		return m(s)
	case widget.FilterDueMsg:
		switch {
		case s.duration.Due(m):
			n, err := strconv.Atoi(s.duration.Text())
			if err != nil { // nothing typed is the one before
				n = s.before
			}
			return s.setDuration(max(min(n, longest), shortest))
		case s.models.filter.Due(m):
			s.scroll.ToTop()
			return s.search()
		}
	case tea.PasteMsg:
		if f := s.typing(); f != nil {
			return f.Paste(s.k.Context, m.Content)
		}
	case msg.ClickMsg:
		return s.clicked(m.X, m.Y)
	case msg.WheelMsg:
		return s.wheeled(m)
	}
	return nil
}

// Edit gives a key to the filter or to the duration, whichever is being written.
func (s *Screen) Edit(m tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	defer s.arrange()
	return s.typing().Edit(s.k.Context, m)
}

// typing is what is being typed into, or nil.
func (s *Screen) typing() *widget.Filter {
	switch {
	case s.duration.Editing:
		return &s.duration
	case s.models.filter.Editing:
		return &s.models.filter
	}
	return nil
}

// thenMsg is what follows in Update when a command has its answer.
type thenMsg func(s *Screen) tea.Cmd

// watchAge brings the time once a minute while the screen is seen.
func (s *Screen) watchAge() tea.Cmd {
	visit, ctx, clock := s.visit, s.k.Context, s.k.Clock
	return func() tea.Msg {
		env.Pause(ctx, time.Minute)
		at := clock()
		return thenMsg(func(screen *Screen) tea.Cmd {
			if visit != screen.visit {
				return nil
			}
			screen.now = at // prices show how old they are
			return screen.watchAge()
		})
	}
}

// Backend is what Prices needs; it is called from commands only.
type Backend interface {
	env.Offers
	Quote(ctx context.Context, r api.Request) (api.Estimate, error)
	Plans(ctx context.Context) ([]pricing.Plan, error)
	SavePlan(ctx context.Context, plan pricing.Plan) error
	Spend(ctx context.Context, since time.Time) (state.Spend, error)
}

func (s *Screen) table() []action.Action {
	const far = 1 << 20
	by, do := action.By[int], action.Do
	return action.Unless(s.Typing, []action.Action{
		{Name: "use_price", Keys: "enter", Label: "create with this", Disabled: s.whyNoChoice,
			Handler: func() tea.Cmd { return s.k.Do(msg.LoadedMsg{Request: s.chosen(), Keep: true}) }},
		{Name: "plan_one", Keys: "space", Label: "plan one", Handler: s.planOne, Disabled: func() string {
			return cmp.Or(s.k.SayIf(s.pane == paneModels, "Choose a price: tab goes to the table."), s.whyNoChoice())
		}},
		{Name: "type_duration", Keys: "d", Label: "duration", Handler: s.startDuration, Disabled: s.whyNoDuration},
		{Name: "spend", Keys: "$", Label: "spending", Handler: func() tea.Cmd { return OpenSpending(s.k, s.backend) }},
		{Name: "switch_kind", Keys: "t", Label: "pictures or videos", Handler: func() tea.Cmd {
			s.pane = paneGrid
			s.models.rows.Select(s.otherKind())
			return s.layOut()
		}, Disabled: func() string { return s.k.SayIf(s.otherKind() < 0, "The service lists models of one kind only.") }},
		{Name: "switch_pane", Keys: "tab", Label: "switch pane", Handler: do(s.switchPane, 1), Disabled: s.whyNoModel},
		{Name: "per_second", Keys: "s", Label: "total or per second",
			Handler:  func() tea.Cmd { s.perSecond = !s.perSecond; return nil },
			Disabled: func() string { return s.k.SayIf(!s.grid.Timed, "Only videos have a price per second.") }},
		{Name: "take_one", Keys: "backspace", Label: "one less", Handler: func() tea.Cmd { s.plan.Take(s.chosen()); return nil },
			Disabled: func() string {
				return s.k.SayIf(s.pane == paneModels || !s.plan.Has(s.chosen()), "It is not in the plan.")
			}},
		{Name: "amount", Keys: "b", Label: "what an amount buys", Handler: s.askAmount},
		{Name: "save_plan", Keys: "w", Label: "save the plan", Handler: s.askPlanName, Disabled: s.whyNoPlan},
		{Name: "open_plan", Keys: "o", Label: "saved plans", Handler: s.openPlans,
			Disabled: func() string { return s.k.SayIf(len(s.plan.saved) == 0, "No plan is saved.") }},
		{Name: "clear_plan", Keys: "x", Label: "new plan", Disabled: s.whyNoPlan,
			Handler: func() tea.Cmd { s.plan.Plan = pricing.Plan{}; return nil }},
		{Name: "copy_grid", Keys: "y", Label: "copy as Markdown", Disabled: s.whyNoModel,
			Handler: func() tea.Cmd { return msg.Copy(s.grid.Markdown(s.credits, s.k.Say), s.k.Say("Copied.")) }},
		{Name: "raw_record", Keys: "i", Label: "raw record",
			Handler: func() tea.Cmd {
				return msg.Open(s.k, widget.NewReader(s.k, clean(s.grid.Model.ID), widget.Pretty(s.grid.Model.Raw)))
			},
			Disabled: func() string {
				return s.k.SayIf(len(s.grid.Model.Raw) == 0, "The service has sent no record of this model.")
			}},
		{Name: "filter", Keys: "/", Label: "filter", Handler: func() tea.Cmd { s.pane = paneModels; s.models.filter.Editing = true; return nil }},
		{Name: "refresh", Keys: "r", Label: "refresh", Handler: s.refresh},
		{Name: "previous_pane", Keys: "shift+tab", Label: "previous pane", Hidden: true, Handler: do(s.switchPane, -1), Disabled: s.whyNoModel},
		{Name: "next_price", Keys: "right l", Display: "←/→", Label: "another price", Hidden: true, Handler: do(s.sideways, 1)},
		{Name: "previous_price", Keys: "left h", Label: "previous price", Hidden: true, Handler: do(s.sideways, -1)},
		{Name: "back", Keys: "esc", Label: "back", Hidden: true, Handler: s.back},
		{Name: "longer", Keys: "+ =", Display: "+/-", Label: "another duration", Hidden: true, Handler: by(s.step, 1), Disabled: s.whyNoDuration},
		{Name: "shorter", Keys: "- _", Label: "shorter", Hidden: true, Handler: by(s.step, -1), Disabled: s.whyNoDuration},
		widget.Moving("next", "j/k", "choose", by(s.vertical, 1), "down j"),
		widget.Moving("previous", "", "previous", by(s.vertical, -1), "up k"),
		widget.Moving("first", "home/end", "first or last", by(s.vertical, -far), "g home"),
		widget.Moving("last", "", "last", by(s.vertical, far), "G shift+g end"),
		widget.Moving("scroll_down", "pgdown/pgup", "scroll", do(s.scroll.By, 8), "pgdown"),
		widget.Moving("scroll_up", "", "scroll up", do(s.scroll.By, -8), "pgup"),
	})
}

func (s *Screen) switchPane(by int) { s.pane = (s.pane + pane(by) + paneAfford) % paneAfford }

// vertical moves within the pane that has the keys.
func (s *Screen) vertical(by int) tea.Cmd {
	switch {
	case s.pane == paneGrid:
		s.grid.move(by, 0)
		s.scroll.ToTop()
	case s.pane == panePlan:
		s.plan.rows.Move(by)
	case s.models.rows.Move(by):
		return s.layOut()
	}
	return nil
}

// sideways moves over the table, and between its first column and the models.
func (s *Screen) sideways(by int) {
	switch {
	case s.pane == paneModels && by > 0 && len(s.grid.Choices) > 0:
		s.pane = paneGrid
	case s.pane == paneGrid && by < 0 && s.grid.col == 0:
		s.pane = paneModels
	case s.pane == paneGrid:
		s.grid.move(0, by)
	}
}

// chosen is the request that the keys are about: the selected price or row of
// the plan, or the selected model.
func (s *Screen) chosen() api.Request {
	row, planned := s.plan.rows.Selected()
	switch {
	case s.pane == panePlan && planned:
		return s.plan.Items[row].Request
	case s.pane == paneGrid && len(s.grid.Choices) > 0:
		return s.grid.cell().Request
	}
	return api.Request{Kind: s.grid.Model.Kind, Model: s.grid.Model.ID}
}

func (s *Screen) whyNoChoice() string {
	switch {
	case s.pane == panePlan:
		return s.whyNoPlan()
	case s.pane == paneGrid && len(s.grid.Choices) > 0 && s.grid.cell().Refused():
		return s.k.Words.Problem(s.grid.cell().Refusal)
	}
	return s.whyNoModel()
}

// back stops what is being asked, or empties the filter.
func (s *Screen) back() tea.Cmd {
	switch {
	case s.asksNow():
		s.endAsking()
		return msg.Notify(msg.ToneHint, s.k.Say("Stopped asking for prices. Press %s to ask again.", s.k.Key("refresh", "r")))
	case s.models.filter.Text() != "":
		return s.models.filter.Clear(s.k.Context)
	}
	s.pane = paneGrid
	return nil
}

// refresh reads the models again and asks for the prices in view; until they are answered, all stay.
func (s *Screen) refresh() tea.Cmd {
	for key, f := range s.figures {
		s.figures[key] = figure{Estimate: f.Estimate, stored: true}
	}
	return s.readModels(false)
}

// seedance2 is the model whose rates are published.
var seedance2 = api.Model{ID: api.Seedance2, Kind: api.KindVideo}

// modelList is the models that the service lists, and the selected one.
type modelList struct {
	listing state.Listing
	loading bool        // the service is being asked
	found   []api.Model // those that match the filter
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
	s.learn(api.Map(listing.Models, func(m api.Model) string { return m.ID })...)
	choices := api.Map(s.pictures(), func(m api.Model) []pricing.Choice { return pricing.For(m, 0, "").Choices })
	return tea.Batch(s.search(), s.recall(slices.Concat(choices...)))
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
	l.rows.KeepRows(len(l.found))
	l.rows.Select(max(slices.IndexFunc(l.found, func(m api.Model) bool { return m.ID == s.grid.Model.ID }), 0))
	return s.layOut()
}

// modelOf is the listed model of an id, or one of that id alone.
func (s *Screen) modelOf(id string) api.Model {
	m, listed := api.Find(s.models.listing.Models, func(m api.Model) bool { return m.ID == id })
	if m.ID = id; !listed && id == api.Seedance2 {
		return seedance2
	}
	return m
}

// otherKind is the place of the first model of the other kind among those found,
// seedance2 before other video models; -1 when there is none.
func (s *Screen) otherKind() int {
	video, found := s.grid.Model.Kind == api.KindVideo, s.models.found
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
		return widget.Muted(k, cmp.Or(k.SayIf(l.filter.Text() != "", "No model matches. Press esc to see all of them."),
			k.SayIf(l.loading, "Loading the service's models."), k.Say("The service lists no models.")), w)
	}
	lines := l.rows.Lines(func(row int, selected bool) string {
		in, mark := k.Theme.Row(selected)
		if s.pane != paneModels && k.Theme.Grounds() {
			mark = "  "
		}
		price := theme.Cut(s.modelPrice(l.found[row]), w/2)
		name := w - 4 - theme.Width(price)
		return in.Accent.Paint(mark) + in.Text.Paint(theme.Fit(theme.Cut(clean(l.found[row].ID), name-1), name)+price+"  ")
	})
	if p.Foot = widget.More(k, 0, l.rows.Below()); l.listing.Err == nil || l.loading {
		return lines
	}
	p.Right, p.Foot = k.Theme.Key.Paint(k.Key("refresh", "r"))+k.Theme.Muted.Paint(" "+k.Say("refresh")), p.Right
	why := "✕ " + env.AsSentence(env.Shortly(k, l.listing.Err)) + " " +
		k.SayIf(l.listing.At.IsZero(), "These are the published rates of seedance2.") // which is there alone
	lines = lines[:min(len(lines), len(l.found))]
	return append(lines, api.Map(widget.WrapTo(why, w, max(p.Height-2-len(lines), 1)), k.Theme.Warn.Paint)...)
}

func (s *Screen) source() string {
	k, l := s.k, &s.models.listing
	at, _, _ := strings.Cut(k.Stamp(l.At), " ") // of another day that day: there is little room
	switch {
	case !s.models.known():
		return ""
	case s.models.loading:
		return k.Say("loading")
	case l.Err == nil:
		return k.Say("listed at %s", at)
	case l.At.IsZero():
		return k.Say("offline, no listing yet")
	}
	return k.Say("offline, listed at %s", at)
}

// modelPrice is the listed price of a model, as Create says it; if its choices are known to have
// several, also as published, the lowest and the highest.
func (s *Screen) modelPrice(m api.Model) string {
	switch known := s.spans[m.ID]; {
	case known.low < known.high:
		return s.inUnit(known.low.String()+"–"+known.high.String(), known.unit)
	case m.Price != nil:
		return s.inUnit(m.Price.Credits.String(), m.Price.Unit)
	}
	return s.k.Say("no price")
}

// span are the lowest and the highest price of a model that are known, and what they are for.
type span struct {
	low, high api.Credits
	unit      string
}

// learn finds the spans of models anew.
func (s *Screen) learn(ids ...string) {
	for _, id := range slices.Compact(ids) {
		of, table := span{unit: "image"}, pricing.For(s.modelOf(id), s.seconds, "")
		if table.Timed {
			of.unit = "second"
		}
		all := api.Pick(table.Choices, func(c pricing.Choice) (api.Credits, bool) {
			credits, ok := s.credits(&c)
			seconds := table.SecondsOf(&c)
			return credits / api.Credits(max(seconds, 1)), ok && (seconds > 0 || !table.Timed)
		})
		if len(all) > 0 {
			of.low, of.high = slices.Min(all), slices.Max(all)
		}
		s.spans[id] = of
	}
}

var unitWords = map[string]string{"second": "%s/s", "image": "%s/image", "call": "%s/call"}

func (s *Screen) inUnit(amount, unit string) string {
	return s.k.Say(cmp.Or(unitWords[unit], "%s"), amount)
}
