// Package jobs has the commands about jobs, and follows requests that were sent.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
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
	return []*cobra.Command{
		p.jobsCommand(), p.jobCommand(), p.waitCommand(), p.watchCommand(), p.statusCommand(), p.fetchCommand(), p.openCommand(),
		p.cleanCommand(),
	}
}

func (p Run) jobsCommand() *cobra.Command {
	var q state.Query
	cmd := p.Command("jobs", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		if p.JSON {
			return p.PrintList("jobs", func(add func(any) error) error {
				return s.EachJob(ctx, q, func(job state.Job) error { return add(DocumentOf(job)) })
			})
		}
		q.Limit = cmp.Or(q.Limit, 50)
		page, err := s.Jobs(ctx, q)
		if err == nil && !run.Unread(s, page.All) {
			p.printRows(page, q.Filter)
		}
		return err
	})
	QueryFlags(cmd, &q, "maximum number of jobs (default 50; all with --json)")
	return p.ListFlags(cmd, Document{})
}

// filterValues are what each term of a filter takes, or examples of it.
var filterValues = map[string]string{
	"is": "done failed favourite active unseen disliked doubt expired expiring fetching held hidden image not_sent noted picked queued " +
		"rated refused rejected result running stale unknown unpicked unrated unread video",
	"kind": "image video", "model": "NAME", "credits": ">100 <=50", "rating": "5 >=4", "stars": "5 >=4",
	"since": "today 7d 2w 2026-03 2026-03-01", "older": "30d 8w 2026-03 2026-03-01",
}

// QueryFlags declares --filter, which refuses what would match nothing because a
// word of it is mistyped, and --limit.
func QueryFlags(cmd *cobra.Command, q *state.Query, limit string) {
	cmd.Flags().Func("filter", "only jobs that match, such as 'is:favourite rating:>=4 since:7d boat'", func(text string) error {
		q.Filter = text
		key, value, unknown := strings.Cut(q.UnknownTerm(), ":")
		if !unknown {
			return nil
		}
		values := strings.Fields(filterValues[key])
		if near := api.Near(value, values); key == "is" && len(near) > 0 {
			values = near
		}
		values = api.Map(values[:min(len(values), 5)], func(value string) string { return key + ":" + value })
		return run.Usagef("--filter: %s is not a valid filter: write %s; 'darkroom jobs --help' has all", run.ID(key+":"+value), run.Or(values))
	})
	run.AboveZero(cmd, &q.Limit, "limit", limit)
}

// Find finds one job by the local id, the service's id, or a prefix of either.
func Find(ctx context.Context, s *state.Session, id string) (state.Job, error) {
	job, err := s.Job(ctx, id)
	if errors.Is(err, state.ErrNoJob) && api.ReasonOf(err) == state.ErrNoJob.Why() {
		err = run.Usagef("no job %s: list them with 'darkroom jobs'", run.ID(id))
	}
	return job, err
}

// findEnded is Find for what there is of ended jobs only.
func findEnded(ctx context.Context, s *state.Session, id string) (state.Job, error) {
	job, err := Find(ctx, s, id)
	if err == nil && job.Phase.Active() && len(job.Files) == 0 {
		err = run.Sentencef("still %s: run 'darkroom wait %s'", run.Phase(job.Phase), job.ID)
	}
	return job, err
}

func (p Run) printRows(page state.Page, filter string) {
	switch {
	case len(page.Rows) == 0 && filter == "":
		p.Remark("no jobs yet")
		return
	case len(page.Rows) == 0:
		p.Remark("no job matches %q", filter)
		for _, word := range strings.Fields(filter) {
			if (state.Query{Filter: "is:" + word}).UnknownTerm() == "" {
				p.Remark("%s was searched for as text; is:%s finds the jobs that are so", run.ID(word), run.ID(word))
			} else if name, _, ok := strings.Cut(word, ":"); ok && (state.Query{Filter: name + ":"}).UnknownTerm() == "" {
				p.Remark("%s is not a filter: it was searched for as text", run.ID(name+":"))
			}
		}
		return
	}
	var t run.Table
	for _, row := range page.Rows {
		if row.Label != "" {
			row.Title += " · " + row.Label
		}
		price := "-"
		if !row.Free() && (row.Source == api.SourceService || row.Source == api.SourceTable) {
			if price = row.Credits.Digits(); run.IsTerminal(p.Out) {
				price = row.Credits.String()
			}
		}
		t.Add(row.ID, row.CreatedAt.Local().Format(time.DateTime),
			p.Sentence(run.Phase(row.Phase)), p.Sentence(run.Word(row.Kind)), price, row.Title)
	}
	p.PrintTable(&t, "id", "created", "phase", "kind", "credits", "title")
	if page.Total > len(page.Rows) {
		p.Remark("%d of %d jobs; --limit shows more", len(page.Rows), page.Total)
	}
}

func (p Run) fetchCommand() *cobra.Command {
	cmd := p.Command("fetch ID", run.Polling, func(ctx context.Context, s *state.Session, args []string) error {
		job, err := findEnded(ctx, s, args[0])
		if err == nil {
			err = s.Fetch(ctx, job.ID)
		}
		if err == nil {
			err = p.Follow(ctx, s, Following{IDs: []string{job.ID}, Wait: true})
		}
		return err
	})
	return p.JSONFlags(cmd, Document{})
}

func (p Run) openCommand() *cobra.Command {
	return p.Command("open ID", run.Store, func(ctx context.Context, s *state.Session, args []string) error {
		job, err := findEnded(ctx, s, args[0])
		if err == nil {
			err = s.Results().Show(ctx, job.ID, 1, state.InOpener)
		}
		return err
	})
}

// Document is a job as --json prints it.
type Document struct {
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
	ResentAs   string          `json:"resent_as,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

type creditsDocument struct {
	Estimated *api.Credits `json:"estimated"`
	Source    api.Source   `json:"source"`
}

// DocumentOf is the document of a job.
func DocumentOf(job state.Job) Document {
	d := Document{
		ID: job.ID, RemoteID: run.OrNull(run.ID(job.RemoteID)), Kind: job.Kind, Model: job.Model, Phase: run.ShownPhase(job.Phase),
		Status: job.Status.String(), Error: run.OrNull(job.Error.String()), Request: job.Body,
		Credits:   creditsDocument{Source: api.SourceNone},
		CreatedAt: job.CreatedAt.Format(time.RFC3339),
		Files:     append([]state.File{}, job.Files...),
		Variation: job.Label, ResentAs: job.Again,
	}
	if job.Pattern != nil {
		d.Pattern = job.Pattern.Prompt
	}
	if job.Estimate.Known() {
		d.Credits = creditsDocument{&job.Estimate.Credits, job.Estimate.Source}
	}
	if !job.EndedAt.IsZero() {
		d.FinishedAt = run.OrNull(job.EndedAt.Format(time.RFC3339))
	}
	return d
}

// withAnswer is DocumentOf with the service's newest answer where that could
// not be read: then it is all that there is to go by.
func withAnswer(s *state.Session, job state.Job) Document {
	d := DocumentOf(job)
	if job.Phase == api.PhaseUnread || job.Phase == api.PhaseUnknown || job.ErrClass == api.ClassUnreadable {
		if answer, err := s.RawAnswer(context.Background(), job.ID); err == nil && len(answer) > 0 {
			d.Raw = run.Raw(answer)
		}
	}
	return d
}
