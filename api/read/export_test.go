package read

import "testing"

// For the tests of package read_test, which also import api/client.

type Tally = tally

var ModelLine = modelLine

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
