package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/theme"
)

// prices shows what everything costs: the models on the left, and on the right
// every figure of the selected one.
type prices struct {
	k       *kit
	backend pricesBackend
	w, h    int

	listing state.Listing
	known   bool // a listing was shown, if only the stored one
	asked   bool // the service was asked since the screen was entered
	found   []int
	at, top int
	skip    int // lines of the figures' pane that are scrolled away
	filter  line
	asking  bool
	shown   bool

	grid    grid
	seconds int
	onGrid  bool // the grid has the keys
	gridSeq int
	loading bool
	figures map[string]figure
	table   []action
	body    string
	valid   bool
}

// figure is one answered price.
type figure struct {
	estimate api.Estimate
	why      string // why the service's own is missing
	old      bool   // known from before: the service is still to be asked
}

func newPrices(k *kit, b pricesBackend) *prices {
	s := &prices{k: k, backend: b, seconds: 5, figures: map[string]figure{}}
	s.table = s.makeTable()
	return s
}

func (s *prices) makeTable() []action {
	key := func(k ...string) []string { return k }
	return []action{
		{keys: key("enter"), label: "create with this", do: s.choose, why: s.whyNoChoice},
		{keys: key("tab", "shift+tab"), label: "models or figures", do: s.swap, why: s.whyNoModel},
		{keys: key("+", "="), show: "+/-", label: "longer or shorter", do: s.longer(1), why: s.whyNoDuration},
		{keys: key("-", "_"), label: "shorter", quiet: true, do: s.longer(-1), why: s.whyNoDuration},
		{keys: key("/"), label: "filter", do: s.ask},
		{keys: key("r"), label: "ask the service again", do: s.refresh},
		{keys: key("down", "j"), show: "j/k", label: "next", quiet: true, do: s.vertical(1)},
		{keys: key("up", "k"), label: "previous", quiet: true, do: s.vertical(-1)},
		{keys: key("right", "l"), label: "to the figures, next figure", quiet: true, do: s.sideways(1)},
		{keys: key("left", "h"), label: "previous figure, to the models", quiet: true, do: s.sideways(-1)},
		{keys: key("g", "home"), label: "first", quiet: true, do: func() tea.Cmd { return s.vertical(-1 << 20)() }},
		{keys: key("G", "shift+g", "end"), label: "last", quiet: true, do: func() tea.Cmd { return s.vertical(1 << 20)() }},
		{keys: key("pgdown", "space"), label: "scroll the figures", quiet: true, do: s.scroll(8)},
		{keys: key("pgup"), label: "scroll back", quiet: true, do: s.scroll(-8)},
		{keys: key("esc"), label: "back", quiet: true, do: s.back},
	}
}

func (s *prices) actions() []action { return s.table }
func (s *prices) typing() bool      { return s.asking }

func (s *prices) resize(w, h int) {
	s.w, s.h = w, h
	s.reveal()
	s.dirty()
}

func (s *prices) restyle() { s.dirty() }
func (s *prices) dirty()   { s.valid = false }

func (s *prices) focus() tea.Cmd {
	s.shown = true
	if s.asked && s.listing.Err == nil {
		return s.fill()
	}
	s.asked = true
	return tea.Batch(s.readKnown(), s.readService())
}

func (s *prices) blur() tea.Cmd {
	s.shown, s.asking = false, false
	s.gridSeq++ // figures that are not looked at are not asked for
	s.loading = false
	s.dirty()
	return nil
}

// modelsMsg brings a listing.
type modelsMsg struct {
	listing state.Listing
	stored  bool
}

func (s *prices) readKnown() tea.Cmd {
	ctx, d := s.k.ctx, s.backend
	return func() tea.Msg { return modelsMsg{d.KnownModels(ctx), true} }
}

func (s *prices) readService() tea.Cmd {
	ctx, d := s.k.ctx, s.backend
	s.loading = true
	return func() tea.Msg { return modelsMsg{d.Models(ctx), false} }
}

func (s *prices) refresh() tea.Cmd {
	clear(s.figures)
	s.dirty()
	return s.readService()
}

func (s *prices) update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case modelsMsg:
		return s.listed(m)
	case pricedMsg:
		return s.priced(m)
	case knownMsg:
		s.recalled(m)
	case priceDueMsg:
		if m.seq == s.gridSeq && s.shown {
			return s.askNext()
		}
	case tea.PasteMsg:
		if s.asking {
			s.filter.insert(m.Content)
			return s.search()
		}
	case clickMsg:
		return s.clicked(m)
	case wheelMsg:
		if models, _ := s.areas(); !models.holds(m.x, m.y) {
			return s.scroll(3 * m.by)()
		}
		s.onGrid = false
		return s.vertical(m.by)()
	}
	return nil
}

func (s *prices) listed(m modelsMsg) tea.Cmd {
	s.dirty()
	if !m.stored {
		s.loading = false
	} else if s.known {
		return nil // the service was quicker than the store
	}
	if m.stored && len(m.listing.Models) == 0 {
		return nil
	}
	if len(m.listing.Models) == 0 && m.listing.Err != nil {
		m.listing.Models = []api.Model{{ID: api.Seedance2, Kind: api.KindVideo}} // its rates are published
	}
	s.listing, s.known = m.listing, true
	return s.search()
}

