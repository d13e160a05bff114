package jobs

import (
	"cmp"
	"context"
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
	flags.Var(&f.maxCredits, "max-credits", "with --resend and --send: refuse when the price is higher or unknown")
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
		switch unsent := job.Phase == api.PhaseNotSent || job.Phase == api.PhaseRejected; {
		case (f.send || f.resend) && (unsent || job.Phase == api.PhaseHeld) && elsewhere(s, job) != nil:
			return run.Usagef("nothing was sent: %s", elsewhere(s, job))
		case f.send && (unsent || job.Phase == api.PhaseUnknown):
			return run.Usagef("job %s is %s, not held: send it again with --resend", job.ID, run.Phase(job.Phase))
		case (f.send || f.remove) && job.Phase != api.PhaseHeld:
			return run.Usagef("job %s is %s, not held: nothing to send or remove", job.ID, run.Phase(job.Phase))
		case f.send:
			return p.sendHeld(ctx, s, job, f)
		case f.remove:
			return p.removeHeld(ctx, s, job, f.all)
		case f.resend:
			return p.resend(ctx, s, job, f)
		case f.dismiss:
			if f.yes == 0 && slices.Contains([]api.Phase{api.PhaseUnknown, api.PhaseUnread, api.PhaseIntent}, job.Phase) { // else it is refused
				err = p.Ask(ctx, "--yes", run.Sentencef("Count this job as not charged?"), run.Sentencef("nothing was changed"))
			}
			if err == nil {
				err = s.Dismiss(ctx, job.ID)
			}
		case cmd.Flags().Changed("attach"):
			_ = s.Remote.AwaitKey(ctx) // without one the id is not asked about
			err = s.Attach(ctx, job.ID, f.attach)
		}
		if err == nil {
			job, err = s.Job(ctx, job.ID)
		}
		document, answer := withAnswer(s, job), []byte(nil)
		if err == nil && f.raw {
			answer, err = s.RawAnswer(ctx, job.ID)
			document.Raw = run.Raw(answer)
		}
		switch {
		case err != nil:
			return err
		case p.JSON:
			p.PrintJSON(document)
			return nil
		}
		p.printDetail(s, job)
		if f.raw {
			fmt.Fprintln(p.Out, run.Lines(string(answer)))
		}
		return nil
	})
}

// resend sends a job's request again at the price that counts now.
func (p Run) resend(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) error {
	if f.yes > 0 && p.AgentShell(s) {
		ids, err := p.Hold(ctx, s, []api.Request{job.Request}, f.maxCredits)
		if err != nil {
			return err
		}
		return p.Follow(ctx, s, Following{IDs: ids, New: true})
	}
	confirmID, price, why := s.ResendConfirm(ctx, job.ID)
	if err := run.Ends(ctx, why); err != nil || confirmID == "" {
		return cmp.Or(err, why)
	}
	if before := run.Refused(why, "again"); before != nil {
		if !f.again {
			if f.yes > 0 || !p.Asking() {
				return run.Usagef("%s; use --again to send it anyway", before)
			}
			if err := p.Ask(ctx, "--again", run.Sentencef("%s. Send it once more?", before)); err != nil {
				return err
			}
		}
		why = before.Cause
	}
	price, why = run.Current(price, why, job.Request, time.Now())
	questions := []error{run.Sentencef("Send this request again?"), run.ChargedTwice}
	if job.Phase == api.PhaseNotSent || job.Phase == api.PhaseRejected { // not charged
		questions = questions[:1]
	}
	err := p.Agree(ctx, s, run.Offer{Model: job.Model, Price: price, Why: why, Limit: f.maxCredits, Yes: f.yes, Questions: questions})
	if err != nil {
		return err
	}
	again, err := s.Resend(ctx, job.ID, confirmID)
	if refusal := run.Refused(err, "price"); refusal != nil && f.yes == 0 {
		p.Notice(refusal) // the price has changed while the question waited
		return p.resend(ctx, s, job, f)
	}
	if err != nil {
		return err
	}
	return p.Follow(ctx, s, Following{IDs: []string{again.ID}, New: true})
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
	if job.Pattern != nil {
		say("pattern", indented(job.Pattern.Prompt))
	}
	say("variation", job.Label)
	if job.Estimate.Known() && !job.Free() {
		say("credits", p.Say("%s (%s)", job.Estimate.Credits.String(), run.Word(job.Estimate.Source)))
	}
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

// sendHeld sends a held job, or all that wait with it.
func (p Run) sendHeld(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) error {
	if f.yes > 0 && p.AgentShell(s) {
		return run.Held(job.ID)
	}
	offer, why := s.Queue().Offer(ctx, job.ID, f.all)
	if err := run.Ends(ctx, why); err != nil {
		return err
	}
	if len(offer.Held) == 0 {
		return run.WithCode(run.ExitUsage, why)
	}
	price := run.PriceText(offer.Price, why)
	if len(offer.Held) > 1 {
		price = run.Sentencef("%d requests · %s", len(offer.Held), price)
	}
	if !offer.Reason.IsZero() {
		p.Notice(run.Because(offer.Reason))
	}
	limit := f.maxCredits
	if job.Entry != "" {
		words := ansi.Hardwrap(api.Clean(api.OneLine("“"+job.Request.Prompt+"”"), 300).String(), 56, true)
		p.Remark("%s asks:\n%s", job.Entry, "▏ "+strings.ReplaceAll(words, "\n", "\n▏ ")) // no row begins with the agent's words
		if f.yes > 0 && !limit.Given {                                                    // nobody sees the price
			limit = run.LimitFlag{Amount: offer.Agreed, Given: true}
		}
	}
	questions := []error{run.Sentencef("Send it?")}
	if offer.Copied {
		questions = append(questions, run.ChargedTwice)
	}
	err := p.Agree(ctx, s, run.Offer{
		Model: job.Model, Price: offer.Price, Why: why, Words: price, Limit: limit, Yes: f.yes, Questions: questions,
	})
	if err != nil {
		return err
	}
	if err := s.Queue().Resume(ctx, offer); err != nil {
		return err
	}
	return p.Follow(ctx, s, Following{IDs: api.Map(offer.Held, func(h state.Held) string { return h.ID }), New: true, List: true})
}

func (p Run) removeHeld(ctx context.Context, s *state.Session, job state.Job, all bool) error {
	ids := []string{job.ID}
	if all {
		held, err := s.Queue().Held(ctx, job.ID)
		if err != nil {
			return err
		}
		ids = api.Map(held, func(h state.Held) string { return h.ID })
	}
	err := s.Queue().Decline(ctx, "", ids...)
	if err == nil && p.JSON {
		p.PrintJSON(map[string]any{"removed": ids})
	} else if err == nil {
		p.Remark("%d removed; nothing was spent", len(ids))
	}
	return err
}
