package store

import (
	"fmt"
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
