package jobs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// settleFlags are the ways in which a person settles an unknown outcome.
type settleFlags struct {
	attach          string
	dismiss, resend bool
	send, remove    bool
	all             bool
	yes             int
	maxCredits      run.LimitFlag
}

func (p Run) jobCommand() *cobra.Command {
	f := &settleFlags{}
	var raw bool
	cmd := &cobra.Command{
		Use:   "job ID",
		Short: "Show one job, settle one whose outcome is unknown, or send or remove one that is held",
		Long: "Shows one job. ID is the local id, its unique beginning, or the service's id.\n\n" +
			"A job whose outcome is unknown is settled with one of --attach, --dismiss and --resend; " +
			"sending again may be charged twice, so it asks twice (--yes --yes for scripts).\n\n" +
			"A held job was agreed to and not sent: --send sends it, --remove deletes it free of charge, " +
			"--all takes everything that waits with it.",
		Example: `  darkroom job k3f9
  darkroom job k3f9 --raw
  darkroom job k3f9 --attach 5d1c2a`,
		Args: run.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.job(cmd, args[0], f, raw) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.attach, "attach", "", "set the id that the service gave the job; polling begins")
	flags.BoolVar(&f.dismiss, "dismiss", false, "mark the job as not charged")
	flags.BoolVar(&f.resend, "resend", false, "send its request again, as a new job")
	flags.BoolVar(&f.send, "send", false, "send a job that is held")
	flags.BoolVar(&f.remove, "remove", false, "delete a job that is held; nothing was spent on it")
	flags.BoolVar(&f.all, "all", false, "with --send and --remove: all jobs that are held with it")
	flags.CountVarP(&f.yes, "yes", "y", "answer a question with yes; twice for --resend, and for --send after the store was copied")
	flags.Var(&f.maxCredits, "max-credits", "with --resend and --send: refuse when the price is higher or unknown")
	flags.BoolVar(&raw, "raw", false, "also print the service's newest answer about the job")
	run.ExcludeEachOther(cmd, "attach", "dismiss", "resend", "send", "remove")
	p.JobFlags(cmd, "removed")
	return cmd
}

func (p Run) job(cmd *cobra.Command, id string, f *settleFlags, raw bool) error {
	ctx, open := cmd.Context(), p.With
	switch {
	case f.maxCredits.Given && !f.resend && !f.send:
		return run.Usagef("--max-credits belongs to --resend and --send")
	case f.all && !f.send && !f.remove:
		return run.Usagef("--all belongs to --send and --remove")
	case f.send || f.resend:
		open = p.WithService
	}
	return open(ctx, false, func(s *state.Session) error {
		job, err := find(ctx, s, id)
		switch {
		case err != nil:
			return err
		case f.send:
			return p.sendHeld(ctx, s, job, f)
		case f.remove:
			return p.removeHeld(ctx, s, job, f.all)
		case f.resend:
			return p.resend(ctx, s, job, f)
		case f.dismiss:
			err = p.dismiss(ctx, s, job, f.yes > 0)
		case cmd.Flags().Changed("attach"):
			err = s.Attach(ctx, job.ID, f.attach)
		default:
			return p.showJob(ctx, s, job, raw)
		}
		if err != nil {
			return err
		}
		if job, err = s.Job(ctx, job.ID); err != nil {
			return err
		}
		return p.showJob(ctx, s, job, false)
	})
}

func (p Run) dismiss(ctx context.Context, s *state.Session, job state.Job, yes bool) error {
	if !yes && !p.CanAsk() {
		return run.Usagef("nothing was changed: without a terminal to ask on, --dismiss needs --yes")
	}
	if err := p.Agree(ctx, yes, run.Sentencef("Count this job as not charged?")); err != nil {
		return err
	}
	return s.Dismiss(ctx, job.ID)
}

// chargedTwice is the second question where something may have been sent before.
var chargedTwice = run.Sentencef("It may be charged twice. Send it all the same?")

// agree asks the questions that are not answered by as many --yes.
func (p Run) agree(ctx context.Context, yes int, questions []error) error {
	for _, question := range questions[min(yes, len(questions)):] {
		if len(questions) > 1 && !p.CanAsk() {
			return run.Usagef("nothing was sent: sending again may be charged twice; without a terminal to ask on, --yes --yes is needed")
		}
		if err := p.CanAgree(false); err != nil {
			return err
		}
		if err := p.Ask(ctx, question); err != nil {
			return err
		}
	}
	return nil
}

