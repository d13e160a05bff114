//go:build linux

package blackbox

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// endless keeps the service's work from ever ending, so that only the schedule
// decides on the polls.
const endless = 1e6

// span is a stretch of a job's age in which it is asked for every so often.
type span struct {
	below, every time.Duration
}

// tables are those of the promises ("Polling").
var tables = map[string][]span{
	"image": {{30 * time.Second, 2 * time.Second}, {2 * time.Minute, 5 * time.Second}, {10 * time.Minute, 15 * time.Second}},
	"video": {{2 * time.Minute, 10 * time.Second}, {10 * time.Minute, 15 * time.Second}},
}

// everyAt is how often a job of an age is asked for.
func everyAt(table []span, age time.Duration) time.Duration {
	for _, s := range table {
		if age < s.below {
			return s.every
		}
	}
	return table[len(table)-1].every
}

// TestPollSchedule follows one job of each kind for the first minutes of its
// life.
func TestPollSchedule(t *testing.T) {
	t.Parallel()
	scale, enough := 0.1, 190*time.Second
	if *long {
		enough = 9 * time.Minute
	}
	sideBySide(t, map[string][]string{
		"image": {"image", "a slow one", "--model", "lumen/still-1"},
		"video": {"video", "a slow one", "--duration", "5"},
	}, func(t *testing.T, args []string) {
		var late string
		for range 5 {
			if late = followSchedule(t, append(args, "--yes", "--json"), tables[args[0]], scale, enough); late == "" {
				return
			}
			t.Log(late)
		}
		t.Error(late)
	})
}

// followSchedule follows one job of its own for as long as wanted. What comes too
// late is returned: a busy machine may spoil one look, not five.
func followSchedule(t *testing.T, args []string, table []span, scale float64, enough time.Duration) (late string) {
	t.Helper()
	service := startService(t, simtest.Options{TimeScale: endless})
	var answered answers
	service.AddFault(simtest.Fault{Endpoint: "job", Do: "before-status", Then: answered.add})
	w := newHome(t, service.URL()).with("DARKROOM_TIME_SCALE", fmt.Sprint(scale)).startWindow(args...)
	awaitService(t, w, func() bool {
		calls := service.Calls()
		created := ofEndpoint(calls, "create")
		return len(created) == 1 && time.Since(created[0].At) > scaledBy(enough, scale) && atInterval(calls, table, scale) > 2
	})
	w.kill()
	return checkSchedule(t, service.Calls(), answered.all(), table, scale)
}

// atInterval counts the polls at the longest interval of the table, the first of
// which may be still at that before it.
func atInterval(calls []simtest.Call, table []span, scale float64) (n int) {
	began := ofEndpoint(calls, "create")[0].At
	for _, c := range ofEndpoint(calls, "job") {
		if scaledBy(c.At.Sub(began), 1/scale) >= table[len(table)-2].below {
			n++
		}
	}
	return n
}

// checkSchedule holds the gap before every poll against the table: never below
// four fifths of it, about it in the middle, and spread. It returns what was late.
func checkSchedule(t *testing.T, calls []simtest.Call, answered []time.Time, table []span, scale float64) (late string) {
	t.Helper()
	began := ofEndpoint(calls, "create")[0].At
	after, firstWait := began, table[0].every
	gaps := map[time.Duration][]float64{} // by interval, in parts of it
	for i, c := range ofEndpoint(calls, "job") {
		every := firstWait
		if i > 0 {
			every = everyAt(table, scaledBy(after.Sub(began), 1/scale))
		}
		part := float64(c.At.Sub(after)) / float64(scaledBy(every, scale))
		// The store keeps whole milliseconds.
		least := 0.8 - float64(2*time.Millisecond)/float64(scaledBy(every, scale))
		expect.That(t, part >= least, "poll", i+1, "came after", part, "of", every, "want at least 0.8")
		gaps[every] = append(gaps[every], part)
		if i == len(answered) {
			break
		}
		after = answered[i]
	}
	var told string
	for _, s := range table {
		parts := gaps[s.every]
		slices.Sort(parts)
		if len(parts) < 2 {
			late += fmt.Sprintf("; %d polls at the interval of %v", len(parts), s.every)
			continue
		}
		middle := parts[len(parts)/2]
		told += fmt.Sprintf("; every %v: %d polls, %.2f to %.2f of it, middle %.2f", s.every, len(parts), parts[0], parts[len(parts)-1], middle)
		if middle > 3 {
			late += fmt.Sprintf("; the middle gap is %.2f of %v", middle, s.every)
		}
		spread := parts[len(parts)-1] - parts[0]
		expect.That(t, len(parts) <= 7 || spread >= 0.05, len(parts), "gaps of", s.every, "are not spread", parts)
	}
	t.Logf("scale %v%s", scale, told)
	return strings.TrimPrefix(late, "; ")
}

