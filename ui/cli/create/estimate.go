package create

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

func (p Run) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "estimate", Short: "The price of a request; nothing is generated"}
	for kind, short := range map[api.Kind]string{
		api.KindImage: "The price of exactly this image request",
		api.KindVideo: "The price of exactly this video request",
	} {
		f := &requestFlags{}
		sub := &cobra.Command{
			Use:   string(kind) + " PROMPT",
			Short: short,
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
		p.JSONFlags(sub)
		cmd.AddCommand(sub)
	}
	return cmd
}

// Price completes a request and asks for its price. Without a model there is
// none, and the error says why.
func (p Run) Price(ctx context.Context, s *state.Session, r api.Request) (api.Request, api.Estimate, error) {
	r, _, err := p.prepare(ctx, s, r, s.Models)
	if err != nil {
		return api.Request{}, api.Estimate{}, err
	}
	estimate, why, err := program.Estimate(ctx, s, r)
	return r, estimate, cmp.Or(err, why)
}

func (p Run) estimate(ctx context.Context, s *state.Session, r api.Request) error {
	_, estimate, err := p.Price(ctx, s, r)
	if !estimate.Known() {
		if err == nil {
			err = say.Sentencef("the service gave no price that could be read")
		}
		return err
	}
	if p.JSON {
		if err != nil {
			p.Notice(program.PriceText(estimate, err))
		}
		raw := output.Valid(bytes.TrimSpace(estimate.Raw))
		if len(estimate.Raw) == 0 && err != nil {
			raw = output.Valid(output.RawOf(err))
		}
		p.PrintJSON(struct {
			Credits api.Credits     `json:"credits"`
			Source  api.Source      `json:"source"`
			Age     int64           `json:"age_seconds"` // 0 for the table
			Raw     json.RawMessage `json:"raw"`
		}{estimate.Credits, estimate.Source, program.AgeSeconds(estimate, time.Now()), raw})
		return nil
	}
	fmt.Fprintln(p.Out, api.OneLine(p.Sentence(program.PriceText(estimate, err))))
	return nil
}
