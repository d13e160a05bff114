package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/api/sim/simtest"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state/store"
)

// TestALowerBudgetHoldsInOpenWindows changes the settings file while a window is open.
func TestALowerBudgetHoldsInOpenWindows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		home := t.TempDir()
		env := func(name string) string {
			return map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config")}[name]
		}
		o := fakeOptions(t, t.TempDir(), f)
		o.Poll, o.Env = false, env
		o.Settings.ConfigFile = filepath.Join(home, "config", "darkroom", "config.toml")
		write := func(text string) { simtest.File(t, o.Settings.ConfigFile, text) }
		write("budget = 1000")
		o.Settings.Budget = 1000 * api.Credit
		s := openSession(t, o)
		must(s.Submit(t.Context(), confirm("one")))(t)
		write("budget = 500")
		var r *Refusal
		_, err := s.Submit(t.Context(), confirm("two"))
		expect.That(t, errors.As(err, &r) && r.Code == "budget", "below the new budget", err)
		expect.Equal(t, must(s.Today(t.Context()))(t).Budget, 500*api.Credit, "shown budget")
		write("budget = 2000")
		_, err = s.Submit(t.Context(), confirm("three"))
		expect.That(t, errors.As(err, &r) && r.Code == "budget", "before the file is known to be whole", err)
		_ = s.changes.take()
		time.Sleep(3 * watchEvery)
		expect.That(t, s.Settings().Budget == 2000*api.Credit && s.changes.take() != nil, "the window goes on with", s.Settings().Budget)
		must(s.Submit(t.Context(), confirm("three")))(t)
		synctest.Wait()
		expect.Equal(t, f.sent(), 2, "POSTs")
	})
}

// TestANewDayIsTold to a window in which nothing happens: today's budget is another one.
func TestANewDayIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := fakeOptions(t, t.TempDir(), newFake())
		o.Settings.TimeScale = 1000 // it looks around four times an hour
		s := openSession(t, o)
		_ = s.changes.take()
		time.Sleep(25 * time.Hour)
		expect.That(t, s.changes.take() != nil, "nothing is told in a day")
	})
}

func TestTurnsWithoutTheirFolder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, f, _ := queueWindow(t, t.TempDir())
		noError(t, os.RemoveAll(s.turns.folder))
		j := submitted(t, s, "one")
		expect.Equal(t, j.Phase, api.PhaseQueued, j.Error)
		lock := filepath.Join(s.turns.folder, "create.lock")
		noError(t, errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)))
		j = submitted(t, s, "two")
		expect.That(t, j.Phase == api.PhaseNotSent && strings.Contains(j.Error.String(), "take turns") && f.sent() == 1,
			j.Phase, j.Error, "after", f.sent(), "POSTs")
	})
}

// TestTheRightIDIsFound at once, and later when the window is killed or the network
// is cut while it asks which id in an answer is the job's.
func TestTheRightIDIsFound(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ kill, off bool }{"at once": {}, "killed": {true, true}, "no network": {false, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.create = func(int, client.CreateOptions) api.Outcome {
					out := queued("wrong")
					out.Raw = []byte(`{"id":"right","task_id":"wrong"}`)
					out.Answer.Candidates = []string{"right", "other"}
					return out
				}
				var off atomic.Bool
				off.Store(row.off)
				f.job = func(id string, _ int) (api.JobAnswer, error) {
					switch {
					case off.Load():
						return api.JobAnswer{}, failing(api.ClassNetwork, 0, 0)
					case id != "right":
						return api.JobAnswer{}, failing(api.ClassNotFound, 404, 0)
					}
					return answer(api.StatusRunning, "PROCESSING"), nil
				}
				o := fakeOptions(t, t.TempDir(), f)
				s := must(Open(t.Context(), o))(t)
				j := submitted(t, s, "x")
				time.Sleep(time.Second)
				if row.kill {
					s.abandon()
					s = openSession(t, o)
				} else {
					t.Cleanup(func() { _ = s.Close(t.Context()) })
				}
				off.Store(false)
				time.Sleep(5 * time.Minute)
				j = must(s.Job(t.Context(), j.ID))(t)
				expect.All(t, "right running 1", j.RemoteID, j.Phase, f.sent())
			})
		})
	}
}

