package state

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
)

// fakeService is a service without a network, so that schedules run in a
// bubble of synctest. It counts every call.
type fakeService struct {
	mu      sync.Mutex
	creates []time.Time
	polls   map[string][]time.Time
	idle    int

	create func(n int, o client.CreateOptions) api.Outcome // n counts from 1
	price  func(r api.Request) (api.Estimate, error)       // nil: it has no figures
	bodies []string
	job    func(id string, n int) (api.JobAnswer, error)
}

func newFake() *fakeService {
	return &fakeService{polls: map[string][]time.Time{}}
}

func (f *fakeService) Models(context.Context) ([]api.Model, bool, error) {
	return []api.Model{{ID: "acme/paint", Kind: api.KindImage}}, false, nil
}

func (f *fakeService) Estimate(_ context.Context, r api.Request, _ api.Model) (api.Estimate, error) {
	if f.price != nil {
		return f.price(r)
	}
	return api.Estimate{}, &api.Error{Class: api.ClassNetwork}
}

func (f *fakeService) Create(_ context.Context, _ string, body []byte, o client.CreateOptions) api.Outcome {
	f.mu.Lock()
	f.bodies = append(f.bodies, string(body))
	f.creates = append(f.creates, time.Now())
	n := len(f.creates)
	f.mu.Unlock()
	return f.create(n, o)
}

func (f *fakeService) Job(_ context.Context, id string, _ api.Kind, _ ...string) (api.JobAnswer, error) {
	f.mu.Lock()
	f.polls[id] = append(f.polls[id], time.Now())
	n := len(f.polls[id])
	f.mu.Unlock()
	return f.job(id, n)
}

func (f *fakeService) Resolve(ctx context.Context, ids []string, kind api.Kind) (string, api.JobAnswer, error) {
	for _, id := range ids {
		a, err := f.Job(ctx, id, kind)
		var e *api.Error
		switch {
		case err == nil:
			return id, a, nil
		case errors.As(err, &e) && e.Class != api.ClassNotFound:
			return "", api.JobAnswer{}, err
		}
	}
	return "", api.JobAnswer{}, &api.Error{Class: api.ClassNotFound}
}

func (f *fakeService) CloseIdle() { f.mu.Lock(); f.idle++; f.mu.Unlock() }

func (f *fakeService) sent() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.creates)
}

func (f *fakeService) polled(id string) []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]time.Time(nil), f.polls[id]...)
}

// calls reads a count that calls raise.
func (f *fakeService) calls(n *int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *n
}

// fakeOptions are options for a session on a fake service, in real units of
// time.
func fakeOptions(t testing.TB, dir string, f *fakeService) (Options, *fakeFetcher) {
	t.Helper()
	o, fetcher := testOptions(t, dir, "https://service.test")
	o.Settings.TimeScale = 1
	o.Connect = func(client.Options) Service { return f }
	return o, fetcher
}

func queued(id string) api.Outcome {
	return api.Outcome{Phase: api.PhaseQueued, HTTPStatus: 200, Connected: true, Raw: []byte(`{"id":"` + id + `"}`),
		Answer: api.JobAnswer{ID: id, Class: api.StatusWaiting, Progress: -1}}
}

func answer(class api.StatusClass, word string, urls ...string) api.JobAnswer {
	a := api.JobAnswer{Class: class, Status: api.Clean(word, 32), Progress: -1, Raw: []byte(`{"status":"` + word + `"}`)}
	for _, u := range urls {
		a.Results = append(a.Results, api.Result{URL: u})
	}
	return a
}

func failing(class api.ErrorClass, status int, after time.Duration) error {
	return &api.Error{Class: class, Status: status, Text: api.Clean("no", 10), RetryAfter: after}
}

func (f *fakeService) Tools(context.Context, string) (mcp.Listing, error) {
	return mcp.Listing{}, &api.Error{Class: api.ClassNotFound}
}

func (f *fakeService) CallTool(context.Context, string, mcp.Call) (mcp.Answer, error) {
	return mcp.Answer{}, &api.Error{Class: api.ClassNotFound}
}
