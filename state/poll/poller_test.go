package poll

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"darkroom/api"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

func TestStaleJobsAreOnlyAskedForByHand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake(t)
		s := openWindow(t, t.TempDir(), f, 1e-6) // seven days are 0.6 s
		accepted(t, s)
		time.Sleep(700 * time.Millisecond)
		before := f.total()
		j := must(s.file.Find(t.Context(), "r1", ""))(t)
		age := j.EndedAt.Sub(j.SentAt).Milliseconds()
		expect.That(t, j.Phase == api.PhaseStale && before > 0 && age >= 604 && age <= 620, "after seven days it is", j.Phase, "since", age, "ms")
		time.Sleep(700 * time.Millisecond)
		expect.Equal(t, f.total(), before, "a stale job is polled by itself")
		noError(t, s.Refresh(t.Context(), "r1"))
		expect.Equal(t, f.total(), before+1, "polls after a refresh")
		const says api.Sentence = "it is not known whether job %v has results; 'darkroom job %v' says why"
		expect.Equal(t, api.ReasonOf(s.Fetch(t.Context(), "r1")).Format(), says, "its result is fetched")
	})
}

// A round says when the next one is: when a job is due, a little later while one that is due is in other hands, after a
// rest; never without a job, or without a free worker, whose end wakes it.
func TestARoundSaysWhenTheNextIs(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		time.Sleep(time.Second)
		round := func(what string, want time.Time) {
			t.Helper()
			expect.That(t, w.pollRound().Equal(want), what, "the next round is not at", want)
		}
		round("no job", time.Time{})
		j := accepted(t, w)
		round("a job", j.NextPoll)
		w.work.of(j.ID, func(k *jobWork) { k.deed = refreshing })
		time.Sleep(time.Minute)
		round("in other hands", time.Now().Add(pollPace))
		for n := range pollWorkers {
			w.work.begin(fmt.Sprint(n))
		}
		round("no worker", time.Now().Add(pollPace))
		until := must(w.file.CloseGate(t.Context(), testBase, f.now(), 5*time.Minute, time.Minute, time.Hour))(t)
		w.work.end("0")
		w.work.end(j.ID)
		round("a rest", until)
		expect.Equal(t, f.total(), 0, "polls")
	})
}

func TestPreferredJobGoesFirst(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, s *window) {
		var last store.Job
		for range 60 {
			last = accepted(t, s)
		}
		time.Sleep(time.Minute) // each was polled, and all are late
		s.Prefer(last.ID)
		before := len(f.polled("r60"))
		other := len(f.polled("r30"))
		time.Sleep(2 * time.Minute)
		// 60 jobs want twice the 2 polls a second that they get, so all are late;
		// the preferred one is not.
		n, m := len(f.polled("r60"))-before, len(f.polled("r30"))-other
		expect.That(t, n >= 7 && n >= m, "the preferred job was polled", n, "times, another", m)
	})
}

// A poll that is answered with the result itself takes minutes: its lease is kept
// meanwhile, so that no other window polls, and the answer counts.
func TestALongPollKeepsItsLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake(t)
		f.job = func(_ string, n int) (api.JobAnswer, error) {
			time.Sleep(4 * time.Minute)
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
		}
		dir := t.TempDir()
		w := openWindow(t, dir, f, 1)
		openWindow(t, dir, f, 1)
		var jobs []store.Job
		for range 7 {
			jobs = append(jobs, accepted(t, w))
		}
		f.fetcher.fail = func(media.Want, int) error { time.Sleep(4 * time.Minute); return nil } // a download keeps its lease, too
		time.Sleep(30 * time.Minute)
		for _, j := range jobs {
			j = must(w.file.Job(t.Context(), j.ID))(t)
			expect.Equal(t, j.Phase, api.PhaseDone, j.Error)
		}
		expect.All(t, "7 polls 1 of a job 4 of all at a time 7 downloads",
			f.total(), "polls", f.most, "of a job", f.widest, "of all at a time", f.fetcher.count(), "downloads")
	})
}

