package create

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/expand"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

func (p Run) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "estimate"}
	for _, kind := range []api.Kind{api.KindImage, api.KindVideo} {
		f := &requestFlags{}
		sub := &cobra.Command{
			Use:  string(kind) + " PROMPT",
			Args: cobra.ArbitraryArgs,
			RunE: func(cmd *cobra.Command, args []string) error {
				r, err := f.read(p, cmd, args)
				if err != nil {
					return err
				}
				return p.With(cmd.Context(), run.Service, func(s *state.Session) error {
					r, e, err := p.Price(cmd.Context(), s, r)
					switch {
					case !e.Known() && r.Model != "" && s.Remote.Unlisted(cmd.Context(), r.Model):
						return run.Unpriced(cmd.Context(), s, r.Model)
					case !e.Known():
						return cmp.Or(err, run.Sentencef("the service gave no price that could be read"))
					case !p.JSON:
						fmt.Fprintln(p.Out, p.Sentence(run.PriceText(e, err)))
						return nil
					case err != nil:
						p.Notice(run.PriceText(e, err))
					}
					raw := bytes.TrimSpace(e.Raw)
					if len(raw) == 0 {
						raw = run.RawOf(err)
					}
					p.PrintJSON(estimateDocument{e.Credits, e.Source, run.Age(e), run.Valid(raw)})
					return nil
				}, p.rules(cmd.Context(), r, false))
			},
		}
		f.add(sub, kind)
		p.JSONFlags(sub, estimateDocument{})
		cmd.AddCommand(sub)
	}
	return cmd
}

// Price completes a request and asks for its price, if it has a model. Defaults of the model are filled in.
func (p Run) Price(ctx context.Context, s *state.Session, r api.Request) (_ api.Request, e api.Estimate, err error) {
	var model api.Model
	r, err = p.withResults(ctx, s, r)
	r, _ = p.withFiles(r, uploadedLater)
	one := []expand.Variation{{Request: r}}
	if err == nil {
		model, err = p.prepare(ctx, s, one, s.Models(ctx))
	}
	if err != nil {
		return api.Request{}, e, err
	}
	e, why, err := run.Estimate(ctx, s, one[0].Request)
	return withDefaults(one[0].Request, model), e, cmp.Or(err, why)
}

type estimateDocument struct {
	Credits api.Credits     `json:"credits"`
	Source  api.Source      `json:"source"`
	Age     int64           `json:"age_seconds"` // 0 for the table
	Raw     json.RawMessage `json:"raw"`
}

// priceOf is, in words, what all that is agreed to costs.
func priceOf(agreed []state.Agreed) error {
	sum := api.Estimate{Source: api.SourceTable}
	for _, one := range agreed {
		sum = sum.Plus(one.Estimate)
	}
	if sum.Known() {
		return run.Credits(sum.Credits)
	}
	return run.Sentencef("an unknown price")
}
