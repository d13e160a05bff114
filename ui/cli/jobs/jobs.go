// Package jobs has the commands about jobs, and follows requests that were sent.
package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
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
		p.jobsCommand(), p.jobCommand(), p.waitCommand(), p.watchCommand(), p.statusCommand(), p.cleanCommand(), p.exportCommand(),
		p.joinCommand(), p.endedCommand("open ID", run.Store, func(ctx context.Context, s *state.Session, id string) error {
			return s.Results().Show(ctx, id, 1, state.InOpener)
		}),
		p.JSONFlags(p.endedCommand("fetch ID", run.Polling, func(ctx context.Context, s *state.Session, id string) error {
			if err := s.Fetch(ctx, id); err != nil {
				return err
			}
			return p.Follow(ctx, s, Following{IDs: []string{id}, Wait: true})
		}), Document{}),
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
		price := "-"
		if !row.Free() && (row.Source == api.SourceService || row.Source == api.SourceTable) {
			if price = row.Credits.Digits(); run.IsTerminal(p.Out) {
				price = row.Credits.String()
			}
		}
		t.Add(row.ID, row.CreatedAt.Local().Format(time.DateTime),
			p.Sentence(run.Phase(row.Phase)), p.Sentence(run.Word(row.Kind)), price, run.Joined(row.Title, row.Label))
	}
	p.PrintTable(t, "id", "created", "phase", "kind", "credits", "title")
	if page.Total > len(page.Rows) {
		p.Remark("%d of %d jobs; --limit shows more", len(page.Rows), page.Total)
	}
}

