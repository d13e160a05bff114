package result

import (
	"slices"
	"testing"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/env"
	"darkroom/ui/words"
)

// The service may have refused a link before the time that it states.
func TestAnExpiredJobHasNoTimeLeft(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	k := &env.Env{Words: words.For("en"), At: at}
	for phase, want := range map[api.Phase]bool{api.PhaseDone: true, api.PhaseExpired: false} {
		j := &state.Job{Row: state.Row{Phase: phase, ExpiresAt: at.Add(59 * time.Minute)}}
		for _, parts := range [][]string{CreditsAndTimes(k, j, Typical{}), JobFacts(k, j)} {
			if got := slices.Contains(parts, "links expire in 59 min"); got != want {
				t.Errorf("%s: %q", phase, parts)
			}
		}
	}
}
