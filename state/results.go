package state

import (
	"context"
	"errors"
	"os"
	"time"

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

// Results is what is done with jobs and their files after they ended. None of
// it spends anything or reaches the service.
type Results interface {
	// Rate rates jobs, as one step that UndoRating takes back.
	Rate(ctx context.Context, rated ...Rated) error
	// UndoRating takes the newest rating back, also one of an earlier run; the
	// ids are those of its jobs, none when there is nothing to take back.
	UndoRating(ctx context.Context) (ids []string, err error)
	// Annotate keeps the person's note with a job; "" takes it away.
	Annotate(ctx context.Context, id, note string) error
	// Hide takes jobs out of the list or puts them back. Ledger, budget and files
	// stay; active and unknown jobs stay in the list. It returns the ids of those
	// that changed.
	Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error)
	// MarkOpened records that a finished job was opened or previewed by itself; it
	// reports whether this call was the first to do so, over all windows.
	MarkOpened(ctx context.Context, id string) (bool, error)
	// See notes that results were looked at.
	See(ctx context.Context, ids ...string) error
	// Attend returns what has ended since it was last called, in any run.
	Attend(ctx context.Context) (Absence, error)
	// Lineage is a job with all that it was made from and all that was made from
	// it, oldest first.
	Lineage(ctx context.Context, id string) ([]Relative, error)
	// SaveAs copies a job's file to a path or into a folder and returns the path
	// of the copy. Nothing is overwritten. n counts from 1.
	SaveAs(ctx context.Context, id string, n int, to string) (string, error)
	// Show shows a job's file outside of darkroom; n counts from 1.
	Show(ctx context.Context, id string, n int, in Viewer) error
	// Run runs a command of the settings on a job's file, until it ends or ctx or
	// the session does, and returns the end of what it wrote; n counts from 1.
	Run(ctx context.Context, c Command, id string, n int) (api.Text, error)
}

// Viewer is where a file is shown.
type Viewer int

// Viewers: the system's program for such files or that of the setting opener,
// the program of the setting player, and the file manager.
const (
	InOpener Viewer = iota
	InPlayer
	InFileManager
)

// Results hands out what is done with results.
func (s *Session) Results() Results {
	return results{s.engine}
}

type results struct{ *engine }

func (r results) MarkOpened(ctx context.Context, id string) (bool, error) {
	return explained(r.storage.current().MarkOpened(ctx, id))
}

func (r results) Rate(ctx context.Context, rated ...Rated) error {
	ids, err := r.storage.current().Rate(ctx, rated)
	return r.report(ids, err)
}

func (r results) UndoRating(ctx context.Context) ([]string, error) {
	ids, err := r.storage.current().UndoRating(ctx)
	return ids, r.report(ids, err)
}

func (r results) Annotate(ctx context.Context, id, note string) error {
	return r.report([]string{id}, r.storage.current().Annotate(ctx, id, note))
}

func (r results) Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error) {
	moved, err := r.storage.current().Hide(ctx, ids, hidden)
	return moved, r.report(moved, err)
}

func (r results) See(ctx context.Context, ids ...string) error {
	first, err := r.storage.current().See(ctx, ids)
	if errors.Is(err, store.ErrReadOnly) {
		return nil // nobody asked for it
	}
	if first {
		r.changes.report()
	}
	return store.Explain(err)
}

func (r results) Attend(ctx context.Context) (Absence, error) {
	return explained(r.storage.current().Attend(ctx, time.Now()))
}

// report makes changed jobs known to what shows them.
func (r results) report(ids []string, err error) error {
	if err == nil && len(ids) > 0 {
		r.changes.report(ids...)
	}
	return store.Explain(err)
}

func (r results) Lineage(ctx context.Context, id string) ([]Relative, error) {
	return explained(r.storage.current().Lineage(ctx, id))
}

// file is the path of a job's file n, counted from 1.
func (r results) file(ctx context.Context, id string, n int) (string, error) {
	j, err := r.submitter.Find(ctx, id)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(j.Files) {
		return "", whyNoFile.Fault(nil)
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
	case InFileManager:
		return media.Reveal(ctx, path, os.Environ())
	case InPlayer:
		return media.Play(ctx, set.Player, set.Opener, path, os.Environ())
	}
	return media.Open(ctx, set.Opener, path, os.Environ())
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
	return media.Run(ctx, c.Run, id, path, os.Environ())
}
