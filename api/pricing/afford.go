package pricing

import (
	"cmp"
	"math"
	"math/bits"
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

// Affordable gives what an amount pays for of each choice that is
// available and has a price.
func (t *Table) Affordable(amount api.Credits, figure Figure) []Afford {
	var out []Afford
	for i := range t.Choices {
		c := &t.Choices[i]
		price, ok := figure(c)
		if !ok || c.Refused() {
			continue
		}
		out = append(out, t.Afford(amount, c, price))
	}
	return out
}

// Afford gives what an amount pays for of a choice at a price.
func (t *Table) Afford(amount api.Credits, c *Choice, price api.Credits) Afford {
	a := Afford{Choice: c, Credits: price, Count: Unlimited}
	if amount = max(amount, 0); price > 0 {
		a.Count = int64(amount / price)
		a.Seconds = scaled(amount, t.SecondsOf(c), price)
	}
	return a
}

// scaled is amount × n / by, rounded down.
func scaled(amount api.Credits, n int, by api.Credits) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(n))
	if high >= uint64(by) {
		return Unlimited
	}
	q, _ := bits.Div64(high, low, uint64(by))
	return int64(min(q, uint64(Unlimited)))
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
	isDefault := func(value string, name string) bool {
		p, ok := m.Parameter(name)
		return !ok || value == "" || p.Default == value
	}
	if !isDefault(r.Size, api.FieldSize) || !isDefault(r.Quality, api.FieldQuality) {
		return 0, false
	}
	return m.Price.Credits, true
}

// Markdown writes the table as Markdown, with prices of figure. say writes an
// English format in the language of the reader.
func (t *Table) Markdown(figure Figure, say func(format string, args ...any) string) string {
	var b strings.Builder
	title := api.Clean(t.Model.ID, api.MaxIDText).String()
	if t.Chosen {
		title = say("%s, %d s", title, t.Seconds)
	}
	cell := func(c *Choice) string {
		credits, ok := figure(c)
		switch seconds := t.SecondsOf(c); {
		case c.Refused():
			return "–"
		case !ok:
			return "?"
		case seconds > 0:
			return say("%s (%s / s)", credits.String(), (credits / api.Credits(seconds)).String())
		}
		return credits.String()
	}
	row := func(first string, each func(col int) string) {
		b.WriteString("| " + escaped(first) + " |")
		for col := range t.Cols {
			b.WriteString(" " + escaped(each(col)) + " |")
		}
		b.WriteByte('\n')
	}
	row(title, func(col int) string { return t.Cols[col] })
	b.WriteString("|---|" + strings.Repeat("---:|", len(t.Cols)) + "\n")
	for i, name := range t.Rows {
		row(name, func(col int) string { return cell(t.At(i, col)) })
	}
	return b.String()
}

// escaped keeps text from ending its cell or its line.
func escaped(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "`", "\\`", "<", "&lt;").Replace(s)
}
