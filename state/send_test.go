package state

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"darkroom/api"
	"darkroom/api/client"
)

// TestALowerBudgetHoldsInOpenWindows changes the settings file while a window
// is open.
func TestALowerBudgetHoldsInOpenWindows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
		home := t.TempDir()
		env := func(name string) string {
			return map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config")}[name]
		}
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll, o.Env = false, env
		o.Settings.ConfigFile = filepath.Join(home, "config", "darkroom", "config.toml")
		write := func(text string) {
			noError(t, errors.Join(
				os.MkdirAll(filepath.Dir(o.Settings.ConfigFile), 0o700), os.WriteFile(o.Settings.ConfigFile, []byte(text), 0o600)))
		}
		write("budget = 1000")
		o.Settings.Budget = 1000 * api.Credit
		s := openSession(t, o)
		must(s.Submit(t.Context(), confirm("one")))(t)
		write("budget = 500")
		_, err := s.Submit(t.Context(), confirm("two"))
		var r *Refusal
		if !errors.As(err, &r) || r.Code != "budget" {
			t.Errorf("below the new budget: %v", err)
		}
		if sp := must(s.Today(t.Context()))(t); sp.Budget != 500*api.Credit {
			t.Errorf("shown budget: %s", sp.Budget)
		}
		write("budget = 2000")
		_, err = s.Submit(t.Context(), confirm("three"))
		if !errors.As(err, &r) || r.Code != "budget" {
			t.Errorf("before the file is known to be whole: %v", err)
		}
		time.Sleep(3 * watchEvery)
		must(s.Submit(t.Context(), confirm("three")))(t)
		synctest.Wait()
		if f.sent() != 2 {
			t.Errorf("%d POSTs", f.sent())
		}
	})
}

func TestTurnsWithoutTheirFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.create = func(n int, _ client.CreateOptions) api.Outcome { return queued(NewConfirmID()) }
		o, _ := fakeOptions(t, t.TempDir(), f)
		o.Poll = false
		s := openSession(t, o)
		noError(t, os.RemoveAll(o.Settings.LockDir()))
		j := must(s.Submit(t.Context(), confirm("one")))(t)
		if j = must(s.Sent(t.Context(), j.ID))(t); j.Phase != api.PhaseQueued {
			t.Errorf("%s (%s)", j.Phase, j.Error)
		}
		lock := filepath.Join(o.Settings.LockDir(), "create.lock")
		noError(t, errors.Join(os.Remove(lock), os.Mkdir(lock, 0o700)))
		j = must(s.Submit(t.Context(), confirm("two")))(t)
		j = must(s.Sent(t.Context(), j.ID))(t)
		if j.Phase != api.PhaseNotSent || !strings.Contains(j.Error.String(), "take turns") || f.sent() != 1 {
			t.Errorf("%s (%s) after %d POSTs", j.Phase, j.Error, f.sent())
		}
	})
}

// TestTheRightIDIsFoundLater kills the window, or cuts the network, while it
// asks which of two ids in an answer is the job's.
func TestTheRightIDIsFoundLater(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]bool{"killed": true, "no network": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.create = func(int, client.CreateOptions) api.Outcome {
					out := queued("wrong")
					out.Raw = []byte(`{"id":"right","task_id":"wrong"}`)
					out.Answer.Candidates = []string{"right"}
					return out
				}
				var off atomic.Bool
				off.Store(true)
				f.job = func(id string, _ int) (api.JobAnswer, error) {
					switch {
					case off.Load():
						return api.JobAnswer{}, failing(api.ClassNetwork, 0, 0)
					case id != "right":
						return api.JobAnswer{}, failing(api.ClassNotFound, 404, 0)
					}
					return answer(api.StatusRunning, "PROCESSING"), nil
				}
				o, _ := fakeOptions(t, t.TempDir(), f)
				s := must(Open(t.Context(), o))(t)
				j := must(s.Submit(t.Context(), confirm("x")))(t)
				must(s.Sent(t.Context(), j.ID))(t)
				time.Sleep(time.Second)
				if kill {
					s.abandon()
					s = openSession(t, o)
				} else {
					t.Cleanup(func() { _ = s.Close(t.Context()) })
				}
				off.Store(false)
				time.Sleep(5 * time.Minute)
				if j = must(s.Job(t.Context(), j.ID))(t); j.RemoteID != "right" || j.Phase != api.PhaseRunning {
					t.Errorf("%q %s (%s)", j.RemoteID, j.Phase, j.Error)
				}
				if f.sent() != 1 {
					t.Errorf("%d POSTs", f.sent())
				}
			})
		})
	}
}
