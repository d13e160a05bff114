// Package pricing lays out what a model can be asked for and compares the
// prices: the choices of a model, the cheapest of them, what an amount pays for,
// and plans of several requests. It knows no service; figures are handed in.
package pricing

import (
	"cmp"
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"darkroom/api"
)

// Choice is one thing that has a price.
type Choice struct {
	Row, Col int
	Request  api.Request
	Key      string      // of its price: api.Request.EstimateKey
	Refusal  api.Problem // why it is not available; the zero Problem if it is
	Rate     api.Estimate
}

// ChoiceOf is a request as a choice of its model.
func ChoiceOf(m api.Model, r api.Request) Choice {
	return Choice{Request: r, Key: r.EstimateKey(m), Rate: api.TableEstimate(r)}
}

// Refused reports whether the choice is unavailable, whatever the duration.
func (c *Choice) Refused() bool { return c.Refusal.Code != "" }

// Table is every choice of one model: tier by resolution, duration by
// resolution, or size by quality, each in rising order.
type Table struct {
	Model      api.Model
	Rows, Cols []string
	Choices    []Choice // row by row
	Timed      bool     // the prices are for a duration
	Chosen     bool     // that duration is Seconds; else each row has its own
	Seconds    int
	// Refusal is why the model does not take the duration; the zero Problem when
	// it does.
	Refusal api.Problem
}

// Figure gives the price of a choice, and false when it is not known.
type Figure func(c *Choice) (api.Credits, bool)

// For lays out the choices of a model. The ratio may be "".
func For(m api.Model, seconds int, ratio string) Table {
	t := Table{Model: m, Seconds: seconds}
	switch {
	case m.ID == "":
		return t
	case m.ID == api.Seedance2:
		t.Timed, t.Chosen = true, true
		t.Rows, t.Cols = api.VideoModels(), api.Resolutions("")
	case m.Kind == api.KindVideo:
		t.Timed = true
		t.Rows, t.Cols = values(m, api.FieldDuration), values(m, api.FieldResolution)
		t.Chosen = len(t.Rows) == 1 && t.Rows[0] == ""
	default:
		t.Rows, t.Cols = values(m, api.FieldSize), values(m, api.FieldQuality)
	}
	for row := range t.Rows {
		for col := range t.Cols {
			t.Choices = append(t.Choices, t.choice(row, col, ratio))
		}
	}
	return t
}

// values are what a model lists for a parameter, in rising order, or one empty
// value that leaves it out.
func values(m api.Model, name string) []string {
	p, _ := m.Parameter(name)
	if len(p.Values) == 0 {
		return []string{""}
	}
	return rising(slices.Clone(p.Values))
}

// decides are the fields whose problems make a choice impossible.
var decides = []string{api.FieldResolution, api.FieldVideoModel, api.FieldSize, api.FieldQuality, api.FieldAspectRatio}

func (t *Table) choice(row, col int, ratio string) Choice {
	r := api.Request{Kind: t.Model.Kind, Model: t.Model.ID, AspectRatio: ratio}
	switch {
	case t.Model.ID == api.Seedance2:
		r.Kind, r.VideoModel, r.Resolution = api.KindVideo, t.Rows[row], t.Cols[col]
	case t.Timed:
		r.Duration, r.Resolution = t.Rows[row], t.Cols[col]
	default:
		r.Size, r.Quality = t.Rows[row], t.Cols[col]
	}
	if t.Chosen {
		r.Duration = strconv.Itoa(t.Seconds)
	}
	c := ChoiceOf(t.Model, r)
	c.Row, c.Col = row, col
	r.Prompt = "-" // without a prompt the check would end there
	for _, p := range api.Check(r, t.Model, "") {
		if slices.Contains(decides, p.Field) && !c.Refused() {
			c.Refusal = p
		}
		if p.Field == api.FieldDuration && t.Chosen {
			t.Refusal = p
		}
	}
	return c
}

// At is the choice of a row and a column.
func (t *Table) At(row, col int) *Choice { return &t.Choices[row*len(t.Cols)+col] }

