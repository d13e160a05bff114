package sim

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
)

// A fault before the service's work keeps a create out of the ledger, and one
// after it does not.
func TestLedgerTellsWhatAFaultyCreateDid(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	for i, text := range []string{"create:status=503", "create:late-status=503"} {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		s.AddFault(f)
		if r := ask(t, s, "POST", pathImages, stillBody); r.StatusCode != 503 || len(s.Ledger()) != i {
			t.Errorf("%s: %d, %d accepted", text, r.StatusCode, len(s.Ledger()))
		}
		if calls := s.Calls(); calls[i].Status != 503 || string(calls[i].Body) != stillBody {
			t.Errorf("%s: recorded as %+v", text, calls[i])
		}
		s.ClearFaults()
	}
	if r := ask(t, s, "POST", pathImages, stillBody); r.StatusCode != 200 {
		t.Errorf("without a fault: %d", r.StatusCode)
	}
	if _, err := Start(t.Context(), Options{Faults: []Fault{{Do: "no such"}}}); err == nil {
		t.Error("an unknown fault was taken")
	}
}

func TestGoAwayIsAcceptedAndDenied(t *testing.T) {
	t.Parallel()
	s := start(t, Options{TLS: true})
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool()}, ForceAttemptHTTP2: true}
	defer tr.CloseIdleConnections()
	client := &http.Client{Transport: tr}
	first, err := client.Do(newRequest(t, s, "POST", pathImages, stillBody))
	if err != nil || first.ProtoMajor != 2 {
		t.Fatalf("%v %+v", err, first)
	}
	first.Body.Close()
	s.AddFault(Fault{Endpoint: "create", Do: "h2-goaway"})
	if _, err := client.Do(newRequest(t, s, "POST", pathImages, stillBody)); err == nil || !strings.Contains(err.Error(), "GOAWAY") && !strings.Contains(err.Error(), "GetBody") {
		t.Errorf("%v", err)
	}
	if n := len(s.Ledger()); n != 2 {
		t.Errorf("%d accepted", n)
	}
}

func TestFaultsCountTheirCalls(t *testing.T) {
	t.Parallel()
	f, err := ParseFault("models@2+1:status=503")
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, Options{Faults: []Fault{f}})
	for i, want := range []int{200, 503, 200} {
		ask(t, s, "GET", pathEstimate+"?model=seedance2", "")
		if r := ask(t, s, "GET", pathModels, ""); r.StatusCode != want {
			t.Errorf("call %d: %d", i, r.StatusCode)
		}
	}
}
