package state

import (
	"cmp"
	"context"
	"errors"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/store"
)

// Names of what a person thinks of results, and of what belongs together.
type (
	Rating   = store.Rating
	Rated    = store.Rated
	Relative = store.Relative
	Absence  = store.Absence
)

// Results is what is done with ended jobs and their files. None of it spends
// anything or reaches the service.
type Results interface {
	Ratings
	// Hide takes jobs out of the list or puts them back, and gives those that changed.
	// Ledger, budget and files stay; active and unknown jobs stay in the list.
	Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error)
	// Discard moves a job's files into the trash, as 'darkroom clean' does.
	Discard(ctx context.Context, id string) error
	// MarkOpened records that a job was opened or previewed by itself, and reports
	// whether that was the first time, over all windows.
	MarkOpened(ctx context.Context, id string) (bool, error)
	// See notes that results were looked at.
	See(ctx context.Context, ids ...string) error
	// Lineage is a job, what it was made from and what was made from it, oldest first.
	Lineage(ctx context.Context, id string) ([]Relative, error)
	// SaveAs copies a job's file n, from 1, to a path or into a folder and gives
	// the path of the copy. Nothing is overwritten.
	SaveAs(ctx context.Context, id string, n int, to string) (string, error)
	// Show shows a job's file outside of darkroom.
	Show(ctx context.Context, id string, n int, in Viewer) error
	// Run runs a command of the settings on a job's file, until it ends or ctx or
	// the session does, and gives the end of what it wrote.
	Run(ctx context.Context, c Command, id string, n int) (api.Text, error)
}

// Ratings are what the person thinks of results.
type Ratings interface {
	// Rate rates jobs, as one step that UndoRating takes back.
	Rate(ctx context.Context, rated ...Rated) error
	// UndoRating takes the newest rating back, of any run, and gives its jobs.
	UndoRating(ctx context.Context) (ids []string, err error)
	// Annotate keeps the person's note with a job; "" takes it away.
	Annotate(ctx context.Context, id, note string) error
}

// Viewer is where a file is shown.
type Viewer int

// Viewers: the opener, the player, the file manager, and the clipboard.
const (
	InOpener Viewer = iota
	InPlayer
	InFileManager
	InClipboard
)

// Results hands out what is done with results.
func (s *Session) Results() Results { return results{s.engine} }

type results struct{ *engine }

func (r results) MarkOpened(ctx context.Context, id string) (bool, error) {
	return explained(r.db().MarkOpened(ctx, id))
}

func (r results) Rate(ctx context.Context, rated ...Rated) error {
	ids, err := r.db().Rate(ctx, rated)
	return r.report(ids, err)
}

func (r results) UndoRating(ctx context.Context) ([]string, error) {
	ids, err := r.db().UndoRating(ctx)
	return ids, r.report(ids, err)
}

func (r results) Annotate(ctx context.Context, id, note string) error {
	return r.report([]string{id}, r.db().Annotate(ctx, id, note))
}

func (r results) Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error) {
	moved, err := r.db().Hide(ctx, ids, hidden)
	return moved, r.report(moved, err)
}

func (r results) Discard(ctx context.Context, id string) error {
	j, err := r.submitter.Find(ctx, id)
	if err != nil || j.Phase.Active() {
		return err
	}
	t, err := media.OpenTrash(r.settings.Get().DataDir)
	if err != nil {
		return err
	}
	defer t.Close()
	step := media.TrashStep()
	for i, f := range j.Files {
		err = cmp.Or(err, t.Put(ctx, step, j.ID, i+1, f))
	}
	return err
}

func (r results) See(ctx context.Context, ids ...string) error {
	first, err := r.db().See(ctx, ids)
	if errors.Is(err, store.ErrReadOnly) {
		return nil // nobody asked for it
	}
	if first {
		r.changes.report()
	}
	return store.Explain(err)
}

func (r results) report(ids []string, err error) error {
	if err == nil && len(ids) > 0 {
		r.changes.report(ids...)
	}
	return store.Explain(err)
}

func (r results) Lineage(ctx context.Context, id string) ([]Relative, error) {
	return explained(r.db().Lineage(ctx, id))
}

func (r results) file(ctx context.Context, id string, n int) (string, error) {
	j, err := r.submitter.Find(ctx, id)
	if err != nil {
		return "", err
	}
	if why := store.NoResult(j.Phase, j.ID); !why.IsZero() {
		return "", &api.Fault{Reason: why}
	}
	if n < 1 || n > len(j.Files) {
		return "", api.Sentence("this job has no such file").Fault(nil)
	}
	return j.Files[n-1].Path, nil
}

func (r results) SaveAs(ctx context.Context, id string, n int, to string) (string, error) {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return "", err
	}
	return media.SaveAs(ctx, path, to)
}

func (r results) Show(ctx context.Context, id string, n int, in Viewer) error {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return err
	}
	set := r.settings.Get()
	switch in {
	case InClipboard:
		return media.Clip(ctx, path)
	case InFileManager:
		return media.Reveal(ctx, path)
	case InPlayer:
		return media.Open(ctx, set.Player, set.Opener, path)
	}
	return media.Open(ctx, "", set.Opener, path)
}

func (r results) Run(ctx context.Context, c Command, id string, n int) (api.Text, error) {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return api.Text{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	r.tasks.group.Add(1) // the session waits for its end
	defer r.tasks.group.Done()
	return media.Run(ctx, c.Run, id, path)
}
