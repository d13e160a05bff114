//go:build linux

package blackbox

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite"

	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
)

// killed reports whether it was signal 9 that ended it; it waits for the end.
func (w *window) killed() bool {
	<-w.done
	return w.cmd.ProcessState.ExitCode() == -1
}

// storedJob is a row of the store as a killed program left it.
type storedJob struct{ phase, remoteID, body string }

// atDeath reads a copy of the store, so that it is the program itself that has
// to mend the file. The jobs come by nonce.
func (h *home) atDeath(nonces ...string) map[string][]storedJob {
	h.t.Helper()
	path, dir := h.storePath(), h.t.TempDir()
	found := map[string][]storedJob{}
	for _, tail := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + tail)
		if err != nil {
			if tail == "" {
				return found // killed before the store was there
			}
			continue
		}
		must(h.t, os.WriteFile(filepath.Join(dir, "store"+tail), content, 0o600))
	}
	db := openStore(h.t, filepath.Join(dir, "store"))
	defer db.Close()
	var tables int
	must(h.t, db.QueryRow(`SELECT count(*) FROM sqlite_master WHERE name IN ('jobs','details')`).Scan(&tables))
	if tables < 2 {
		return found
	}
	rows := simtest.Must(db.Query(`SELECT phase, remote_id, body FROM jobs JOIN details USING (seq)`))(h.t)
	defer rows.Close()
	for rows.Next() {
		var j storedJob
		must(h.t, rows.Scan(&j.phase, &j.remoteID, &j.body))
		for _, nonce := range nonces {
			if strings.Contains(j.body, nonce) {
				found[nonce] = append(found[nonce], j)
			}
		}
	}
	must(h.t, rows.Err())
	return found
}

func (h *home) storePath() string {
	return filepath.Join(h.env["XDG_DATA_HOME"], "darkroom", "darkroom.db")
}

// store opens the store of a home, as another program would, until the test ends.
func (h *home) store() *sql.DB {
	h.t.Helper()
	db := openStore(h.t, h.storePath())
	h.t.Cleanup(func() { _ = db.Close() })
	return db
}

func openStore(t *testing.T, path string) *sql.DB {
	t.Helper()
	db := simtest.Must(sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)"))(t)
	db.SetMaxOpenConns(1)
	return db
}

// whole runs SQLite's own check over the store's file.
func (h *home) whole() bool {
	h.t.Helper()
	db := openStore(h.t, h.storePath())
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil {
		verdict = err.Error()
	}
	expect.Equal(h.t, verdict, "ok", "integrity_check")
	return verdict == "ok"
}

// toll counts over all lanes.
type toll struct{ runs, kills, lost, twice, broken, wrong atomic.Int64 }

// killLane is a home and a service through which many killed runs go, one
// after the other.
type killLane struct {
	t       *testing.T
	h       *home
	service *simtest.Server
	toll    *toll
	rng     *rand.Rand
	kills   int
	usual   time.Duration  // that a whole run takes
	phases  map[string]int // what the store held at the deaths
}

// deed starts the round's runs, kills at its moment and returns the runs.
type deed func(k *killLane, round int, nonces []string) []*window

