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
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// modelDocument is a model as --json prints it.
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

// run is a run of a command about prices.
type run struct{ *program.Program }

// Commands are those about prices and models.
func Commands(p *program.Program) []*cobra.Command {
	r := run{p}
	return []*cobra.Command{r.modelsCommand(), r.pricesCommand(), r.spendCommand()}
}

func (p run) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models with their parameters and default prices",
		Args:  program.NoArguments,
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
	p.JSONFlags(cmd)
	return cmd
}

// listing asks for the models. Without an answer the last known ones are given
// with a note; without those, the error.
func (p run) listing(ctx context.Context, s *state.Session) (state.Listing, error) {
	listing := s.Models(ctx)
	if listing.Err == nil {
		return listing, nil
	}
	if !listing.Cached || say.CodeOf(listing.Err) == say.ExitKey {
		return listing, listing.Err
	}
	p.Notice(listing.Err)
	p.Remark("These are the models as of %s.", listing.At.Local().Format(time.DateTime))
	return listing, nil
}

func (p run) printModels(models []api.Model) {
	if p.JSON {
		p.PrintJSON(map[string]any{"models": output.Documents(models, modelDocumentOf)})
		return
	}
	for _, m := range models {
		fmt.Fprintf(p.Out, "%s  %s  %s\n", output.ID(m.ID), p.Sentence(say.Word(kindWord(m.Kind))), p.Sentence(priceWords(m.Price)))
		for _, parameter := range m.Parameters {
			fmt.Fprintf(p.Out, "    %s%s\n", parameter.Name, p.parameterWords(parameter))
		}
	}
}

func priceWords(price *api.Price) error {
	switch {
	case price == nil:
		return say.Sentencef("price not listed")
	case price.Unit == "" || price.Unit == "unknown":
		return say.Credits(price.Credits)
	}
	return say.Sentencef("%s per %s", say.Credits(price.Credits), say.Word(price.Unit))
}

func (p run) parameterWords(parameter api.Parameter) string {
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
