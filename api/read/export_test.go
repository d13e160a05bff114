package read

import (
	"strings"
	"testing"

	"darkroom/api"
)

// For the tests of package read_test, which also import api/client.

type Tally = tally

func NewTally(concept string) *Tally { return &tally{concept: concept} }

func (c *tally) Check(right bool, name, format string, args ...any) {
	c.check(right, name, format, args...)
}

func (c *tally) Report(t *testing.T) {
	t.Helper()
	t.Logf("%s: read right %d of %d (%.1f %%)", c.concept, c.right, c.all, c.percent())
	for _, m := range c.misses {
		t.Errorf("%s: %s", c.concept, m)
	}
}

// ModelLine is a model in one line, as the rows of shapes.jsonl have it.
func ModelLine(m api.Model) string {
	line := m.ID + " " + string(m.Kind) + " none"
	if m.Price != nil {
		line = m.ID + " " + string(m.Kind) + " " + m.Price.Credits.String() + "/" + m.Price.Unit
	}
	for _, p := range m.Parameters {
		line += " " + p.Name + "=" + strings.Join(p.Values, ",")
		if p.Min != nil && p.Max != nil {
			line += api.Credits(*p.Min*1e6).String() + ".." + api.Credits(*p.Max*1e6).String()
		}
		line += "(" + p.Default + ")"
		if p.Required {
			line += "!"
		}
	}
	return line
}
