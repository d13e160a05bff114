package prices

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// spendDays is how far back the ledger goes without --since (also in its help).
const spendDays = 30

// keptDocument is how many results are favourites or rated, and what one cost.
type keptDocument struct {
	Results int          `json:"results"`
	PerKept *api.Credits `json:"credits_per_result"`
}

func (p commands) spendCommand() *cobra.Command {
	y, m, d := time.Now().Date()
	since, asCSV := time.Date(y, m, d-spendDays+1, 0, 0, 0, 0, time.Local), false
	cmd := p.Command("spend", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		return p.spend(ctx, s, since, asCSV)
	})
	cmd.Flags().Func("since", "the first day, such as 2026-03-01; default: the last 30 days", func(text string) (err error) {
		if since, err = time.ParseInLocation(time.DateOnly, text, time.Local); err != nil {
			return run.Usagef("--since: give a day such as %s", time.Now().Format(time.DateOnly))
		}
		return nil
	})
	cmd.Flags().BoolVar(&asCSV, "csv", false, "a line of comma-separated values for each day, model and kind")
	return p.JSONFlags(cmd, "since", "spend", "total", "kept")
}

func (p commands) spend(ctx context.Context, s *state.Session, since time.Time, asCSV bool) error {
	spend, err := s.Pricing.Spend(ctx, since)
	if err != nil {
		return err
	}
	lines := append([]state.Line{}, spend.Lines...) // never nil, which JSON would call null
	sum := spend.Total()
	per, anyKept := sum.PerKept()
	switch {
	case p.JSON:
		doc := keptDocument{Results: sum.Kept}
		if anyKept {
			doc.PerKept = &per
		}
		p.PrintJSON(map[string]any{"since": since.Format(time.DateOnly), "spend": lines, "total": sum, "kept": doc})
		return nil
	case asCSV:
		return p.PrintCSV(lines, "day", "model", "kind", "jobs", "credits", "possibly", "unpriced")
	case len(lines) == 0:
		p.Println("nothing was spent since %s", since.Format(time.DateOnly))
		return nil
	}
	var t run.Table
	most := api.Credits(1)
	for _, d := range lines {
		most = max(most, d.Credits.Plus(d.Possibly))
	}
	for _, d := range lines {
		var one state.Sum
		one.Add(d)
		jobs := p.Words.Count(d.Jobs, "%d job", "%d jobs")
		t.Add(d.Day, p.Sentence(run.Word(d.Kind)), run.ID(d.Model), jobs, p.spentWords(one), bar(d, most))
	}
	t.Add(p.Say("total"), "", "", p.Words.Count(sum.Jobs, "%d job", "%d jobs"), p.spentWords(sum), "")
	t.Write(p.Out)
	if anyKept {
		p.Println("%d results favourite or rated, %s each", sum.Kept, run.Credits(per))
	}
	return nil
}

func (p commands) spentWords(d state.Sum) string {
	text := p.Say("%s cr", d.Credits.String())
	if d.Possibly > 0 {
		text += p.Say(", possibly %s more", d.Possibly.String())
	}
	if d.Unpriced > 0 {
		text += p.Say(", %d without a price", d.Unpriced)
	}
	return text
}

const spendBar = 24

// bar draws full cells for what was spent, shaded ones for what may be.
func bar(d state.Line, most api.Credits) string {
	cells := func(part api.Credits) int { // something is at least one
		return max(int(float64(part)/float64(most)*spendBar+0.5), int(min(part, 1)))
	}
	sure := cells(d.Credits)
	return strings.Repeat("█", sure) + strings.Repeat("░", cells(d.Credits.Plus(d.Possibly))-sure)
}