// search finds the models that match the filter and keeps the selected one.
func (s *prices) search() tea.Cmd {
	s.dirty()
	before := s.model().ID
	words := strings.Fields(strings.ToLower(s.filter.text()))
	s.found = s.found[:0]
	s.at = 0
	for i, m := range s.listing.Models {
		hay := strings.ToLower(m.ID + " " + m.Label + " " + string(m.Kind))
		all := true
		for _, w := range words {
			all = all && strings.Contains(hay, w)
		}
		if all {
			if m.ID == before {
				s.at = len(s.found)
			}
			s.found = append(s.found, i)
		}
	}
	return s.turn()
}

// model is the selected one, or none.
func (s *prices) model() api.Model {
	if s.at >= len(s.found) {
		return api.Model{}
	}
	return s.listing.Models[s.found[s.at]]
}

// turn shows the figures of the selected model.
func (s *prices) turn() tea.Cmd {
	s.reveal()
	s.skip = 0
	s.grid = gridFor(s.k, s.model(), s.seconds)
	s.dirty()
	return s.fill()
}

// reveal scrolls the models as little as needed to have the selected one in
// view.
func (s *prices) reveal() {
	models, _ := s.areas()
	s.top = max(min(s.top, s.at), s.at-max(models.h-2, 1)+1, 0)
}

func (s *prices) ask() tea.Cmd {
	s.asking, s.onGrid = true, false
	s.dirty()
	return nil
}

func (s *prices) edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch m.String() {
	case "enter", "down", "up":
		s.asking = false
		s.dirty()
		return nil, true
	case "esc":
		s.asking = false
		s.filter.set("")
		return s.search(), true
	}
	if !s.filter.edit(m) {
		return nil, false
	}
	return s.search(), true
}

func (s *prices) cursor() *tea.Cursor {
	if !s.asking {
		return nil
	}
	models, _ := s.areas()
	return tea.NewCursor(5+s.filter.column()-s.filter.offset(filterRoom(models.w)), 0)
}

func (s *prices) back() tea.Cmd {
	s.dirty()
	if s.onGrid {
		s.onGrid = false
		return nil
	}
	if s.filter.text() != "" {
		s.filter.set("")
		return s.search()
	}
	return nil
}

func (s *prices) swap() tea.Cmd {
	s.onGrid = !s.onGrid
	s.dirty()
	return nil
}

// scroll moves the pane of figures; drawing keeps it in bounds.
func (s *prices) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.skip = max(s.skip+by, 0)
		s.dirty()
		return nil
	}
}

func (s *prices) vertical(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		if s.onGrid {
			s.grid.move(by, 0)
			s.skip = 0
			return nil
		}
		to := max(min(s.at+by, len(s.found)-1), 0)
		if to == s.at {
			return nil
		}
		s.at = to
		return s.turn()
	}
}

func (s *prices) sideways(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		switch {
		case !s.onGrid && by > 0 && len(s.grid.cells) > 0:
			s.onGrid = true
		case s.onGrid && by < 0 && s.grid.col == 0:
			s.onGrid = false
		case s.onGrid:
			s.grid.move(0, by)
		}
		return nil
	}
}

// longer changes the duration; figures are asked for once it rests.
func (s *prices) longer(by int) func() tea.Cmd {
	return func() tea.Cmd {
		to := nextDuration(s.model(), s.seconds, by)
		if to == s.seconds {
			return nil
		}
		s.seconds = to
		row, col := s.grid.row, s.grid.col
		s.grid = gridFor(s.k, s.model(), s.seconds)
		s.grid.row, s.grid.col = row, col
		s.dirty()
		return s.fill()
	}
}

// choose opens Create with the model, or with the figure under the cursor.
func (s *prices) choose() tea.Cmd {
	m := s.model()
	r := api.Request{Kind: m.Kind, Model: m.ID}
	if s.onGrid && len(s.grid.cells) > 0 {
		r = s.grid.cell().request
	}
	return load(r, true)
}

func (s *prices) whyNoModel() string {
	if len(s.found) == 0 {
		return s.k.say("There is no model to choose.")
	}
	return ""
}

func (s *prices) whyNoChoice() string {
	if why := s.whyNoModel(); why != "" {
		return why
	}
	if s.onGrid && len(s.grid.cells) > 0 {
		return s.grid.cell().impossible
	}
	return ""
}

func (s *prices) whyNoDuration() string {
	if s.grid.timed {
		return ""
	}
	return s.k.say("Only videos have a duration.")
}

func (s *prices) clicked(m clickMsg) tea.Cmd {
	models, figures := s.areas()
	if models.holds(m.x, m.y) {
		row := s.top + m.y - 1
		if m.y < 1 || row >= len(s.found) {
			return nil
		}
		s.onGrid = false
		s.dirty()
		if row == s.at {
			return nil
		}
		s.at = row
		return s.turn()
	}
	if s.grid.pick(m.x-figures.x-2, m.y-figures.y-1+s.skip) {
		s.onGrid = true
		s.dirty()
	}
	return nil
}

