package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// statusDocument is what status --json prints.
type statusDocument struct {
	Running  int          `json:"running"`
	Held     int          `json:"held"`
	Unseen   int          `json:"unseen"` // done, and not looked at
	Credits  api.Credits  `json:"credits_today"`
	Possibly api.Credits  `json:"possibly_today"` // of unknown and unread jobs
	Budget   *api.Credits `json:"budget"`
}

func (p Run) statusCommand() *cobra.Command {
	var short bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how many jobs run, wait for you or are new, and what today cost",
		Example: `  darkroom status
  darkroom status --short`,
		RunE: p.Does(run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
			page, err := s.Jobs(ctx, state.Query{Limit: 1})
			if err != nil {
				return err
			}
			today, err := s.Today(ctx)
			if err == nil {
				p.printStatus(page, today, short)
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&short, "short", false, "one line, for a status bar or a shell's prompt")
	p.JSONFlags(cmd, statusDocument{})
	return cmd
}

func (p Run) printStatus(page state.Page, today state.Spent, short bool) {
	d := statusDocument{page.Active, page.Held, page.Unseen, today.Credits, today.Possibly, nil}
	if today.Budget > 0 && today.Budget != api.BudgetUnreadable {
		d.Budget = &today.Budget
	}
	if p.JSON {
		p.PrintJSON(d)
		return
	}
	spent, between := run.Credits(d.Credits.Plus(d.Possibly)), "\n"
	parts := []string{p.Say("%d running", d.Running), p.Say("%d held", d.Held), p.Say("%d new", d.Unseen), p.Say("today %s", spent)}
	if d.Budget != nil && !short {
		parts[3] = p.Say("today %s of %s", spent, run.Credits(*d.Budget))
	}
	if short { // a count of 0 is left out
		between, parts = " · ", slices.DeleteFunc(parts, func(part string) bool { return strings.HasPrefix(part, "0 ") })
	}
	fmt.Fprintln(p.Out, strings.Join(parts, between))
}

// eventDocument is a change of a job as watch prints it and hooks read it: the job as
// it is now, but for the phase, which is the one that it went into.
type eventDocument struct {
	Change    int64  `json:"change"`
	ChangedAt string `json:"changed_at"`
	Document
}

func eventOf(e state.Event, job state.Job) eventDocument {
	d := eventDocument{e.Number, e.At.Format(time.RFC3339), DocumentOf(job)}
	d.Phase = e.Phase
	return d
}

// EventJSON is what a hook reads.
func EventJSON(e state.Event, job state.Job) []byte {
	text, _ := json.Marshal(eventOf(e, job)) // of texts and numbers
	return append(text, '\n')
}

func (p Run) watchCommand() *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Print every change of a job's phase as it happens",
		Long: "Prints a line for every change of a job's phase, in any window, until it is stopped, and follows jobs as the screens do. " +
			"--since continues after the number of a change that was printed before.",
		Example: `  darkroom watch
  darkroom watch --ndjson --since 412`,
		RunE: p.Does(run.Watching, func(ctx context.Context, s *state.Session, _ []string) error {
			after, err := firstChange(ctx, s, since)
			if err != nil {
				return err
			}
			return p.watch(ctx, s, after)
		}),
	}
	cmd.Flags().StringVar(&since, "since", "", "begin after the change with this number, or at a day or time; default: now")
	p.StreamFlags(cmd)
	return cmd
}

// firstChange is the number of the change after which watching begins.
func firstChange(ctx context.Context, s *state.Session, since string) (int64, error) {
	if n, err := strconv.ParseInt(since, 10, 64); err == nil && n >= 0 {
		return n, nil
	}
	var at time.Time
	err := error(nil)
	if since != "" {
		if at, err = time.ParseInLocation(time.DateOnly, since, time.Local); err != nil {
			at, err = time.Parse(time.RFC3339, since)
		}
	}
	if err != nil {
		return 0, run.Usagef("--since: give the number of a change, a day such as %s, or a time such as %s",
			time.Now().Format(time.DateOnly), time.Now().Format(time.RFC3339))
	}
	return s.LastEvent(ctx, at)
}

// watch prints changes until ctx ends.
func (p Run) watch(ctx context.Context, s *state.Session, after int64) error {
	for first := true; ; {
		events, err := s.Events(ctx, after)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if len(events) > 0 && after > 0 && events[0].Number > after+1 {
			p.Notice(run.Sentencef("changes before %d are no longer kept", events[0].Number))
		}
		for _, e := range events {
			after = e.Number
			job, err := s.Job(ctx, e.Job)
			switch {
			case errors.Is(err, state.ErrNoJob): // it was held, and is removed
			case err != nil:
				return err
			case p.JSON && !p.PrintJSON(eventOf(e, job)):
				return nil // why is said at the end
			case p.JSON:
			default:
				fmt.Fprintln(p.Out, strings.Join([]string{e.At.Local().Format(time.DateTime), job.ID, p.Sentence(run.Phase(e.Phase)),
					p.Sentence(run.Word(job.Kind)), api.OneLine(job.Title)}, "\t"))
			}
		}
		if len(events) > 0 {
			continue
		}
		if first {
			p.Remark("watching until interrupted (ctrl+c)")
			first = false
		}
		if _, err := s.Wait(ctx); err != nil {
			return nil // it was stopped
		}
	}
}
