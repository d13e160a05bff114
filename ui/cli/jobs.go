package cli

import (
	"context"
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
			return p.with(cmd.Context(), false, func(s *state.Session) error {
				return p.listJobs(cmd.Context(), s, state.Query{Filter: filter, Limit: limit})
			})
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "only jobs whose prompt, model, phase, kind or id contains these words")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many; default: all with --json, else 50")
	p.jsonFlag(cmd)
	return cmd
}

// jobPage is how many jobs are read from the store at a time.
const jobPage = 500

func (p *program) listJobs(ctx context.Context, s *state.Session, q state.Query) error {
	limit := q.Limit
	if limit <= 0 && !p.json {
		limit = 50
	}
	documents := []jobDocument{}
	rows, total, err := allRows(ctx, s, q.Filter, limit)
	if err != nil {
		return err
	}
	if !p.json {
		p.printRows(rows, total)
		return nil
	}
	for _, row := range rows {
		job, err := s.Job(ctx, row.ID)
		if err != nil {
			return err
		}
		documents = append(documents, documentOf(job))
	}
	p.printJSON(map[string]any{"jobs": documents})
	return nil
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
	var t table
	for _, row := range rows {
		if row.Label != "" {
			row.Title += " · " + row.Label
		}
		price := "-"
		if row.Source == api.SourceService || row.Source == api.SourceTable {
			price = p.say("%s cr", row.Credits.String())
		}
		t.add(row.ID, row.CreatedAt.Local().Format(time.DateTime),
			p.sentence(phaseWord(row.Phase)), p.sentence(word(row.Kind)), price, row.Title)
	}
	_ = t.write(p.out)
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
