package prices

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
)

// Screen shows what everything costs: the models on the left, and on the right
// every figure of the selected one.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int

	listing state.Listing
	known   bool // a listing was shown, if only the stored one
	asked   bool // the service was asked since the screen was entered
	found   []int
	at, top int
	skip    int // lines of the figures' pane that are scrolled away
	filter  widget.Line
	asking  bool
	shown   bool

	Grid    grid
	seconds int
	onGrid  bool // the grid has the keys
	GridSeq int
	loading bool
	figures map[string]Figure
	table   []action.Action
	body    string
	valid   bool
}

// Figure is one answered price.
type Figure struct {
	Estimate api.Estimate
	why      string // why the service's own is missing
	old      bool   // known from before: the service is still to be asked
}

func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, seconds: 5, figures: map[string]Figure{}}
	s.table = s.makeTable()
	return s
}

func (s *Screen) makeTable() []action.Action {
	key := func(k ...string) []string { return k }
	return []action.Action{
		{Keys: key("enter"), Label: "create with this", Handler: s.choose, Disabled: s.whyNoChoice},
		{Keys: key("tab", "shift+tab"), Label: "models or figures", Handler: s.swap, Disabled: s.whyNoModel},
		{Keys: key("+", "="), Display: "+/-", Label: "longer or shorter", Handler: s.longer(1), Disabled: s.whyNoDuration},
		{Keys: key("-", "_"), Label: "shorter", Hidden: true, Handler: s.longer(-1), Disabled: s.whyNoDuration},
		{Keys: key("/"), Label: "filter", Handler: s.ask},
		{Keys: key("r"), Label: "ask the service again", Handler: s.refresh},
		{Keys: key("down", "j"), Display: "j/k", Label: "next", Hidden: true, Handler: s.vertical(1)},
		{Keys: key("up", "k"), Label: "previous", Hidden: true, Handler: s.vertical(-1)},
		{Keys: key("right", "l"), Label: "to the figures, next figure", Hidden: true, Handler: s.sideways(1)},
		{Keys: key("left", "h"), Label: "previous figure, to the models", Hidden: true, Handler: s.sideways(-1)},
		{Keys: key("g", "home"), Label: "first", Hidden: true, Handler: func() tea.Cmd { return s.vertical(-1 << 20)() }},
		{Keys: key("G", "shift+g", "end"), Label: "last", Hidden: true, Handler: func() tea.Cmd { return s.vertical(1 << 20)() }},
		{Keys: key("pgdown", "space"), Label: "scroll the figures", Hidden: true, Handler: s.scroll(8)},
		{Keys: key("pgup"), Label: "scroll back", Hidden: true, Handler: s.scroll(-8)},
		{Keys: key("esc"), Label: "back", Hidden: true, Handler: s.back},
	}
}

func (s *Screen) Actions() []action.Action { return s.table }
func (s *Screen) Typing() bool             { return s.asking }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.reveal()
	s.dirty()
}

func (s *Screen) Restyle() { s.dirty() }
func (s *Screen) dirty()   { s.valid = false }

func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	if s.asked && s.listing.Err == nil {
		return s.fill()
	}
	s.asked = true
	return tea.Batch(s.readKnown(), s.readService())
}

func (s *Screen) Blur() tea.Cmd {
	s.shown, s.asking = false, false
	s.GridSeq++ // figures that are not looked at are not asked for
	s.loading = false
	s.dirty()
	return nil
}

// ModelsMsg brings a listing.
type ModelsMsg struct {
	Listing state.Listing
	stored  bool
}

func (s *Screen) readKnown() tea.Cmd {
	ctx, d := s.k.Context, s.backend
	return func() tea.Msg { return ModelsMsg{d.KnownModels(ctx), true} }
}

func (s *Screen) readService() tea.Cmd {
	ctx, d := s.k.Context, s.backend
	s.loading = true
	return func() tea.Msg { return ModelsMsg{d.Models(ctx), false} }
}

func (s *Screen) refresh() tea.Cmd {
	clear(s.figures)
	s.dirty()
	return s.readService()
}

