package recent

import (
	"context"
	"strings"
	"testing"

	"darkroom/api"
	"darkroom/api/sim/simtest/expect"
	"darkroom/state"
	"darkroom/ui/result"
)

// agreed are jobs of one agreement.
type agreed struct{ result.JobReader }

func (agreed) Job(_ context.Context, id string) (state.Job, error) {
	return state.Job{Row: state.Row{ID: id, Kind: api.KindImage, Agreement: "a"}}, nil
}

// Variations stand in the review's order while some of them wait: the list has
// the waiting ones first, in the order of the queue, and the newest of the others
// before the older ones.
func TestVariationsKeepTheReviewsOrder(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{"1234": "1234", "234 1": "1234", "34 21": "1234", "4 321": "1234", " 4321": "1234"} {
		held, sent, _ := strings.Cut(list, " ")
		var rows []state.Row
		for _, id := range held {
			rows = append(rows, state.Row{ID: string(id), Kind: api.KindImage, Phase: api.PhaseHeld})
		}
		for _, id := range sent {
			rows = append(rows, state.Row{ID: string(id), Kind: api.KindImage, Phase: api.PhaseDone})
		}
		got := ""
		for _, c := range readCards(t.Context(), agreed{}, rows, nil, "") {
			got += c.row.ID
		}
		expect.Equal(t, got, want, "of the list", list)
	}
}
