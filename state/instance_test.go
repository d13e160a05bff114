package state

import (
	"os"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/store"
)

// TestALockFolderThatIsDeleted: a live window makes its lock file again, and no
// other takes over what it sends meanwhile.
func TestALockFolderThatIsDeleted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sending, answer := make(chan struct{}), make(chan struct{})
	f := newFake()
	f.create = func(int, client.CreateOptions) api.Outcome {
		close(sending)
		<-answer
		return queued("r1")
	}
	o, _ := fakeOptions(t, dir, f)
	one := openSession(t, o)
	noError(t, one.Remote.AwaitKey(limited(t)))
	j := must(one.Submit(t.Context(), confirm("x")))(t)
	<-sending
	one.instance.mu.Lock() // it cannot make the file again yet, as when it is stopped
	noError(t, os.RemoveAll(o.Settings.LockDir()))
	other, _ := fakeOptions(t, dir, newFake())
	two := openSession(t, other) // looks after the others at its start
	if j = must(two.Job(t.Context(), j.ID))(t); j.Phase != api.PhaseSending {
		t.Errorf("a live sender was taken for dead: %s (%s)", j.Phase, j.Error)
	}
	one.instance.mu.Unlock()
	if err := one.instance.keep(t.Context()); err != nil {
		t.Error(err)
	}
	if gone, missing := dead(one.instance.lock); gone || missing {
		t.Errorf("the lock file is not held again: gone %t, missing %t", gone, missing)
	}
	close(answer)
	if j = must(one.Sent(limited(t), j.ID))(t); j.Phase != api.PhaseQueued {
		t.Errorf("%s", j.Phase)
	}
}

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
