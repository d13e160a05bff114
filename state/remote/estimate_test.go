package remote

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
)

func TestEstimatesAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeService{}
		f.price = func(n int) (api.Estimate, error) {
			if n > 2 {
				return api.Estimate{}, &api.Error{Class: api.ClassNetwork, Text: api.Clean("no", 10)}
			}
			return api.Estimate{Credits: api.Credits(n) * api.Credit, Source: api.SourceService}, nil
		}
		o := testOptions(t, "https://service.test")
		o.Connect = connectTo(f)
		s := openRemote(t, o)
		r := api.Request{Kind: api.KindImage, Model: "acme/paint", Prompt: "a", Size: "1K"}
		for n := range 5 {
			r.Prompt = fmt.Sprint("prompt ", n) // does not change the price
			q := r
			go func() { _, _ = s.Estimate(t.Context(), q) }()
		}
		time.Sleep(2 * time.Second)
		if e, err := s.Estimate(t.Context(), r); err != nil || e.Credits != api.Credit || f.asked() != 1 {
			t.Errorf("%v, %v, %d calls", e.Credits, err, f.asked())
		}
		time.Sleep(time.Minute)
		if e, err := s.Estimate(t.Context(), r); err != nil || e.Credits != 2*api.Credit {
			t.Errorf("%v, %v", e.Credits, err)
		}
		time.Sleep(time.Minute)
		e, err := s.Estimate(t.Context(), r)
		if err == nil || e.Credits != 2*api.Credit || e.Source != api.SourceService || time.Since(e.At) < time.Minute {
			t.Errorf("without a network: %+v, %v", e, err)
		}
	})
}
