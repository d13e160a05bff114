package ui

import (
	"context"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// fakeResults are what is done with the results of a fakeSession.
type fakeResults struct{ d *fakeSession }

func (d *fakeSession) Results() state.Results { return fakeResults{d} }

// change changes a job, its row and their version, and tells it.
func (d *fakeSession) change(id string, do func(*state.Job)) {
	d.mu.Lock()
	j, ok := d.jobs[id]
	d.mu.Unlock()
	if ok {
		do(&j)
		j.Version++
		d.replace(j)
	}
}

func (f fakeResults) Rate(_ context.Context, rated ...state.Rated) error {
	for _, r := range rated {
		f.d.note("rate %s %d %d", r.ID, r.Pick, r.Stars)
		f.d.mu.Lock()
		f.d.undo = append(f.d.undo, state.Rated{ID: r.ID, Rating: f.d.jobs[r.ID].Rating})
		f.d.mu.Unlock()
		f.d.change(r.ID, func(j *state.Job) { j.Rating = r.Rating })
	}
	return nil
}

func (f fakeResults) UndoRating(context.Context) ([]string, error) {
	f.d.note("undo rating")
	f.d.mu.Lock()
	n := len(f.d.undo)
	if n == 0 {
		f.d.mu.Unlock()
		return nil, nil
	}
	last := f.d.undo[n-1]
	f.d.undo = f.d.undo[:n-1]
	f.d.mu.Unlock()
	f.d.change(last.ID, func(j *state.Job) { j.Rating = last.Rating })
	return []string{last.ID}, nil
}

func (f fakeResults) Annotate(_ context.Context, id, note string) error {
	f.d.note("annotate %s %s", id, note)
	f.d.change(id, func(j *state.Job) { j.Note = note })
	return nil
}

func (f fakeResults) Hide(_ context.Context, hidden bool, ids ...string) ([]string, error) {
	f.d.note("hide %v %v", hidden, ids)
	f.d.mu.Lock()
	f.d.rows = slices.DeleteFunc(f.d.rows, func(r state.Row) bool { return hidden && slices.Contains(ids, r.ID) })
	f.d.mu.Unlock()
	f.d.changes <- ids
	return ids, nil
}

func (f fakeResults) See(_ context.Context, ids ...string) error {
	f.d.calls.Add(1)
	f.d.mu.Lock()
	first := false
	for i := range f.d.rows {
		if r := &f.d.rows[i]; r.Unseen && slices.Contains(ids, r.ID) {
			first, r.Unseen = true, false
		}
	}
	f.d.mu.Unlock()
	if first {
		f.d.changes <- ids
	}
	return nil
}

func (f fakeResults) Lineage(context.Context, string) ([]state.Relative, error) {
	f.d.calls.Add(1)
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return f.d.relatives, nil
}

func (d *fakeSession) FreshLinks(_ context.Context, id string) (state.Job, error) {
	d.note("fresh links of %s", id)
	d.mu.Lock()
	defer d.mu.Unlock()
	j := d.jobs[id]
	if d.fresh != "" {
		j.ExpiresAt = time.Time{}
		j.Files = slices.Clone(j.Files)
		j.Files[0].URL = d.fresh
	}
	return j, d.noFresh
}

func (f fakeResults) SaveAs(_ context.Context, id string, n int, to string) (string, error) {
	f.d.note("save %s %d %s", id, n, to)
	return to, nil
}

func (f fakeResults) Attend(context.Context) (state.Absence, error) {
	f.d.calls.Add(1)
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	absence := f.d.absence
	f.d.absence = state.Absence{}
	return absence, nil
}

func (f fakeResults) Show(_ context.Context, id string, n int, in state.Viewer) error {
	f.d.note("%s %s %d", map[state.Viewer]string{state.InOpener: "open", state.InPlayer: "play", state.InFileManager: "reveal"}[in], id, n)
	return nil
}

func (f fakeResults) MarkOpened(_ context.Context, id string) (bool, error) {
	f.d.note("mark %s", id)
	return true, nil
}

func (f fakeResults) Run(ctx context.Context, c state.Command, id string, n int) (api.Text, error) {
	f.d.note("run %s %s %d", c.Name, id, n)
	return f.d.command(ctx, c, id)
}
