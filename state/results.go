package state

import (
	"context"
	"errors"
	"os"

	"darkroom/state/media"
	"darkroom/state/store"
	"darkroom/state/submit"
)

// Names of what a person thinks of results, and of what belongs together.
type (
	Rating   = store.Rating
	Rated    = store.Rated
	Relative = store.Relative
)

// MaxStars is the most stars that a Rating has.
const MaxStars = store.MaxStars

// Results is what is done with jobs and their files after they ended. None of
// it spends anything or reaches the service.
type Results interface {
	// Rate rates jobs, as one step that UndoRating takes back.
	Rate(ctx context.Context, rated ...Rated) error
	// UndoRating takes the newest rating back, also one of an earlier run; the
	// ids are those of its jobs, none when there is nothing to take back.
	UndoRating(ctx context.Context) (ids []string, err error)
	// Annotate keeps the person's note beside a job; "" takes it away.
	Annotate(ctx context.Context, id, note string) error
	// Hide takes jobs out of the list or puts them back. Ledger, budget and files
	// stay; active and unknown jobs stay in the list. It returns the ids of those
	// that changed.
	Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error)
	// See notes that results were looked at.
	See(ctx context.Context, ids ...string) error
	// Lineage is a job with all that it was made from and all that was made from
	// it, oldest first.
	Lineage(ctx context.Context, id string) ([]Relative, error)
	// SaveAs copies a job's file to a path or into a folder and returns the path
	// of the copy. Nothing is overwritten. n counts from 1.
	SaveAs(ctx context.Context, id string, n int, to string) (string, error)
	// Reveal shows a job's file in the file manager; n counts from 1.
	Reveal(ctx context.Context, id string, n int) error
	// Play hands a job's file to the program of the setting player; n counts
	// from 1.
	Play(ctx context.Context, id string, n int) error
}

// Results hands out what is done with results.
func (s *Session) Results() Results {
	return &results{settings: s.Settings, storage: s.storage, submitter: s.submitter, changed: s.changes.report}
}

type results struct {
	settings  func() Settings
	storage   *storage
	submitter *submit.Submitter
	changed   func(ids ...string)
}

func (r *results) Rate(ctx context.Context, rated ...Rated) error {
	ids, err := r.storage.current().Rate(ctx, rated)
	return r.tell(ids, err)
}

func (r *results) UndoRating(ctx context.Context) ([]string, error) {
	ids, err := r.storage.current().UndoRating(ctx)
	return ids, r.tell(ids, err)
}

func (r *results) Annotate(ctx context.Context, id, note string) error {
	return r.tell([]string{id}, r.storage.current().Annotate(ctx, id, note))
}

func (r *results) Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error) {
	moved, err := r.storage.current().Hide(ctx, ids, hidden)
	return moved, r.tell(moved, err)
}

func (r *results) See(ctx context.Context, ids ...string) error {
	first, err := r.storage.current().See(ctx, ids)
	if errors.Is(err, store.ErrReadOnly) {
		return nil // nobody asked for it
	}
	if first {
		r.changed()
	}
	return store.Explain(err)
}

// tell reports changed jobs to whoever shows them.
func (r *results) tell(ids []string, err error) error {
	if err == nil && len(ids) > 0 {
		r.changed(ids...)
	}
	return store.Explain(err)
}

func (r *results) Lineage(ctx context.Context, id string) ([]Relative, error) {
	list, err := r.storage.current().Lineage(ctx, id)
	return list, store.Explain(err)
}

// file is the path of a job's file n, counted from 1.
func (r *results) file(ctx context.Context, id string, n int) (string, error) {
	j, err := r.submitter.Find(ctx, id)
	if err != nil {
		return "", err
	}
	if n < 1 || n > len(j.Files) {
		return "", errNoFile
	}
	return j.Files[n-1].Path, nil
}

var errNoFile = errors.New("this job has no such file")

func (r *results) SaveAs(ctx context.Context, id string, n int, to string) (string, error) {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return "", err
	}
	return media.SaveAs(ctx, path, to)
}

func (r *results) Reveal(ctx context.Context, id string, n int) error {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return err
	}
	return media.Reveal(ctx, path, os.Environ())
}

func (r *results) Play(ctx context.Context, id string, n int) error {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return err
	}
	set := r.settings()
	return media.Play(ctx, set.Player, set.Opener, path, os.Environ())
}
