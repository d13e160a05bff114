package simtest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"darkroom/api"
	"darkroom/api/sim"
)

// estimateStill asks for the price of a still.
const estimateStill = PathEstimate + "?model=" + sim.StillModel

const stillBody = `{"model":"lumen/still-1","prompt":"a kettle","async":true}`

func TestCallsAreRecorded(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{LongSide: 32})
	id := s.Ask(t, "POST", PathImages, stillBody).Text(t, "id")
	if c := s.Calls()[0]; c.Endpoint != "create" || c.JobID != id || !c.HasKey || c.Status != 200 || string(c.Body) != stillBody {
		t.Errorf("%+v", c)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Options{TLS: true, Faults: []Fault{{Do: "hang"}}})
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	answered := make(chan error)
	go func() {
		_, err := (&http.Client{Transport: tr}).Get(s.URL() + PathModels)
		answered <- err
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel() // while the call hangs
	if err := <-answered; err == nil {
		t.Error("a call outlived its server")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	tr.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// Each extra model is listed, has a price of its own, and can be ordered from.
func TestExtraModels(t *testing.T) {
	t.Parallel()
	s := Run(t, Options{ExtraModels: 198, LongSide: 32})
	listed, _ := s.Ask(t, "GET", PathModels, "").At(t, "models").([]any)
	if len(listed) != 200 {
		t.Fatalf("%d models", len(listed))
	}
	prices := map[string]string{}
	for _, entry := range listed {
		id, _ := entry.(map[string]any)["id"].(string)
		price := fmt.Sprint(s.Ask(t, "GET", strings.Replace(estimateStill, sim.StillModel, id, 1), "").At(t, "estimated_credits"))
		if other, twice := prices[price]; twice {
			t.Errorf("%s costs %s credits as %s does", id, price, other)
		}
		prices[price] = id
	}
	if prices["12.5"] != sim.StillModel || prices["13.5"] != "lumen/still-2" || prices["210.5"] != "lumen/still-199" {
		t.Errorf("prices are %v", prices)
	}
	last := `{"model":"lumen/still-199","prompt":"x","size":"2K","quality":"low"}`
	if r := s.Ask(t, "POST", PathImages, last); r.StatusCode != 200 {
		t.Errorf("%d %s", r.StatusCode, r.Body)
	}
	if l := s.Ledger(); len(l) != 1 || l[0].Model != "lumen/still-199" || l[0].Credits != 208*api.Credit {
		t.Errorf("charged as %+v", l)
	}
	if r := s.Ask(t, "POST", PathImages, `{"model":"lumen/still-200","prompt":"x"}`); r.StatusCode != 422 {
		t.Errorf("a model that is not listed: %d", r.StatusCode)
	}
}
