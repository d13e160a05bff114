//go:build linux

package blackbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/state/keys"
)

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

type emptyRing struct{}

func (emptyRing) Load(string) (string, error) { return "", keys.ErrNone }
func (emptyRing) Store(string, string) error  { return keys.ErrNone }
func (emptyRing) Remove(string) error         { return keys.ErrNone }

// mostGrowth is what a session may hold more after all answers than before.
const mostGrowth = 32 << 20

// TestHostileAnswersToSession gives a session, with its store, poller and
// downloads, answers that no sane service gives: 5,000 in the long form. A panic
// in it ends the test; a hang runs into a limit.
func TestHostileAnswersToSession(t *testing.T) {
	each := times(25, 1000)
	for _, endpoint := range []string{"models", "estimate", "create", "job", "result"} {
		t.Run(endpoint, func(t *testing.T) {
			d := newHostileDrive(t)
			d.service.turn(endpoint, each)
			before := heapNow()
			began := time.Now()
			for d.service.remaining() > 0 {
				d.step(endpoint)
			}
			d.settle()
			grown := heapNow() - before
			if grown > mostGrowth {
				t.Errorf("the heap grew by %d MiB, want at most 32", grown>>20)
			}
			d.checkSentOnce()
			d.checkText()
			t.Logf("%d hostile answers to %s in %v: %d jobs, the heap grew by %d KiB", d.service.given[endpoint], endpoint,
				time.Since(began).Round(time.Millisecond), d.sent, grown>>10)
		})
	}
}

func heapNow() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// hostileDrive uses a session as the screens do.
type hostileDrive struct {
	t       *testing.T
	service *hostileService
	s       *state.Session
	sent    int
	key     api.Key
	files   string
}

func newHostileDrive(t *testing.T) *hostileDrive {
	t.Helper()
	d := &hostileDrive{t: t, service: startHostile(t), files: filepath.Join(t.TempDir(), "pictures")}
	dir := t.TempDir()
	var err error
	if d.key, err = api.ParseKey(testKey); err != nil {
		t.Fatal(err)
	}
	d.s, err = state.Open(t.Context(), state.Options{
		Settings: state.Settings{
			BaseURL: d.service.URL, BaseFrom: "environment", EnvKey: testKey, TimeScale: 0.001, Downloads: d.files,
			DataDir: filepath.Join(dir, "data"), Recipes: true,
		},
		Env: func(string) string { return "" }, Keyring: emptyRing{}, Poll: true,
	})
	must(t, err)
	t.Cleanup(func() { _ = d.s.Close(context.Background()) })
	return d
}

// limited bounds one call: a hang is a failure, not an endless test.
func (d *hostileDrive) limited(do func(ctx context.Context)) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), screenLimit)
	defer cancel()
	do(ctx)
	if ctx.Err() != nil {
		d.t.Fatalf("hung for %v with %d hostile answers left", screenLimit, d.service.remaining())
	}
}

func (d *hostileDrive) request() api.Request {
	d.sent++
	return api.Request{Kind: api.KindImage, Model: "lumen/still-1", Prompt: fmt.Sprintf("hostile picture %d", d.sent),
		Size: fmt.Sprintf("%dx1024", d.sent)} // a size of its own has a price of its own
}

func (d *hostileDrive) step(endpoint string) {
	d.t.Helper()
	if d.s.Health().KeyRefused { // an answer may well say so
		_ = d.s.UseKey(d.t.Context(), d.service.URL, d.key, keys.ForSession)
	}
	d.limited(func(ctx context.Context) {
		switch endpoint {
		case "models":
			if d.s.Models(ctx).Err != nil {
				d.awaitGate(ctx)
			}
		case "estimate":
			if _, err := d.s.Estimate(ctx, d.request()); err != nil {
				d.awaitGate(ctx)
			}
		default:
			d.submit(ctx, endpoint)
		}
	})
}

// awaitGate waits until the service's wish for a rest is fulfilled.
func (d *hostileDrive) awaitGate(ctx context.Context) {
	wait := time.NewTimer(time.Until(d.s.Health().RetryAt))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
	}
}

