package create

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

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
