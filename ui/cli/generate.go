package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

// generateFlags are the flags of image and video beside the request's own.
type generateFlags struct {
	requestFlags
	yes, again, noWait, wait, dryRun bool
	curl, quiet, upload              bool
	output                           string
	maxCredits                       credits
	timeout                          time.Duration
}

func (p *program) imageCommand() *cobra.Command {
	return p.generateCommand(api.KindImage, "Make an image from a prompt")
}

func (p *program) videoCommand() *cobra.Command {
	return p.generateCommand(api.KindVideo, "Make a video from a prompt")
}

func (p *program) generateCommand(kind api.Kind, short string) *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use:   string(kind) + " PROMPT",
		Short: short,
		Long: short + ". The price is shown and asked about before anything is sent;\n" +
			"--yes answers that question. The prompt \"-\" is read from standard input, \"@file\" from a file.",
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := f.read(p, cmd, args)
			if err == nil {
				err = f.together()
			}
			if err != nil {
				return err
			}
			p.quiet = f.quiet
			if f.expand {
				return p.generateAll(cmd.Context(), request, f)
			}
			return p.generate(cmd.Context(), request, f)
		},
	}
	f.add(cmd, kind)
	flags := cmd.Flags()
	flags.BoolVarP(&f.yes, "yes", "y", false, "send without asking about the price")
	flags.BoolVar(&f.expand, "expand", false, "send each of {a|b} in the prompt, __list__ and lists such as --seed 41-44 as a request of its own; --max-credits is for all of them")
	flags.BoolVar(&f.upload, "upload", false, "upload files of this machine among the materials with the command of the settings, without asking")
	flags.BoolVar(&f.again, "again", false, "send even if the same request is active or its outcome is unknown")
	flags.BoolVar(&f.noWait, "no-wait", false, "return as soon as the service has accepted the request")
	flags.BoolVar(&f.wait, "wait", true, "wait for the result and download it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	flags.BoolVar(&f.curl, "curl", false, "with --dry-run: print a curl command; the key stays a variable of the shell")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print the files' paths, or the id with --no-wait, and errors")
	flags.StringVarP(&f.output, "output", "o", "", "also copy the result to this `FILE` or into this folder; nothing is overwritten")
	excludeEachOther(cmd, "wait", "no-wait")
	flags.Var(&f.maxCredits, "max-credits", "refuse when the price is higher or unknown")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop waiting after this long, such as 10m; the job goes on")
	p.jsonFlag(cmd)
	return cmd
}

func (p *program) generate(ctx context.Context, r api.Request, f *generateFlags) error {
	if f.dryRun {
		return p.with(ctx, false, func(s *state.Session) error { return p.dryRun(ctx, s, r, f) })
	}
	wait := f.wait && !f.noWait
	return p.withService(ctx, wait, func(s *state.Session) error {
		if err := p.single(ctx, s, r); err != nil {
			return err
		}
		r, err := p.uploadFiles(ctx, s, r, f)
		if err != nil {
			return err
		}
		r, model, err := p.prepare(ctx, s, r)
		if err != nil {
			return err
		}
		estimate, err := p.agree(ctx, s, r, model, f)
		if err != nil {
			return err
		}
		job, err := p.submit(ctx, s, state.Confirmed{
			ConfirmID: state.NewConfirmID(), Request: r, Estimate: estimate,
			MaxCredits: f.maxCredits.amount, Again: f.again,
		}, f.yes)
		if err != nil {
			return err
		}
		if err := p.follow(ctx, s, job, wait, f.timeout); err != nil || f.output == "" {
			return err
		}
		return p.copyFiles(ctx, s, job.ID, f.output)
	})
}

// together refuses flags that have no meaning with each other.
func (f *generateFlags) together() error {
	switch {
	case f.curl && !f.dryRun:
		return usage("--curl belongs to --dry-run")
	case f.output != "" && (f.noWait || !f.wait):
		return usage("--output needs the result: leave --no-wait out")
	}
	return nil
}

// copyFiles copies a job's files to where --output names. Several files of one
// job are numbered.
func (p *program) copyFiles(ctx context.Context, s *state.Session, id, to string) error {
	to, err := filepath.Abs(to)
	if err != nil {
		return fileError(err)
	}
	job, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	for n := range job.Files {
		name := to
		if info, err := os.Stat(to); n > 0 && (err != nil || !info.IsDir()) {
			ext := filepath.Ext(to)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(to, ext), n+1, ext)
		}
		copied, err := s.Results().SaveAs(ctx, id, n+1, name)
		if err != nil {
			return &failure{code: exitFailed, err: sentencef("the result is saved, but not copied: %s", err), printed: p.json}
		}
		p.sayln("copied to %s", verbatim(copied))
	}
	return nil
}

