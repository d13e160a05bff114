package prices

import (
	"fmt"
	"testing"
	"time"

	"darkroom/api/sim/simtest/expect"
)

// TestPartsOfPeriods: the parts follow one another to today, months of any length.
func TestPartsOfPeriods(t *testing.T) {
	t.Parallel()
	today := time.Date(2026, 3, 31, 0, 30, 0, 0, time.UTC)
	for period, want := range []string{"2026-03-18 2026-03-18, 2026-03-30 2026-03-30, 2026-03-31 2026-03-31",
		"2026-01-07 2026-01-13, 2026-03-18 2026-03-24, 2026-03-25 2026-03-31", "2025-04-01 2025-04-30, 2026-02-01 2026-02-28, 2026-03-01 2026-03-31"} {
		parts := partsOf(period, today)
		first, before, last := parts[0], parts[len(parts)-2], parts[len(parts)-1]
		got := fmt.Sprintf("%s %s, %s %s, %s %s", first.from, first.to, before.from, before.to, last.from, last.to)
		expect.Equal(t, got, want, period)
		expect.Equal(t, partAt(parts, "2026-03-31"), len(parts)-1, period, "the part of the last day")
		expect.Equal(t, partAt(parts, "2025-03-31"), -1, period, "the part of a day before them")
	}
}
