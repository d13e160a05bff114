package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"darkroom/api"
)

// TestHistoryFindsWholeRequests: by any word of the prompt, since a moment, or
// with a star; newest first.
func TestHistoryFindsWholeRequests(t *testing.T) {
	t.Parallel()
	s := open(t)
	start := time.Now().Add(-time.Hour)
	var ids []string
	for i, prompt := range []string{"a paper boat, at the end of a long prompt: KOI", "glass city", "neon koi"} {
		in := intent(i)
		in.Request = api.Request{Kind: api.KindVideo, Model: api.Seedance2, Prompt: prompt, ImageFiles: []string{"https://a.example/1.png"}}
		in.Title, in.Now = "title", start.Add(time.Duration(i)*time.Minute)
		ids = append(ids, record(t, s, in).ID)
	}
	must(s.Rate(t.Context(), []Rated{{ids[1], Rating{Pick: 1}}}))(t)
	for _, c := range []struct {
		q    HistoryQuery
		want string
	}{
		{HistoryQuery{}, "[2 1 0]"},
		{HistoryQuery{Contains: " koi "}, "[2 0]"},
		{HistoryQuery{Contains: "koi", Limit: 1}, "[2]"},
		{HistoryQuery{Since: start.Add(30 * time.Second)}, "[2 1]"},
		{HistoryQuery{Starred: true}, "[1]"},
		{HistoryQuery{Contains: "nothing"}, "[]"},
		{HistoryQuery{Contains: `k"%_oi`}, "[]"},
	} {
		found := must(s.History(t.Context(), c.q))(t)
		at := []int{}
		for _, f := range found {
			for i, id := range ids {
				if f.ID == id {
					at = append(at, i)
				}
			}
			if len(f.Request.ImageFiles) != 1 || f.Request.Model != api.Seedance2 {
				t.Errorf("%+v finds no whole request: %+v", c.q, f.Request)
			}
		}
		if got := fmt.Sprint(at); got != c.want {
			t.Errorf("%+v finds %s, want %s", c.q, got, c.want)
		}
	}
}

// TestHistoryByModel: of each model the job that was accepted last, however old
// it is.
func TestHistoryByModel(t *testing.T) {
	t.Parallel()
	s := open(t)
	for i, c := range []struct {
		model, size string
		phase       api.Phase
	}{
		{"acme/brush", "2K", api.PhaseQueued}, {"acme/brush", "4K", api.PhaseQueued}, {"acme/brush", "8K", api.PhaseRejected},
		{"acme/pen", "1K", api.PhaseQueued}, {"acme/typo", "1K", api.PhaseRejected},
	} {
		in := intent(i)
		in.Request.Model, in.Request.Size = c.model, c.size
		job := record(t, s, in)
		attempt := must(s.MarkSending(t.Context(), job.ID, "me", noon))(t)
		must(0, s.Finish(t.Context(), Finish{ID: job.ID, Attempt: attempt, Phase: c.phase, RemoteID: fmt.Sprint(i), Now: noon}))(t)
	}
	var got []string
	for _, one := range must(s.History(t.Context(), HistoryQuery{ByModel: true}))(t) {
		got = append(got, one.Request.Model+" "+one.Request.Size)
	}
	if want := []string{"acme/pen 1K", "acme/brush 4K"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
