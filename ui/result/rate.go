package result

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/msg"
)

// ratingQueue are the ratings that the store does not have yet. They are written
// one after the other, so that they are undone in the order of the keys.
type ratingQueue struct {
	waiting []ratingStep
	writing bool
}

// ratingStep is one rating, or the wish to take the newest back.
type ratingStep struct {
	undo  bool
	rated state.Rated
}

// ratedMsg says that the store has a rating, or has taken one back.
type ratedMsg struct {
	asker         *Verbs
	step          ratingStep
	ids           []string // of what was taken back
	msg.FailedMsg          // why it has not
}

func (v *Verbs) rate(step ratingStep) tea.Cmd {
	v.ratings.waiting = append(v.ratings.waiting, step)
	return v.writeRating()
}

// writeRating writes the first step of the queue unless one is being written.
func (v *Verbs) writeRating() tea.Cmd {
	if v.ratings.writing || len(v.ratings.waiting) == 0 {
		return nil
	}
	step := v.ratings.waiting[0]
	v.ratings.waiting, v.ratings.writing = v.ratings.waiting[1:], true
	asker, backend := v, v.backend
	// A rating that was made is written also while the program ends.
	ctx := context.WithoutCancel(v.k.Context)
	return func() tea.Msg {
		m := ratedMsg{asker: asker, step: step}
		if results := backend.Results(); step.undo {
			m.ids, m.Err = results.UndoRating(ctx)
		} else {
			m.Err = results.Rate(ctx, step.rated)
		}
		return m
	}
}

func (v *Verbs) rated(m ratedMsg) tea.Cmd {
	v.ratings.writing = false
	next := v.writeRating()
	if m.step.undo && m.Err == nil {
		text := v.k.Say("Rating undone.")
		if len(m.ids) == 0 {
			text = v.k.Say("There is no rating to undo.")
		}
		return tea.Batch(next, msg.Notify(msg.ToneHint, text))
	}
	return next
}

// setRating rates the chosen result, and goes on to the next one where the
// digits rate, unless the rating only takes one back.
func (v *Verbs) setRating(r state.Rating, goOn bool) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	v.place.SetRating(row.ID, r)
	cmd := v.rate(ratingStep{rated: state.Rated{ID: row.ID, Rating: r}})
	if v.rates() && goOn {
		return tea.Batch(cmd, v.place.Move(1))
	}
	return cmd
}

func (v *Verbs) favourite() tea.Cmd { return v.pick(1) }
func (v *Verbs) reject() tea.Cmd    { return v.pick(-1) }

// pick sets the pick of the chosen result, or takes the same one away.
func (v *Verbs) pick(pick int) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	r := row.Rating
	if r.Pick == pick {
		r.Pick = 0
		return v.setRating(r, false)
	}
	r.Pick = pick
	return v.setRating(r, true)
}

func (v *Verbs) rateStars(n int) tea.Cmd {
	row, ok := v.place.Row()
	if !ok {
		return nil
	}
	r := row.Rating
	r.Stars = n
	return v.setRating(r, true)
}

func (v *Verbs) undoRating() tea.Cmd { return v.rate(ratingStep{undo: true}) }

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

// Has reports whether a result is marked.
func (m *Marks) Has(id string) bool { return slices.Contains(m.ids, id) }

// Len is the number of marked results.
func (m *Marks) Len() int { return len(m.ids) }

// IDs are the marked results.
func (m *Marks) IDs() []string { return slices.Clone(m.ids) }

// Clear takes all marks away.
func (m *Marks) Clear() {
	if len(m.ids) > 0 {
		m.ids = nil
		m.edits++
	}
}

// Edits grows with every change.
func (m *Marks) Edits() uint64 { return m.edits }
