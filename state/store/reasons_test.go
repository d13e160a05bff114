package store

import (
	"testing"
	"time"

	"darkroom/api"
)

// A reason comes back from the store as it was, and a job that was stored
// before reasons had codes keeps its text.
func TestReasonsAreStored(t *testing.T) {
	t.Parallel()
	s := open(t)
	j := record(t, s, intent(1))
	why := whyNotSentUnread.Reason(whyFull.Reason())
	noError(t, s.Unsend(t.Context(), j.ID, api.PhaseNotSent, why, "", time.Now()))
	if j = must(s.Job(t.Context(), j.ID))(t); j.Error != why {
		t.Errorf("%+v: want %v", j.Error, why)
	}
	if page := must(s.List(t.Context(), Query{Limit: 1}))(t); page.Rows[0].Error != why {
		t.Errorf("%+v: want %v", page.Rows, why)
	}
	must(s.w.ExecContext(t.Context(), `UPDATE jobs SET error='as it was told', reason=''`))(t)
	if j = must(s.Job(t.Context(), j.ID))(t); j.Error.String() != "as it was told" || j.Error.Format() != api.ReasonText {
		t.Errorf("%+v", j.Error)
	}
}
