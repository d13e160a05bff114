// Package prices has the commands about models, prices and spending.
package prices

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/api/pricing"
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
		Args: run.NoArguments,
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
		p.PrintJSON(map[string]any{"models": run.Documents(models, modelDocumentOf)})
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

// priceDocument is one price as --json and --csv print it.
type priceDocument struct {
	Model      string       `json:"model"`
	Kind       string       `json:"kind"`
	VideoModel string       `json:"video_model,omitempty"`
	Resolution string       `json:"resolution,omitempty"`
	Size       string       `json:"size,omitempty"`
	Quality    string       `json:"quality,omitempty"`
	Duration   int          `json:"duration,omitempty"`
	Ratio      string       `json:"aspect_ratio,omitempty"`
	PerSecond  *api.Credits `json:"credits_per_second"`
	Credits    *api.Credits `json:"credits"`
	Source     api.Source   `json:"source"`
	Available  bool         `json:"available"`
	Reason     string       `json:"reason,omitempty"`
	QuotedAt   string       `json:"quoted_at,omitempty"`
	Count      *int64       `json:"count,omitempty"` // how many the budget pays for
	Seconds    *int64       `json:"seconds,omitempty"`
}

// documents are all prices of a book in the order of its tables; with a top the
// cheapest.
func (b *priceBook) documents(f *priceFlags) []priceDocument {
	list := []priceDocument{}
	for i := range b.tables {
		t := &b.tables[i]
		for j := range t.Choices {
			list = append(list, b.document(f, t, &t.Choices[j]))
		}
	}
	if f.top == 0 {
		return list
	}
	list = slices.DeleteFunc(list, func(d priceDocument) bool { return d.Credits == nil || !d.Available })
	slices.SortStableFunc(list, func(x, y priceDocument) int { return cmp.Compare(*x.Credits, *y.Credits) })
	return list[:min(len(list), f.top)]
}

func (b *priceBook) document(f *priceFlags, t *pricing.Table, c *pricing.Choice) priceDocument {
	r := c.Request
	d := priceDocument{
		Model: t.Model.ID, Kind: kindWord(r.Kind), VideoModel: r.VideoModel, Resolution: r.Resolution,
		Size: r.Size, Quality: r.Quality, Duration: t.SecondsOf(c), Ratio: r.AspectRatio, Source: api.SourceNone,
	}
	if reason := b.reason(t, c); reason != nil {
		d.Reason = reason.Error()
	}
	d.Available = !c.Refused() && t.Refusal.Code == ""
	credits, ok := b.figure(c)
	if !ok {
		return d
	}
	figure := b.figures[c.Key]
	d.Credits, d.Source = &credits, figure.estimate.Source
	if d.Duration > 0 {
		rate := credits / api.Credits(d.Duration)
		d.PerSecond = &rate
	}
	if at := figure.estimate.At; !at.IsZero() {
		d.QuotedAt = at.Format(time.RFC3339)
	}
	if f.budget != "" {
		a := t.Afford(f.amount, c, credits)
		if a.Count != pricing.Unlimited {
			d.Count = &a.Count
		}
		if d.Duration > 0 && d.Count != nil {
			d.Seconds = &a.Seconds
		}
	}
	return d
}

func (p commands) printPricesJSON(b *priceBook, f *priceFlags, models []api.Model) {
	listed := []modelDocument{}
	for _, m := range models {
		if m.Raw != nil || m.Price != nil || len(m.Parameters) > 0 {
			listed = append(listed, modelDocumentOf(m))
		}
	}
	document := map[string]any{"duration": f.duration, "seedance2": grid(f.duration), "models": listed, "prices": b.documents(f)}
	if f.budget != "" {
		document["budget"] = f.amount
	}
	p.PrintJSON(document)
}

func (p commands) printPricesCSV(b *priceBook, f *priceFlags) error {
	columns := []string{"model", "kind", "video_model", "resolution", "size", "quality", "duration", "aspect_ratio",
		"credits_per_second", "credits", "source", "available", "reason", "quoted_at"}
	if f.budget != "" {
		columns = append(columns, "count", "seconds")
	}
	return p.PrintCSV(b.documents(f), columns...)
}

func (p commands) printPricesMarkdown(b *priceBook) {
	for i := range b.tables {
		if i > 0 {
			fmt.Fprintln(p.Out)
		}
		fmt.Fprint(p.Out, b.tables[i].Markdown(b.figure, p.Say))
	}
}