// TestCreatesAreSerialOverWindows, of which two confirm the same at the same time.
func TestCreatesAreSerialOverWindows(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		var mu sync.Mutex
		flying, most := 0, 0
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			mu.Lock()
			flying++
			most = max(most, flying)
			mu.Unlock()
			time.Sleep(3 * time.Second)
			simtest.Locked(&mu, func() { flying-- })
			return queued(string(rune('a' + n)))
		}
		o := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		windows := []*Session{openSession(t, o), openSession(t, o)}
		var last Job
		for n := range 6 {
			c := confirm(string(rune('p' + n)))
			var both [2]Job
			var wg sync.WaitGroup
			for i, w := range windows {
				wg.Go(func() { both[i] = must(w.Submit(t.Context(), c))(t) })
			}
			wg.Wait()
			last = both[0]
			expect.That(t, last.ID == both[1].ID, "one confirmation, two jobs", both[0].ID, "and", both[1].ID)
		}
		time.Sleep(1100 * time.Millisecond)
		last = must(windows[0].Job(t.Context(), last.ID))(t)
		expect.That(t, last.Phase != api.PhaseIntent || strings.Contains(last.Error.String(), "waits for its turn"), "it says", last.Error)
		time.Sleep(time.Minute)
		simtest.Locked(&mu, func() { expect.All(t, "1 6", most, f.sent()) })
	})
}

// TestAStoreByALink is one with that of the windows that know its own name: they take turns and live for one another.
func TestAStoreByALink(t *testing.T) {
	t.Parallel()
	for name, linked := range map[string]string{"the file": "darkroom.db", "its folder": "."} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one, f, _ := queueWindow(t, t.TempDir())
				o := one.o
				o.Settings.DataDir = filepath.Join(t.TempDir(), "data")
				link := filepath.Join(o.Settings.DataDir, linked)
				noError(t, errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(filepath.Join(one.o.Settings.DataDir, linked), link)))
				two := openSession(t, o)
				first := must(one.Submit(t.Context(), confirm("first")))(t)
				second := must(two.Submit(t.Context(), confirm("second")))(t)
				time.Sleep(500 * time.Millisecond)
				expect.Equal(t, f.sent(), 1, "POSTs while one is under way")
				time.Sleep(time.Minute)
				expect.All(t, "queued queued", must(two.Job(t.Context(), first.ID))(t).Phase, must(one.Job(t.Context(), second.ID))(t).Phase)
				f.create = func(n int, _ client.CreateOptions) api.Outcome {
					if n == 3 {
						return refused(api.PhaseRejected, api.ClassRate, 429, 10*time.Minute)
					}
					return queued("late")
				}
				busy := must(one.Submit(t.Context(), confirm("busy")))(t)
				time.Sleep(9 * time.Minute) // longer than one that may be dead is left alone
				expect.All(t, "intent 3", must(two.Job(t.Context(), busy.ID))(t).Phase, f.sent())
				time.Sleep(2 * time.Minute)
				expect.All(t, "queued 4", must(two.Job(t.Context(), busy.ID))(t).Phase, f.sent())
				noError(t, errors.Join(os.Remove(link), os.Symlink(t.TempDir(), link)))
				expect.Is(t, expect.Err(two.Submit(t.Context(), confirm("elsewhere"))), ErrMoved, "a link that leads elsewhere now")
				noError(t, expect.Err(one.Submit(t.Context(), confirm("here"))))
			})
		})
	}
}

// abandon ends a session as a kill does: nothing is written, its lock is free.
func (s *Session) abandon() {
	s.closed.Store(true)
	_ = s.instance.file.Close()
	_ = s.db().Close()
	s.stop()
	at, now := context.WithCancel(context.Background())
	now()
	s.Submitter.Close(at) // without patience
	s.tasks.group.Wait()
}

