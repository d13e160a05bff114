package poll

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/keys"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

const testBase, testKey = "https://service.test", "ak_0123456789abcdef"

// fakeService answers polls and counts them; every other call would be a
// mistake. It is shared by the windows of a test.
type fakeService struct {
	remote.Service
	fetcher fakeFetcher
	job     func(id string, n int) (api.JobAnswer, error)
	resolve func(id string) error // why an id is not the one
	models  error                 // why they are not listed

	mu      sync.Mutex
	polls   map[string][]time.Time
	running map[string]int
	most    int // polls of one job at a time
	flying  int // polls under way
	widest  int // the most of them
	lost    int // polls whose answer nobody wanted any more
	jobs    int
	windows []*window
	set     time.Duration          // by how much the wall clock was set
	told    map[string][]api.Phase // by id, the phase of the job at each change that was told
	next    chan struct{}          // closed and replaced at every change
}

func newFake(t *testing.T) *fakeService {
	f := &fakeService{job: running, polls: map[string][]time.Time{}, running: map[string]int{}, told: map[string][]api.Phase{}, next: make(chan struct{})}
	f.fetcher.dir = t.TempDir()
	return f
}

func (f *fakeService) Resolve(_ context.Context, ids []string, _ api.Kind) (string, api.JobAnswer, error) {
	return ids[0], api.JobAnswer{}, simtest.Read(&f.mu, func() error { return f.resolve(ids[0]) })
}

func (f *fakeService) Models(context.Context) ([]api.Model, bool, error) {
	return nil, false, simtest.Read(&f.mu, func() error { return f.models })
}

func (f *fakeService) Job(ctx context.Context, id string, _ api.Kind, _ ...string) (api.JobAnswer, error) {
	f.mu.Lock()
	f.polls[id] = append(f.polls[id], time.Now())
	n := len(f.polls[id])
	f.running[id]++
	f.most = max(f.most, f.running[id])
	f.flying++
	f.widest = max(f.widest, f.flying)
	f.mu.Unlock()
	a, err := f.job(id, n)
	f.mu.Lock()
	f.running[id]--
	f.flying--
	if ctx.Err() != nil {
		f.lost++
	}
	f.mu.Unlock()
	return a, err
}

func (f *fakeService) polled(id string) []time.Time {
	return simtest.Read(&f.mu, func() []time.Time { return append([]time.Time(nil), f.polls[id]...) })
}

// now is the wall clock of the test's machine.
func (f *fakeService) now() time.Time {
	return simtest.Read(&f.mu, func() time.Time { return time.Now().Add(f.set) })
}

// setClock sets the wall clock by d; what was planned by timers goes on.
func (f *fakeService) setClock(d time.Duration) {
	locked(&f.mu, func() { f.set += d })
}

// total counts the polls of all jobs.
func (f *fakeService) total() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, times := range f.polls {
		n += len(times)
	}
	return n
}

// changed stands in for what tells windows of each other's changes.
func (f *fakeService) changed(ids ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		j, err := f.windows[0].file.Job(context.Background(), id)
		if err != nil {
			j.Phase = api.Phase(err.Error())
		}
		f.told[id] = append(f.told[id], j.Phase)
	}
	for _, w := range f.windows {
		w.Wake()
	}
	close(f.next)
	f.next = make(chan struct{})
}

// fakeFetcher counts downloads and writes a small file for each.
type fakeFetcher struct {
	dir     string
	mu      sync.Mutex
	at      []time.Time // when each call came
	recipes int
	refused error // of a recipe
	fail    func(w media.Want, call int) error
	content func(address string) string // nil: the same for all
}

func (f *fakeFetcher) Fetch(_ context.Context, w media.Want) (store.File, error) {
	f.mu.Lock()
	f.at = append(f.at, time.Now())
	n, fail := len(f.at), f.fail
	f.mu.Unlock()
	if fail != nil {
		if err := fail(w, n); err != nil {
			return store.File{}, err
		}
	}
	content := "png"
	if f.content != nil {
		content = f.content(w.Result.URL)
	}
	hash := sha256.Sum256([]byte(content))
	sum := hex.EncodeToString(hash[:])
	if slices.Contains(w.Others, sum) {
		return store.File{}, &media.SavedError{SHA256: sum}
	}
	path := filepath.Join(f.dir, fmt.Sprintf("%s-%d.png", w.Job.ID, w.N))
	return store.File{Path: path, URL: w.Result.URL, MediaType: "image/png", Bytes: int64(len(content)), SHA256: sum},
		os.WriteFile(path, []byte(content), 0o600)
}

func (f *fakeFetcher) WriteRecipe(store.Job) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recipes++
	return f.refused
}

func (f *fakeFetcher) count() int {
	return simtest.Read(&f.mu, func() int { return len(f.at) })
}

// window is a Poller that runs, with a store of its own on a file that it may
// share.
type window struct {
	*Poller
	f      *fakeService
	remote *remote.Remote
	file   *store.Store
	db     *sql.DB // the same file, as another program opens it
}

