package result

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"darkroom/state"
	"darkroom/ui/env"
)

// follow shows the result that is chosen now, and reads one anew that changed.
func (f *fullScreen) follow() tea.Cmd {
	row, ok := f.place.Row()
	switch {
	case !ok:
		return nil
	case row.ID == f.id && (!f.loaded || f.job.Version >= row.Version):
		return nil
	case row.ID == f.id:
		f.job.Version = row.Version // it is asked for once
		return f.read()
	}
	f.player.Stop()
	f.sheet = false
	f.id, f.loaded, f.job, f.file = row.ID, false, state.Job{}, 0
	f.view.panX, f.view.panY = 0, 0
	f.version++
	f.seq++
	seq, of, ctx := f.seq, f, f.k.Context
	due := func() tea.Msg {
		env.Pause(ctx, readPause)
		return fullDueMsg{of, seq}
	}
	if row.File == "" {
		return tea.Batch(f.picture.Close(), due)
	}
	return tea.Batch(f.paint(), due)
}

// read reads the job, and notes that it was looked at.
func (f *fullScreen) read() tea.Cmd {
	of, id, ctx, backend := f, f.id, f.k.Context, f.backend
	row, _ := f.place.Row()
	return func() tea.Msg {
		if row.Unseen {
			_ = backend.Results().See(ctx, id) // the badge stays, no more
		}
		job, err := backend.Job(ctx, id)
		if ctx.Err() != nil {
			return nil
		}
		return fullReadMsg{of, id, job, err}
	}
}

func (f *fullScreen) take(job state.Job) tea.Cmd {
	f.job, f.loaded = job, true
	f.file = max(min(f.file, len(job.Files)-1), 0)
	f.version++
	return f.paint()
}

// path is the file that is shown, or "".
func (f *fullScreen) path() string {
	if f.loaded && f.file < len(f.job.Files) {
		return f.job.Files[f.file].Path
	}
	if row, ok := f.place.Row(); ok && f.file == 0 {
		return row.File
	}
	return ""
}

// paint asks for the picture at the size of now.
func (f *fullScreen) paint() tea.Cmd {
	w, h := f.view.size(f)
	if f.sheet && f.showsVideo() {
		return f.picture.WantSheet(f.k, f.path(), w, h)
	}
	return f.picture.Want(f.k, f.path(), w, h)
}

// see tells the store in a command that results were looked at.
func see(ctx context.Context, b Backend, ids []string) tea.Cmd {
	if len(ids) == 0 {
		return nil
	}
	return func() tea.Msg {
		_ = b.Results().See(ctx, ids...) // the badge stays, no more
		return nil
	}
}
