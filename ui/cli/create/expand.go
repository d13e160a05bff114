package create

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// single refuses a prompt that stands for several requests: only --expand
// sends those. Every other brace is literal.
func (p Run) single(ctx context.Context, s *state.Session, r api.Request) error {
	lists, _ := s.Queue().Lists(ctx) // without them the names of lists are literal
	set, err := expand.Requests(r, lists, expand.MaxRequests)
	if !set.Several() && err == nil {
		return nil
	}
	var cycle *expand.CycleError
	if errors.As(err, &cycle) {
		return run.WithCode(run.ExitUsage, err)
	}
	return run.Usagef(
		"nothing was sent: the prompt has alternatives and stands for %d requests: add --expand to send them all, "+
			"and with it write \\{ for a brace that is meant as one", set.Count)
}

// expanded makes the requests of a pattern, and applies every rule to each.
func (p Run) expanded(
	ctx context.Context, s *state.Session, pattern api.Request, listing state.Listing,
) ([]expand.Variation, api.Model, error) {
	pattern, model, err := p.chooseModel(ctx, s, pattern, listing)
	if err != nil {
		return nil, model, err
	}
	lists, err := s.Queue().Lists(ctx)
	if err != nil {
		return nil, model, run.WithCode(run.ExitUsage, err)
	}
	set, err := expand.Requests(pattern, lists, s.Settings().VariationsLimit())
	if err != nil {
		return nil, model, run.Usagef("nothing was sent: %s", err)
	}
	for _, name := range set.Missing {
		p.Notice(run.Sentencef("there is no list %s: its name is sent as it is", name))
	}
	if n := set.Equal(); n > 0 {
		p.Remark("%d equal ones were left out", n)
	}
	for _, v := range set.All {
		if problems := api.Check(v.Request, model, s.Settings().BaseURL); len(problems) > 0 {
			err := run.Sentencef("nothing was sent: the variation %q breaks a rule", api.OneLine(v.Label))
			return nil, model, &run.Failure{Code: run.ExitUsage, Err: err, Problems: problems}
		}
	}
	return set.All, model, nil
}

// sendAll has every request that a pattern stands for sent, by one agreement.
func (p Run) sendAll(ctx context.Context, s *state.Session, pattern api.Request, f *generateFlags) ([]string, error) {
	if err := p.CanAgree(f.yes); err != nil {
		return nil, err
	}
	all, _, err := p.expanded(ctx, s, pattern, s.Models(ctx))
	if err != nil {
		return nil, err
	}
	agreed, err := p.agreeAll(ctx, s, all, f)
	if err != nil {
		return nil, err
	}
	if pattern.Model == "" {
		pattern.Model = all[0].Request.Model
	}
	ids, err := s.Queue().Agree(ctx, state.Together{
		ConfirmID: state.NewConfirmID(), Pattern: pattern, Requests: agreed, MaxCredits: f.maxCredits.Amount,
	})
	var refusal *state.Refusal
	if errors.As(err, &refusal) && refusal.Code == "again" {
		return nil, run.Usagef("%s: add --again to send it all the same", refusal)
	}
	return ids, err
}

// agreeAll shows each price and the total, and has it agreed to.
func (p Run) agreeAll(ctx context.Context, s *state.Session, all []expand.Variation, f *generateFlags) ([]state.Agreed, error) {
	agreed := make([]state.Agreed, len(all))
	total, none := api.Estimate{Source: api.SourceTable}, error(nil)
	for i, v := range all {
		e, why, err := run.Estimate(ctx, s, v.Request)
		if err != nil {
			return nil, err
		}
		agreed[i] = state.Agreed{Request: v.Request, Label: v.Label, Estimate: e, Again: f.again}
		if e.Known() {
			total.Credits = total.Credits.Plus(e.Credits)
		} else {
			total.Source, none = api.SourceNone, why
		}
		if !f.quiet || !f.yes { // a price is agreed to only when it was shown
			label, price := api.Clean(v.Label, 200).String(), p.Sentence(run.PriceText(e, why))
			fmt.Fprintf(p.Err, "%3d  %s · %s\n", i+1, api.OneLine(label), api.OneLine(price))
		}
	}
	if err := f.maxCredits.Allow(total, none); err != nil {
		return nil, err
	}
	price := run.Sentencef("price not known")
	if total.Known() {
		price = run.Credits(total.Credits)
	}
	if !f.quiet || !f.yes {
		p.SayPrice(ctx, s, all[0].Request.Model, run.Sentencef("%d requests · %s", len(all), price))
	}
	return agreed, p.Agree(ctx, f.yes, run.Sentencef("Send them all?"))
}

func (p Run) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "estimate",
		Short:   "The price of a request; nothing is generated",
		Example: `  darkroom estimate video "a koi" --video-model standard --duration 10`,
	}
	for kind, about := range map[api.Kind][2]string{
		api.KindImage: {"The price of exactly this image request", `  darkroom estimate image "a koi" --size 4K --quality high`},
		api.KindVideo: {"The price of exactly this video request", `  darkroom estimate video "a koi" --video-model fast_vip --resolution 480p
  darkroom estimate video "a koi" --jq .credits`},
	} {
		f := &requestFlags{}
		sub := &cobra.Command{
			Use:     string(kind) + " PROMPT",
			Args:    cobra.ArbitraryArgs,
			Short:   about[0],
			Example: about[1],
			RunE: func(cmd *cobra.Command, args []string) error {
				r, err := f.read(p, cmd, args)
				if err != nil {
					return err
				}
				return p.WithService(cmd.Context(), false, func(s *state.Session) error {
					return p.estimate(cmd.Context(), s, r)
				})
			},
		}
		f.add(sub, kind)
		p.JSONFlags(sub, "credits", "source", "age_seconds", "raw")
		cmd.AddCommand(sub)
	}
	run.RefuseUnknown(cmd)
	return cmd
}

// Price completes a request and asks for its price. Without a model there is
// none, and the error says why.
func (p Run) Price(ctx context.Context, s *state.Session, r api.Request) (api.Request, api.Estimate, error) {
	r, _, err := p.prepare(ctx, s, r, s.Models(ctx))
	if err != nil {
		return api.Request{}, api.Estimate{}, err
	}
	estimate, why, err := run.Estimate(ctx, s, r)
	return r, estimate, cmp.Or(err, why)
}

func (p Run) estimate(ctx context.Context, s *state.Session, r api.Request) error {
	_, estimate, err := p.Price(ctx, s, r)
	if !estimate.Known() {
		if err == nil {
			err = run.Sentencef("the service gave no price that could be read")
		}
		return err
	}
	if p.JSON {
		if err != nil {
			p.Notice(run.PriceText(estimate, err))
		}
		raw := run.Valid(bytes.TrimSpace(estimate.Raw))
		if len(estimate.Raw) == 0 && err != nil {
			raw = run.Valid(run.RawOf(err))
		}
		age := int64(0)
		if estimate.Source == api.SourceService && !estimate.At.IsZero() {
			age = max(int64(time.Since(estimate.At)/time.Second), 0)
		}
		p.PrintJSON(struct {
			Credits api.Credits     `json:"credits"`
			Source  api.Source      `json:"source"`
			Age     int64           `json:"age_seconds"` // 0 for the table
			Raw     json.RawMessage `json:"raw"`
		}{estimate.Credits, estimate.Source, age, raw})
		return nil
	}
	fmt.Fprintln(p.Out, api.OneLine(p.Sentence(run.PriceText(estimate, err))))
	return nil
}