func openWindow(t *testing.T, dir string, f *fakeService, scale remote.Scale) *window {
	t.Helper()
	w := &window{f: f, file: must(store.Open(t.Context(), filepath.Join(dir, "darkroom.db")))(t)}
	w.db = must(sql.Open("sqlite", w.file.Health().Path+"?_pragma=busy_timeout(9999)"))(t)
	current := func() *store.Store { return w.file }
	set := settings.NewCurrent(settings.Settings{
		BaseURL: testBase, BaseFrom: "environment", EnvKey: testKey, TimeScale: float64(scale), Recipes: true,
	}, nil)
	ctx, stop := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	w.remote = remote.New(ctx, remote.Options{
		Shared:  remote.Shared{Settings: set, Store: current, Go: tasks.Go, Changed: func(...string) { w.Wake() }},
		Guard:   keys.NewGuard(simtest.NoRing{None: keys.ErrNone}, func(string) string { return "" }),
		Connect: func(client.Options) remote.Service { return f },
	})
	own := store.NewID()
	w.Poller = New(ctx, Options{
		Shared: remote.Shared{Settings: set, Store: current, Go: tasks.Go, Changed: f.changed},
		Remote: w.remote, Instance: own, Locked: true, Now: f.now,
		Find:    func(ctx context.Context, id string) (store.Job, error) { return w.file.Find(ctx, id, "") },
		Fetcher: func(*remote.Connection) media.Saver { return &f.fetcher },
	})
	noError(t, w.file.AddInstance(t.Context(), own, "", time.Now()))
	locked(&f.mu, func() { f.windows = append(f.windows, w) })
	w.remote.FindKey()
	tasks.Go(w.Run)
	t.Cleanup(func() {
		stop()
		tasks.Wait()
		var open int
		noError(t, w.db.QueryRow(`SELECT count(*) FROM flights WHERE owner=?`, own).Scan(&open))
		expect.Equal(t, open, 0, "calls have not ended")
		noError(t, errors.Join(w.db.Close(), w.file.Close()))
	})
	return w
}

// inWindow runs a test with a service and a window, by a clock of its own.
func inWindow(t *testing.T, test func(t *testing.T, f *fakeService, w *window)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		f := newFake(t)
		test(t, f, openWindow(t, t.TempDir(), f, 1))
	})
}

// accepted records a job that the service took as "r<n>", as submit does; lost is why
// the result in its answer could not be kept.
func accepted(t *testing.T, w *window, lost ...api.Reason) store.Job {
	t.Helper()
	w.f.mu.Lock()
	w.f.jobs++
	n := w.f.jobs
	w.f.mu.Unlock()
	now := w.f.now()
	j, _, err := w.file.Record(t.Context(), store.Intent{
		ConfirmID: fmt.Sprint(n), Instance: w.o.Instance, Base: testBase, Now: now, Body: fmt.Append(nil, n),
		Request: api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: fmt.Sprint(n)},
	})
	noError(t, err)
	attempt := must(w.file.MarkSending(t.Context(), j.ID, w.o.Instance, now))(t)
	finish := store.Finish{
		ID: j.ID, Attempt: attempt, Phase: api.PhaseQueued, RemoteID: fmt.Sprint("r", n), Progress: -1, Now: now, Raw: fmt.Appendf(nil, `{"id":"r%d"}`, n),
		NextPoll: now.Add(w.scale.Of(remote.Jitter(FirstPoll(api.KindVideo)))),
	}
	if len(lost) > 0 {
		finish.Error = lost[0]
	}
	if len(lost) > 0 && lost[0] != store.ErrTaken.Reason {
		finish.Phase, finish.Completed = api.PhaseFetching, true
	}
	noError(t, w.file.Finish(t.Context(), finish))
	w.f.changed()
	return must(w.file.Job(t.Context(), j.ID))(t)
}

// ended waits until a job's phase is an end.
func (w *window) ended(t *testing.T, id string) store.Job {
	t.Helper()
	limit := time.After(30 * day) // of the test's clock
	for {
		next := simtest.Read(&w.f.mu, func() chan struct{} { return w.f.next })
		if j := must(w.file.Job(t.Context(), id))(t); !j.Phase.Active() {
			return j
		}
		select {
		case <-next:
		case <-limit:
			t.Fatal("it did not end")
		}
	}
}

func running(string, int) (api.JobAnswer, error) { return answer(api.StatusRunning, "PROCESSING"), nil }

// refusing answers as running does, but for the polls that fail with err.
func refusing(err error, fails func(id string, n int) bool) func(string, int) (api.JobAnswer, error) {
	return func(id string, n int) (api.JobAnswer, error) {
		if fails(id, n) {
			return api.JobAnswer{}, err
		}
		return running(id, n)
	}
}

func always(string, int) bool { return true }

func done(string, int) (api.JobAnswer, error) {
	return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
}

func must[T any](v T, err error) func(testing.TB) T { return simtest.Must(v, err) }

var noError, bubble, answer, failing, locked = simtest.NoError, simtest.Bubble, simtest.JobAnswer, simtest.Failing, simtest.Locked
