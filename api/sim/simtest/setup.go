package simtest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"darkroom/api"
)

// Bubble runs a test by a clock of its own, next to others.
func Bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// WaitTogether lets more tests run side by side than there are processors, unless
// -parallel says otherwise: they mostly wait, for other programs or for limits to run out.
func WaitTogether() {
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(6 * runtime.GOMAXPROCS(0)))
	}
}

// Script makes a program of the person's. Nothing is started while it is written: a
// child has our open files until it has become its own program, and a file that is
// open for writing cannot be run.
func Script(t testing.TB, path string, lines ...string) string {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+strings.Join(lines, "\n")+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	NoError(t, err)
	return path
}

// File writes a file, and the folders above it, and gives its path.
func File[T string | []byte](t testing.TB, path string, content T) string {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// Locked does something while it holds a lock.
func Locked(lock sync.Locker, do func()) {
	lock.Lock()
	defer lock.Unlock()
	do()
}

// Read is what a function gives while it holds a lock.
func Read[T any](lock sync.Locker, read func() T) T {
	lock.Lock()
	defer lock.Unlock()
	return read()
}

// Allocated is how much memory a function allocates.
func Allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// ClocksApart are moments of a process whose clocks went apart since, and whether they are older than a limit by one of
// them, or of the future: now, before the machine slept 8 hours, for which the monotonic clock stood still, and before
// the wall clock was set back.
func ClocksApart(limit time.Duration) map[time.Time]bool {
	set := func(at time.Time, d time.Duration) time.Time {
		*(*uint64)(unsafe.Pointer(&at)) += uint64(d/time.Second) << 30 // the wall's seconds
		return at
	}
	now := time.Now()
	return map[time.Time]bool{now: false, set(now, -8*time.Hour): true, set(now, time.Hour): true,
		set(now.Add(-limit-20*time.Second), time.Minute): true, set(now.Add(-limit/2), limit/4): false}
}

// Limited is a context that ends with the test, or after 20 s.
func Limited(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// NoRing is a keyring without a key, which says so with None.
type NoRing struct{ None error }

func (r NoRing) Load(string) (string, error) { return "", r.None }
func (r NoRing) Store(string, string) error  { return nil }
func (r NoRing) Remove(string) error         { return r.None }

// Queued is the outcome of a create that was accepted with an id.
func Queued(id string) api.Outcome {
	return api.Outcome{Phase: api.PhaseQueued, HTTPStatus: 200, Raw: []byte(`{"id":"` + id + `"}`),
		Answer: api.JobAnswer{ID: id, Class: api.StatusWaiting, Progress: -1}}
}

// Refused is the outcome of a create that was not accepted, or may not have been; it may be sent again after a while.
func Refused(phase api.Phase, class api.ErrorClass, status int, again time.Duration) api.Outcome {
	return api.Outcome{Phase: phase, HTTPStatus: status, RetryAfter: again,
		Err: &api.Error{Class: class, Status: status, Text: api.Clean("no", 10)}}
}

// JobAnswer is an answer about a job, in the service's word, with results at the addresses.
func JobAnswer(class api.StatusClass, word string, urls ...string) api.JobAnswer {
	return api.JobAnswer{Class: class, Status: api.Clean(word, 32), Progress: -1, Raw: []byte(`{"status":"` + word + `"}`),
		Results: api.Map(urls, func(u string) api.Result { return api.Result{URL: u} })}
}

// Failing is the error of a call that failed.
func Failing(class api.ErrorClass, status int, after time.Duration) error {
	return &api.Error{Class: class, Status: status, Text: api.Clean("no", 10), RetryAfter: after}
}
