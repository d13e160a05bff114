package jobs

import (
	"cmp"
	"context"
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
	cmd := p.Command("status", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		page, err := s.Jobs(ctx, state.Query{Limit: 1})
		today, failed := s.Today(ctx)
		d := statusDocument{page.Active, page.Held, page.Unseen, today.Credits, today.Possibly, nil}
		if today.Budget > 0 && today.Budget != api.BudgetUnreadable {
			d.Budget = &today.Budget
		}
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		if p.JSON {
			p.PrintJSON(d)
			return nil
		}
		spent := run.Credits(d.Credits.Plus(d.Possibly))
		parts := []string{p.Say("%d running", d.Running), p.Say("%d held", d.Held), p.Say("%d new", d.Unseen), p.Say("today %s", spent)}
		if short { // a count of 0 is left out
			parts = slices.DeleteFunc(parts, func(part string) bool { return strings.HasPrefix(part, "0 ") })
		} else if d.Budget != nil {
			parts[3] = p.Say("today %s of %s", spent, run.Credits(*d.Budget))
		}
		fmt.Fprintln(p.Out, strings.Join(parts, " · "))
		return nil
	})
	cmd.Flags().BoolVar(&short, "short", false, "one line, for a status bar or a shell's prompt")
	return p.JSONFlags(cmd, statusDocument{})
}

// eventDocument is a change of a job as watch prints it and hooks read it: the job as
// it is now, but for the phase, which is the one that it went into.
type eventDocument struct {
	Change    int64  `json:"change"`
	ChangedAt string `json:"changed_at"`
	Document
}

// EventOf is the document of an event.
func EventOf(e state.Event, job state.Job) any {
	d := eventDocument{e.Number, e.At.Format(time.RFC3339), DocumentOf(job)}
	d.Phase = e.Phase
	return d
}

// watchCommand prints changes of jobs as they happen, those since a number first.
func (p Run) watchCommand() *cobra.Command {
	var since string
	var cmd *cobra.Command
	cmd = p.Command("watch", run.Watching, func(ctx context.Context, s *state.Session, _ []string) (err error) {
		after, failed := strconv.ParseInt(since, 10, 64)
		day, known := state.Since(since)
		switch {
		case since == "":
			after, err = s.Events().Last(ctx)
		case failed != nil && !known:
			return run.BadValue("since", since,
				run.Sentencef("the number of a change, or a day such as %s, today or 7d", time.Now().Format(time.DateOnly)))
		}
		for first := true; err == nil; {
			var events []state.Event
			events, err = s.Events().After(ctx, after)
			if len(events) > 0 && after > 0 && events[0].Number > after+1 {
				p.Notice(run.Sentencef("changes before %d are no longer kept", events[0].Number))
			}
			for _, e := range events {
				after = e.Number
				job, err := s.Job(ctx, e.Job)
				switch {
				case failed != nil && e.At.Before(day):
				case errors.Is(err, state.ErrNoJob): // it was held, and is removed
				case err != nil:
					return err
				case p.JSON && !p.PrintJSON(EventOf(e, job)):
					return nil // why is said at the end
				case p.JSON:
				default:
					fmt.Fprintln(p.Out, strings.Join([]string{e.At.Local().Format(time.DateTime), job.ID, p.Sentence(run.Phase(e.Phase)),
						p.Sentence(run.Word(job.Kind)), api.OneLine(job.Title)}, "\t"))
				}
			}
			if err != nil || len(events) > 0 {
				continue
			}
			if first {
				p.Remark("watching until interrupted (ctrl+c)")
				first = false
			}
			_, err = s.Wait(ctx)
		}
		if ctx.Err() != nil {
			return nil // it was stopped
		}
		return err
	})
	cmd.Flags().StringVar(&since, "since", "", "begin with the changes of this day (2026-03-01, today, 7d), "+
		"or after the one with this number (0: all that are kept); default: now")
	return p.ListFlags(cmd)
}