// submit sends a few jobs and waits until none goes on.
func (d *hostileDrive) submit(ctx context.Context, endpoint string) {
	d.t.Helper()
	at := 8
	if endpoint == "create" {
		at = 2
	}
	var ids []string
	for range at {
		c := state.Confirmed{ConfirmID: state.NewConfirmID(), Request: d.request(), Again: true}
		var unasked error // while the service wants a rest
		c.Estimate, unasked = d.s.Estimate(ctx, c.Request)
		j, err := d.s.Submit(ctx, c)
		if err == nil {
			ids = append(ids, j.ID)
		} else if refusal := new(state.Refusal); unasked == nil && errors.As(err, &refusal) && refusal.Code == "price" {
			d.t.Fatalf("a price that was just asked for is not taken: %v", err)
		}
	}
	for _, id := range ids {
		if _, err := d.s.Sent(ctx, id); err != nil {
			d.t.Fatalf("a create hung: %v", err)
		}
	}
	if endpoint == "create" {
		return
	}
	for _, id := range ids {
		d.await(ctx, id)
	}
}

// await waits for a job's end, or for the end of the hostile answers, or for
// the key to be asked for.
func (d *hostileDrive) await(ctx context.Context, id string) {
	for ctx.Err() == nil && d.service.remaining() > 0 && !d.s.Health().KeyRefused {
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		_, err := d.s.Ended(short, id)
		cancel()
		if err == nil {
			return
		}
	}
}

// settle waits until every job has ended by the polite answers, so that what
// the session still holds is what it keeps.
func (d *hostileDrive) settle() {
	d.t.Helper()
	d.limited(func(ctx context.Context) {
		for ctx.Err() == nil {
			if d.s.Health().KeyRefused {
				_ = d.s.UseKey(ctx, d.service.URL, d.key, keys.ForSession)
			}
			p, err := d.s.Jobs(ctx, state.Query{Limit: 1})
			if err == nil && p.Active == 0 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		p, _ := d.s.Jobs(context.Background(), state.Query{Limit: 5})
		for _, r := range p.Rows {
			d.t.Logf("%s %s %s %s", r.ID, r.Phase, r.Status, r.Error)
		}
		d.t.Logf("health %+v", d.s.Health())
	})
}

// checkSentOnce counts the creates of each body. A 429 alone lets a body leave
// up to three times more.
func (d *hostileDrive) checkSentOnce() {
	d.t.Helper()
	d.service.mu.Lock()
	defer d.service.mu.Unlock()
	twice := 0
	for body, n := range d.service.bodies {
		if n > 1 && d.service.rated[body] < n-1 {
			twice++
			d.t.Errorf("sent %d times with %d refusals for want of calls: %s", n, d.service.rated[body], body)
		}
	}
}

// checkText looks through all that a screen could show of the store.
func (d *hostileDrive) checkText() {
	d.t.Helper()
	ctx := d.t.Context()
	p, err := d.s.Jobs(ctx, state.Query{Limit: 100000})
	must(d.t, err)
	for _, r := range p.Rows {
		for _, text := range []string{r.Title, r.Status.String(), r.Error.String(), r.Model} {
			if found := steering(strings.ReplaceAll(text, "\n", "")); found != "" {
				d.t.Fatalf("job %s would show %s: %q", r.ID, found, text)
			}
		}
	}
	for _, m := range d.s.KnownModels(ctx).Models {
		if found := steering(m.Label); found != "" {
			d.t.Fatalf("model %q would show %s", m.Label, found)
		}
	}
	entries, err := os.ReadDir(d.files)
	if err != nil && !os.IsNotExist(err) {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		if found := steering(e.Name()); found != "" || !e.Type().IsRegular() {
			d.t.Fatalf("a file is named %q", e.Name())
		}
	}
}

// steering names what in a text could steer a terminal, turn the reading order
// or hide in it; "" when nothing does.
func steering(text string) string {
	zero := 0
	for _, r := range text {
		switch {
		case r < ' ', r >= 0x7f && r <= 0x9f:
			return fmt.Sprintf("the control %U", r)
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
			return fmt.Sprintf("the direction mark %U", r)
		case r == 0x2028, r == 0x2029, r >= 0xe0000 && r <= 0xe007f:
			return fmt.Sprintf("the mark %U", r)
		case r == 0x0301, r == 0x200d, r == 0x200b, r == 0xfeff:
			if zero++; zero > 4 {
				return "a pile of marks without width"
			}
			continue
		}
		zero = 0
	}
	return ""
}