// Document is a job as --json prints it.
type Document struct {
	ID       string          `json:"id"`
	RemoteID *string         `json:"remote_id"`
	Kind     api.Kind        `json:"kind"`
	Model    string          `json:"model"`
	Phase    api.Phase       `json:"phase"`
	Status   string          `json:"status"`
	Error    *string         `json:"error"`
	Request  json.RawMessage `json:"request"`
	Credits  struct {
		Estimated *api.Credits `json:"estimated"`
		Source    api.Source   `json:"source"`
	} `json:"credits"`
	CreatedAt  string          `json:"created_at"`
	FinishedAt *string         `json:"finished_at"`
	Files      []state.File    `json:"files"`
	Pattern    string          `json:"pattern,omitempty"`
	Variation  string          `json:"variation,omitempty"`
	ResentAs   string          `json:"resent_as,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

// DocumentOf is the document of a job.
func DocumentOf(job state.Job) Document {
	d := Document{
		ID: job.ID, RemoteID: run.OrNull(run.ID(job.RemoteID)), Kind: job.Kind, Model: job.Model, Phase: run.ShownPhase(job.Phase),
		Status: job.Status.String(), Error: run.OrNull(job.Error.String()), Request: job.Body,
		CreatedAt: job.CreatedAt.Format(time.RFC3339), Files: append([]state.File{}, job.Files...), Variation: job.Label, ResentAs: job.Again,
	}
	if job.Pattern != nil {
		d.Pattern = job.Pattern.Prompt
	}
	if d.Credits.Source = api.SourceNone; job.Estimate.Known() {
		d.Credits.Estimated, d.Credits.Source = &job.Estimate.Credits, job.Estimate.Source
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

type settleFlags struct {
	attach                                         string
	dismiss, resend, again, send, remove, all, raw bool
	yes                                            int
	maxCredits                                     run.LimitFlag
}

func (p Run) jobCommand() *cobra.Command {
	f := &settleFlags{}
	cmd := &cobra.Command{Use: "job ID", RunE: func(cmd *cobra.Command, args []string) error { return p.job(cmd, args[0], f) }}
	flags := cmd.Flags()
	flags.StringVar(&f.attach, "attach", "", "set the id that the service gave the job; polling begins")
	flags.BoolVar(&f.dismiss, "dismiss", false, "mark the job as not charged")
	flags.BoolVar(&f.resend, "resend", false, "send its request again, as a new job")
	flags.BoolVar(&f.again, "again", false, "with --resend: send it once more although it was sent again already")
	flags.BoolVar(&f.send, "send", false, "send a job that is held")
	flags.BoolVar(&f.remove, "remove", false, "delete a job that is held; nothing was spent on it")
	flags.BoolVar(&f.all, "all", false, "with --send and --remove: all jobs that are held with it")
	flags.CountVarP(&f.yes, "yes", "y",
		"answer a question with yes; twice where it may be charged twice: --resend, and --send from a copy or backup of the store")
	f.maxCredits.Add(cmd, "max-credits", "with --resend and --send: refuse when the price is higher or unknown")
	flags.BoolVar(&f.raw, "raw", false, "also print the service's newest response about the job")
	cmd.MarkFlagsMutuallyExclusive("attach", "dismiss", "resend", "send", "remove")
	return p.JSONFlags(cmd, Document{}, "removed")
}

// job does what the flags say with a job, or shows it.
func (p Run) job(cmd *cobra.Command, id string, f *settleFlags) error {
	ctx, needs := cmd.Context(), run.Store
	switch {
	case f.maxCredits.Given && !f.resend && !f.send:
		return run.Usagef("--max-credits needs --send or --resend: write 'darkroom job %s --send --max-credits N'", id)
	case f.again && !f.resend:
		return run.Usagef("--again needs --resend: write 'darkroom job %s --resend --again'", id)
	case f.all && !f.send && !f.remove:
		return run.Usagef("--all needs --send or --remove: write 'darkroom job %s --send --all'", id)
	case f.send || f.resend:
		needs = run.Service
	}
	return p.With(ctx, needs, func(s *state.Session) error {
		job, err := Find(ctx, s, id)
		if err != nil {
			return err
		}
		var sent []string
		switch unsent := job.Phase == api.PhaseNotSent || job.Phase == api.PhaseRejected; {
		case (f.send || f.resend) && (unsent || job.Phase == api.PhaseHeld) && elsewhere(s, job) != nil:
			return run.Usagef("nothing was sent: %s", elsewhere(s, job))
		case f.send && (unsent || job.Phase == api.PhaseUnknown):
			return run.Usagef("job %s is %s, not held: send it again with --resend", job.ID, run.Phase(job.Phase))
		case (f.send || f.remove) && job.Phase != api.PhaseHeld:
			return run.Usagef("job %s is %s, not held: nothing to send or remove", job.ID, run.Phase(job.Phase))
		case f.send:
			sent, err = p.sendHeld(ctx, s, job, f)
		case f.remove:
			return p.removeHeld(ctx, s, job, f.all)
		case f.resend:
			sent, err = p.resend(ctx, s, job, f)
		case f.dismiss:
			if f.yes == 0 && slices.Contains([]api.Phase{api.PhaseUnknown, api.PhaseUnread, api.PhaseIntent}, job.Phase) { // else it is refused
				err = p.Ask(ctx, "--yes", run.Sentencef("Count this job as not charged?"), run.Sentencef("nothing was changed"))
			}
			if err == nil {
				err = s.Dismiss(ctx, job.ID)
			}
		case cmd.Flags().Changed("attach"):
			defer p.ForService()()
			_ = s.Remote.AwaitKey(ctx) // without one the id is not asked about
			if err = s.Attach(ctx, job.ID, f.attach); errors.Is(err, context.Canceled) {
				err = run.Sentencef("stopped; nothing was changed")
			}
		}
		if err == nil && needs == run.Service {
			return p.Follow(ctx, s, Following{IDs: sent, New: true, List: f.send})
		} else if err == nil {
			job, err = s.Job(ctx, job.ID)
		}
		document, answer := withAnswer(s, job), []byte(nil)
		if err == nil && f.raw {
			answer, err = s.RawAnswer(ctx, job.ID)
			document.Raw = run.Raw(answer)
		}
		switch {
		case err != nil:
		case p.JSON:
			p.PrintJSON(document)
		default:
			p.printDetail(s, job)
			if f.raw {
				fmt.Fprintln(p.Out, run.Lines(string(answer)))
			}
		}
		return err
	})
}

// resend sends a job's request again at the price that counts now, and gives the new job's id.
func (p Run) resend(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) ([]string, error) {
	if f.yes > 0 && p.AgentShell(s) {
		return p.Hold(ctx, s, []api.Request{job.Request}, f.maxCredits.Most)
	}
	confirmID, price, why := s.ResendConfirm(ctx, job.ID)
	if err := run.Ends(ctx, why); err != nil || confirmID == "" {
		return nil, cmp.Or(err, why)
	}
	if before := run.Refused(why, "again"); before != nil {
		if !f.again {
			if f.yes > 0 || !p.Asking() {
				return nil, run.Usagef("%s; use --again to send it anyway", before)
			}
			if err := p.Ask(ctx, "--again", run.Sentencef("%s. Send it once more?", before)); err != nil {
				return nil, err
			}
		}
		why = before.Cause
	}
	price, why = run.Current(price, why, job.Request)
	questions := []error{run.Sentencef("Send this request again?"), run.ChargedTwice}
	if job.Phase == api.PhaseNotSent || job.Phase == api.PhaseRejected { // not charged
		questions = questions[:1]
	}
	err := p.Agree(ctx, s, run.Offer{Model: job.Model, Price: price, Why: why, Limit: f.maxCredits, Yes: f.yes, Questions: questions})
	if err != nil {
		return nil, err
	}
	again, err := s.Resend(ctx, job.ID, confirmID)
	if refusal := run.Refused(err, "price"); refusal != nil && f.yes == 0 {
		p.Notice(refusal) // the price has changed while the question waited
		return p.resend(ctx, s, job, f)
	}
	return []string{again.ID}, err
}

// printDetail prints what is known of a job, a name and a value a line.
func (p Run) printDetail(s *state.Session, job state.Job) {
	say := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p.Out, "%s %s\n", run.Pad(p.Say(name), 9), value)
		}
	}
	say("job", job.ID)
	say("asked by", job.Entry)
	say("remote id", run.ID(job.RemoteID))
	say("phase", p.Sentence(run.Phase(job.Phase)))
	say("status", job.Status.String())
	say("resent as", job.Again)
	say("error", p.Sentence(run.Because(job.Error)))
	say("advice", p.next(s, job))
	say("kind", p.Sentence(run.Word(job.Kind)))
	say("model", run.ID(job.Model))
	say("prompt", indented(job.Request.Prompt))
	say("pattern", indented(DocumentOf(job).Pattern))
	say("variation", job.Label)
	say("credits", p.SayIf(job.Estimate.Known() && !job.Free(), "%s (%s)", job.Estimate.Credits.String(), run.Word(job.Estimate.Source)))
	say("created", job.CreatedAt.Local().Format(time.DateTime))
	if !job.EndedAt.IsZero() {
		say("ended", job.EndedAt.Local().Format(time.DateTime))
	}
	for _, file := range job.Files {
		say("file", file.Path)
	}
}

// indented is a prompt whose lines stand below each other.
func indented(prompt string) string {
	return strings.ReplaceAll(run.Lines(prompt), "\n", "\n          ")
}

// sendHeld sends a held job, or all that wait with it, and gives their ids.
func (p Run) sendHeld(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) ([]string, error) {
	if f.yes > 0 && p.AgentShell(s) {
		return nil, run.Held(job.ID)
	}
	offer, why := s.Queue().Offer(ctx, job.ID, f.all)
	if err := run.Ends(ctx, why); err != nil || len(offer.Held) == 0 {
		return nil, cmp.Or(err, run.WithCode(run.ExitUsage, why))
	}
	price, ask := run.PriceText(offer.Price, why), []error{run.Sentencef("Send it?")}
	if len(offer.Held) > 1 {
		price, ask[0] = run.Sentencef("%d requests · %s", len(offer.Held), price), run.Sentencef("Send them all?")
	}
	p.Notice(run.Because(offer.Reason))
	if offer.Dead {
		p.Notice(run.Sentencef("a link has expired"))
	}
	for _, h := range offer.Held {
		if h.Request.Model != job.Model {
			job.Model = "" // several are not said
		}
		if h.Entry != "" {
			p.Remark("%s asks:\n%s", h.Entry, p.marked(h.Request))
		}
	}
	if limit := &f.maxCredits; job.Entry != "" && f.yes > 0 && !limit.Given { // nobody sees the price
		limit.Amount, limit.Given = offer.Agreed, true
	}
	if offer.Copied {
		ask = append(ask, run.ChargedTwice)
	}
	err := p.Agree(ctx, s, run.Offer{Model: job.Model, Price: offer.Price, Why: why, Words: price, Limit: f.maxCredits,
		Yes: f.yes, Questions: ask})
	if err == nil {
		err = s.Queue().Resume(ctx, offer)
	}
	return api.Map(offer.Held, func(h state.Held) string { return h.ID }), err
}

// marked is all that an agent asks for, with a mark in each row: none can look like one of ours.
func (p Run) marked(r api.Request) string {
	texts := []string{"“" + r.Prompt + "”", run.Joined(r.Said(p.Say)...)}
	r.MapAddresses(func(_, address string) string { texts = append(texts, address); return address })
	rows := api.Map(texts, func(text string) string {
		return ansi.Hardwrap(api.Clean(api.OneLine(text), api.MaxPrompt+2).String(), 56, true)
	})
	return "▏ " + strings.ReplaceAll(strings.Join(rows, "\n"), "\n", "\n▏ ")
}

func (p Run) removeHeld(ctx context.Context, s *state.Session, job state.Job, all bool) error {
	held, err := []state.Held{{Job: job}}, error(nil)
	if all {
		held, err = s.Queue().Held(ctx, job.ID)
	}
	ids := api.Map(held, func(h state.Held) string { return h.ID })
	if err == nil {
		err = s.Queue().Decline(ctx, "", ids...)
	}
	if err == nil && p.JSON {
		p.PrintJSON(map[string]any{"removed": ids})
	} else if err == nil {
		p.Remark("%d removed; nothing was spent", len(ids))
	}
	return err
}
