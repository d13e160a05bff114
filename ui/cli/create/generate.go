// Package create has the commands that make requests, send them and ask for
// their price.
package create

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
	"darkroom/ui/cli/jobs"
	"darkroom/ui/cli/run"
)

// generateFlags are the flags of image and video in addition to the request's own.
type generateFlags struct {
	requestFlags
	yes, again, noWait, wait, dryRun bool
	curl, quiet, upload              bool
	output                           string
	maxCredits                       run.LimitFlag
	timeout                          time.Duration
}

// Run is a run of a command about a request.
type Run struct{ *run.Program }

// jobs follows what was sent.
func (p Run) jobs() jobs.Run { return jobs.Run{Program: p.Program} }

// Commands are those that make, send and price requests.
func (p Run) Commands() []*cobra.Command {
	return []*cobra.Command{
		p.generateCommand(api.KindImage, "Make an image from a prompt",
			"Make an image from a prompt. The price is shown and asked about before anything is sent; "+
				"--yes answers that question. The prompt \"-\" is read from standard input, \"@file\" from a file.",
			`  darkroom image "a lighthouse in a storm" --size 2K --quality high
  darkroom image @prompt.txt --yes --max-credits 20 --output lighthouse.png
  darkroom image "a lighthouse" --dry-run --curl`),
		p.generateCommand(api.KindVideo, "Make a video from a prompt",
			"Make a video from a prompt. The price is shown and asked about before anything is sent; "+
				"--yes answers that question. The prompt \"-\" is read from standard input, \"@file\" from a file.",
			`  darkroom video "a paper boat in the rain" --video-model fast --duration 5
  darkroom video "【@图片1】 turns around" --yes \
    --image-files https://cdn.example.com/boat.png
  darkroom video "a koi" --yes --no-wait --quiet`),
		p.estimateCommand(),
	}
}

func (p Run) generateCommand(kind api.Kind, short, long, example string) *cobra.Command {
	f := &generateFlags{}
	cmd := &cobra.Command{
		Use:     string(kind) + " PROMPT",
		Args:    cobra.ArbitraryArgs,
		Short:   short,
		Long:    long,
		Example: example,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := f.read(p, cmd, args)
			if err == nil {
				err = f.together()
			}
			if err != nil {
				return err
			}
			p.Quiet = f.quiet
			return p.generate(cmd.Context(), request, f)
		},
	}
	f.add(cmd, kind)
	flags := cmd.Flags()
	flags.BoolVarP(&f.yes, "yes", "y", false, "send without asking about the price")
	flags.BoolVar(&f.expand, "expand", false,
		"send each of {a|b} in the prompt, __list__ and lists such as --seed 41-44 as a request of its own; --max-credits is for all of them")
	flags.BoolVar(&f.upload, "upload", false,
		"upload files of this machine among the materials with the command of the settings, without asking")
	flags.BoolVar(&f.again, "again", false, "send even if the same request is active or its outcome is unknown")
	flags.BoolVar(&f.noWait, "no-wait", false, "return as soon as the service has accepted the request")
	flags.BoolVar(&f.wait, "wait", true, "wait for the result and download it")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print what would be sent, and send nothing")
	flags.BoolVar(&f.curl, "curl", false, "with --dry-run: print a curl command; the key stays a variable of the shell")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print the files' paths, or the id with --no-wait, and errors")
	flags.StringVarP(&f.output, "output", "o", "", "also copy the result to this FILE or into this folder; nothing is overwritten")
	run.ExcludeEachOther(cmd, "wait", "no-wait")
	flags.Var(&f.maxCredits, "max-credits", "refuse when the price is higher or unknown")
	flags.DurationVar(&f.timeout, "timeout", 0, "stop waiting after this long, such as 10m; the job goes on")
	p.jobs().JobFlags(cmd, call{})
	run.ExcludeEachOther(cmd, "curl", "json")
	return cmd
}

func (p Run) generate(ctx context.Context, r api.Request, f *generateFlags) error {
	if f.dryRun {
		return p.With(ctx, false, func(s *state.Session) error { return p.dryRun(ctx, s, r, f) })
	}
	wait := f.wait && !f.noWait
	return p.WithService(ctx, wait, func(s *state.Session) error {
		if f.expand {
			ids, err := p.sendAll(ctx, s, r, f)
			if err != nil {
				return err
			}
			return p.jobs().FollowAll(ctx, s, ids, wait, f.timeout)
		}
		job, err := p.send(ctx, s, r, f)
		if err != nil {
			return err
		}
		if err := p.jobs().Follow(ctx, s, job, wait, f.timeout); err != nil || f.output == "" {
			return err
		}
		return p.copyFiles(ctx, s, job.ID, f.output)
	})
}

// together refuses flags that have no meaning with each other.
func (f *generateFlags) together() error {
	switch {
	case f.expand && (f.output != "" || f.curl):
		return run.Usagef("--output and --curl are for one request: leave --expand out")
	case f.curl && !f.dryRun:
		return run.Usagef("--curl belongs to --dry-run")
	case f.output != "" && (f.noWait || !f.wait):
		return run.Usagef("--output needs the result: leave --no-wait out")
	}
	if f.output == "" {
		return nil
	}
	to, err := filepath.Abs(f.output)
	if err == nil && os.IsPathSeparator(f.output[len(f.output)-1]) {
		to += string(filepath.Separator) // it is meant as a folder
	}
	if err == nil { // before anything is paid
		err = state.CheckCopy(to)
	}
	if err != nil {
		return run.Usagef("--output: %s", err)
	}
	f.output = to
	return nil
}