// TestEveryCallHasAPermit, in the pace of all windows; one that is given up has none.
func TestEveryCallHasAPermit(t *testing.T) {
	inWindow(t, func(t *testing.T, _ *fakeService, w *window) {
		began, calls := time.Now(), map[int64]bool{0: true}
		for i := range 6 {
			permit := must(w.acquire(t.Context(), w.remote.Connection(), ""))(t)
			took := time.Since(began)
			expect.That(t, took >= time.Duration(i-1)*pollPace && !calls[permit.Call], "permit", i, "call", permit.Call, "after", took)
			calls[permit.Call] = true
			w.release(w.remote.Connection(), permit, true)
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		expect.Fails(t, expect.Err(w.acquire(ctx, w.remote.Connection(), "")), "", "who has given up gets a permit")
	})
}

// A rest that another window was asked for is kept. Without a network few polls are tried, and all soon after it is back.
func TestTheRestOfAnotherWindowIsKept(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		var off atomic.Bool
		f.job = func(id string, n int) (api.JobAnswer, error) {
			if off.Load() {
				time.Sleep(5 * time.Second)
				return api.JobAnswer{}, failing(api.ClassNetwork, 0, 0)
			}
			return running(id, n)
		}
		for range 20 {
			accepted(t, w)
		}
		time.Sleep(time.Minute)
		must(w.file.CloseGate(t.Context(), testBase, f.now(), 5*time.Minute, time.Minute, time.Hour))(t)
		time.Sleep(time.Minute)
		polls := f.total()
		expect.Fails(t, w.Refresh(t.Context(), "r1"), "", "it is asked by hand while the service rests")
		time.Sleep(3 * time.Minute)
		expect.That(t, f.total() == polls, f.total()-polls, "polls while it rests")
		time.Sleep(2 * time.Minute)
		expect.That(t, f.total() != polls, "no polls after the rest")
		must(w.db.Exec(`ALTER TABLE details RENAME TO away`))(t)
		time.Sleep(10 * time.Second) // jobs that cannot be read hold nobody up
		must(w.file.CloseGate(t.Context(), testBase, f.now().Add(48*time.Hour), time.Minute, time.Minute, time.Hour))(t)
		began := time.Now()
		permit, err := w.acquire(t.Context(), w.remote.Connection(), "")
		expect.That(t, err == nil && permit.Call != 0 && time.Since(began) <= time.Second,
			"a rest that was asked for while the clock was ahead: a permit after", time.Since(began), err)
		w.release(w.remote.Connection(), permit, true)
		must(w.db.Exec(`ALTER TABLE away RENAME TO details`))(t)
		off.Store(true)
		polls = f.total()
		time.Sleep(time.Minute)
		locked(&f.mu, func() { f.widest = 0 })
		time.Sleep(9 * time.Minute)
		n := f.total() - polls
		expect.That(t, n >= 10 && n <= 100 && f.widest == 1 && !w.remote.Health().Online, n, "polls in 10 minutes without a network,", f.widest, "at a time")
		for _, table := range []string{"details", "gate"} {
			must(w.db.Exec(`ALTER TABLE ` + table + ` RENAME TO away`))(t)
			time.Sleep(5 * time.Minute)
			must(w.db.Exec(`ALTER TABLE away RENAME TO ` + table))(t)
		}
		off.Store(false)
		time.Sleep(90 * time.Second)
		allPolled(t, f, 20, 80*time.Second)
		open, o := w.connection() != nil, w.o
		w.remote.Observe(w.remote.Connection(), failing(api.ClassKey, 401, 0))
		o.Locked = false // it polls, but not with a key that was refused, nor without a lock
		expect.All(t, "true true true", open, w.connection() == nil, New(t.Context(), o).connection() == nil)
	})
}

