package cli

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

// spendDays is how far back the ledger goes without --since.
const spendDays = 30

// spendDocument is one line of the ledger as --json prints it.
type spendDocument struct {
	Day   string   `json:"day"` // 2006-01-02, local
	Model string   `json:"model"`
	Kind  api.Kind `json:"kind"` // or "tool": the model is the tool's name then
	spendSum
}

// spendSum is what one or several lines come to.
type spendSum struct {
	Jobs     int         `json:"jobs"`
	Credits  api.Credits `json:"credits"`
	Possibly api.Credits `json:"possibly"` // of unknown and unread jobs
	Unpriced int         `json:"unpriced"` // jobs whose price is not known
}

func (s *spendSum) add(l state.Line) {
	s.Jobs += l.Jobs
	s.Credits += l.Credits
	s.Possibly += l.Possibly
	s.Unpriced += l.Unpriced
}

func (p *program) spendCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "spend",
		Short: "Credits by day, model and kind, from darkroom's own ledger",
		Long: "Credits by day, model and kind, from darkroom's own ledger: the service tells no balance.\n" +
			"\"Possibly\" is what jobs of unknown outcome may have cost.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			y, m, d := time.Now().Date()
			from := time.Date(y, m, d-spendDays+1, 0, 0, 0, 0, time.Local)
			if cmd.Flags().Changed("since") {
				var err error
				if from, err = time.ParseInLocation(time.DateOnly, since, time.Local); err != nil {
					return usage("--since: give a day such as %s", time.Now().Format(time.DateOnly))
				}
			}
			return p.with(cmd.Context(), false, func(s *state.Session) error { return p.spend(cmd.Context(), s, from) })
		},
	}
	cmd.Flags().StringVar(&since, "since", "", fmt.Sprintf("the first day, such as 2026-03-01; default: the last %d days", spendDays))
	p.jsonFlag(cmd)
	return cmd
}

func (p *program) spend(ctx context.Context, s *state.Session, since time.Time) error {
	ledger, err := s.Ledger(ctx, since)
	if err != nil {
		return err
	}
	lines, total := []spendDocument{}, spendSum{}
	for _, l := range ledger {
		d := spendDocument{Day: l.Day, Model: shownID(l.Model), Kind: l.Kind}
		d.add(l)
		lines = append(lines, d)
		total.add(l)
	}
	if p.json {
		p.printJSON(map[string]any{"since": since.Format(time.DateOnly), "spend": lines, "total": total})
		return nil
	}
	if len(lines) == 0 {
		fmt.Fprintf(p.out, "nothing was spent since %s\n", since.Format(time.DateOnly))
		return nil
	}
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	for _, d := range lines {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", d.Day, d.Kind, d.Model, countOf(d.Jobs), spentWords(d.spendSum))
	}
	fmt.Fprintf(table, "total\t\t\t%s\t%s\n", countOf(total.Jobs), spentWords(total))
	return table.Flush()
}

func countOf(jobs int) string {
	if jobs == 1 {
		return "1 job"
	}
	return fmt.Sprintf("%d jobs", jobs)
}

func spentWords(d spendSum) string {
	words := d.Credits.String() + " cr"
	if d.Possibly > 0 {
		words += ", possibly " + d.Possibly.String() + " more"
	}
	if d.Unpriced > 0 {
		words += fmt.Sprintf(", %d without a price", d.Unpriced)
	}
	return words
}
