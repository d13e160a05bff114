package poll

import (
	"time"

	"darkroom/api"
	"darkroom/state/timing"
)

// day is a day of a job's age.
const day = 24 * time.Hour

// staleAfter is the age at which a job is no longer polled by itself.
const staleAfter = 7 * day

// FirstPoll is the wait before a job's first poll.
func FirstPoll(kind api.Kind) time.Duration {
	if kind == api.KindVideo {
		return 10 * time.Second
	}
	return 2 * time.Second
}

// pollEvery is the wait between polls of a job of an age, unscaled and without
// jitter; 0 means that it is stale.
func pollEvery(kind api.Kind, age time.Duration) time.Duration {
	image := kind != api.KindVideo
	switch {
	case age < 30*time.Second && image:
		return 2 * time.Second
	case age < 2*time.Minute && image:
		return 5 * time.Second
	case age < 2*time.Minute:
		return 10 * time.Second
	case age < 10*time.Minute:
		return 15 * time.Second
	case age < time.Hour:
		return 30 * time.Second
	case age < day:
		return 2 * time.Minute
	case age < staleAfter:
		return 15 * time.Minute
	}
	return 0
}

// plan gives the wait before a job's next poll; false when it is stale.
func plan(kind api.Kind, age time.Duration, scale timing.Scale) (time.Duration, bool) {
	every := pollEvery(kind, scale.Undo(age))
	if every == 0 {
		return 0, false
	}
	return scale.Of(timing.Jitter(every)), true
}
