package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

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
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.job(cmd, args[0], f, raw) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.attach, "attach", "", "give the job the id that the service gave it; polling begins")
	flags.BoolVar(&f.dismiss, "dismiss", false, "declare the job not charged")
	flags.BoolVar(&f.resend, "resend", false, "send its request again, as a new job")
	flags.CountVarP(&f.yes, "yes", "y", "answer a question with yes; twice for --resend")
	flags.Var(&f.maxCredits, "max-credits", "with --resend: refuse when the price is higher or unknown")
	flags.BoolVar(&raw, "raw", false, "also print the service's newest answer about the job")
	excludeEachOther(cmd, "attach", "dismiss", "resend")
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
				if f.yes == 0 {
					if !p.canAsk() {
						return usage("nothing was changed: without a terminal to ask on, --dismiss needs --yes")
					}
					if err := p.ask(ctx, sentencef("Count this job as not charged?")); err != nil {
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
	questions := []error{sentencef("Send this request again?"), sentencef("It may be charged twice. Send it all the same?")}
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
	p.sayPrice(ctx, s, job.Model, priceText(price, err))
	for _, question := range questions[min(f.yes, len(questions)):] {
		if !p.canAsk() {
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
			fmt.Fprintf(p.out, "%s %s\n", pad(name, 9), value)
		}
	}
	line(p.say("job"), job.ID)
	line(p.say("remote id"), shownID(job.RemoteID))
	line(p.say("phase"), p.sentence(phaseWord(job.Phase)))
	line(p.say("status"), job.Status.String())
	line(p.say("error"), p.reason(job))
	line(p.say("kind"), p.sentence(word(job.Kind)))
	line(p.say("model"), shownID(job.Model))
	line(p.say("prompt"), strings.ReplaceAll(api.CleanLines(job.Request.Prompt, len(job.Request.Prompt)+1).String(), "\n", "\n          "))
	if job.Estimate.Known() {
		line(p.say("credits"), p.say("%s (%s)", job.Estimate.Credits.String(), word(job.Estimate.Source)))
	}
	line(p.say("created"), job.CreatedAt.Local().Format(time.DateTime))
	if !job.EndedAt.IsZero() {
		line(p.say("ended"), job.EndedAt.Local().Format(time.DateTime))
	}
	for _, file := range job.Files {
		line(p.say("file"), file.Path)
	}
}
