package pricing

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"darkroom/api"
)

// Afford is what an amount pays for of one choice.
type Afford struct {
	Choice  *Choice
	Credits api.Credits // of one
	Count   int64       // how many; Unlimited when they cost nothing
	Seconds int64       // of video by the second; 0 for images
}

// Unlimited is the Count of what costs nothing.
const Unlimited = math.MaxInt64

// Affordable gives what an amount pays for of each choice that is available and
// has a price.
func (t *Table) Affordable(amount api.Credits, figure Figure) []Afford {
	var out []Afford
	for i := range t.Choices {
		c := &t.Choices[i]
		if price, ok := figure(c); ok && !c.Refused() {
			out = append(out, t.Afford(amount, c, price))
		}
	}
	return out
}

// Afford gives what an amount pays for of a choice at a price.
func (t *Table) Afford(amount api.Credits, c *Choice, price api.Credits) Afford {
	if price <= 0 {
		return Afford{Choice: c, Credits: price, Count: Unlimited}
	}
	amount = max(amount, 0)
	count, rest, seconds := int64(amount/price), int64(amount%price), int64(t.SecondsOf(c))
	return Afford{Choice: c, Credits: price, Count: count, Seconds: count*seconds + rest*seconds/int64(price)}
}

// Summary picks the cheapest choice of each resolution or size.
func (t *Table) Summary(all []Afford) []Afford {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b Afford) int {
		return cmp.Or(t.group(a.Choice)-t.group(b.Choice), cmp.Compare(a.Credits, b.Credits))
	})
	return slices.CompactFunc(all, func(a, b Afford) bool { return t.group(a.Choice) == t.group(b.Choice) })
}

// Listed returns the listed price of a model if it applies to the choice: it is the
// price of one image or call of the default size and quality.
func Listed(m api.Model, r api.Request) (api.Credits, bool) {
	if m.Price == nil || m.Price.Unit != "image" && m.Price.Unit != "call" {
		return 0, false
	}
	for name, value := range map[string]string{api.FieldSize: r.Size, api.FieldQuality: r.Quality} {
		if p, ok := m.Parameter(name); ok && value != "" && p.Default != value {
			return 0, false
		}
	}
	return m.Price.Credits, true
}

// Markdown writes the table as Markdown, with prices of figure. say writes an
// English format in the language of the reader.
func (t *Table) Markdown(figure Figure, say func(format string, args ...any) string) string {
	title := api.Clean(t.Model.ID, api.MaxIDText).String()
	if t.Chosen {
		title = say("%s, %d s", title, t.Seconds)
	}
	var b strings.Builder
	write := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + escaper.Replace(cell) + " ")
		}
		b.WriteString("|\n")
	}
	write(append([]string{title}, t.Cols...))
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Cols)) + "\n")
	for i, name := range t.Rows {
		row := []string{name}
		for col := range t.Cols {
			c := t.At(i, col)
			credits, ok := figure(c)
			text := credits.String()
			switch seconds := t.SecondsOf(c); {
			case c.Refused():
				text = "–"
			case !ok:
				text = "?"
			case seconds > 0:
				text = say("%s (%s / s)", text, (credits / api.Credits(seconds)).String())
			}
			row = append(row, text)
		}
		write(row)
	}
	return b.String()
}

// escaper keeps text from ending its cell or its line.
var escaper = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "\\`", "<", "&lt;")
