package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

func (p *program) pricesCommand() *cobra.Command {
	var duration int
	cmd := &cobra.Command{
		Use:   "prices",
		Short: "The seedance2 price grid and every other model's price",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if duration < 1 || duration > 3600 {
				return usage("--duration: give whole seconds from 1 to 3600")
			}
			return p.prices(cmd.Context(), duration)
		},
	}
	cmd.Flags().IntVar(&duration, "duration", 5, "length of the video in seconds")
	p.jsonFlag(cmd)
	return cmd
}

// rateDocument is one cell of the seedance2 grid.
type rateDocument struct {
	VideoModel string       `json:"video_model"`
	Resolution string       `json:"resolution"`
	PerSecond  *api.Credits `json:"credits_per_second"`
	Total      *api.Credits `json:"credits"`
	Source     api.Source   `json:"source"`
}

func grid(duration int) []rateDocument {
	var cells []rateDocument
	for _, rate := range api.Rates() {
		cell := rateDocument{VideoModel: rate.VideoModel, Resolution: rate.Resolution, Source: api.SourceNone}
		if rate.PerSecond > 0 {
			total := rate.PerSecond * api.Credits(duration)
			cell.PerSecond, cell.Total, cell.Source = &rate.PerSecond, &total, api.SourceTable
		}
		cells = append(cells, cell)
	}
	return cells
}

// prices prints the grid, which needs no service, and the listed prices as far
// as a service and a key are there.
func (p *program) prices(ctx context.Context, duration int) error {
	return p.with(ctx, false, func(s *state.Session) error {
		var listing state.Listing
		if s.Settings().BaseURL != "" && s.AwaitKey(ctx) == nil {
			listing = s.Models(ctx)
		} else {
			listing = s.KnownModels(ctx)
		}
		if listing.Err != nil {
			if codeOf(listing.Err) == exitKey {
				return listing.Err
			}
			p.notice(listing.Err)
		}
		cells := grid(duration)
		if p.json {
			documents := []modelDocument{}
			for _, m := range listing.Models {
				documents = append(documents, modelDocumentOf(m))
			}
			p.printJSON(map[string]any{"duration": duration, "seedance2": cells, "models": documents})
			return nil
		}
		p.printGrid(cells, duration)
		for _, m := range listing.Models {
			if m.ID != api.Seedance2 {
				fmt.Fprintf(p.out, "%s  %s\n", shownID(m.ID), p.sentence(priceWords(m.Price)))
			}
		}
		return nil
	})
}

func (p *program) printGrid(cells []rateDocument, duration int) {
	t := table{right: true}
	t.add(append([]string{p.say("%s, %d s", api.Seedance2, duration)}, api.Resolutions("")...)...)
	for row := range slices.Chunk(cells, len(api.Resolutions(""))) {
		line := []string{row[0].VideoModel}
		for _, cell := range row {
			if cell.Total == nil {
				line = append(line, "-")
			} else {
				line = append(line, cell.Total.String())
			}
		}
		t.add(line...)
	}
	_ = t.write(p.out)
	fmt.Fprintln(p.out, p.say("credits by the rate table; - is unavailable"))
}
