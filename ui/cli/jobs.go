package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
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
		Args:  cobra.NoArgs,
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
	table := tabwriter.NewWriter(p.out, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		price := "-"
		if row.Source == api.SourceService || row.Source == api.SourceTable {
			price = row.Credits.String() + " cr"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", row.ID, row.CreatedAt.Local().Format(time.DateTime),
			shownPhase(row.Phase), row.Kind, price, row.Title)
	}
	_ = table.Flush()
	if total > len(rows) {
		fmt.Fprintf(p.err, "%d of %d jobs; --limit shows more\n", len(rows), total)
	}
}

// settleFlags are the deeds by which a person settles an unknown outcome.
type settleFlags struct {
	attach          string
	dismiss, resend bool
	yes             int
	maxCredits      credits
}

func (p *program) jobCommand() *cobra.Command {
	f := &settleFlags{}
	var raw bool
	cmd := &cobra.Command{
		Use:   "job ID",
		Short: "Show one job, or settle one whose outcome is unknown",
		Long: "Shows one job. ID is the local id, its unique beginning, or the service's id.\n\n" +
			"A job whose outcome is unknown is settled with one of --attach, --dismiss and --resend;\n" +
			"sending again may be charged twice, so it asks twice (--yes --yes for scripts).",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.job(cmd, args[0], f, raw) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.attach, "attach", "", "give the job the id that the service gave it; polling begins")
	flags.BoolVar(&f.dismiss, "dismiss", false, "declare the job not charged")
	flags.BoolVar(&f.resend, "resend", false, "send its request again, as a new job")
	flags.CountVarP(&f.yes, "yes", "y", "answer a question with yes; twice for --resend")
	flags.Var(&f.maxCredits, "max-credits", "with --resend: refuse when the price is higher or unknown")
	flags.BoolVar(&raw, "raw", false, "also print the service's newest answer about the job")
	cmd.MarkFlagsMutuallyExclusive("attach", "dismiss", "resend")
	p.jsonFlag(cmd)
	return cmd
}

func (p *program) job(cmd *cobra.Command, id string, f *settleFlags, raw bool) error {
	ctx := cmd.Context()
	switch {
	case f.maxCredits.set && !f.resend:
		return usage("--max-credits belongs to --resend")
	case cmd.Flags().Changed("attach"):
		return p.with(ctx, false, func(s *state.Session) error {
			return p.settle(ctx, s, id, func(job state.Job) error { return s.Attach(ctx, job.ID, f.attach) })
		})
	case f.dismiss:
		return p.with(ctx, false, func(s *state.Session) error {
			return p.settle(ctx, s, id, func(job state.Job) error {
				if f.yes == 0 && p.terminal() {
					if err := p.ask(ctx, "Count this job as not charged?"); err != nil {
						return err
					}
				}
				return s.Dismiss(ctx, job.ID)
			})
		})
	case f.resend:
		return p.withService(ctx, false, func(s *state.Session) error { return p.resend(ctx, s, id, f) })
	}
	return p.with(ctx, false, func(s *state.Session) error {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		return p.showJob(ctx, s, job, raw)
	})
}

func (p *program) settle(ctx context.Context, s *state.Session, id string, deed func(state.Job) error) error {
	job, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	if err := deed(job); err != nil {
		return err
	}
	job, err = s.Job(ctx, job.ID)
	if err != nil {
		return err
	}
	return p.showJob(ctx, s, job, false)
}

func (p *program) resend(ctx context.Context, s *state.Session, id string, f *settleFlags) error {
	job, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	questions := []string{"Send this request again?", "It may be charged twice. Send it all the same?"}
	questions = questions[min(f.yes, len(questions)):]
	confirmID, price, err := s.ResendConfirm(ctx, job.ID)
	switch {
	case errors.Is(err, state.ErrKeyRefused):
		return withCode(exitKey, err)
	case ctx.Err() != nil:
		return withCode(exitUsage, errAborted)
	case confirmID == "":
		return err
	}
	price, err = current(price, err, job.Request, time.Now())
	if err := f.maxCredits.allow(price, err); err != nil {
		return err
	}
	p.sayPrice(ctx, s, job.Model, priceSentence(price, err))
	for _, question := range questions {
		if !p.terminal() {
			return usage("nothing was sent: sending again may be charged twice; without a terminal to ask on, --yes --yes is needed")
		}
		if err := p.ask(ctx, question); err != nil {
			return err
		}
	}
	again, err := s.Resend(ctx, job.ID, confirmID)
	if err != nil {
		return err
	}
	sent, err := s.Sent(ctx, again.ID)
	if err != nil {
		return p.stoppedWaiting(ctx, s, again.ID, err)
	}
	if sent.Phase.Active() {
		p.printJob(s, sent)
		return nil
	}
	return p.finish(s, sent)
}

func (p *program) showJob(ctx context.Context, s *state.Session, job state.Job, raw bool) error {
	if p.json && !raw {
		p.printJSON(withAnswer(s, job))
		return nil
	}
	var answer []byte
	if raw {
		var err error
		if answer, err = s.RawAnswer(ctx, job.ID); err != nil {
			return err
		}
	}
	if p.json {
		document := documentOf(job)
		document.Raw = rawDocument(answer)
		p.printJSON(document)
		return nil
	}
	p.printDetail(job)
	if raw {
		fmt.Fprintln(p.out, api.CleanLines(string(answer), len(answer)))
	}
	return nil
}

func (p *program) printDetail(job state.Job) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p.out, "%-9s %s\n", name, value)
		}
	}
	line("job", job.ID)
	line("remote id", shownID(job.RemoteID))
	line("phase", string(shownPhase(job.Phase)))
	line("status", job.Status.String())
	line("error", oneLine(job.Error.String()))
	line("kind", string(job.Kind))
	line("model", shownID(job.Model))
	line("prompt", strings.ReplaceAll(api.CleanLines(job.Request.Prompt, len(job.Request.Prompt)+1).String(), "\n", "\n          "))
	if job.Estimate.Known() {
		line("credits", fmt.Sprintf("%s (%s)", job.Estimate.Credits, job.Estimate.Source))
	}
	line("created", job.CreatedAt.Local().Format(time.DateTime))
	if !job.EndedAt.IsZero() {
		line("ended", job.EndedAt.Local().Format(time.DateTime))
	}
	for _, file := range job.Files {
		line("file", file.Path)
	}
}

func (p *program) fetchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fetch ID",
		Short: "Download a finished job's results again",
		Args:  cobra.ExactArgs(1),
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
		Args:  cobra.ExactArgs(1),
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