// copyFiles copies a job's files to where --output names. Several files of one
// job are numbered.
func (p Run) copyFiles(ctx context.Context, s *state.Session, id, to string) error {
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
			return &run.Failure{Code: run.ExitFailed, Err: run.Sentencef("the result is saved, but not copied: %s", err), Printed: p.JSON}
		}
		p.Remark("copied to %s", copied)
	}
	return nil
}

// Send sends one request, after its price was agreed to.
func (p Run) Send(ctx context.Context, s *state.Session, r api.Request) (state.Job, error) {
	return p.send(ctx, s, r, &generateFlags{})
}

func (p Run) send(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) (job state.Job, err error) {
	if err := p.single(ctx, s, r); err != nil {
		return job, err
	}
	if r, err = p.uploadFiles(ctx, s, r, f); err != nil {
		return job, err
	}
	r, _, err = p.prepare(ctx, s, r, s.Models(ctx))
	if err != nil {
		return job, err
	}
	estimate, err := p.agree(ctx, s, r, f)
	if err != nil {
		return job, err
	}
	return p.submit(ctx, s, state.Confirmed{
		ConfirmID: state.NewConfirmID(), Request: r, Estimate: estimate,
		MaxCredits: f.maxCredits.Amount, Again: f.again,
	}, f.yes)
}

// prepare chooses the model and applies every rule.
func (p Run) prepare(ctx context.Context, s *state.Session, r api.Request, listing state.Listing) (api.Request, api.Model, error) {
	r, model, err := p.chooseModel(ctx, s, r, listing)
	if err != nil {
		return r, model, err
	}
	if problems := api.Check(r, model, s.Settings().BaseURL); len(problems) > 0 {
		return r, model, &run.Failure{Code: run.ExitUsage, Err: run.Sentencef("nothing was sent: the request breaks a rule"), Problems: problems}
	}
	return r, model, nil
}

// chooseModel fills in the model and finds its listing: the last used model of
// the kind, else seedance2 for video and the first listed image model.
func (p Run) chooseModel(ctx context.Context, s *state.Session, r api.Request, listing state.Listing) (api.Request, api.Model, error) {
	if errors.Is(listing.Err, state.ErrKeyRefused) {
		return r, api.Model{}, run.WithCode(run.ExitKey, listing.Err)
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
			return r, api.Model{}, run.Sentencef("no model is known, and the service did not list any: %s", listing.Err)
		case listing.At.IsZero():
			return r, api.Model{}, run.Usagef(
				"no %s model is known yet, because the service was never asked: name one with --model, or run 'darkroom models'", run.Word(r.Kind))
		}
		return r, api.Model{}, run.Usagef("the service lists no %s model: name one with --model", run.Word(r.Kind))
	}
	return r, api.Model{ID: r.Model}, nil
}

// call is what --dry-run prints.
type call struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body"`
}

// dryRun prints what would be sent.
func (p Run) dryRun(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) error {
	var calls []call
	if f.expand {
		all, model, err := p.expanded(ctx, s, r, s.KnownModels(ctx))
		if err != nil {
			return err
		}
		for _, v := range all {
			calls = append(calls, call{"POST", v.Request.Path(), v.Request.Body(model)})
		}
	} else {
		if err := p.single(ctx, s, r); err != nil {
			return err
		}
		r, model, err := p.prepare(ctx, s, r, s.KnownModels(ctx))
		if err != nil {
			return err
		}
		calls = []call{{"POST", r.Path(), r.Body(model)}}
	}
	switch {
	case f.curl:
		fmt.Fprint(p.Out, api.Curl(strings.TrimRight(s.Settings().BaseURL, "/")+calls[0].Path, calls[0].Body))
	case p.JSON && f.expand:
		p.PrintJSON(map[string]any{"requests": calls})
	case p.JSON:
		p.PrintJSON(calls[0])
	default:
		for _, c := range calls {
			fmt.Fprintf(p.Out, "%s %s\n%s\n", c.Method, c.Path, run.Escape(c.Body))
		}
	}
	return nil
}

// agree shows the price and has it agreed to.
func (p Run) agree(ctx context.Context, s *state.Session, r api.Request, f *generateFlags) (api.Estimate, error) {
	if err := p.CanAgree(f.yes); err != nil {
		return api.Estimate{}, err
	}
	estimate, why, err := run.Estimate(ctx, s, r)
	if err != nil {
		return estimate, err
	}
	if err := f.maxCredits.Allow(estimate, why); err != nil {
		return estimate, err
	}
	if !f.quiet || !f.yes { // a price is agreed to only when it was shown
		p.SayPrice(ctx, s, r.Model, run.PriceText(estimate, why))
	}
	return estimate, p.Agree(ctx, f.yes, run.Sentencef("Send it?"))
}

// submit sends, asking once more when the same request may already be there.
func (p Run) submit(ctx context.Context, s *state.Session, c state.Confirmed, yes bool) (state.Job, error) {
	job, err := s.Submit(ctx, c)
	var refusal *state.Refusal
	if !errors.As(err, &refusal) || refusal.Code != "again" {
		return job, err
	}
	if yes || !p.CanAsk() {
		return job, run.Usagef("%s: add --again to send it all the same", refusal)
	}
	price := run.Sentencef("an unknown price")
	if c.Estimate.Known() {
		price = run.Credits(c.Estimate.Credits)
	}
	if err := p.Ask(ctx, run.Sentencef("%s. Send again for %s?", capital(p.Sentence(refusal)), price)); err != nil {
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
