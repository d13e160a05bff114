package remote

import (
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	t.Parallel()
	var b Breaker
	now := time.Now()
	for n := range breakAfter {
		if ok, _ := b.Enter(now); !ok {
			t.Fatalf("open after %d failures", n)
		}
		if wait := b.Failed(now, 1); wait <= 0 || wait > Backoff<<n {
			t.Errorf("failure %d: a wait of %v", n+1, wait)
		}
	}
	ok, until := b.Enter(now)
	if ok || !until.After(now) {
		t.Fatalf("after three failures: %v, %v", ok, until)
	}
	if ok, _ := b.Enter(until); !ok {
		t.Fatal("no probe when its time has come")
	}
	if ok, at := b.Enter(until); ok || !at.IsZero() {
		t.Fatalf("a second probe beside the first: %v, %v", ok, at)
	}
	b.Cancel()
	if ok, _ := b.Enter(until); !ok {
		t.Fatal("no probe after one that was not made")
	}
	if !b.Worked() || b.Worked() {
		t.Error("only the first answer closes it")
	}
	if ok, _ := b.Enter(now); !ok {
		t.Error("still open after an answer")
	}
}