// TestARefusalOfOneJob may be about a job of another account: the key is refused if the models are, too.
func TestARefusalOfOneJob(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		foreign, refuse := atomic.Value{}, func(models error) { locked(&f.mu, func() { f.models = models }) }
		f.job = refusing(failing(api.ClassInvalid, 403, 0), func(id string, _ int) bool { return id == foreign.Load() })
		foreign.Store(accepted(t, w).RemoteID)
		own := accepted(t, w)
		time.Sleep(10 * time.Minute)
		polls := len(f.polled(own.RemoteID))
		expect.That(t, w.connection() != nil && polls > 9, polls, "polls of the own job beside one of another account")
		refuse(failing(api.ClassRate, 429, 30*time.Minute))
		time.Sleep(5 * time.Minute)
		polls = f.total()
		time.Sleep(20 * time.Minute)
		expect.Equal(t, f.total(), polls, "polls in a pause that the answer to the question for models began")
		refuse(failing(api.ClassInvalid, 403, 0))
		time.Sleep(20 * time.Minute)
		expect.That(t, w.connection() == nil, "a key that is refused for everything is in use")
	})
}

// TestOutlived: a job is too old after seven days by both clocks, once four answers in a
// row came since, or this program has run for as long.
func TestOutlived(t *testing.T) {
	bubble(t, func(t *testing.T) {
		now := time.Now()
		p := &Poller{scale: 1, wall: now, began: now, work: work{jobs: map[string]*jobWork{}}}
		young, old := store.Job{Row: store.Row{ID: "j", SentAt: now.Add(-7*day + 1)}}, store.Job{Row: store.Row{ID: "j", CreatedAt: now.Add(-7 * day)}}
		for i, step := range strings.Fields("old+ old+ old- old+ young+ old+ old+ old+ old+! old-! old+! young-") {
			j := map[bool]store.Job{true: young, false: old}[strings.HasPrefix(step, "young")]
			expect.Equal(t, p.outlived(j, now, strings.Contains(step, "+")), strings.HasSuffix(step, "!"), "step", i, step)
		}
		time.Sleep(7 * day)
		old.ID = "k"
		expect.That(t, p.outlived(old, now, false) && !p.outlived(young, now, false), "after seven days of this program")
	})
}

// TestAJobOfAnotherService is neither asked about nor fetched, as the service in use may have another job by
// its id. Nor is one asked about without an id; what it has made is fetched at once.
func TestAJobOfAnotherService(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = done
		j := w.ended(t, accepted(t, w).ID)
		polls := f.total()
		for set, want := range map[string]error{`base='https://another.test'`: (&store.Job{Base: "https://another.test"}).Elsewhere(), `remote_id=''`: errNoID} {
			must(w.db.Exec(`UPDATE jobs SET base='` + testBase + `', remote_id='r1'`))(t)
			must(w.db.Exec(`UPDATE jobs SET ` + set))(t)
			_, links := w.FreshLinks(t.Context(), j.ID)
			for _, err := range []error{w.Refresh(t.Context(), j.ID), cmp.Or[error](links, errNoID)} {
				expect.That(t, err != nil && err.Error() == want.Error() && f.total() == polls, set, err, "after", f.total()-polls, "polls, want", want)
			}
			synctest.Wait()
			told, calls := len(f.told[j.ID]), f.fetcher.count()
			if want != errNoID {
				expect.Fails(t, w.Fetch(t.Context(), j.ID), want.Error(), set)
				expect.That(t, w.ended(t, j.ID).Phase == api.PhaseDone && f.fetcher.count() == calls, set, "fetched")
				continue
			}
			noError(t, os.Remove(j.Files[0].Path))
			w.work.jobs["a"], w.work.jobs["b"] = &jobWork{deed: fetching}, &jobWork{deed: fetching}
			err := w.Fetch(t.Context(), j.ID)
			synctest.Wait()
			expect.That(t, err == nil && len(f.told[j.ID]) >= told+3 && f.fetcher.count() == calls+1 && w.ended(t, j.ID).Phase == api.PhaseDone,
				set, f.fetcher.count()-calls, "times fetched, told of", f.told[j.ID][told:], err)
		}
	})
}

// allPolled fails unless each job was polled within the last d.
func allPolled(t *testing.T, f *fakeService, jobs int, d time.Duration) {
	t.Helper()
	for n := range jobs {
		polls := f.polled(fmt.Sprint("r", n+1))
		expect.That(t, len(polls) != 0 && time.Since(polls[len(polls)-1]) <= d,
			"job", n+1, "was not polled within the last", d, len(polls), "polls before")
	}
}