// TestKillsAroundCreates kills the program around a create at every moment
// that the service can choose and at moments of the test's own, and starts it
// again: nothing may be lost, nothing sent twice.
func TestKillsAroundCreates(t *testing.T) {
	t.Parallel()
	lanes := []struct {
		name    string
		windows int
		options simtest.Options
		rounds  int
		do      deed
	}{
		{"service moments", 1, simtest.Options{}, 11, killAtMoment},
		{"service moments over TLS", 1, simtest.Options{TLS: true}, 11, killAtMoment},
		{"random times of the whole run", 1, simtest.Options{}, 6, killAfterTime},
		{"random times around the answer", 1, simtest.Options{}, 6, killNearAnswer},
		{"intent durable, not dialled", 1, simtest.Options{}, 6, killIntent},
		{"two windows, service moments", 2, simtest.Options{}, 6, killOneAtMoment},
		{"two windows, random times", 2, simtest.Options{}, 4, killAfterTime},
	}
	sum := &toll{}
	t.Run("lanes", func(t *testing.T) {
		for _, lane := range lanes {
			t.Run(lane.name, func(t *testing.T) {
				t.Parallel()
				service, h := serve(t, lane.options, "DARKROOM_TIME_SCALE", "0.1")
				k := &killLane{t: t, h: h, service: service, toll: sum, phases: map[string]int{}, rng: random(t)}
				if lane.options.TLS {
					k.h = k.h.trusting(service)
				}
				begin := time.Now()
				expect.Must(t, !k.send("whole run").killed(), "the first run did not end by itself")
				k.usual = time.Since(begin)
				for round := range times(lane.rounds, 8*lane.rounds) {
					k.round(round, lane.windows, lane.do)
				}
				k.nothingLeavesLater()
				t.Logf("%d kills; in the store at the end of the runs: %v", k.kills, k.phases)
			})
		}
	})
	t.Logf("kills around creates: %d runs, %d kills, %d lost, %d sent twice, %d integrity failures, %d wrong phases",
		sum.runs.Load(), sum.kills.Load(), sum.lost.Load(), sum.twice.Load(), sum.broken.Load(), sum.wrong.Load())
	want := int64(times(30, 300))
	expect.That(t, sum.kills.Load() >= want, sum.kills.Load(), "runs were killed, want at least", want)
}

var nonceNumber atomic.Int64

func (k *killLane) round(round, windows int, do deed) {
	k.t.Helper()
	nonces := make([]string, windows)
	for i := range nonces {
		nonces[i] = fmt.Sprintf("nonce%06dx", nonceNumber.Add(1))
	}
	before := creates(k.service)
	runs := do(k, round, nonces)
	for _, v := range runs {
		k.toll.runs.Add(1)
		if v.killed() {
			k.toll.kills.Add(1)
			k.kills++
		} else if code := v.cmd.ProcessState.ExitCode(); code != 0 {
			k.t.Errorf("round %d: a run that was not killed ended with %d: %s", round, code, v)
		}
	}
	k.service.ClearFaults()
	k.settleService()
	left := k.h.atDeath(nonces...)
	for _, nonce := range nonces {
		phase := "nothing"
		for _, j := range left[nonce] {
			phase = j.phase
		}
		k.phases[phase]++
	}
	listed := k.h.jobs()
	if !k.h.whole() {
		k.toll.broken.Add(1)
	}
	// counted after the restart: what that sends would show as one too many
	sent := creates(k.service) - before
	if sent > windows {
		k.toll.twice.Add(1)
		k.t.Errorf("round %d: %d creates reached the service from %d runs", round, sent, windows)
	}
	for _, nonce := range nonces {
		k.judge(round, nonce, left[nonce], listed, sent > 0 && windows == 1)
	}
}

// settleService waits until the service is done with what a dead caller sent:
// it may accept a create whose sender is gone.
func (k *killLane) settleService() {
	k.t.Helper()
	await(k.t, "the service is done with the calls of a killed program", func() bool {
		return !slices.ContainsFunc(k.service.Calls(), func(c simtest.Call) bool { return c.Done.IsZero() })
	})
}

// judge compares what the service knows of a nonce, what the store held at the
// death, and what the next run tells.
func (k *killLane) judge(round int, nonce string, left []storedJob, listed []job, reached bool) {
	k.t.Helper()
	posts, accepted := 0, []string{}
	for _, c := range k.service.Calls() {
		if c.Endpoint == "create" && strings.Contains(string(c.Body), nonce) {
			posts++
		}
	}
	for _, e := range k.service.Ledger() {
		if strings.Contains(e.Prompt, nonce) {
			accepted = append(accepted, e.ID)
		}
	}
	if posts > 1 || len(accepted) > 1 {
		k.toll.twice.Add(1)
		k.t.Errorf("round %d: %s was sent %d times and accepted %d times", round, nonce, posts, len(accepted))
	}
	var mine []job
	for _, j := range listed {
		if strings.Contains(string(j.Request), nonce) {
			mine = append(mine, j)
		}
	}
	if (len(accepted) > 0 || posts > 0 || reached || len(left) > 0) && len(mine) == 0 {
		k.toll.lost.Add(1)
		k.t.Errorf("round %d: %s is lost: accepted %v, %d POSTs, in the store %v", round, nonce, accepted, posts, left)
		return
	}
	expect.That(k.t, len(mine) <= 1, "round", round, nonce, "is listed", len(mine), "times")
	if len(mine) == 0 {
		return
	}
	k.judgePhase(round, mine[0], left, accepted, posts > 0 || reached)
}

