package prices

import (
	"testing"
	"time"
	_ "time/tzdata"
)

// TestDaysWhereOneHasNoMidnight: in Havana 8 March 2026 begins at one o'clock.
// The days of a period that begins with it are those of the calendar.
func TestDaysWhereOneHasNoMidnight(t *testing.T) {
	t.Parallel()
	havana, err := time.LoadLocation("America/Havana")
	if err != nil {
		t.Fatal(err)
	}
	since := time.Date(2026, 3, 8, 0, 0, 0, 0, havana)
	if since.Day() != 7 {
		t.Fatalf("it begins at %v: the test shows nothing", since)
	}
	days := daySums(since, 30, nil)
	if first, last := days[0].Day, days[29].Day; first != "2026-03-08" || last != "2026-04-06" {
		t.Errorf("%s to %s", first, last)
	}
}
