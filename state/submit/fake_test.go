package submit

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/mcp"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

const testKey = "ak_0123456789abcdef"

// fakeService answers creates; every other call would be a mistake.
type fakeService struct {
	remote.Service
	mu      sync.Mutex
	creates int
	at      []string                                        // the address of the connection by which each create came
	create  func(n int, o client.CreateOptions) api.Outcome // n counts from 1
	price   func() (api.Estimate, error)                    // nil: the service gives no figure
	call    func(ctx context.Context, c mcp.Call) (mcp.Answer, error)
	job     func(ctx context.Context, id string) error
	models  func() ([]api.Model, error) // nil: the list is empty
	unknown error                       // why none of several ids is known
	tools   int                         // how often they were listed
}

func (f *fakeService) Estimate(context.Context, api.Request, api.Model) (api.Estimate, error) {
	price := simtest.Read(&f.mu, func() func() (api.Estimate, error) { return f.price })
	if price == nil {
		return api.Estimate{}, &api.Error{Class: api.ClassServer, Status: 500}
	}
	return price()
}

func (f *fakeService) Models(context.Context) (list []api.Model, more bool, err error) {
	if f.models != nil {
		list, err = f.models()
	}
	return list, false, err
}

func (f *fakeService) CallTool(ctx context.Context, path string, c mcp.Call) (mcp.Answer, error) {
	if path != "/mcp" {
		return mcp.Answer{}, errors.New("no tools at " + path)
	}
	return f.call(ctx, c)
}

func (f *fakeService) Resolve(_ context.Context, ids []string, _ api.Kind) (string, api.JobAnswer, error) {
	if f.unknown != nil {
		return "", api.JobAnswer{}, f.unknown
	}
	return ids[len(ids)-1], api.JobAnswer{}, nil
}

func (f *fakeService) Job(ctx context.Context, id string, _ api.Kind, _ ...string) (api.JobAnswer, error) {
	return api.JobAnswer{}, f.job(ctx, id)
}

func (f *fakeService) Tools(context.Context, string) (mcp.Listing, error) {
	f.tools++
	return mcp.Listing{Path: "/mcp"}, nil
}

func (f *fakeService) Create(_ context.Context, _ string, _ []byte, o client.CreateOptions) api.Outcome {
	if o.Last != nil {
		if err := o.Last(); err != nil {
			return api.Outcome{Phase: api.PhaseNotSent, Err: &api.Error{Class: api.ClassNetwork, Cause: err}}
		}
	}
	f.mu.Lock()
	f.creates++
	n, create := f.creates, f.create
	f.mu.Unlock()
	return create(n, o)
}

// serviceAt is the fake as one connection sees it.
type serviceAt struct {
	*fakeService
	base string
}

func (s serviceAt) Create(ctx context.Context, path string, body []byte, o client.CreateOptions) api.Outcome {
	simtest.Locked(&s.mu, func() { s.at = append(s.at, s.base) })
	return s.fakeService.Create(ctx, path, body, o)
}

func (f *fakeService) sent() int {
	return simtest.Read(&f.mu, func() int { return f.creates })
}

// window is a Submitter with a store in a folder of its own and a fake service.
type window struct {
	*Submitter
	remote   *remote.Remote
	settings *settings.Current
	file     *store.Store
	db       *sql.DB // the same file, as another program opens it
	fetcher  *media.Fetcher
	over     atomic.Int64 // how often the next turns are over before the POST
	stop     func()       // ends the program
	leaving  func()       // is called when a turn comes, unless it is nil
	noTurn   error        // why none comes
	until    atomic.Int64 // when the turn of another window is over, if that holds one up, in milliseconds
	marking  atomic.Bool  // the program ends when the store is asked for next

	mu       sync.Mutex
	resolved []string               // candidates for an id that were to be tried, of each answer
	told     map[string][]api.Phase // by id, the phase of the job at each change that was told; "" is Pending
	next     chan struct{}          // closed and replaced at every change
}