// judgePhase holds the phase after the restart against the one at the death.
func (k *killLane) judgePhase(round int, j job, left []storedJob, accepted []string, reached bool) {
	k.t.Helper()
	want := "?"
	if len(left) == 1 {
		// not_sent and unknown: the other window has settled it already
		want = map[string]string{"intent": "not_sent", "sending": "unknown", "queued": "queued",
			"not_sent": "not_sent", "unknown": "unknown"}[left[0].phase]
	}
	ok := j.Phase == want && !(reached && want == "not_sent")
	if want == "queued" {
		ok = ok && len(accepted) == 1 && j.RemoteID != nil && *j.RemoteID == accepted[0]
	}
	if !ok {
		k.toll.wrong.Add(1)
		k.t.Errorf("round %d: phase %s after the restart; at the death the store had %v, reached the service: %t, accepted %v",
			round, j.Phase, left, reached, accepted)
		return
	}
	if want != "queued" {
		return
	}
	done := document[job](k.t, k.h.run("wait", j.ID, "--json").wantCode(k.t, 0))
	expect.That(k.t, done.Phase == "done" && len(done.Files) == 1, "round", round, "an accepted job ended as", done.Phase, len(done.Files))
}

// nothingLeavesLater opens the screens on the store of many deaths: what was
// not sent or is unknown waits for the person.
func (k *killLane) nothingLeavesLater() {
	before := creates(k.service)
	k.h.configure("on_done = \"nothing\"\n") // a picture of what ends now would hide the list
	s := k.h.screens(100, 30)
	s.keysTo("<alt+2>", "/ filter", "a quiet room")
	s.keys("<ctrl+q>")
	expect.Equal(k.t, s.end(), 0, "the screens ended with")
	if sent := creates(k.service) - before; sent != 0 {
		k.toll.twice.Add(1)
		k.t.Errorf("opening the screens sent %d creates", sent)
	}
}

// send begins a run that sends the nonce once and does not wait for the end.
func (k *killLane) send(nonce string) *window {
	return k.h.startWindow("image", "a quiet room, "+nonce, "--model", "lumen/still-1", "--yes", "--json", "--no-wait")
}

var moments = []string{"at-accept", "at-headers", "at-body", "before-status", "after-status", "mid-body", "after-body"}

// killAtMoment kills the run when its create is at the moment.
func killAtMoment(k *killLane, round int, nonces []string) []*window {
	moment := moments[round%len(moments)]
	started := make(chan *window, 1)
	f := simtest.Fault{Endpoint: "create", Count: 1, Do: moment, Then: func() { v := <-started; v.kill() }}
	if moment == "at-accept" {
		// the reads share the first connection, the create has its own
		f.Endpoint, f.From = "", 1+round/len(moments)%2
	}
	k.service.AddFault(f)
	v := k.send(nonces[0])
	started <- v
	return []*window{v}
}

// killOneAtMoment has two windows send at once and kills the first, the second
// or both when one of their creates is at the moment.
func killOneAtMoment(k *killLane, round int, nonces []string) []*window {
	started := make(chan []*window, 1)
	k.service.AddFault(simtest.Fault{Endpoint: "create", From: 1 + k.rng.IntN(2), Count: 1, Do: moments[1+round%(len(moments)-1)], Then: func() {
		pair := <-started
		for i := range pair {
			if which := round % 3; which == i || which == 2 {
				pair[i].kill()
			}
		}
	}})
	pair := []*window{k.send(nonces[0]), k.send(nonces[1])}
	started <- pair
	return pair
}

// killAfterTime kills each run a random time after its start, within the time
// that a whole run takes.
func killAfterTime(k *killLane, _ int, nonces []string) []*window {
	var runs []*window
	for _, nonce := range nonces {
		v := k.send(nonce)
		runs = append(runs, v)
		after := time.Duration(k.rng.Int64N(int64(k.usual)))
		go v.killAfter(after)
	}
	return runs
}

