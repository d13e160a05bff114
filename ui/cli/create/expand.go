package create

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// single refuses a prompt that stands for several requests: only --expand
// sends those. Every other brace is literal.
func (p Run) single(ctx context.Context, s *state.Session, r api.Request) error {
	lists, _ := s.Queue().Lists(ctx) // without them the names of lists are literal
	set, err := expand.Requests(r, lists, expand.Most)
	if !set.Several() && err == nil {
		return nil
	}
	var cycle *expand.CycleError
	if errors.As(err, &cycle) {
		return say.WithCode(say.ExitUsage, err)
	}
	return say.Usagef("nothing was sent: the prompt has alternatives and stands for %d requests: add --expand to send them all, and with it write \\{ for a brace that is meant as one", set.Count)
}

// varied takes the lists that fields are given with --expand out of their flags.
func (f *requestFlags) varied(r *api.Request) error {
	texts := map[string]*string{
		api.FieldSize: &r.Size, api.FieldQuality: &r.Quality, api.FieldAspectRatio: &r.AspectRatio,
		api.FieldDuration: &r.Duration, api.FieldResolution: &r.Resolution, api.FieldVideoModel: &r.VideoModel, api.FieldSeed: &f.seed,
	}
	r.Vary = map[string][]string{}
	for _, name := range expand.Fields(r.Kind) {
		values, err := expand.Values(name, *texts[name])
		if err != nil {
			return say.WithCode(say.ExitUsage, err)
		}
		if len(values) > 1 {
			r.Vary[name], *texts[name] = values, values[0]
		}
	}
	return nil
}

// expanded makes the requests of a pattern, and applies every rule to each.
func (p Run) expanded(ctx context.Context, s *state.Session, pattern api.Request, model api.Model) ([]expand.Variation, error) {
	lists, err := s.Queue().Lists(ctx)
	if err != nil {
		return nil, say.WithCode(say.ExitUsage, err)
	}
	set, err := expand.Requests(pattern, lists, s.Settings().VariationsLimit())
	if err != nil {
		return nil, say.Usagef("nothing was sent: %s", err)
	}
	for _, name := range set.Missing {
		p.Notice(say.Sentencef("there is no list %s: its name is sent as it is", say.Verbatim(name)))
	}
	if n := set.Equal(); n > 0 {
		p.Remark("%d equal ones were left out", n)
	}
	for _, v := range set.All {
		if problems := api.Check(v.Request, model, s.Settings().BaseURL); len(problems) > 0 {
			return nil, &say.Failure{Code: say.ExitUsage, Err: say.Sentencef("nothing was sent: the variation %q breaks a rule", api.OneLine(v.Label)), Problems: problems}
		}
	}
	return set.All, nil
}

// generateAll sends every request that a pattern stands for, by one agreement.
func (p Run) generateAll(ctx context.Context, pattern api.Request, f *generateFlags) error {
	if f.output != "" || f.curl {
		return say.Usagef("--output and --curl are for one request: leave --expand out")
	}
	if f.dryRun {
		return p.With(ctx, false, func(s *state.Session) error { return p.dryRunAll(ctx, s, pattern) })
	}
	wait := f.wait && !f.noWait
	return p.WithService(ctx, wait, func(s *state.Session) error {
		if !f.yes && !p.CanAsk() {
			return say.Usagef("nothing was sent: without a terminal to ask on, --yes is needed")
		}
		pattern, model, err := p.chooseModel(ctx, s, pattern, s.Models)
		if err != nil {
			return err
		}
		all, err := p.expanded(ctx, s, pattern, model)
		if err != nil {
			return err
		}
		agreed, err := p.agreeAll(ctx, s, all, f)
		if err != nil {
			return err
		}
		ids, err := s.Queue().Agree(ctx, state.Together{
			ConfirmID: state.NewConfirmID(), Pattern: pattern, Requests: agreed, MaxCredits: f.maxCredits.Amount,
		})
		var refusal *state.Refusal
		if errors.As(err, &refusal) && refusal.Code == "again" {
			return say.Usagef("%s: add --again to send it all the same", refusal)
		}
		if err != nil {
			return err
		}
		return p.FollowAll(ctx, s, ids, wait, f.timeout)
	})
}

// agreeAll shows each price and the total, and has it agreed to.
func (p Run) agreeAll(ctx context.Context, s *state.Session, all []expand.Variation, f *generateFlags) ([]state.Agreed, error) {
	agreed := make([]state.Agreed, len(all))
	total, why := api.Estimate{Source: api.SourceTable}, error(nil)
	for i, v := range all {
		e, err := s.Estimate(ctx, v.Request)
		if errors.Is(err, state.ErrKeyRefused) {
			return nil, say.WithCode(say.ExitKey, err)
		}
		if ctx.Err() != nil {
			return nil, program.ErrAborted
		}
		e, err = program.Current(e, err, v.Request, time.Now())
		agreed[i] = state.Agreed{Request: v.Request, Label: v.Label, Estimate: e, Again: f.again}
		if e.Known() {
			total.Credits = total.Credits.Plus(e.Credits)
		} else {
			total.Source, why = api.SourceNone, err
		}
		if f.quiet && f.yes {
			continue
		}
		fmt.Fprintf(p.Err, "%3d  %s · %s\n", i+1, api.OneLine(api.Clean(v.Label, 200).String()), api.OneLine(p.Sentence(program.PriceText(e, err))))
	}
	if err := f.maxCredits.Allow(total, why); err != nil {
		return nil, err
	}
	price := say.Sentencef("price not known")
	if total.Known() {
		price = say.Credits(total.Credits)
	}
	if !f.quiet || !f.yes { // nobody agrees to a price that was not shown
		p.SayPrice(ctx, s, all[0].Request.Model, say.Sentencef("%d requests · %s", len(all), price))
	}
	if f.yes {
		return agreed, nil
	}
	return agreed, p.Ask(ctx, say.Sentencef("Send them all?"))
}

// dryRunAll prints what would be sent for each request of a pattern.
func (p Run) dryRunAll(ctx context.Context, s *state.Session, pattern api.Request) error {
	pattern, model, err := p.chooseModel(ctx, s, pattern, s.KnownModels)
	if err != nil {
		return err
	}
	all, err := p.expanded(ctx, s, pattern, model)
	if err != nil {
		return err
	}
	type call struct {
		Method string          `json:"method"`
		Path   string          `json:"path"`
		Body   json.RawMessage `json:"body"`
	}
	calls := make([]call, len(all))
	for i, v := range all {
		calls[i] = call{"POST", v.Request.Path(), v.Request.Body(model)}
		if !p.JSON {
			fmt.Fprintf(p.Out, "POST %s\n%s\n", calls[i].Path, output.Escape(calls[i].Body))
		}
	}
	if p.JSON {
		p.PrintJSON(map[string]any{"requests": calls})
	}
	return nil
}
