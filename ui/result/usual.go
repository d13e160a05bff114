package result

import (
	"slices"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// Usual is how long jobs of one class took lately.
type Usual struct{ Median, Slow time.Duration }

// Class is what a list knows of how long a job may take.
type Class struct {
	kind    api.Kind
	model   string
	credits api.Credits
}

// ClassOf is the class of a row's job.
func ClassOf(r *state.Row) Class { return Class{r.Kind, r.Model, r.Credits} }

// ClassOfJob is the class of a job.
func ClassOfJob(j *state.Job) Class { return Class{j.Kind, j.Model, j.Estimate.Credits} }

// Timings learns from the finished rows. It sorts, so it runs in a command.
func Timings(rows []state.Row) map[Class]Usual {
	took := map[Class][]time.Duration{}
	for i := range rows {
		r := &rows[i]
		if r.Phase == api.PhaseDone && !r.SentAt.IsZero() && r.EndedAt.After(r.SentAt) {
			took[ClassOf(r)] = append(took[ClassOf(r)], r.EndedAt.Sub(r.SentAt))
		}
	}
	out := make(map[Class]Usual, len(took))
	for key, all := range took {
		slices.Sort(all)
		out[key] = Usual{all[len(all)/2], all[len(all)*9/10]}
	}
	return out
}