// answers are the moments at which the service began to answer calls: nobody can have
// an answer earlier, while a call is noted as done some time after it.
type answers struct {
	mu sync.Mutex
	at []time.Time
}

func (m *answers) add() {
	simtest.Locked(&m.mu, func() { m.at = append(m.at, time.Now()) })
}

func (m *answers) all() []time.Time {
	return simtest.Read(&m.mu, func() []time.Time { return slices.Clone(m.at) })
}

// awaitService waits until the service has seen something.
func awaitService(t *testing.T, w *window, met func() bool) {
	t.Helper()
	limit := time.Now().Add(runLimit)
	for !met() {
		select {
		case <-w.done:
			if met() { // in its last moments
				return
			}
			t.Fatalf("the window ended with %d: %s", w.cmd.ProcessState.ExitCode(), &w.errors)
		case <-time.After(2 * time.Millisecond):
		}
		expect.Must(t, !time.Now().After(limit), "what was waited for did not happen")
	}
}

// rest is an answer that asks for a rest, and the rest that it means.
type rest struct {
	name   string
	status int
	header http.Header
	rest   time.Duration
}

func rests() []rest {
	date := func(d time.Duration) http.Header {
		now := time.Now()
		return http.Header{"Date": {now.UTC().Format(http.TimeFormat)}, "Retry-After": {now.Add(d).UTC().Format(http.TimeFormat)}}
	}
	yesterday := time.Now().Add(-24 * time.Hour).UTC()
	return []rest{
		{"seconds", 429, http.Header{"Retry-After": {"40"}}, 40 * time.Second},
		{"seconds with 503", 503, http.Header{"Retry-After": {"30"}}, 30 * time.Second},
		{"fraction", 429, http.Header{"Retry-After": {"32.5"}}, 32500 * time.Millisecond},
		{"date", 429, date(45 * time.Second), 45 * time.Second},
		{"date of a clock that is a day late", 429, http.Header{"Date": {yesterday.Format(http.TimeFormat)},
			"Retry-After": {yesterday.Add(35 * time.Second).Format(http.TimeFormat)}}, 35 * time.Second},
		{"milliseconds", 429, http.Header{"Retry-After-Ms": {"25000"}}, 25 * time.Second},
		{"none", 429, nil, time.Minute},
		{"none with 503", 503, nil, time.Minute},
		{"zero", 429, http.Header{"Retry-After": {"0"}}, time.Second},
		{"a day", 429, http.Header{"Retry-After": {"86400"}}, time.Hour},
		{"nonsense", 429, http.Header{"Retry-After": {"soon"}}, time.Minute},
	}
}

// TestGateOverWindows has one poll of two windows' answered with a rest: no
// window may call before it is over, and a create waits for it too.
func TestGateOverWindows(t *testing.T) {
	t.Parallel()
	const lanes = 3
	sideBySide(t, map[string]int{"0": 0, "1": 1, "2": 2}, func(t *testing.T, n int) {
		for i, r := range rests() {
			if i%lanes == n {
				t.Run(r.name, r.hold)
			}
		}
	})
}

