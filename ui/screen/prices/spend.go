package prices

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/widget"
)

// spendDays are the periods that the page of spending shows.
var spendDays = []int{7, 30, 90}

// spending is the page of what was spent.
type spending struct {
	days   int
	read   state.Spend
	byDay  []daySum // the days of the period, oldest first
	known  bool
	err    error
	latest widget.Latest
	scroll widget.Scroll
}

type daySum struct {
	day               string
	credits, possibly api.Credits
}

// spendReadMsg is what was spent in a number of days.
type spendReadMsg struct {
	seq   int
	spend state.Spend
	days  []daySum
	err   error
}

// showSpend goes to the page of spending.
func (s *Screen) showSpend() tea.Cmd {
	s.ledger = true
	s.asking.end()
	s.spend.scroll.ToTop()
	return s.readSpend()
}

func (s *Screen) leaveSpend() tea.Cmd {
	s.ledger = false
	return s.fill()
}

func (s *Screen) whyNoSpend() string { return s.k.SayIf(!s.ledger, "The prices are shown.") }

// changeDays shows a longer or a shorter period.
func (s *Screen) changeDays(by int) tea.Cmd {
	at := slices.Index(spendDays, s.spend.days) + by
	if at < 0 || at >= len(spendDays) {
		return nil
	}
	s.spend.days = spendDays[at]
	return s.readSpend()
}

// readSpend reads what was spent, up to today.
func (s *Screen) readSpend() tea.Cmd {
	seq, days, ctx, records, clock := s.spend.latest.Ask(), s.spend.days, s.k.Context, s.records, s.k.Clock
	return func() tea.Msg {
		y, m, d := clock().Date()
		since := time.Date(y, m, d-days+1, 0, 0, 0, 0, clock().Location())
		spend, err := records.Spend(ctx, since)
		return spendReadMsg{seq, spend, daySums(since, days, spend.Lines), err}
	}
}

// daySums adds the lines of each day of a period, days without any included.
// Where a day begins at one o'clock, since may be an hour before it: noon tells.
func daySums(since time.Time, days int, lines []state.Line) []daySum {
	out := make([]daySum, days)
	at := map[string]int{}
	for i := range out {
		out[i].day = since.Add(12*time.Hour).AddDate(0, 0, i).Format(time.DateOnly)
		at[out[i].day] = i
	}
	for _, l := range lines {
		if i, ok := at[l.Day]; ok {
			out[i].credits = out[i].credits.Plus(l.Credits)
			out[i].possibly = out[i].possibly.Plus(l.Possibly)
		}
	}
	return out
}

func (s *Screen) spendRead(m spendReadMsg) tea.Cmd {
	last, again := s.spend.latest.Answered(m.seq, m.err)
	if !last {
		return nil
	}
	s.spend.err = m.err
	if m.err == nil {
		s.spend.read, s.spend.byDay, s.spend.known = m.spend, m.days, true
	}
	if again {
		return s.spend.latest.After(s.k.Context, s.readSpend())
	}
	return nil
}

// arrangeSpend fits the page of spending to the size and the data.
func (s *Screen) arrangeSpend() {
	w, h := widget.Pane{Width: s.w, Height: s.h}.Inner()
	s.spend.scroll.SetSize(w, h)
	s.spend.scroll.SetLines(s.spendContent(w, h))
}
