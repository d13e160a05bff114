package result

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
)

// ratingStep writes one rating, or takes the newest back and says so.
type ratingStep func(ctx context.Context, results state.Results) (done string, err error)

type ratedMsg struct {
	asker         *Verbs
	done          string
	msg.FailedMsg // why it has not
}

func (v *Verbs) rate(step ratingStep) tea.Cmd {
	v.ratings = append(v.ratings, step)
	return v.writeRating()
}

func (v *Verbs) writeRating() tea.Cmd {
	if v.writing || len(v.ratings) == 0 {
		return nil
	}
	step, m := v.ratings[0], ratedMsg{asker: v}
	v.ratings, v.writing = v.ratings[1:], true
	backend := v.backend
	// A rating that was made is written also while the program ends.
	ctx := context.WithoutCancel(v.k.Context)
	return func() tea.Msg {
		m.done, m.Err = step(ctx, backend.Results())
		return m
	}
}

// setRating rates the chosen result, and goes on to the next one where the
// digits rate, unless the rating only takes one back.
func (v *Verbs) setRating(set func(r *state.Rating) (goOn bool)) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	goOn := set(&row.Rating)
	v.place.SetRating(row.ID, row.Rating)
	cmd := v.rate(func(ctx context.Context, results state.Results) (string, error) {
		return "", results.Rate(ctx, state.Rated{ID: row.ID, Rating: row.Rating})
	})
	if v.rates() && goOn {
		return tea.Batch(cmd, v.place.Move(1))
	}
	return cmd
}

func (v *Verbs) pick(pick int) tea.Cmd {
	return v.setRating(func(r *state.Rating) bool {
		if r.Pick == pick {
			pick = 0
		}
		r.Pick = pick
		return pick != 0
	})
}

func (v *Verbs) rateStars(n int) tea.Cmd {
	return v.setRating(func(r *state.Rating) bool {
		r.Stars = n
		return true
	})
}

func (v *Verbs) undoRating() tea.Cmd {
	none, undone := v.k.Say("There is no rating to undo."), v.k.Say("Rating undone.")
	return v.rate(func(ctx context.Context, results state.Results) (string, error) {
		ids, err := results.UndoRating(ctx)
		if len(ids) == 0 {
			return none, err
		}
		return undone, err
	})
}

// Marks are results that a person has marked, in the order of marking. Places
// that belong together share them.
type Marks struct {
	ids   []string
	edits uint64
}

// Toggle marks a result, or takes its mark away.
func (m *Marks) Toggle(id string) {
	if i := slices.Index(m.ids, id); i >= 0 {
		m.ids = slices.Delete(m.ids, i, i+1)
	} else {
		m.ids = append(m.ids, id)
	}
	m.edits++
}

func (m *Marks) Has(id string) bool { return slices.Contains(m.ids, id) }
func (m *Marks) Len() int           { return len(m.ids) }
func (m *Marks) IDs() []string      { return slices.Clone(m.ids) }
func (m *Marks) Edits() uint64      { return m.edits } // grows with every change

// Clear takes all marks away.
func (m *Marks) Clear() {
	if len(m.ids) > 0 {
		m.ids = nil
		m.edits++
	}
}
