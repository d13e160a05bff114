package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
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
		values := parameter.Values
		if values == nil {
			values = []string{}
		}
		d.Parameters = append(d.Parameters, parameterDocument{parameter.Name, values, parameter.Default})
	}
	return d
}

func kindWord(k api.Kind) string {
	if k == "" {
		return "unknown"
	}
	return string(k)
}

func (p *program) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the models with their parameters and default prices",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withService(cmd.Context(), false, func(s *state.Session) error {
				listing, err := p.listing(cmd.Context(), s)
				if err != nil {
					return err
				}
				p.printModels(listing.Models)
				return nil
			})
		},
	}
	p.jsonFlag(cmd)
	return cmd
}

// listing asks for the models. Without an answer the last known ones are given
// with a note; without those, the error.
func (p *program) listing(ctx context.Context, s *state.Session) (state.Listing, error) {
	listing := s.Models(ctx)
	if listing.Err == nil {
		return listing, nil
	}
	if !listing.Cached || codeOf(listing.Err) == exitKey {
		return listing, listing.Err
	}
	p.notice(listing.Err)
	p.sayln("These are the models as of %s.", listing.At.Local().Format(time.DateTime))
	return listing, nil
}

func (p *program) printModels(models []api.Model) {
	if p.json {
		documents := []modelDocument{}
		for _, m := range models {
			documents = append(documents, modelDocumentOf(m))
		}
		p.printJSON(map[string]any{"models": documents})
		return
	}
	for _, m := range models {
		fmt.Fprintf(p.out, "%s  %s  %s\n", shownID(m.ID), p.sentence(word(kindWord(m.Kind))), p.sentence(priceWords(m.Price)))
		for _, parameter := range m.Parameters {
			fmt.Fprintf(p.out, "    %s%s\n", parameter.Name, p.parameterWords(parameter))
		}
	}
}

func priceWords(price *api.Price) error {
	switch {
	case price == nil:
		return sentencef("price not listed")
	case price.Unit == "" || price.Unit == "unknown":
		return creditsText(price.Credits)
	}
	return sentencef("%s per %s", creditsText(price.Credits), word(price.Unit))
}

func (p *program) parameterWords(parameter api.Parameter) string {
	var b strings.Builder
	if len(parameter.Values) > 0 {
		b.WriteString(": " + strings.Join(parameter.Values, ", "))
	}
	if parameter.Min != nil && parameter.Max != nil {
		b.WriteString(": " + p.say("%v to %v", *parameter.Min, *parameter.Max))
	}
	if parameter.Default != "" {
		b.WriteString(p.say(" (default %s)", parameter.Default))
	}
	return b.String()
}
