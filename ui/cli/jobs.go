package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

func (p *program) jobsCommand() *cobra.Command {
	var filter string
	var limit int
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs, newest first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return usage("--limit: give a whole number above 0")
			}
			return p.with(cmd.Context(), false, func(s *state.Session) error {
				return p.listJobs(cmd.Context(), s, state.Query{Filter: filter, Limit: limit})
			})
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "only jobs whose prompt, model, phase, kind or id contains these words")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many `JOBS`; default: all with --json, else 50")
	p.listFlags(cmd)
	return cmd
}

// jobPage is how many jobs are read from the store at a time.
const jobPage = 500

func (p *program) listJobs(ctx context.Context, s *state.Session, q state.Query) error {
	if p.json {
		return p.printJobList(ctx, s, q)
	}
	limit := q.Limit
	if limit == 0 {
		limit = 50
	}
	rows, total, err := allRows(ctx, s, q.Filter, limit)
	if err != nil {
		return err
	}
	p.printRows(rows, total)
	return nil
}

// printJobList prints the jobs while they are read, unless an expression needs
// all of them.
func (p *program) printJobList(ctx context.Context, s *state.Session, q state.Query) error {
	if p.structured.query != nil {
		documents := []jobDocument{}
		err := s.EachJob(ctx, q, func(job state.Job) error {
			documents = append(documents, documentOf(job))
			return nil
		})
		if err != nil {
			return err
		}
		p.printJSON(map[string]any{"jobs": documents})
		return nil
	}
	list := p.newList("jobs")
	err := s.EachJob(ctx, q, func(job state.Job) error { return list.add(documentOf(job)) })
	if err != nil && list.n == 0 {
		return err
	}
	if err != nil { // half of the list stands there already
		p.notice(err)
		err = &failure{code: exitFailed, err: err, printed: true}
	}
	return errors.Join(list.end(), err)
}

// allRows reads the list, newest first, up to a limit; 0 is none. total is how
// many rows match the filter.
func allRows(ctx context.Context, s *state.Session, filter string, limit int) (rows []state.Row, total int, err error) {
	q := state.Query{Filter: filter}
	for q.Offset = 0; limit <= 0 || q.Offset < limit; q.Offset += jobPage {
		q.Limit = jobPage
		if limit > 0 {
			q.Limit = min(jobPage, limit-q.Offset)
		}
		page, err := s.Jobs(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		total = page.Total
		rows = append(rows, page.Rows...)
		if len(page.Rows) < q.Limit {
			break
		}
	}
	return rows, total, nil
}

func (p *program) printRows(rows []state.Row, total int) {
	if len(rows) == 0 {
		p.sayln("no jobs yet")
		return
	}
	var t table
	for _, row := range rows {
		if row.Label != "" {
			row.Title += " · " + row.Label
		}
		price := "-"
		if row.Source == api.SourceService || row.Source == api.SourceTable {
			price = row.Credits.String()
		}
		t.add(row.ID, row.CreatedAt.Local().Format(time.DateTime),
			p.sentence(phaseWord(row.Phase)), p.sentence(word(row.Kind)), price, row.Title)
	}
	p.printTable(&t, "id", "created", "phase", "kind", "credits", "title")
	if total > len(rows) {
		p.sayln("%d of %d jobs; --limit shows more", len(rows), total)
	}
}

func (p *program) fetchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch ID",
		Short: "Download a finished job's results again",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.withService(ctx, true, func(s *state.Session) error {
				job, err := s.Job(ctx, args[0])
				if err != nil {
					return err
				}
				if err := s.Fetch(ctx, job.ID); err != nil {
					return err
				}
				job, err = s.Ended(ctx, job.ID)
				if err != nil {
					return p.stoppedWaiting(ctx, s, job.ID, err)
				}
				return p.finish(s, job)
			})
		},
	}
	p.jsonFlag(cmd)
	return cmd
}

func (p *program) openCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "open ID",
		Short: "Open a job's result with the system's program",
		Args:  arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(cmd.Context(), false, func(s *state.Session) error {
				job, err := s.Job(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return s.OpenFile(cmd.Context(), job.ID, 1)
			})
		},
	}
}