// A clock that is set back, by a little or much, must not stop the polls until it
// has caught up, as those of a job made while it was ahead; nor must a rest.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{10 * time.Minute, time.Hour, 30 * day} {
		for _, rest := range []time.Duration{0, 20 * time.Second} {
			if rest > 0 && back < time.Hour {
				continue // such a rest can be true
			}
			t.Run(fmt.Sprint(back, " ", rest), func(t *testing.T) {
				inWindow(t, func(t *testing.T, f *fakeService, w *window) {
					const jobs = 4
					for range jobs {
						accepted(t, w)
					}
					time.Sleep(time.Minute)
					if rest > 0 {
						must(w.file.CloseGate(t.Context(), testBase, f.now(), rest, rest, rest))(t)
					}
					f.setClock(-back)
					accepted(t, w) // an honest one, which is always due earlier
					time.Sleep(2 * time.Minute)
					allPolled(t, f, jobs+1, 90*time.Second)
					before := f.total()
					time.Sleep(time.Minute)
					n := f.total() - before
					expect.That(t, n >= jobs*3 && n <= 122, n, "polls in a minute")
				})
			})
		}
	}
}

// A clock that is set eight days forward does not age a job.
func TestClockSetForward(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		j := accepted(t, w)
		time.Sleep(time.Minute)
		f.setClock(8 * day)
		time.Sleep(5 * time.Hour)
		j = must(w.file.Job(t.Context(), j.ID))(t)
		expect.Equal(t, j.Phase, api.PhaseRunning, j.Error)
		allPolled(t, f, 1, 20*time.Minute)
		f.setClock(-8 * day)
		time.Sleep(30 * time.Minute)
		allPolled(t, f, 1, 3*time.Minute)
	})
}

// A job that the service does not know ends ten minutes after the first such answer, however the clock is set: what
// this program saw counts, and what the clock said before it began. A readable answer begins them anew.
func TestAnUnknownJobHasItsTime(t *testing.T) {
	t.Parallel()
	for _, set := range []time.Duration{0, time.Minute, time.Hour, 30 * day} {
		t.Run(set.String(), func(t *testing.T) {
			inWindow(t, func(t *testing.T, f *fakeService, w *window) {
				f.job = refusing(failing(api.ClassNotFound, 404, 0), func(_ string, n int) bool { return n != 2 })
				j := accepted(t, w)
				time.Sleep(30 * time.Second)
				f.setClock(set)
				j = w.ended(t, j.ID)
				polls := f.polled("r1")
				took := polls[len(polls)-1].Sub(polls[2])
				expect.That(t, j.Phase == api.PhaseFailed && took >= 10*time.Minute && took <= 40*time.Minute, j.Phase, "after", took)
				before, now := store.Tally{NotFound: 2, NotFoundSince: w.wall.Add(-9 * time.Minute)}, f.now()
				w.unknown("j", before, now)
				time.Sleep(time.Minute)
				now = now.Add(30 * day)
				expect.Equal(t, now.Sub(w.unknown("j", before, now).NotFoundSince), 10*time.Minute, "nine minutes before this program and one of it")
			})
		})
	}
}

// A program that finds an old job asks several times before it gives up.
func TestOldJobIsAskedForBeforeItIsStale(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake(t)
		f.job = refusing(failing(api.ClassServer, 500, 0), func(_ string, n int) bool { return n < 20 })
		dir := t.TempDir()
		f.setClock(-8 * day)
		file := must(store.Open(t.Context(), dir+"/darkroom.db"))(t)
		defer func() { _ = file.Close() }()
		j := accepted(t, &window{Poller: &Poller{scale: 1, o: Options{Instance: "gone"}}, f: f, file: file})
		f.setClock(8 * day)
		w := openWindow(t, dir, f, 1)
		time.Sleep(3 * time.Hour)
		j = must(w.file.Job(t.Context(), j.ID))(t)
		expect.That(t, j.Phase != api.PhaseStale && f.total() <= 19, "it is", j.Phase, "after", f.total(), "polls without an answer")
		j = w.ended(t, j.ID)
		expect.That(t, j.Phase == api.PhaseStale && f.total() == 19+4, "it is", j.Phase, "after", f.total(), "polls")
	})
}