// prepare chooses the model and applies every rule.
func (p *program) prepare(ctx context.Context, s *state.Session, r api.Request) (api.Request, api.Model, error) {
	r, model, err := p.chooseModel(ctx, s, r, s.Models)
	if err != nil {
		return r, model, err
	}
	if problems := api.Check(r, model, s.Settings().BaseURL); len(problems) > 0 {
		return r, model, &failure{code: exitUsage, err: sentencef("nothing was sent: the request breaks a rule"), problems: problems}
	}
	return r, model, nil
}

// chooseModel fills in the model and finds its listing: the last used model of
// the kind, else seedance2 for video and the first listed image model.
func (p *program) chooseModel(ctx context.Context, s *state.Session, r api.Request, list func(context.Context) state.Listing) (api.Request, api.Model, error) {
	listing := list(ctx)
	if errors.Is(listing.Err, state.ErrKeyRefused) {
		return r, api.Model{}, withCode(exitKey, listing.Err)
	}
	if r.Model == "" {
		last, err := s.Prompts().LastModel(ctx, r.Kind)
		if err != nil {
			return r, api.Model{}, err
		}
		r.Model = last
	}
	if r.Model == "" && r.Kind == api.KindVideo {
		r.Model = api.Seedance2
	}
	for _, m := range listing.Models {
		if m.ID == r.Model || r.Model == "" && m.Kind == r.Kind {
			r.Model = m.ID
			return r, m, nil
		}
	}
	if r.Model == "" {
		switch {
		case listing.Err != nil:
			return r, api.Model{}, sentencef("no model is known, and the service did not list any: %s", listing.Err)
		case listing.At.IsZero():
			return r, api.Model{}, usage("no %s model is known yet, because the service was never asked: name one with --model, or run 'darkroom models'", word(r.Kind))
		}
		return r, api.Model{}, usage("the service lists no %s model: name one with --model", word(r.Kind))
	}
	return r, api.Model{ID: r.Model}, nil
}

func (p *program) dryRun(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) error {
	if err := p.single(ctx, s, r); err != nil {
		return err
	}
	r, model, err := p.chooseModel(ctx, s, r, s.KnownModels)
	if err != nil {
		return err
	}
	if problems := api.Check(r, model, s.Settings().BaseURL); len(problems) > 0 {
		return &failure{code: exitUsage, err: sentencef("this would not be sent: the request breaks a rule"), problems: problems}
	}
	body := r.Body(model)
	if f.curl {
		fmt.Fprint(p.out, api.Curl(strings.TrimRight(s.Settings().BaseURL, "/")+r.Path(), body))
		return nil
	}
	if p.json {
		p.printJSON(struct {
			Method string          `json:"method"`
			Path   string          `json:"path"`
			Body   json.RawMessage `json:"body"`
		}{"POST", r.Path(), body})
		return nil
	}
	fmt.Fprintf(p.out, "POST %s\n%s\n", r.Path(), withoutSteering(body))
	return nil
}

// agree shows the price and has it agreed to.
func (p *program) agree(ctx context.Context, s *state.Session, r api.Request, model api.Model, f *generateFlags) (api.Estimate, error) {
	if !f.yes && !p.canAsk() {
		return api.Estimate{}, usage("nothing was sent: without a terminal to ask on, --yes is needed")
	}
	estimate, err := s.Estimate(ctx, r)
	if errors.Is(err, state.ErrKeyRefused) {
		return estimate, withCode(exitKey, err)
	}
	if ctx.Err() != nil {
		return estimate, withCode(exitUsage, errAborted)
	}
	estimate, err = current(estimate, err, r, time.Now())
	if err := f.maxCredits.allow(estimate, err); err != nil {
		return estimate, err
	}
	if !f.quiet || !f.yes { // nobody agrees to a price that was not shown
		p.sayPrice(ctx, s, r.Model, priceText(estimate, err))
	}
	if f.yes {
		return estimate, nil
	}
	return estimate, p.ask(ctx, sentencef("Send it?"))
}

// submit sends, asking once more when the same request may already be there.
func (p *program) submit(ctx context.Context, s *state.Session, c state.Confirmed, yes bool) (state.Job, error) {
	job, err := s.Submit(ctx, c)
	var refusal *state.Refusal
	if !errors.As(err, &refusal) || refusal.Code != "again" {
		return job, err
	}
	if yes || !p.canAsk() {
		return job, usage("%s: add --again to send it all the same", refusal)
	}
	price := sentencef("an unknown price")
	if c.Estimate.Known() {
		price = creditsText(c.Estimate.Credits)
	}
	if err := p.ask(ctx, sentencef("%s. Send again for %s?", verbatim(capital(p.sentence(refusal))), price)); err != nil {
		return job, err
	}
	c.Again = true
	return s.Submit(ctx, c)
}

// capital begins a text with a capital letter.
func capital(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[n:]
}