// underWay is how many calls may still arrive once the store has the rest: four
// polls of all windows together, and a create.
const underWay = 5

// gateOpens reads from the store when the gate opens, once it is closed for the
// first time, and says when that was seen there.
func (h *home) gateOpens(w *window) (opens, seen time.Time) {
	h.t.Helper()
	db := h.store()
	var until int64
	awaitService(h.t, w, func() bool {
		must(h.t, db.QueryRow(`SELECT coalesce(max(until), 0) FROM gate`).Scan(&until))
		seen = time.Now()
		return until > 0
	})
	return time.UnixMilli(until), seen
}

func (r rest) hold(t *testing.T) {
	const scale, jobs = 0.1, 6
	service, h := serve(t, simtest.Options{TimeScale: endless}, "DARKROOM_TIME_SCALE", fmt.Sprint(scale))
	ids := h.seed(service, jobs)
	seeded := len(service.Calls())
	var answered atomic.Pointer[time.Time] // just before the answer leaves: nobody can have it earlier
	service.AddFault(simtest.Fault{Endpoint: "job", From: 4, Count: 1, Do: "status", Status: r.status, Header: r.header, Then: func() {
		now := time.Now()
		answered.Store(&now)
	}})
	first := h.startWindow(append([]string{"wait", "--json"}, ids[:3]...)...)
	second := h.startWindow(append([]string{"wait", "--json"}, ids[3:]...)...)
	var closed simtest.Call
	awaitService(t, first, func() bool {
		for _, c := range ofEndpoint(service.Calls()[seeded:], "job") {
			if c.Status == r.status && !c.Done.IsZero() {
				closed = c
			}
		}
		return !closed.Done.IsZero()
	})
	third := h.startWindow("image", "waits at the gate", "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
	opens, seen := h.gateOpens(first)
	shut := opens.Add(-scaledBy(r.rest, scale))                       // when the window began to write it down
	if short := answered.Load().Sub(shut); short > time.Millisecond { // which the store cuts off
		t.Errorf("the rest is %v too short", short)
	}
	wanted := opens
	if opens.After(closed.Done.Add(20 * time.Second)) {
		wanted = closed.Done.Add(3 * time.Second) // as long as this is worth waiting
	}
	awaitService(t, second, func() bool { return time.Now().After(wanted) })
	if !opens.After(wanted) {
		awaitService(t, second, func() bool {
			ended := false // before the calls are looked at, so a create is among them
			select {
			case <-third.done:
				ended = true
			default:
			}
			calls := service.Calls()[seeded:]
			polled := map[string]bool{}
			for _, c := range ofEndpoint(calls, "job") {
				if c.At.After(opens) {
					polled[c.JobID] = true
				}
			}
			creates := len(ofEndpoint(calls, "create"))
			if ended && creates == 0 {
				t.Fatalf("the create ended with %d: %s%s", third.cmd.ProcessState.ExitCode(), &third.errors, &third.out)
			}
			return len(polled) >= jobs && creates == 1 // the new job is polled too
		})
	}
	for _, w := range []*window{first, second, third} {
		w.kill()
	}
	late := 0
	var next time.Time
	for _, c := range service.Calls()[seeded:] {
		if c.Endpoint != "job" && c.Endpoint != "create" || !c.At.After(closed.Done) {
			continue
		}
		if gap := c.At.Sub(seen); c.At.Before(opens) {
			if gap > 0 {
				late++
			}
			early := gap > max(scaledBy(r.rest, scale)/2, 300*time.Millisecond)
			expect.That(t, !early, "a", c.Endpoint, "call", gap, "after the gate was closed, want a rest of", scaledBy(r.rest, scale))
			continue
		}
		if next.IsZero() || c.At.Before(next) {
			next = c.At
		}
	}
	expect.That(t, late <= underWay, late, "calls came while the gate was closed")
	over := next.Sub(closed.Done) - scaledBy(r.rest, scale)
	expect.That(t, next.IsZero() || over <= scaledBy(100*time.Second, scale), "the next call came", over, "after the gate was to open")
	if next.IsZero() {
		t.Logf("a rest of %v: no call for %v, as long as it was watched (%d were under way)", r.rest, scaledBy(wanted.Sub(closed.Done), 1/scale).Round(time.Second), late)
		return
	}
	t.Logf("a rest of %v: the next call of any window after %v (%d were under way)", r.rest, scaledBy(next.Sub(closed.Done), 1/scale).Round(100*time.Millisecond), late)
}

// TestServiceDown lets polls fail for a while: without a network all rest but
// one probe, a service that answers with errors is asked as usual, and neither
// ends a job.
func TestServiceDown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault       simtest.Fault
		least, most int  // polls within the outage
		alone       bool // one probe at a time
	}{
		// Full jitter up to 60 s: about one each 30 s, after the first few.
		"connections reset": {simtest.Fault{Do: "reset"}, 6, 60, true},
		"no HTTP":           {simtest.Fault{Do: "not-http"}, 6, 60, true},
		// As the schedule has it.
		"500":           {simtest.Fault{Do: "status", Status: 500}, 30, 1320, false},
		"502 of a page": {simtest.Fault{Do: "html", Status: 502}, 30, 1320, false},
		// The gate: 60 s, doubled with each refusal. It opens four times, and four
		// calls at most are under way when the first of them is refused.
		"503": {simtest.Fault{Do: "status", Status: 503}, 2, 16, false},
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); serviceDown(t, c.fault, c.least, c.most, c.alone) })
	}
}