func (p Run) resend(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) error {
	questions := []error{run.Sentencef("Send this request again?"), chargedTwice}
	confirmID, price, err := s.ResendConfirm(ctx, job.ID)
	switch {
	case errors.Is(err, state.ErrKeyRefused):
		return err
	case ctx.Err() != nil:
		return run.ErrAborted
	case confirmID == "":
		return err
	}
	price, err = run.Current(price, err, job.Request, time.Now())
	if err := f.maxCredits.Allow(price, err); err != nil {
		return err
	}
	p.SayPrice(ctx, s, job.Model, run.PriceText(price, err))
	if err := p.agree(ctx, f.yes, questions); err != nil {
		return err
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

func (p Run) showJob(ctx context.Context, s *state.Session, job state.Job, raw bool) error {
	document, answer, err := withAnswer(s, job), []byte(nil), error(nil)
	if raw {
		if answer, err = s.RawAnswer(ctx, job.ID); err != nil {
			return err
		}
		document.Raw = run.Raw(answer)
	}
	if p.JSON {
		p.PrintJSON(document)
		return nil
	}
	p.printDetail(job)
	if raw {
		fmt.Fprintln(p.Out, run.Lines(string(answer)))
	}
	return nil
}

func (p Run) printDetail(job state.Job) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(p.Out, "%s %s\n", run.Pad(name, 9), value)
		}
	}
	line(p.Say("job"), job.ID)
	line(p.Say("remote id"), run.ID(job.RemoteID))
	line(p.Say("phase"), p.Sentence(run.Phase(job.Phase)))
	line(p.Say("status"), job.Status.String())
	line(p.Say("error"), p.reason(job))
	line(p.Say("kind"), p.Sentence(run.Word(job.Kind)))
	line(p.Say("model"), run.ID(job.Model))
	line(p.Say("prompt"), indented(job.Request.Prompt))
	if job.Pattern != nil {
		line(p.Say("pattern"), indented(job.Pattern.Prompt))
		line(p.Say("variation"), job.Label)
	}
	if job.Estimate.Known() {
		line(p.Say("credits"), p.Say("%s (%s)", job.Estimate.Credits.String(), run.Word(job.Estimate.Source)))
	}
	line(p.Say("created"), job.CreatedAt.Local().Format(time.DateTime))
	if !job.EndedAt.IsZero() {
		line(p.Say("ended"), job.EndedAt.Local().Format(time.DateTime))
	}
	for _, file := range job.Files {
		line(p.Say("file"), file.Path)
	}
}

// indented is a prompt whose lines stand below each other.
func indented(prompt string) string {
	return strings.ReplaceAll(run.Lines(prompt), "\n", "\n          ")
}

// sendHeld sends a held job, or all that wait with it.
func (p Run) sendHeld(ctx context.Context, s *state.Session, job state.Job, f *settleFlags) error {
	offer, err := s.Queue().Offer(ctx, job.ID, f.all)
	switch {
	case errors.Is(err, state.ErrKeyRefused):
		return err
	case ctx.Err() != nil:
		return run.ErrAborted
	case len(offer.Held) == 0:
		return run.WithCode(run.ExitUsage, err)
	}
	total := api.Estimate{Credits: offer.Total, Source: api.SourceTable}
	price := run.Credits(offer.Total)
	if !offer.Known {
		total.Source, price = api.SourceNone, run.PriceText(api.Estimate{Source: api.SourceNone}, err)
	}
	if err := f.maxCredits.Allow(total, err); err != nil {
		return err
	}
	if !offer.Reason.IsZero() {
		p.Notice(run.Because(offer.Reason))
	}
	p.SayPrice(ctx, s, job.Model, run.Sentencef("%d requests · %s", len(offer.Held), price))
	questions := []error{run.Sentencef("Send it?")}
	if offer.Copied {
		questions = append(questions, chargedTwice)
	}
	if err := p.agree(ctx, f.yes, questions); err != nil {
		return err
	}
	if err := s.Queue().Resume(ctx, offer); err != nil {
		return err
	}
	return p.FollowAll(ctx, s, run.Map(offer.Held, idOf), false, 0)
}

func idOf(held state.Held) string { return held.ID }

// removeHeld deletes a held job, or all that wait with it: nothing was sent and
// nothing spent.
func (p Run) removeHeld(ctx context.Context, s *state.Session, job state.Job, all bool) error {
	ids := []string{job.ID}
	if all {
		held, err := s.Queue().Held(ctx, job.ID)
		if err != nil {
			return err
		}
		ids = run.Map(held, idOf)
	}
	if err := s.Queue().Remove(ctx, ids...); err != nil {
		return err
	}
	if p.JSON {
		p.PrintJSON(map[string]any{"removed": ids})
		return nil
	}
	p.Remark("%d removed; nothing was spent", len(ids))
	return nil
}