func openWindow(t *testing.T, f *fakeService, change ...func(*settings.Settings)) *window {
	t.Helper()
	file := must(store.Open(t.Context(), filepath.Join(t.TempDir(), "darkroom.db")))(t)
	set := settings.Settings{BaseURL: "https://service.test", BaseFrom: "environment", EnvKey: testKey, TimeScale: 1, Recipes: true,
		Downloads: t.TempDir()}
	for _, change := range change {
		change(&set)
	}
	w := &window{file: file, settings: settings.NewCurrent(set, nil), told: map[string][]api.Phase{}, next: make(chan struct{}),
		fetcher: media.New(media.Options{Dir: set.Downloads, Names: "{kind}-{id}-{n}"})}
	w.db = must(sql.Open("sqlite", file.Health().Path))(t)
	current := func() *store.Store { return file }
	ctx, stop := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	w.remote = remote.New(ctx, remote.Options{
		Shared: remote.Shared{Settings: w.settings, Store: current, Go: tasks.Go,
			Changed: func(...string) { w.changed("the service") }},
		Guard:   keys.NewGuard(simtest.NoRing{None: keys.ErrNone}, func(string) string { return "" }),
		Connect: func(o client.Options) remote.Service { return serviceAt{f, o.Base.String()} },
	})
	turn := make(chan struct{}, 1)
	w.stop = stop
	w.Submitter = New(ctx, Options{
		Shared: remote.Shared{Settings: w.settings, Go: tasks.Go, Changed: w.changed, Store: func() *store.Store {
			if w.marking.CompareAndSwap(true, false) {
				w.stop()
			}
			return file
		}},
		Remote: w.remote, Instance: "me",
		Fetcher:   func(*remote.Connection) media.Saver { return w.fetcher },
		ReadOnly:  func() api.Reason { return api.Reason{} },
		FirstPoll: func(api.Kind) time.Duration { return time.Second },
		Result: func(ctx context.Context, _, name string) string { // of any job
			id, number, _ := strings.Cut(name, "/")
			n, _ := strconv.Atoi(number)
			if j, err := file.Job(ctx, id); err == nil && n > 0 && n <= len(j.Results) {
				return j.Results[n-1].URL
			}
			return ""
		},
		Resolve: func(_ *remote.Connection, _ store.Job, a api.JobAnswer) {
			simtest.Locked(&w.mu, func() { w.resolved = append(w.resolved, strings.Join(a.Candidates, " ")) })
		},
		Turn: func(ctx context.Context, _ func() bool, waits func(time.Time)) (Turn, error) {
			return w.takeTurn(ctx, turn, waits)
		},
	})
	noError(t, file.AddInstance(t.Context(), "me", "", time.Now()))
	w.remote.FindKey()
	t.Cleanup(func() {
		stop()
		began := time.Now()
		w.Close(context.Background())
		expect.That(t, time.Since(began) < sendPatience, "the end waits for what is not being sent")
		tasks.Wait()
		noError(t, errors.Join(w.db.Close(), file.Close()))
		expect.That(t, len(turn) == 0, "a turn was not given back")
	})
	return w
}

func (w *window) takeTurn(ctx context.Context, turn chan struct{}, waits func(time.Time)) (Turn, error) {
	if len(turn) > 0 {
		waits(time.UnixMilli(w.until.Load()))
	}
	select {
	case turn <- struct{}{}:
		if w.leaving != nil {
			w.leaving()
		}
		if w.noTurn != nil {
			<-turn
			return Turn{}, w.noTurn
		}
		return Turn{Release: func() { <-turn }, Over: w.turnOver}, nil
	case <-ctx.Done():
		return Turn{}, ctx.Err()
	}
}

func (w *window) turnOver() bool { return w.over.Add(-1) >= 0 }

func (w *window) changed(ids ...string) {
	phases := map[string]api.Phase{}
	for _, id := range ids {
		j, _ := w.Job(context.Background(), id)
		phases[id] = j.Phase
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(ids) == 0 {
		phases[""] = ""
	}
	for id, phase := range phases {
		w.told[id] = append(w.told[id], phase)
	}
	close(w.next)
	w.next = make(chan struct{})
}

// saved counts the files in the folder of results whose names match a pattern.
func (w *window) saved(t *testing.T, pattern string) int {
	return len(must(filepath.Glob(filepath.Join(w.fetcher.Dir, pattern)))(t))
}

// toldOf are the phases of a job at the changes that were told so far.
func (w *window) toldOf(id string) []api.Phase {
	return simtest.Read(&w.mu, func() []api.Phase { return slices.Clone(w.told[id]) })
}

// refusedFor ends the test unless an error is a refusal with a code, and gives it.
func refusedFor(t testing.TB, err error, code string) *remote.Refusal {
	t.Helper()
	var r *remote.Refusal
	expect.Must(t, errors.As(err, &r) && r.Code == code && r.Error() != "", "got", err, "want a refusal", code)
	return r
}

// Sent waits until the job's POST has its outcome, at most for as long and as many
// changes as several waits can take: a create that is sent endlessly has none.
func (w *window) Sent(ctx context.Context, id string) (store.Job, error) {
	ctx, cancel := context.WithTimeout(ctx, 6*time.Hour) // of the test's clock
	defer cancel()
	for range 1000 {
		next := simtest.Read(&w.mu, func() chan struct{} { return w.next })
		j, err := w.Job(ctx, id)
		if err != nil || j.Phase != api.PhaseIntent && j.Phase != api.PhaseSending {
			return j, err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return j, ctx.Err()
		}
	}
	return store.Job{}, errors.New("the job has changed a thousand times without an outcome")
}

// settled submits what is confirmed, and waits until it has its outcome.
func (w *window) settled(t testing.TB, c Confirmed) store.Job {
	t.Helper()
	return must(w.Sent(t.Context(), must(w.Submit(t.Context(), c))(t).ID))(t)
}

func confirm(prompt string) Confirmed {
	return Confirmed{Agreed: Agreed{
		ConfirmID: NewConfirmID(),
		Request:   api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, Duration: "5", VideoModel: "fast", Resolution: "720p"},
		Estimate:  api.Estimate{Credits: 425 * api.Credit, Source: api.SourceTable, At: time.Now()},
	}}
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError, bubble, queued, refused = simtest.NoError, simtest.Bubble, simtest.Queued, simtest.Refused
