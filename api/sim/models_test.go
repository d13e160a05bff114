package sim_test

import (
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest"
)

// The ledger has each accepted body as it was sent, its price, and what was
// given back.
func TestLedgerHasBodiesPricesAndRefunds(t *testing.T) {
	t.Parallel()
	s := simtest.Run(t, simtest.Options{LongSide: 32})
	bodies := []string{
		`{"model":"lumen/still-1",  "prompt":"a \u00e9", "quality":"high","async":false}`,
		`{"model":"lumen/still-1","prompt":"[fail] b","async":false}`,
		`{"model":"seedance2","prompt":"c","duration":"4","async":false}`,
	}
	for i, body := range bodies {
		path := simtest.PathImages
		if i == 2 {
			path = simtest.PathVideos
		}
		if r := s.Ask(t, "POST", path, body); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.Body)
		}
	}
	s.Ask(t, "POST", simtest.PathImages, `{"model":"lumen/still-1","prompt":""}`) // refused, hence not in it
	l := s.Ledger()
	if len(l) != 3 {
		t.Fatalf("%d entries", len(l))
	}
	for i, want := range []struct {
		credits, refunded api.Credits
		files             int
	}{{25 * api.Credit, 0, 1}, {12*api.Credit + api.Credit/2, 12*api.Credit + api.Credit/2, 0}, {340 * api.Credit, 0, 1}} {
		e := l[i]
		if string(e.Body) != bodies[i] || e.Credits != want.credits || e.Refunded != want.refunded || e.Failed != (want.refunded > 0) || len(e.Files) != want.files {
			t.Errorf("entry %d: %+v, body %s", i, e, e.Body)
		}
	}
}
