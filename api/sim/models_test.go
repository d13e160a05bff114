package sim

import (
	"fmt"
	"testing"

	"darkroom/api"
)

// Each extra model is listed, has a price of its own, and can be ordered from.
func TestExtraModels(t *testing.T) {
	t.Parallel()
	s := start(t, Options{ExtraModels: 198, LongSide: 32})
	listed, _ := ask(t, s, "GET", pathModels, "").at(t, "models").([]any)
	if len(listed) != 200 {
		t.Fatalf("%d models", len(listed))
	}
	prices := map[string]string{}
	for _, entry := range listed {
		id, _ := entry.(map[string]any)["id"].(string)
		price := fmt.Sprint(ask(t, s, "GET", pathEstimate+"?model="+id, "").at(t, "estimated_credits"))
		if other, twice := prices[price]; twice {
			t.Errorf("%s costs %s credits as %s does", id, price, other)
		}
		prices[price] = id
	}
	if prices["12.5"] != StillModel || prices["13.5"] != "lumen/still-2" || prices["210.5"] != "lumen/still-199" {
		t.Errorf("prices are %v", prices)
	}
	last := `{"model":"lumen/still-199","prompt":"x","size":"2K","quality":"low"}`
	if r := ask(t, s, "POST", pathImages, last); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	if l := s.Ledger(); len(l) != 1 || l[0].Model != "lumen/still-199" || l[0].Credits != 208*api.Credit {
		t.Errorf("charged as %+v", l)
	}
	if r := ask(t, s, "POST", pathImages, `{"model":"lumen/still-200","prompt":"x"}`); r.StatusCode != 422 {
		t.Errorf("a model that is not listed: %d", r.StatusCode)
	}
}

// The ledger has each accepted body as it was sent, its price, and what was
// given back.
func TestLedgerHasBodiesPricesAndRefunds(t *testing.T) {
	t.Parallel()
	s := start(t, Options{LongSide: 32})
	bodies := []string{
		`{"model":"lumen/still-1",  "prompt":"a \u00e9", "quality":"high","async":false}`,
		`{"model":"lumen/still-1","prompt":"[fail] b","async":false}`,
		`{"model":"seedance2","prompt":"c","duration":"4","async":false}`,
	}
	for i, body := range bodies {
		path := pathImages
		if i == 2 {
			path = pathVideos
		}
		if r := ask(t, s, "POST", path, body); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	ask(t, s, "POST", pathImages, `{"model":"lumen/still-1","prompt":""}`) // refused, hence not in it
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
