package remote

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"darkroom/api"
)

func listOf(n int) []api.Model {
	var out []api.Model
	for i := range n {
		out = append(out, api.Model{ID: fmt.Sprint("lumen/still-", i), Kind: api.KindImage})
	}
	return out
}

// storeListing does what another window does when the service listed models.
func storeListing(tb testing.TB, o Options, at time.Time, models []api.Model) {
	tb.Helper()
	raw := must(json.Marshal(models))(tb)
	if err := o.Store().Remember(tb.Context(), cacheModels, "https://service.test", raw, at); err != nil {
		tb.Fatal(err)
	}
}

// TestListingOfAnotherWindow reads the listing again when another window
// stored a newer one, and hands out a slice that the caller may change.
func TestListingOfAnotherWindow(t *testing.T) {
	t.Parallel()
	o := testOptions(t, "https://service.test")
	o.Connect = connectTo(&fakeService{})
	r := openRemote(t, o)
	at := time.Now()
	for n := 1; n < 4; n++ {
		storeListing(t, o, at.Add(time.Duration(n)*time.Second), listOf(n))
		for range 2 {
			l := r.KnownModels(t.Context())
			if len(l.Models) != n || !l.Cached || l.At.Before(at) || l.Models[n-1].ID != fmt.Sprint("lumen/still-", n-1) {
				t.Fatalf("after listing %d: %+v", n, l)
			}
			slices.Reverse(l.Models)
			l.Models[0].ID = "changed"
		}
		if m := r.Model(t.Context(), "https://service.test", fmt.Sprint("lumen/still-", n-1)); m.Kind != api.KindImage {
			t.Errorf("the listing %d has no model of its own: %+v", n, m)
		}
	}
	if l := r.recallModels(t.Context(), "https://elsewhere.test"); len(l.Models) > 0 || l.Cached {
		t.Errorf("another service has %+v", l)
	}
}