func TestPlanFollowsTheTable(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		age          time.Duration
		image, video time.Duration
	}{
		{0, 2, 10}, {29 * time.Second, 2, 10}, {30 * time.Second, 5, 10}, {119 * time.Second, 5, 10},
		{2 * time.Minute, 15, 15}, {10 * time.Minute, 30, 30}, {time.Hour, 120, 120}, {24*time.Hour - 1, 120, 120}, {24 * time.Hour, 900, 900},
		{7*day - 1, 900, 900}, {7 * day, 900, 900}, {70 * day, 900, 900},
	} {
		for kind, want := range map[api.Kind]time.Duration{api.KindImage: row.image, api.KindVideo: row.video} {
			expect.That(t, row.age != 0 || FirstPoll(kind) == want*time.Second, kind, "first after", FirstPoll(kind))
			for range 50 {
				got := plan(kind, row.age, 1)
				low, high := want*time.Second*8/10, want*time.Second*12/10
				expect.That(t, got >= low && got <= high, kind, "at", row.age, got, "want", low, "to", high)
			}
		}
	}
	expect.Equal(t, plan(api.KindImage, 0, 0.0001), remote.Floor, "the floor")
	expect.That(t, plan(api.KindImage, 2*time.Hour, 0.01) >= 7*time.Second, "age limits are not scaled")
}

// TestNoPlanIsTakenBack that the table makes, with its jitter and the wait after a
// failure of the network, and hardly a longer one.
func TestNoPlanIsTakenBack(t *testing.T) {
	t.Parallel()
	longest := (&Poller{scale: 1}).longest()
	age, room := time.Duration(0), []float64{}
	for _, i := range intervals {
		wait := max(i.every, FirstPoll(api.KindVideo))*6/5 + time.Minute + remote.ReplanSpan
		room = append(room, (longest.Min + min(age/20, longest.Max) - wait).Seconds())
		age = i.below
	}
	expect.List(t, room, []float64{1, 2.5, 1, 7, 49, 13}, "seconds more than needed")
	pace, rate := (&Poller{scale: 1}).pace(), store.Pace{Every: 510 * time.Millisecond, Burst: 2, Calls: 4, Limit: time.Minute}
	expect.That(t, longest.Rest == time.Hour+clockStep && longest.Span == 10*time.Second && pace == rate && youngGrace == 5*time.Minute,
		longest, pace, youngGrace)
}

// TestTheServicesRestIsKept by all jobs, whichever answer asks for it; a fault asks for
// none. A store that does not answer is said, and asked again.
func TestTheServicesRestIsKept(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		class  api.ErrorClass
		status int
		rests  bool
	}{{api.ClassRate, 429, true}, {api.ClassServer, 503, true}, {api.ClassRate, 400, true}, {api.ClassCalls, 429, true}, {api.ClassServer, 500, false},
		{api.ClassNotFound, 404, false}} {
		synctest.Test(t, func(t *testing.T) {
			f := newFake(t)
			var answers atomic.Int64
			f.job = refusing(failing(row.class, row.status, 5*time.Minute), func(string, int) bool { return answers.Add(1) == 1 })
			w := openWindow(t, t.TempDir(), f, 1)
			accepted(t, w)
			time.Sleep(13 * time.Second)
			accepted(t, w)
			for refusals := 1; refusals >= 0; refusals-- { // an answer forgets them
				var strikes int
				noError(t, w.db.QueryRow(`SELECT strikes FROM gate`).Scan(&strikes))
				expect.That(t, strikes == refusals || !row.rests, row.class, row.status, strikes, "refusals in a row")
				time.Sleep(4 * time.Minute)
				expect.That(t, row.rests == (f.total() == 1) || refusals <= 0, row.class, row.status, f.total(), "polls")
				time.Sleep(2 * time.Minute)
				allPolled(t, f, 2, time.Minute)
			}
			must(w.db.Exec(`ALTER TABLE gate RENAME TO away`))(t)
			time.Sleep(time.Minute)
			expect.Equal(t, w.remote.Health().Trouble.Format(), "the store does not answer: %v", "said of a broken store")
			must(w.db.Exec(`ALTER TABLE away RENAME TO gate`))(t)
			time.Sleep(30 * time.Second)
			allPolled(t, f, 2, 30*time.Second)
		})
	}
}