// areas are where the models and the figures stand: side by side, or one above
// the other where there is little room. It depends on what is listed, not on
// what is found, so that filtering moves nothing.
func (s *prices) areas() (models, figures rect) {
	left, right := splitPanes(s.w, 40, 58)
	if right > 0 {
		return rect{0, 0, left, s.h}, rect{left, 0, right, s.h}
	}
	rows := min(max(len(s.listing.Models), 1), max((s.h-2)/4, 1))
	return rect{0, 0, s.w, rows + 2}, rect{0, rows + 2, s.w, max(s.h-rows-2, 0)}
}

func (s *prices) view() string {
	if s.valid {
		return s.body
	}
	models, figures := s.areas()
	upper, lower := s.modelLines(models.w, models.h), s.gridLines(figures.w, figures.h)
	if figures.x > 0 {
		s.body = beside(upper, lower)
	} else {
		s.body = strings.Join(append(upper, lower...), "\n")
	}
	s.valid = true
	return s.body
}

func (s *prices) modelLines(w, h int) []string {
	k, t := s.k, s.k.theme
	p := pane{w: w, h: h, title: k.say("Models"), focus: !s.onGrid, foot: s.source()}
	if s.asking || s.filter.text() != "" {
		p.title = "/ " + s.filter.window(filterRoom(w))
	}
	inner, high := p.inner()
	var lines []string
	wide := s.priceWidth()
	for i := range high {
		n := s.top + i
		if n >= len(s.found) {
			break
		}
		lines = append(lines, s.modelLine(s.listing.Models[s.found[n]], inner, wide, n == s.at))
	}
	if len(lines) == 0 {
		why := k.say("No model matches. Press esc to see all of them.")
		switch {
		case s.loading && s.filter.text() == "":
			why = k.say("Asking the service for its models.")
		case s.listing.Err != nil && s.filter.text() == "":
			why = sentence(k, s.listing.Err)
		case s.filter.text() == "":
			why = k.say("The service lists no models.")
		}
		f := facts{w: inner, t: t}
		f.wrapped(t.Muted, why)
		lines = f.lines
	}
	return p.lines(t, lines)
}

// source says where the listing is from and how old it is.
func (s *prices) source() string {
	k := s.k
	switch {
	case !s.known:
		return ""
	case s.loading:
		return k.say("asking")
	case s.listing.Err != nil && s.listing.At.IsZero():
		return k.say("offline, nothing was told yet")
	case s.listing.Err != nil:
		return k.say("offline, as told at %s", k.stamp(s.listing.At))
	case !s.listing.At.IsZero():
		return k.say("the service, %s", k.stamp(s.listing.At))
	}
	return ""
}

// priceWidth is the widest price, so that the columns of all models agree.
func (s *prices) priceWidth() int {
	wide := 0
	for _, m := range s.listing.Models {
		wide = max(wide, theme.Width(s.modelPrice(m)))
	}
	return wide
}

// nameWidth is the longest name of a model, within reason.
func (s *prices) nameWidth() int {
	wide := 0
	for _, m := range s.listing.Models {
		wide = max(wide, theme.Width(api.Clean(m.ID, api.MaxIDText).String()))
	}
	return min(wide, 24)
}

// modelPrice is a model's listed price; seedance2's rates are published, so it
// is never without one.
func (s *prices) modelPrice(m api.Model) string {
	if m.Price == nil && m.ID == api.Seedance2 {
		return s.k.say("published rates")
	}
	return priceText(s.k, m.Price)
}

func (s *prices) modelLine(m api.Model, w, wide int, selected bool) string {
	k := s.k
	in, mark := &k.theme.Inks, "  "
	if selected {
		in, mark = &k.theme.Selected, "▸ "
	}
	price := theme.Cut(s.modelPrice(m), w/2)
	priceInk := in.Text
	if m.Price == nil {
		priceInk = in.Muted
	}
	wide = min(wide, w/2)
	kind := "  " + theme.Fit(k.say(kindWord(m.Kind)), kindWidth(k)) + "  "
	if w-2-theme.Width(kind)-wide < s.nameWidth() {
		kind = "  " // the name says more than its kind
	}
	var b strings.Builder
	in.Accent.Write(&b, mark)
	in.Text.Write(&b, theme.Fit(api.Clean(m.ID, api.MaxIDText).String(), w-2-theme.Width(kind)-wide))
	in.Muted.Write(&b, kind)
	priceInk.Write(&b, right(price, wide))
	return b.String()
}

func priceText(k *kit, p *api.Price) string {
	if p == nil {
		return k.say("no price")
	}
	switch p.Unit {
	case "second":
		return k.say("%s cr / s", amount(p.Credits))
	case "image":
		return k.say("%s cr / image", amount(p.Credits))
	case "call":
		return k.say("%s cr / call", amount(p.Credits))
	}
	return k.say("%s cr", amount(p.Credits))
}

// restPrices is how long a choice rests before the service is asked for it.
const restPrices = 300 * time.Millisecond