func TestKilledWindowIsTakenOver(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		block := make(chan struct{})
		f.create = func(n int, _ client.CreateOptions) api.Outcome {
			if n == 1 {
				return queued("r1")
			}
			<-block
			return queued("late")
		}
		var hung atomic.Bool // no sync.Once: a lock would stop the bubble's clock
		f.job = func(string, int) (api.JobAnswer, error) {
			if hung.CompareAndSwap(false, true) {
				<-block
			}
			return answer(api.StatusRunning, "PROCESSING"), nil
		}
		dir := t.TempDir()
		o := fakeOptions(t, dir, f)
		first := must(Open(t.Context(), o))(t)
		a := submitted(t, first, "polled")
		b := must(first.Submit(t.Context(), confirm("sending")))(t)
		synctest.Wait()
		c := must(first.Submit(t.Context(), confirm("waiting")))(t)
		second := openSession(t, o)
		time.Sleep(15500 * time.Millisecond) // the first poll hangs in the first window
		expect.Must(t, len(f.polled("r1")) == 1, len(f.polled("r1")), "polls")
		takes := func(s *Session, want bool, of string) {
			expect.Equal(t, s.join(t.Context()), want, "something is taken over of", of)
		}
		takes(second, false, "a window that lives")
		go func() { time.Sleep(time.Nanosecond); close(block) }()
		first.abandon()
		time.Sleep(2 * time.Second)
		for id, want := range map[string]api.Phase{b.ID: api.PhaseUnknown, c.ID: api.PhaseNotSent} {
			j := must(second.Job(t.Context(), id))(t)
			expect.That(t, j.Phase == want && !j.Error.IsZero(), j.Title, "is", j.Phase, j.Error, "want", want)
		}
		time.Sleep(12 * time.Second)
		expect.All(t, "running 2", must(second.Job(t.Context(), a.ID))(t).Phase, f.sent())
		left := store.Intent{ConfirmID: "left", Instance: second.instance.id, Base: "b", Body: []byte("left"), Now: time.Now()}
		d, _, err := second.db().Record(t.Context(), left)
		noError(t, err)
		second.abandon()
		third := openSession(t, o) // a command shows what is so at once, and ends
		expect.Equal(t, must(third.Job(t.Context(), d.ID))(t).Phase, api.PhaseNotSent, "at first")
		takes(third, false, "a window whose jobs were taken over")
		left.ConfirmID, left.Instance = "orphan", "nobody"
		d, _, err = third.db().Record(t.Context(), left)
		noError(t, err)
		takes(third, true, "a window that is not known")
		expect.Equal(t, must(third.Job(t.Context(), d.ID))(t).Phase, api.PhaseNotSent, "then")
	})
}

func TestCloseLeavesNothingHalf(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { time.Sleep(4 * time.Second); return queued("r1") }
		dir := t.TempDir()
		o := fakeOptions(t, dir, f)
		s := must(Open(t.Context(), o))(t)
		a := must(s.Submit(t.Context(), confirm("a")))(t)
		synctest.Wait()
		b := must(s.Submit(t.Context(), confirm("b")))(t)
		began := time.Now()
		noError(t, s.Close(t.Context()))
		expect.Equal(t, time.Since(began), 4*time.Second, "Close took")
		expect.Len(t, must(filepath.Glob(lockOf(s.turns.folder, "*")))(t), 0, "locks that it leaves")
		o.Poll = false
		again := openSession(t, o)
		for id, want := range map[string]api.Phase{a.ID: api.PhaseQueued, b.ID: api.PhaseNotSent} {
			j := must(again.Job(context.Background(), id))(t)
			expect.Equal(t, j.Phase, want, j.Title, "is")
		}
	})
}

// TestNothingIsSentWithoutALockFile: others would take the sender for dead.
func TestNothingIsSentWithoutALockFile(t *testing.T) {
	t.Parallel()
	s, f, _ := queueWindow(t, t.TempDir())
	noError(t, s.Remote.AwaitKey(limited(t)))
	noError(t, os.RemoveAll(s.turns.folder))
	noError(t, os.WriteFile(s.turns.folder, nil, 0o600)) // not a folder
	_, err := s.Submit(t.Context(), confirm("x"))
	expect.That(t, err != nil && f.sent() == 0, err, "after", f.sent(), "POSTs")
	late := openSession(t, s.o)
	others := must(late.db().Instances(t.Context()))(t)
	expect.That(t, strings.HasPrefix(late.Health().ReadOnly.String(), "the folder of lock files cannot be written"), late.Health().ReadOnly)
	expect.List(t, others, []string{s.instance.id}, "the store knows")
}

// TestADeadWindowWithoutALockFile is taken over once nothing of it can be under way any more.
func TestADeadWindowWithoutALockFile(t *testing.T) {
	t.Parallel()
	o := fakeOptions(t, t.TempDir(), newFake())
	s, ctx := openSession(t, o), t.Context()
	file := s.db()
	for i, row := range []struct {
		age  time.Duration
		dead bool
	}{{110 * time.Second, false}, {130 * time.Second, true}} {
		id := string(rune('a' + i))
		in := store.Intent{ConfirmID: id, Instance: id, Base: "b", Body: []byte(id), Now: time.Now().Add(-row.age)}
		_, _, err := file.Record(ctx, in)
		noError(t, err)
		expect.Equal(t, s.instance.takesForDead(ctx, file, id), row.dead, row.age, "old, taken for dead")
	}
}