func serviceDown(t *testing.T, fault simtest.Fault, least, most int, alone bool) {
	const scale, jobs, outage = 0.01, 8, 10 * time.Minute
	service, h := serve(t, simtest.Options{TimeScale: endless}, "DARKROOM_TIME_SCALE", fmt.Sprint(scale))
	ids := h.seed(service, jobs)
	var answered answers
	fault.Endpoint, fault.Then = "job", answered.add
	service.AddFault(fault)
	w := h.startWindow(append([]string{"wait", "--json"}, ids...)...)
	polls := func() []simtest.Call { return ofEndpoint(service.Calls(), "job") }
	awaitService(t, w, func() bool { return len(polls()) > 0 })
	began := time.Now()
	// A busy machine takes longer for as many polls: then so does the outage.
	awaitService(t, w, func() bool { return time.Since(began) > scaledBy(outage, scale) && len(polls()) >= least })
	service.ClearFaults()
	over := time.Now()
	during := slices.DeleteFunc(polls(), func(c simtest.Call) bool { return c.At.After(over) })
	most *= int(over.Sub(began) / scaledBy(outage, scale))
	awaitService(t, w, func() bool {
		polled := map[string]bool{}
		for _, c := range polls() {
			if c.At.After(over) && c.Status == http.StatusOK {
				polled[c.JobID] = true
			}
		}
		return len(polled) == jobs
	})
	back := scaledBy(time.Since(over), 1/scale)
	w.kill()
	n := len(during)
	expect.That(t, n <= most, n, "polls within", over.Sub(began), "want", most, "at most")
	together, ended := 0, answered.all()
	for i := 8; i < len(during); i++ { // later than those under way when the rest began
		if i > len(ended) || during[i].At.Before(ended[i-1]) {
			together++
		}
	}
	expect.That(t, !alone || together == 0, together, "probes were not alone")
	for _, j := range h.jobs() {
		expect.That(t, j.Phase == "queued" || j.Phase == "running", "job", j.ID, "is", j.Phase, reason(j))
	}
	t.Logf("%d polls for %d jobs within %v; all asked again %v after it", len(during), jobs, outage, back.Round(time.Second))
}
