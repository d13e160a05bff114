package poll

import (
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state/remote"
)

func TestPlanFollowsTheTable(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		age          time.Duration
		image, video time.Duration
	}{
		{0, 2, 10}, {29 * time.Second, 2, 10}, {30 * time.Second, 5, 10}, {119 * time.Second, 5, 10},
		{2 * time.Minute, 15, 15}, {10 * time.Minute, 30, 30}, {time.Hour, 120, 120}, {day, 900, 900},
		{7*day - 1, 900, 900}, {7 * day, 900, 900}, {70 * day, 900, 900},
	} {
		for kind, want := range map[api.Kind]time.Duration{api.KindImage: row.image, api.KindVideo: row.video} {
			for range 50 {
				got := plan(kind, row.age, 1)
				low, high := want*time.Second*8/10, want*time.Second*12/10
				if got < low || got > high {
					t.Fatalf("%s at %v: %v, want %v to %v", kind, row.age, got, low, high)
				}
			}
		}
	}
	if d := plan(api.KindImage, 0, 0.0001); d != remote.Floor {
		t.Errorf("the floor is %v", d)
	}
	if d := plan(api.KindImage, 2*time.Hour, 0.01); d < 7*time.Second {
		t.Errorf("age limits are not scaled: %v", d)
	}
}

// TestNoPlanIsTakenBack that the table makes, with its jitter and the wait after a
// failure of the network.
func TestNoPlanIsTakenBack(t *testing.T) {
	t.Parallel()
	longest := (&Poller{scale: 1}).longest()
	age := time.Duration(0)
	for _, i := range intervals {
		wait := max(i.every, FirstPoll(api.KindVideo))*6/5 + time.Minute + remote.ReplanSpan
		if most := longest.Min + min(age/20, longest.Max); wait > most {
			t.Errorf("from the age of %v a wait can be %v, and is taken back from %v", age, wait, most)
		}
		age = i.below
	}
}