// killAfter kills it after a while, unless it has ended by then.
func (w *window) killAfter(d time.Duration) {
	select {
	case <-time.After(d):
		w.kill()
	case <-w.done:
	}
}

// killNearAnswer kills the run a few milliseconds at most after its create
// came in: while the answer is read and written down.
func killNearAnswer(k *killLane, _ int, nonces []string) []*window {
	started := make(chan *window, 1)
	after := time.Duration(k.rng.Int64N(int64(8 * time.Millisecond)))
	k.service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: "before-status", Then: func() {
		v := <-started
		go v.killAfter(after)
	}})
	v := k.send(nonces[0])
	started <- v
	return []*window{v}
}

// killIntent holds the lock that windows take turns with, so that the run stops
// between its durable intent and the send, and kills it there.
func killIntent(k *killLane, _ int, nonces []string) []*window {
	locks := filepath.Join(filepath.Dir(k.h.storePath()), "locks")
	must(k.t, os.MkdirAll(locks, 0o700))
	turn := simtest.Must(os.OpenFile(filepath.Join(locks, "create.lock"), os.O_RDWR|os.O_CREATE, 0o600))(k.t)
	defer turn.Close()
	must(k.t, unix.Flock(int(turn.Fd()), unix.LOCK_EX))
	v := k.send(nonces[0])
	limit := time.Now().Add(runLimit)
	for len(k.h.atDeath(nonces[0])[nonces[0]]) == 0 {
		select {
		case <-v.done:
			k.t.Fatalf("the run ended before its intent was durable: %s", v)
		case <-time.After(2 * time.Millisecond):
		}
		expect.Must(k.t, !time.Now().After(limit), "no intent became durable")
	}
	v.kill()
	return []*window{v}
}

// awaitStopped waits until every thread of a process has stopped: the signal
// that stops it takes effect a little after it was sent.
func awaitStopped(t *testing.T, pid int) {
	limit := time.Now().Add(runLimit)
	for time.Now().Before(limit) {
		if states := threads(pid); states != "" && strings.Trim(states, "T") == "" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the process did not stop")
}

// stop stops a process between two writes: with the store's lock in its hands it
// would hold up every other window until it goes on.
func (h *home) stop(pid int) {
	db := openStore(h.t, h.storePath())
	defer db.Close()
	expect.Is(h.t, expect.Err(db.Exec(`BEGIN IMMEDIATE`)), nil)
	_ = unix.Kill(pid, unix.SIGSTOP)
	awaitStopped(h.t, pid)
	_, _ = db.Exec(`ROLLBACK`)
}

// TestStoppedWindowIsNotDead stops a window with a signal while its create is
// under way: another window may not call it dead, and its answer counts when
// it goes on.
func TestStoppedWindowIsNotDead(t *testing.T) {
	service, h := begin(t, simtest.Options{}, "DARKROOM_TIME_SCALE", "0.1")
	k := &killLane{t: t, h: h, service: service}
	for _, moment := range []string{"at-body", "before-status", "mid-body"} {
		before := creates(service)
		started, stopped := make(chan *window, 1), make(chan struct{})
		service.AddFault(simtest.Fault{Endpoint: "create", Count: 1, Do: moment, Then: func() {
			k.h.stop((<-started).cmd.Process.Pid)
			close(stopped)
		}})
		v := k.send("stopped " + moment)
		started <- v
		select {
		case <-stopped:
		case <-v.done:
			t.Fatalf("%s: the run ended: %s", moment, v)
		}
		expect.Equal(t, k.h.jobs()[0].Phase, "sending", moment, "what the other window says of a create under way")
		_ = v.cmd.Process.Signal(unix.SIGCONT)
		expect.Must(t, !v.killed() && v.cmd.ProcessState.ExitCode() == 0, moment, "the stopped run ended", v)
		service.ClearFaults()
		done := document[job](t, k.h.run("wait", k.h.jobs()[0].ID, "--json").wantCode(t, 0))
		n := creates(service) - before
		expect.That(t, n == 1 && done.Phase == "done", moment, n, "creates, and the job is", done.Phase)
	}
	t.Log("3 windows stopped in a create: none called dead, 1 create each, every answer kept")
}