// TestTransition is the rules of what ends a job, without a clock.
func TestTransition(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	job := store.Job{Row: store.Row{ID: "j", RemoteID: "r", Kind: api.KindImage, Phase: api.PhaseRunning, SentAt: now.Add(-time.Minute)}}
	done := job
	done.Phase, done.EndedAt = api.PhaseDone, now.Add(-time.Second)
	fetching := job
	fetching.Phase = api.PhaseFetching
	early := answer(api.StatusRunning, "PROCESSING", "https://x")
	early.Progress = 0.4
	gone := failing(api.ClassNotFound, 404, 0)
	page := &api.Error{Class: api.ClassNotFound, Status: 404, Raw: []byte("\n<!DOCTYPE html><title>404")}
	failed := job
	failed.Phase, failed.EndedAt, failed.Error = api.PhaseFailed, now.Add(-time.Second), api.Sentence("the service gave no reason (%v)").Reason("FAILED")
	forgotten, hollow := failed, failed
	forgotten.Error, hollow.Error = whyForgotten.Reason(), whyNoResult.Reason()
	counted := store.Tally{NotFound: 2, NotFoundSince: now.Add(-time.Hour)}
	var made []string
	for name, row := range map[string]struct {
		job   store.Job
		tally store.Tally
		a     api.JobAnswer
		err   error
		want  api.Phase
	}{
		"waiting":               {job, store.Tally{}, answer(api.StatusWaiting, "PENDING"), nil, api.PhaseQueued},
		"running":               {job, store.Tally{}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"unknown word runs on":  {job, store.Tally{}, answer(api.StatusUnlisted, "MARINATING"), nil, api.PhaseRunning},
		"no word":               {job, store.Tally{}, answer(api.StatusNone, ""), nil, api.PhaseRunning},
		"media at 40 %":         {job, store.Tally{}, early, nil, api.PhaseRunning},
		"media, still waiting":  {job, store.Tally{}, answer(api.StatusWaiting, "PENDING", "https://x"), nil, api.PhaseQueued},
		"failed":                {job, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseFailed},
		"cancelled":             {job, store.Tally{}, answer(api.StatusCancelled, "CANCELED"), nil, api.PhaseFailed},
		"completed":             {job, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"hollow, first":         {job, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseRunning},
		"hollow, fifth again":   {job, store.Tally{Empty: 4}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseRunning},
		"hollow, no more":       {job, store.Tally{Empty: 5}, answer(api.StatusSucceeded, "COMPLETED"), nil, api.PhaseFailed},
		"hollow, then running":  {job, store.Tally{Empty: 3}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"404 once":              {job, store.Tally{NotFoundSince: now}, api.JobAnswer{}, gone, api.PhaseRunning},
		"404 thrice, too soon":  {job, store.Tally{NotFound: 5, NotFoundSince: now.Add(-9 * time.Minute)}, api.JobAnswer{}, gone, api.PhaseRunning},
		"404 twice, long after": {job, store.Tally{NotFound: 1, NotFoundSince: now.Add(-time.Hour)}, api.JobAnswer{}, gone, api.PhaseRunning},
		"410 thrice":            {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-10 * time.Minute)}, api.JobAnswer{}, failing(api.ClassNotFound, 410, 0), api.PhaseFailed},
		"404 of a gateway":      {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-23 * time.Hour)}, api.JobAnswer{}, page, api.PhaseRunning},
		"404 of it for a day":   {job, store.Tally{NotFound: 2, NotFoundSince: now.Add(-24 * time.Hour)}, api.JobAnswer{}, page, api.PhaseFailed},
		"given up, then known":  {forgotten, store.Tally{NotFound: 3}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"given up, then done":   {forgotten, store.Tally{NotFound: 3}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"given up, still":       {forgotten, store.Tally{NotFound: 3, NotFoundSince: now.Add(-time.Hour)}, api.JobAnswer{}, gone, api.PhaseFailed},
		"hollow, then a result": {hollow, store.Tally{Empty: 6}, answer(api.StatusSucceeded, "COMPLETED", "https://x"), nil, api.PhaseFetching},
		"failed is failed":      {failed, store.Tally{}, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseFailed},
		"running, 404 before":   {job, counted, answer(api.StatusRunning, "PROCESSING"), nil, api.PhaseRunning},
		"500, 404 before":       {job, counted, api.JobAnswer{}, failing(api.ClassServer, 500, 0), api.PhaseRunning},
		"500":                   {job, store.Tally{}, api.JobAnswer{}, failing(api.ClassServer, 500, 0), api.PhaseRunning},
		"key refused":           {job, store.Tally{}, api.JobAnswer{}, failing(api.ClassKey, 401, 0), api.PhaseRunning},
		"done is done":          {done, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseDone},
		"done, fresh address":   {done, store.Tally{}, answer(api.StatusSucceeded, "COMPLETED", "https://y"), nil, api.PhaseDone},
		"completed stays":       {fetching, store.Tally{}, answer(api.StatusFailed, "FAILED"), nil, api.PhaseFetching},
	} {
		if row.a.Raw == nil {
			row.a.Raw = []byte("raw of " + name)
		}
		r := transition(row.job, row.tally, row.a, row.err, now, 1, false)
		next := "never"
		if wait := r.NextPoll.Sub(now); !r.NextPoll.IsZero() && wait > 0 {
			if next = "later"; r.Empty > 0 {
				next = wait.String()
			}
		}
		made = append(made, fmt.Sprintf("%s: %s %q %.1f %q %s not found %d since %v, empty %d, completed %t, ended %v, raw %q, quiet %t, %d results, next %s",
			name, r.Phase, r.Status, r.Progress, r.Error, r.ErrClass, r.NotFound, span(now, r.NotFoundSince), r.Empty, r.Completed,
			span(now, r.EndedAt), r.Raw, r.Quiet, len(r.Results), next))
		expect.Equal(t, r.Phase, row.want, name)
	}
	slices.Sort(made)
	golden.RequireEqual(t, []byte(strings.Join(made, "\n")+"\n"))
}

// span is how long before now a time is, or "-".
func span(now, at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return now.Sub(at).String()
}

// TestALostPollIsGivenUp: another window has the job by then, and its plan stays. What
// the store refuses is said, and tried again once a second.
func TestALostPollIsGivenUp(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = func(string, int) (api.JobAnswer, error) {
			time.Sleep(50 * time.Second)
			return answer(api.StatusSucceeded, "COMPLETED", "https://cdn.test/1.png"), nil
		}
		j := accepted(t, w)
		time.Sleep(20500 * time.Millisecond)
		must(w.db.Exec(`UPDATE jobs SET epoch=epoch+1, owner='another', lease=?`, time.Now().Add(time.Minute).UnixMilli()))(t)
		time.Sleep(45 * time.Second)
		j = must(w.file.Job(t.Context(), j.ID))(t)
		expect.That(t, j.Phase == api.PhaseQueued && f.total() == 1 && f.lost == 1, j.Phase, "after", f.total(), "polls", f.lost, "lost")
		f.job = done
		must(w.db.Exec(`UPDATE jobs SET owner='', lease=0`))(t)
		for _, trigger := range []string{`answers BEFORE UPDATE OF gone ON jobs`, `results BEFORE INSERT ON files`,
			`claims BEFORE UPDATE OF owner ON jobs WHEN NEW.owner<>'' AND NEW.phase='fetching'`} {
			must(w.db.Exec(`CREATE TRIGGER ` + trigger + ` BEGIN SELECT RAISE(FAIL, 'no room'); END`))(t)
		}
		w.Wake()
		for _, trigger := range []string{"answers", "claims", "results"} {
			began := f.total() + f.fetcher.count()
			time.Sleep(100500 * time.Millisecond)
			n, why := f.total()+f.fetcher.count()-began, w.remote.Health().Trouble
			expect.That(t, n >= 1 && n <= 110 && why.Format() == "the store does not answer: %v", trigger, n, "tries", why)
			must(w.db.Exec(`DROP TRIGGER ` + trigger))(t)
		}
		time.Sleep(100 * time.Second)
		expect.Equal(t, w.remote.Health().Trouble, api.Reason{}, "after the job's end")
	})
}

