package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

func (p *program) estimateCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "estimate", Short: "The price of a request; nothing is generated"}
	for _, kind := range []api.Kind{api.KindImage, api.KindVideo} {
		f := &requestFlags{}
		sub := &cobra.Command{
			Use:   string(kind) + " PROMPT",
			Short: "The price of exactly this " + string(kind) + " request",
			RunE: func(cmd *cobra.Command, args []string) error {
				r, err := f.read(p, cmd, args)
				if err != nil {
					return err
				}
				return p.withService(cmd.Context(), false, func(s *state.Session) error {
					return p.estimate(cmd.Context(), s, r)
				})
			},
		}
		f.add(sub, kind)
		p.jsonFlag(sub)
		cmd.AddCommand(sub)
	}
	return cmd
}

func (p *program) estimate(ctx context.Context, s *state.Session, r api.Request) error {
	r, _, err := p.prepare(ctx, s, r)
	if err != nil {
		return err
	}
	estimate, err := s.Estimate(ctx, r)
	now := time.Now()
	estimate, err = current(estimate, err, r, now)
	if !estimate.Known() {
		if err == nil {
			err = sentencef("the service gave no price that could be read")
		}
		return err
	}
	if p.json {
		if err != nil {
			p.notice(priceText(estimate, err))
		}
		raw := json.RawMessage(bytes.TrimSpace(estimate.Raw))
		if !json.Valid(raw) {
			raw = rawOf(err)
		}
		if raw == nil {
			raw = []byte("null")
		}
		p.printJSON(struct {
			Credits api.Credits     `json:"credits"`
			Source  api.Source      `json:"source"`
			Age     int64           `json:"age_seconds"` // 0 for the table
			Raw     json.RawMessage `json:"raw"`
		}{estimate.Credits, estimate.Source, ageSeconds(estimate, now), raw})
		return nil
	}
	fmt.Fprintln(p.out, oneLine(p.sentence(priceText(estimate, err))))
	return nil
}