func (s *Screen) Update(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case ModelsMsg:
		return s.listed(m)
	case PricedMsg:
		return s.priced(m)
	case knownMsg:
		s.recalled(m)
	case priceDueMsg:
		if m.seq == s.GridSeq && s.shown {
			return s.askNext()
		}
	case tea.PasteMsg:
		if s.asking {
			s.filter.Insert(m.Content)
			return s.search()
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		if models, _ := s.areas(); !models.Holds(m.X, m.Y) {
			return s.scroll(3 * m.By)()
		}
		s.onGrid = false
		return s.vertical(m.By)()
	}
	return nil
}

func (s *Screen) listed(m ModelsMsg) tea.Cmd {
	s.dirty()
	if !m.stored {
		s.loading = false
	} else if s.known {
		return nil // the service was quicker than the store
	}
	if m.stored && len(m.Listing.Models) == 0 {
		return nil
	}
	if len(m.Listing.Models) == 0 && m.Listing.Err != nil {
		m.Listing.Models = []api.Model{{ID: api.Seedance2, Kind: api.KindVideo}} // its rates are published
	}
	s.listing, s.known = m.Listing, true
	return s.search()
}

// search finds the models that match the filter and keeps the selected one.
func (s *Screen) search() tea.Cmd {
	s.dirty()
	before := s.model().ID
	words := strings.Fields(strings.ToLower(s.filter.Text()))
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
func (s *Screen) model() api.Model {
	if s.at >= len(s.found) {
		return api.Model{}
	}
	return s.listing.Models[s.found[s.at]]
}

// turn shows the figures of the selected model.
func (s *Screen) turn() tea.Cmd {
	s.reveal()
	s.skip = 0
	s.Grid = gridFor(s.k, s.model(), s.seconds)
	s.dirty()
	return s.fill()
}

// reveal scrolls the models as little as needed to have the selected one in
// view.
func (s *Screen) reveal() {
	models, _ := s.areas()
	s.top = max(min(s.top, s.at), s.at-max(models.H-2, 1)+1, 0)
}

func (s *Screen) ask() tea.Cmd {
	s.asking, s.onGrid = true, false
	s.dirty()
	return nil
}

func (s *Screen) Edit(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch m.String() {
	case "enter", "down", "up":
		s.asking = false
		s.dirty()
		return nil, true
	case "esc":
		s.asking = false
		s.filter.Set("")
		return s.search(), true
	}
	if !s.filter.Edit(m) {
		return nil, false
	}
	return s.search(), true
}

func (s *Screen) Cursor() *tea.Cursor {
	if !s.asking {
		return nil
	}
	models, _ := s.areas()
	return tea.NewCursor(5+s.filter.Column()-s.filter.Offset(widget.FilterRoom(models.W)), 0)
}

func (s *Screen) back() tea.Cmd {
	s.dirty()
	if s.onGrid {
		s.onGrid = false
		return nil
	}
	if s.filter.Text() != "" {
		s.filter.Set("")
		return s.search()
	}
	return nil
}

func (s *Screen) swap() tea.Cmd {
	s.onGrid = !s.onGrid
	s.dirty()
	return nil
}

// scroll moves the pane of figures; drawing keeps it in bounds.
func (s *Screen) scroll(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.skip = max(s.skip+by, 0)
		s.dirty()
		return nil
	}
}

