package prices

import (
	"fmt"
	"strings"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/say"
)

// chainDocument is what jobs that come of each other cost.
type chainDocument struct {
	ID       string       `json:"id"` // of the first job
	Title    string       `json:"title"`
	From     string       `json:"from"` // days, local
	To       string       `json:"to"`
	Jobs     int          `json:"jobs"`
	Credits  api.Credits  `json:"credits"`
	Possibly api.Credits  `json:"possibly"`
	Unpriced int          `json:"unpriced"`
	Kept     int          `json:"kept"`
	PerKept  *api.Credits `json:"credits_per_kept"`
}

// keptDocument is how many results were picked or starred, and what one cost.
type keptDocument struct {
	Results int          `json:"results"`
	PerKept *api.Credits `json:"credits_per_result"`
}

func chainDocumentOf(c state.Chain) chainDocument {
	return chainDocument{
		ID: c.ID, Title: c.Title, From: day(c.First), To: day(c.Last), Jobs: c.Jobs, Credits: c.Credits,
		Possibly: c.Possibly, Unpriced: c.Unpriced, Kept: c.Kept, PerKept: amountOrNil(c.PerKept()),
	}
}

func amountOrNil(c api.Credits, ok bool) *api.Credits {
	if !ok {
		return nil
	}
	return &c
}

// spendBar is how many cells the dearest day takes.
const spendBar = 24

// dayBars draws each day's spending: full cells for what was spent, shaded ones
// for what may have been.
func dayBars(lines []spendDocument) map[string]string {
	sums, most := map[string]spendSum{}, api.Credits(0)
	for _, d := range lines {
		sum := sums[d.Day]
		sum.Credits = sum.Credits.Plus(d.Credits)
		sum.Possibly = sum.Possibly.Plus(d.Possibly)
		sums[d.Day] = sum
		most = max(most, sum.Credits.Plus(sum.Possibly))
	}
	out := map[string]string{}
	for day, sum := range sums {
		sure := share(sum.Credits, most, spendBar)
		out[day] = strings.Repeat("█", sure) + strings.Repeat("░", share(sum.Credits.Plus(sum.Possibly), most, spendBar)-sure)
	}
	return out
}

// share is part of all in n cells; something is at least one cell.
func share(part, all api.Credits, n int) int {
	if part <= 0 || all <= 0 {
		return 0
	}
	return max(int(float64(part)/float64(all)*float64(n)+0.5), 1)
}

// chainsShown is how many chains the plain output has.
const chainsShown = 10

// printChains prints the dearest chains of several jobs, and what a kept result
// cost.
func (p run) printChains(s *state.Spend) error {
	var t output.Table
	for _, c := range s.Chains {
		if c.Jobs < 2 || len(t.Rows) >= chainsShown {
			continue
		}
		kept := ""
		if per, ok := c.PerKept(); ok {
			kept = p.Say("%d kept, %s each", c.Kept, p.Sentence(say.Credits(per)))
		}
		sum := spendSum{Jobs: c.Jobs, Credits: c.Credits, Possibly: c.Possibly, Unpriced: c.Unpriced}
		t.Add(c.ID, api.OneLine(c.Title), p.Words.Count(c.Jobs, "%d job", "%d jobs"), p.spentWords(sum), kept)
	}
	if len(t.Rows) > 0 {
		fmt.Fprintln(p.Out, "\n"+p.Say("Chains of jobs that come of each other"))
		t.Write(p.Out)
	}
	if per, ok := s.PerKept(); ok {
		p.Println("%d results kept, %s each", s.Kept, p.Sentence(say.Credits(per)))
	}
	return nil
}
