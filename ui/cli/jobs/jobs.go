// Package jobs has the commands about jobs, and what follows a request that was
// sent.
package jobs

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// Run is a run of a command about jobs.
type Run struct{ *run.Program }

// Commands are those about jobs.
func (p Run) Commands() []*cobra.Command {
	return []*cobra.Command{p.jobsCommand(), p.jobCommand(), p.waitCommand(), p.fetchCommand(), p.openCommand()}
}

func (p Run) jobsCommand() *cobra.Command {
	var filter string
	var limit int
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List jobs, newest first",
		Example: `  darkroom jobs
  darkroom jobs --filter "video koi" --limit 5
  darkroom jobs --json=id,phase,files`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("limit") && limit < 1 {
				return run.Usagef("--limit: give a whole number above 0")
			}
			if err := Filterable(filter); err != nil {
				return err
			}
			return p.With(cmd.Context(), false, func(s *state.Session) error {
				return p.listJobs(cmd.Context(), s, state.Query{Filter: filter, Limit: limit})
			})
		},
	}
	cmd.Flags().StringVar(&filter, "filter", "", "only jobs that match, such as 'is:picked stars:>=4 since:7d boat'")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most so many jobs; default: all with --json, else 50")
	p.ListFlags(cmd, jobDocument{})
	return cmd
}

// Filterable refuses a filter that would match nothing because a word of it is
// mistyped.
func Filterable(filter string) error {
	if word := (state.Query{Filter: filter}).UnknownTerm(); word != "" {
		return run.Usagef("--filter: %s is no condition: write it like is:done, kind:video, model:NAME, credits:>100, "+
			"since:7d or stars:>=4", run.ID(word))
	}
	return nil
}

// jobPage is how many jobs are read from the store at a time.
const jobPage = 500

func (p Run) listJobs(ctx context.Context, s *state.Session, q state.Query) error {
	if p.JSON {
		return p.PrintList("jobs", func(add func(any) error) error {
			return s.EachJob(ctx, q, func(job state.Job) error { return add(documentOf(job)) })
		})
	}
	limit := q.Limit
	if limit == 0 {
		limit = 50
	}
	rows, total, err := AllRows(ctx, s, state.Query{Filter: q.Filter}, limit)
	if err != nil {
		return err
	}
	p.printRows(rows, total, q.Filter)
	return nil
}

// find finds one job by local id, unique beginning of it, or the service's id;
// an error names what was given.
func find(ctx context.Context, s *state.Session, id string) (state.Job, error) {
	job, err := s.Job(ctx, id)
	if err != nil {
		return job, run.Sentencef("%s: %s", run.ID(id), err)
	}
	return job, nil
}

// AllRows reads the list, newest first, up to a limit; 0 is none. total is how
// many rows match the filter.
func AllRows(ctx context.Context, s *state.Session, q state.Query, limit int) (rows []state.Row, total int, err error) {
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

func (p Run) printRows(rows []state.Row, total int, filter string) {
	if len(rows) == 0 {
		if filter == "" {
			p.Remark("no jobs yet")
		} else {
			p.Remark("no job matches %q", filter)
		}
		return
	}
	var t run.Table
	for _, row := range rows {
		if row.Label != "" {
			row.Title += " · " + row.Label
		}
		price := "-"
		if row.Source == api.SourceService || row.Source == api.SourceTable {
			price = row.Credits.String()
		}
		t.Add(row.ID, row.CreatedAt.Local().Format(time.DateTime),
			p.Sentence(run.Phase(row.Phase)), p.Sentence(run.Word(row.Kind)), price, row.Title)
	}
	p.PrintTable(&t, "id", "created", "phase", "kind", "credits", "title")
	if total > len(rows) {
		p.Remark("%d of %d jobs; --limit shows more", len(rows), total)
	}
}

func (p Run) fetchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fetch ID",
		Short:   "Download a finished job's results again",
		Example: `  darkroom fetch k3f9`,
		Args:    run.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.WithService(ctx, true, func(s *state.Session) error {
				job, err := find(ctx, s, args[0])
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
	p.JSONFlags(cmd, jobDocument{})
	return cmd
}

func (p Run) openCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "open ID",
		Short:   "Open a job's result with the system's program",
		Example: `  darkroom open k3f9`,
		Args:    run.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.With(cmd.Context(), false, func(s *state.Session) error {
				job, err := find(cmd.Context(), s, args[0])
				if err != nil {
					return err
				}
				return s.Results().Show(cmd.Context(), job.ID, 1, state.InOpener)
			})
		},
	}
}

// JobFlags declares --json and --jq for a command that prints a job, or another
// document.
func (p Run) JobFlags(cmd *cobra.Command, other any) { p.JSONFlags(cmd, jobDocument{}, other) }

type jobDocument struct {
	ID         string          `json:"id"`
	RemoteID   *string         `json:"remote_id"`
	Kind       api.Kind        `json:"kind"`
	Model      string          `json:"model"`
	Phase      api.Phase       `json:"phase"`
	Status     string          `json:"status"`
	Error      *string         `json:"error"`
	Request    json.RawMessage `json:"request"`
	Credits    creditsDocument `json:"credits"`
	CreatedAt  string          `json:"created_at"`
	FinishedAt *string         `json:"finished_at"`
	Files      []state.File    `json:"files"`
	Pattern    string          `json:"pattern,omitempty"`
	Variation  string          `json:"variation,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

type creditsDocument struct {
	Estimated *api.Credits `json:"estimated"`
	Source    api.Source   `json:"source"`
}

func documentOf(job state.Job) jobDocument {
	d := jobDocument{
		ID: job.ID, Kind: job.Kind, Model: job.Model, Phase: run.ShownPhase(job.Phase),
		Status: job.Status.String(), Request: job.Body,
		Credits:   creditsDocument{Source: job.Estimate.Source},
		CreatedAt: job.CreatedAt.Format(time.RFC3339),
		Files:     job.Files,
	}
	if job.Pattern != nil {
		d.Pattern, d.Variation = job.Pattern.Prompt, job.Label
	}
	if d.Files == nil {
		d.Files = []state.File{}
	}
	if job.Estimate.Known() {
		d.Credits.Estimated = &job.Estimate.Credits
	} else {
		d.Credits.Source = api.SourceNone
	}
	d.RemoteID = run.OrNull(api.Clean(job.RemoteID, api.MaxIDText).String())
	d.Error = run.OrNull(job.Error.String())
	if !job.EndedAt.IsZero() {
		d.FinishedAt = run.OrNull(job.EndedAt.Format(time.RFC3339))
	}
	return d
}

// withAnswer is documentOf with the service's newest answer where that could
// not be read: then it is all that there is to go by.
func withAnswer(s *state.Session, job state.Job) jobDocument {
	d := documentOf(job)
	if job.Phase == api.PhaseUnread || job.Phase == api.PhaseUnknown || job.ErrClass == api.ClassUnreadable {
		if answer, err := s.RawAnswer(context.Background(), job.ID); err == nil && len(answer) > 0 {
			d.Raw = run.Raw(answer)
		}
	}
	return d
}