func (s *Screen) vertical(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		if s.onGrid {
			s.Grid.move(by, 0)
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

func (s *Screen) sideways(by int) func() tea.Cmd {
	return func() tea.Cmd {
		s.dirty()
		switch {
		case !s.onGrid && by > 0 && len(s.Grid.Cells) > 0:
			s.onGrid = true
		case s.onGrid && by < 0 && s.Grid.col == 0:
			s.onGrid = false
		case s.onGrid:
			s.Grid.move(0, by)
		}
		return nil
	}
}

// longer changes the duration; figures are asked for once it rests.
func (s *Screen) longer(by int) func() tea.Cmd {
	return func() tea.Cmd {
		to := nextDuration(s.model(), s.seconds, by)
		if to == s.seconds {
			return nil
		}
		s.seconds = to
		row, col := s.Grid.row, s.Grid.col
		s.Grid = gridFor(s.k, s.model(), s.seconds)
		s.Grid.row, s.Grid.col = row, col
		s.dirty()
		return s.fill()
	}
}

// choose opens Create with the model, or with the figure under the cursor.
func (s *Screen) choose() tea.Cmd {
	m := s.model()
	r := api.Request{Kind: m.Kind, Model: m.ID}
	if s.onGrid && len(s.Grid.Cells) > 0 {
		r = s.Grid.cell().Request
	}
	return msg.Load(r, true)
}

func (s *Screen) whyNoModel() string {
	if len(s.found) == 0 {
		return s.k.Say("There is no model to choose.")
	}
	return ""
}

func (s *Screen) whyNoChoice() string {
	if why := s.whyNoModel(); why != "" {
		return why
	}
	if s.onGrid && len(s.Grid.Cells) > 0 {
		return s.Grid.cell().impossible
	}
	return ""
}

func (s *Screen) whyNoDuration() string {
	if s.Grid.timed {
		return ""
	}
	return s.k.Say("Only videos have a duration.")
}

func (s *Screen) clicked(m msg.ClickMsg) tea.Cmd {
	models, figures := s.areas()
	if models.Holds(m.X, m.Y) {
		row := s.top + m.Y - 1
		if m.Y < 1 || row >= len(s.found) {
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
	if s.Grid.pick(m.X-figures.X-2, m.Y-figures.Y-1+s.skip) {
		s.onGrid = true
		s.dirty()
	}
	return nil
}

// areas are where the models and the figures stand: side by side, or one above
// the other where there is little room. It depends on what is listed, not on
// what is found, so that filtering moves nothing.
func (s *Screen) areas() (models, figures widget.Rect) {
	left, right := widget.SplitPanes(s.w, 40, 58)
	if right > 0 {
		return widget.Rect{X: 0, Y: 0, W: left, H: s.h}, widget.Rect{X: left, Y: 0, W: right, H: s.h}
	}
	rows := min(max(len(s.listing.Models), 1), max((s.h-2)/4, 1))
	return widget.Rect{X: 0, Y: 0, W: s.w, H: rows + 2}, widget.Rect{X: 0, Y: rows + 2, W: s.w, H: max(s.h-rows-2, 0)}
}

func (s *Screen) View() string {
	if s.valid {
		return s.body
	}
	models, figures := s.areas()
	upper, lower := s.modelLines(models.W, models.H), s.gridLines(figures.W, figures.H)
	if figures.X > 0 {
		s.body = widget.Beside(upper, lower)
	} else {
		s.body = strings.Join(append(upper, lower...), "\n")
	}
	s.valid = true
	return s.body
}

func (s *Screen) modelLines(w, h int) []string {
	k, t := s.k, s.k.Theme
	p := widget.Pane{Width: w, Height: h, Title: k.Say("Models"), Focus: !s.onGrid, Foot: s.source()}
	if s.asking || s.filter.Text() != "" {
		p.Title = "/ " + s.filter.Window(widget.FilterRoom(w))
	}
	inner, high := p.Inner()
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
		why := k.Say("No model matches. Press esc to see all of them.")
		switch {
		case s.loading && s.filter.Text() == "":
			why = k.Say("Asking the service for its models.")
		case s.listing.Err != nil && s.filter.Text() == "":
			why = env.Sentence(k, s.listing.Err)
		case s.filter.Text() == "":
			why = k.Say("The service lists no models.")
		}
		f := widget.Facts{Width: inner, Theme: t}
		f.Wrapped(t.Muted, why)
		lines = f.Lines
	}
	return p.Lines(t, lines)
}

// source says where the listing is from and how old it is.
func (s *Screen) source() string {
	k := s.k
	switch {
	case !s.known:
		return ""
	case s.loading:
		return k.Say("asking")
	case s.listing.Err != nil && s.listing.At.IsZero():
		return k.Say("offline, nothing was told yet")
	case s.listing.Err != nil:
		return k.Say("offline, as told at %s", k.Stamp(s.listing.At))
	case !s.listing.At.IsZero():
		return k.Say("the service, %s", k.Stamp(s.listing.At))
	}
	return ""
}

// priceWidth is the widest price, so that the columns of all models agree.
func (s *Screen) priceWidth() int {
	wide := 0
	for _, m := range s.listing.Models {
		wide = max(wide, theme.Width(s.modelPrice(m)))
	}
	return wide
}

// nameWidth is the longest name of a model, within reason.
func (s *Screen) nameWidth() int {
	wide := 0
	for _, m := range s.listing.Models {
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

// restPrices is how long a choice rests before the service is asked for it.
const restPrices = 300 * time.Millisecond
