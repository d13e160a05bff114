package state

import (
	"os"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/store"
)

// TestNothingIsSentWithoutALockFile: others would take the sender for dead.
func TestNothingIsSentWithoutALockFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFake()
	f.create = func(int, client.CreateOptions) api.Outcome { return queued("r1") }
	o, _ := fakeOptions(t, dir, f)
	s := openSession(t, o)
	noError(t, s.Remote.AwaitKey(limited(t)))
	noError(t, os.RemoveAll(o.Settings.LockDir()))
	if err := os.WriteFile(o.Settings.LockDir(), nil, 0o600); err != nil { // not a folder
		t.Fatal(err)
	}
	if _, err := s.Submit(t.Context(), confirm("x")); err == nil || f.sent() != 0 {
		t.Errorf("%v after %d POSTs", err, f.sent())
	}
}

// TestADeadWindowWithoutALockFile is taken over once nothing of it can be under
// way any more.
func TestADeadWindowWithoutALockFile(t *testing.T) {
	t.Parallel()
	gone, missing := dead(t.TempDir() + "/window-x.lock")
	if gone || !missing {
		t.Errorf("gone %t, missing %t", gone, missing)
	}
	o, _ := fakeOptions(t, t.TempDir(), newFake())
	s, ctx := openSession(t, o), t.Context()
	file := s.storage.current()
	for i, row := range []struct {
		age  time.Duration
		dead bool
	}{{s.instance.fresh - 10*time.Second, false}, {s.instance.fresh + 10*time.Second, true}} {
		id := string(rune('a' + i))
		in := store.Intent{ConfirmID: id, Instance: id, Base: "b", Body: []byte(id), Now: time.Now().Add(-row.age)}
		if _, _, err := file.Record(ctx, in); err != nil {
			t.Fatal(err)
		}
		if got := s.instance.takesForDead(ctx, file, store.Instance{ID: id, Lock: t.TempDir() + "/window.lock"}); got != row.dead {
			t.Errorf("%v old: taken for dead %t", row.age, got)
		}
	}
}
