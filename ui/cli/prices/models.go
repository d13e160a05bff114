// Package prices has the commands about models, prices and spending.
package prices

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

type modelDocument struct {
	ID         string              `json:"id"`
	Kind       string              `json:"kind"`
	Price      *api.Price          `json:"price"`
	Parameters []parameterDocument `json:"parameters"`
	Raw        json.RawMessage     `json:"raw"`
}

type parameterDocument struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`
	Default string   `json:"default"`
}

func modelDocumentOf(m api.Model) modelDocument {
	d := modelDocument{ID: m.ID, Kind: kindWord(m.Kind), Price: m.Price, Parameters: []parameterDocument{}, Raw: m.Raw}
	for _, parameter := range m.Parameters {
		d.Parameters = append(d.Parameters, parameterDocument{parameter.Name, append([]string{}, parameter.Values...), parameter.Default})
	}
	return d
}

func kindWord(k api.Kind) string {
	if k == "" {
		return "unknown"
	}
	return string(k)
}

// commands are the commands about prices.
type commands struct{ *run.Program }

// Commands are those about prices and models.
func Commands(p *run.Program) []*cobra.Command {
	r := commands{p}
	return []*cobra.Command{r.modelsCommand(), r.pricesCommand(), r.spendCommand()}
}

func (p commands) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models with their parameters and default prices",
		Example: `  darkroom models
  darkroom models --jq '.models[] | select(.kind == "image") | .id'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.WithService(cmd.Context(), false, func(s *state.Session) error {
				listing, err := p.listing(cmd.Context(), s)
				if err != nil {
					return err
				}
				p.printModels(listing.Models)
				return nil
			})
		},
	}
	p.JSONFlags(cmd, modelDocument{})
	return cmd
}

// listing asks for the models. Without an answer the last known ones are given
// with a note; without those, the error.
func (p commands) listing(ctx context.Context, s *state.Session) (state.Listing, error) {
	listing := s.Models(ctx)
	if listing.Err == nil {
		return listing, nil
	}
	if !listing.Cached || run.CodeOf(listing.Err) == run.ExitKey {
		return listing, listing.Err
	}
	p.Notice(listing.Err)
	p.Remark("These are the models as of %s.", listing.At.Local().Format(time.DateTime))
	return listing, nil
}

func (p commands) printModels(models []api.Model) {
	if p.JSON {
		p.PrintJSON(map[string]any{"models": run.Map(models, modelDocumentOf)})
		return
	}
	for _, m := range models {
		fmt.Fprintf(p.Out, "%s  %s  %s\n", run.ID(m.ID), p.Sentence(run.Word(kindWord(m.Kind))), p.Sentence(priceWords(m.Price)))
		for _, parameter := range m.Parameters {
			fmt.Fprintf(p.Out, "    %s%s\n", parameter.Name, p.parameterWords(parameter))
		}
	}
}

func priceWords(price *api.Price) error {
	switch {
	case price == nil:
		return run.Sentencef("price not listed")
	case price.Unit == "" || price.Unit == "unknown":
		return run.Credits(price.Credits)
	}
	return run.Sentencef("%s per %s", run.Credits(price.Credits), run.Word(price.Unit))
}

func (p commands) parameterWords(parameter api.Parameter) string {
	var b strings.Builder
	if len(parameter.Values) > 0 {
		b.WriteString(": " + strings.Join(parameter.Values, ", "))
	}
	if parameter.Min != nil && parameter.Max != nil {
		b.WriteString(": " + p.Say("%v to %v", *parameter.Min, *parameter.Max))
	}
	if parameter.Default != "" {
		b.WriteString(p.Say(" (default %s)", parameter.Default))
	}
	return b.String()
}
