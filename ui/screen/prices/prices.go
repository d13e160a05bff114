// Package prices is the screen of what everything costs: the models of the
// service, and every price of the selected one.
package prices

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/ui/action"
	"darkroom/ui/env"
	"darkroom/ui/msg"
	"darkroom/ui/theme"
	"darkroom/ui/widget"
	"darkroom/ui/words"
)

// Screen shows the models on the left, and on the right every price of the
// selected one.
type Screen struct {
	k       *env.Env
	backend Backend
	w, h    int
	actions []action.Action

	models  modelList
	figures figureTable
	grid    grid
	grids   int64 // how many grids there were: a version of the grid
	seconds int   // the duration that videos are priced for
	onGrid  bool  // the grid has the keys

	shown bool
	asked bool // the service was asked for its models since the program began
	// series is the number of the questions for the prices in view; answers to
	// an earlier series ask for no more.
	series int
	visit  int       // grows when the screen comes into view and when it goes
	now    time.Time // as the last message said

	scroll   widget.Scroll // the pane of prices
	scrolled contentKey    // what the lines in it were made from
	// parameters are remembered for themselves.
	parameters widget.Memo[parametersKey, []string]
	drawn      struct {
		models  widget.Memo[modelsKey, []string]
		figures widget.Memo[figuresKey, []string]
		body    widget.Memo[bodyKey, string]
	}
}

// New makes the screen; it asks for nothing until it gets the focus.
func New(k *env.Env, b Backend) *Screen {
	s := &Screen{k: k, backend: b, seconds: 5}
	s.figures.known = map[string]figure{}
	s.actions = s.table()
	for i := range s.actions {
		do := s.actions[i].Handler
		s.actions[i].Handler = func() tea.Cmd {
			cmd := do()
			s.arrange()
			return cmd
		}
	}
	return s
}

func (s *Screen) Actions() []action.Action { return s.actions }

// Typing reports whether the filter has the keys.
func (s *Screen) Typing() bool { return s.models.filtering }

func (s *Screen) Resize(w, h int) {
	s.w, s.h = w, h
	s.arrange()
}

func (s *Screen) Restyle() { s.arrange() }

// Focus asks for the models when the screen is seen first, and for the prices
// that are missing.
func (s *Screen) Focus() tea.Cmd {
	s.shown = true
	s.visit++
	s.setNow(s.k.At)
	defer s.arrange()
	if s.asked && s.models.listing.Err == nil {
		return tea.Batch(s.watchAge(), s.fill())
	}
	s.asked = true
	return tea.Batch(s.watchAge(), s.readKnown(), s.readService())
}

// Blur stops the questions: prices that nobody looks at are not asked for.
func (s *Screen) Blur() tea.Cmd {
	s.shown, s.models.filtering, s.models.loading = false, false, false
	s.series++
	s.visit++
	s.arrange()
	return nil
}

// Update takes answers, pastes and the mouse.
func (s *Screen) Update(message tea.Msg) tea.Cmd {
	cmd := s.handle(message)
	s.arrange()
	return cmd
}

func (s *Screen) handle(message tea.Msg) tea.Cmd {
	switch m := message.(type) {
	case modelsReadMsg:
		return s.listed(m)
	case pricedMsg:
		return s.priced(m)
	case recalledMsg:
		s.figures.recall(m.figures)
	case priceDueMsg:
		if m.series == s.series && s.shown {
			return s.askNext()
		}
	case ageDueMsg:
		if m.visit == s.visit {
			s.setNow(m.at)
			return s.watchAge()
		}
	case msg.TickedMsg:
		s.setNow(m.At)
	case tea.PasteMsg:
		if s.models.filtering {
			s.models.filter.Insert(m.Content)
			return s.search()
		}
	case msg.ClickMsg:
		return s.clicked(m)
	case msg.WheelMsg:
		if models, _ := s.areas(); !models.Holds(m.X, m.Y) {
			s.scroll.By(3 * m.By)
			return nil
		}
		s.onGrid = false
		return s.vertical(m.By)()
	}
	return nil
}

// setNow takes the time of a message; it never goes back.
func (s *Screen) setNow(now time.Time) {
	if now.After(s.now) {
		s.now = now
	}
}

// arrange fits to the size and the data what is scrolled. Every way into the
// screen that changes something ends with it, so that drawing changes nothing.
func (s *Screen) arrange() {
	models, _ := s.areas()
	s.models.reveal(max(models.H-2, 1))
	w, h := s.inner()
	s.scroll.SetSize(w, h)
	if key := s.contentKey(); key != s.scrolled {
		s.scrolled = key
		s.scroll.SetLines(s.content(w, h))
	}
}

// look is what every drawing depends on.
type look struct {
	theme *theme.Theme
	words *words.Words
	day   int // times of today are written without their date
}

func (s *Screen) look() look {
	return look{s.k.Theme, s.k.Words, s.k.At.Year()*1000 + s.k.At.YearDay()}
}