// TestTheIDOfADoubt is the first that the service knows, but of no other job; an answer that says nothing of it ends the search. A poll
// begins one if the service does not know the id that it asks for, and only then.
func TestTheIDOfADoubt(t *testing.T) {
	inWindow(t, func(t *testing.T, f *fakeService, w *window) {
		f.job = refusing(failing(api.ClassNotFound, 404, 0), func(id string, _ int) bool { return id == "x" })
		must(w.db.Exec(`UPDATE jobs SET remote_id='earlier' WHERE id=?`, accepted(t, w).ID))(t)
		resolve := func(answer func(id string) error) { locked(&f.mu, func() { f.resolve = answer }) }
		for i, row := range []struct {
			first, want string
			phase       api.Phase
			class       api.ErrorClass
		}{{"", "b", api.PhaseUnread, api.ClassNotFound}, {"a", "c", api.PhaseQueued, api.ClassNotFound},
			{"d", "d", api.PhaseQueued, api.ClassNotFound}, {"", "", api.PhaseUnread, api.ClassServer}} {
			j := accepted(t, w)
			must(w.db.Exec(`UPDATE jobs SET remote_id=?, phase=? WHERE id=?`, row.first, row.phase, j.ID))(t)
			known := []string{row.want, "earlier", "last"}
			resolve(func(id string) error { return unless(slices.Contains(known, id), failing(row.class, 404, 0)) })
			w.Resolve(w.remote.Connection(), j, api.JobAnswer{ID: row.first, Candidates: []string{"..", "a", "earlier", row.want, "last"}})
			time.Sleep(5 * time.Second)
			told := simtest.Read(&f.mu, func() []api.Phase { return f.told[j.ID] })
			j = must(w.file.Job(t.Context(), j.ID))(t)
			expect.That(t, j.RemoteID == row.want && (len(told) > 0) == (row.first != row.want), i, j.Phase, j.RemoteID, "told of", told)
		}
		for id, want := range map[string]string{"known": "known", "x": "last"} {
			j := accepted(t, w)
			must(w.db.Exec(`UPDATE jobs SET remote_id=? WHERE id=?`, id, j.ID))(t)
			must(w.db.Exec(`UPDATE answers SET raw=? WHERE seq=(SELECT seq FROM jobs WHERE id=?)`, fmt.Sprintf(`{"id":"last","task_id":%q}`, id), j.ID))(t)
			resolve(func(id string) error { return unless(id == "last", failing(api.ClassNotFound, 404, 0)) })
			time.Sleep(5 * time.Minute)
			j = must(w.file.Job(t.Context(), j.ID))(t)
			expect.That(t, j.RemoteID == want && j.Phase == api.PhaseRunning && (len(f.polled(id)) == 1) == (id == "x"),
				j.Phase, j.RemoteID, "after", len(f.polled(id)), "polls of", id)
		}
	})
}

// TestThePromisesNameTheFigures that hold here.
func TestThePromisesNameTheFigures(t *testing.T) {
	simtest.Promised(t,
		fmt.Sprintf("polled %d more times, %d s apart", emptyCount, emptyEvery/time.Second), fmt.Sprintf("after at least %d of them", notFoundCount),
		fmt.Sprintf("at least %d minutes after the first (%d hours if", notFoundFor/time.Minute, noPageFor/time.Hour), fmt.Sprintf("one poll every %d ms", pollPace/time.Millisecond),
		fmt.Sprintf("at most every %d s per job", refreshEvery/time.Second), fmt.Sprintf("downloading, for %d minutes", busyLimit/time.Minute))
}