// SecondsOf is the duration that a choice is for, 0 when it has none.
func (t *Table) SecondsOf(c *Choice) int {
	n, err := strconv.Atoi(c.Request.Duration)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// groups are what choices are compared within: videos of a resolution, images of a
// size.
func (t *Table) groups() []string {
	if t.Timed {
		return t.Cols
	}
	return t.Rows
}

// group is the number of a choice's group.
func (t *Table) group(c *Choice) int {
	if t.Timed {
		return c.Col
	}
	return c.Row
}

// Other names a choice within its group: the tier, or the quality.
func (t *Table) Other(c *Choice) string {
	if t.Timed {
		return t.Rows[c.Row]
	}
	return t.Cols[c.Col]
}

// available are the choices of a group that are not refused.
func (t *Table) available(group int) []*Choice {
	var out []*Choice
	for i := range t.Choices {
		if c := &t.Choices[i]; t.group(c) == group && !c.Refused() {
			out = append(out, c)
		}
	}
	return out
}

// Cheapest is the lowest price of a resolution or size.
type Cheapest struct {
	Group   string // "720p", "2K"
	Choices []*Choice
	Credits api.Credits
	Of      int // number of choices
}

// CheapestOf gives the lowest price of each resolution or size of which every
// price is known, in the table's order.
func (t *Table) CheapestOf(figure Figure) []Cheapest {
	var out []Cheapest
	for n, name := range t.groups() {
		g, known := Cheapest{Group: name}, true
		for _, c := range t.available(n) {
			price, ok := figure(c)
			known = known && ok
			if g.Of == 0 || price < g.Credits {
				g.Credits, g.Choices = price, nil
			}
			if price == g.Credits {
				g.Choices = append(g.Choices, c)
			}
			g.Of++
		}
		if known && g.Of > 0 {
			out = append(out, g)
		}
	}
	return out
}

// Near is the choice of the same resolution or size that is the next dearer one
// (up) or the next cheaper one, and false when there is none.
func (t *Table) Near(c *Choice, up bool, figure Figure) (*Choice, bool) {
	price, ok := figure(c)
	if !ok {
		return nil, false
	}
	var best *Choice
	var found api.Credits
	for _, other := range t.available(t.group(c)) {
		p, ok := figure(other)
		if !ok || p == price || p > price != up || other.Request.Duration != c.Request.Duration {
			continue
		}
		if best == nil || p != found && p < found == up {
			best, found = other, p
		}
	}
	return best, best != nil
}

// rising sorts sizes, resolutions, durations and qualities; what cannot be
// compared stays behind in its order.
func rising(list []string) []string {
	slices.SortStableFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), len(a)-len(b)) // "2K" before "auto_2K"
	})
	return list
}

var (
	sizeForm  = regexp.MustCompile(`([\d.]+)(?:[x*×]([\d.]+)|([kK]))?`)
	qualities = []string{"low", "medium", "high"}
)

// rank is what a value is sorted by: "480p" 480, "2K" 2000, "1024x768" their
// product, "low" 0.
func rank(v string) float64 {
	if n := slices.Index(qualities, v); n >= 0 {
		return float64(n)
	}
	m := sizeForm.FindStringSubmatch(v)
	if m == nil {
		return math.Inf(1)
	}
	n, _ := strconv.ParseFloat(m[1], 64)
	if second, err := strconv.ParseFloat(m[2], 64); err == nil {
		n *= second
	}
	if m[3] != "" {
		n *= 1000
	}
	return n
}

// aboutOne are the classes of errors that are about one price alone.
var aboutOne = []api.ErrorClass{api.ClassInvalid, api.ClassModeration, api.ClassConflict, api.ClassUnreadable, api.ClassCurrency}

// OneOnly reports whether an error is about one price alone, so that others can
// still be asked for: the service answered, and neither the key, nor the rate of
// calls, nor the service itself is in the way.
func OneOnly(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && slices.Contains(aboutOne, e.Class)
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
