package state

import (
	"cmp"
	"context"
	"time"

	"darkroom/api"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/store"
)

// Queue is what waits to be sent.
func (s *Session) Queue() Queue { return queue{s.engine} }

// Jobs returns a window of the list, what is held first.
func (s *Session) Jobs(ctx context.Context, q Query) (Page, error) {
	if base := s.Remote.Base(); base != nil {
		q.Base = base.String()
	}
	p, err := s.db().List(ctx, q)
	for i := range p.Rows {
		s.Submitter.Overlay(&p.Rows[i])
	}
	return p, store.Explain(err)
}

// EachJob hands out the jobs that match, newest first; limit 0 means all.
func (s *Session) EachJob(ctx context.Context, q Query, do func(Job) error) (own error) {
	err := s.db().Each(ctx, q, func(j Job) error {
		s.Submitter.OverlayJob(&j)
		own = do(j)
		return own
	})
	return cmp.Or(own, store.Explain(err))
}

// RawAnswer is the newest raw answer about a job, as stored.
func (s *Session) RawAnswer(ctx context.Context, id string) ([]byte, error) {
	j, err := s.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	return explained(s.db().Answer(ctx, j.ID, ""))
}

// Today is what today cost, and its budgets.
func (s *Session) Today(ctx context.Context) (Spent, error) {
	now, budgets := time.Now(), s.Current.Budgets()
	today, err := s.db().Spent(ctx, api.Day.Begin(now))
	today.Budget = budgets[api.Day]
	if budget := budgets[api.Month]; budget > 0 && err == nil {
		var month Spent
		month, err = s.db().Spent(ctx, api.Month.Begin(now))
		month.Period, month.Budget, today.Month = api.Month, budget, &month
	}
	return today, store.Explain(err)
}

// SaveDraft keeps an unsent form's values under a name such as "image".
func (s *Session) SaveDraft(ctx context.Context, name string, req api.Request) error {
	if s.Remote.HoldsKey(req) {
		return remote.ErrHoldsKey
	}
	return store.Explain(s.db().SaveDraft(ctx, name, req, time.Now()))
}

// Draft returns a kept draft, if there is one.
func (s *Session) Draft(ctx context.Context, name string) (api.Request, bool, error) {
	req, ok, err := s.db().Draft(ctx, name)
	return req, ok, store.Explain(err)
}

// History returns requests ever confirmed, newest first.
func (s *Session) History(ctx context.Context, q HistoryQuery) ([]Sent, error) {
	return explained(s.db().History(ctx, q))
}

// catchUp is how long the first Attend waits for what ended meanwhile.
const catchUp = 20 * time.Second

// Attend returns what has ended since it was last called, in any run. The first
// call of a session waits until the jobs that were due at its beginning were asked
// for, or for catchUp.
func (s *Session) Attend(ctx context.Context) (Absence, error) {
	s.attending.Lock()
	defer s.attending.Unlock()
	limit, cancel := context.WithTimeout(ctx, s.scale().Of(catchUp))
	defer cancel()
	for base := s.Remote.Base(); s.o.Poll && !s.caughtUp && base != nil; {
		left, err := s.db().Overdue(limit, base.String(), s.opened)
		// Not by changes: an answer that changes nothing is none.
		s.caughtUp = err != nil || !left || !remote.Sleep(limit, s.scale().Of(catchUp/40))
	}
	return explained(s.db().Attend(ctx, time.Now()))
}

// Ended waits until a job is neither active nor held in its turn. Nothing would end one of
// another service, or any when the service refuses the key (ErrKeyRefused) or the store
// can only be read (ErrReadOnly): those are errors.
func (s *Session) Ended(ctx context.Context, id string) (Job, error) {
	var never error
	j, err := s.until(ctx, id, func(j Job) bool {
		switch base := s.Remote.Base(); {
		case !j.Phase.Active():
			return !inTurn(j)
		case !s.instance.shares(s.db()):
			never = &api.Fault{Reason: s.Health().ReadOnly, Cause: ErrReadOnly}
		case base != nil && base.String() != j.Base:
			never = j.Elsewhere()
		case j.RemoteID != "" && s.Remote.Health().KeyRefused:
			never = ErrKeyRefused
		}
		return never != nil
	})
	return j, cmp.Or(err, never)
}

// OpenPath opens a file that a result or a tool's answer was saved in.
func (e *engine) OpenPath(ctx context.Context, path string) error {
	return media.Open(ctx, "", e.Current.Get().Opener, path)
}

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
	// See notes that results were looked at. Nobody asked for it: if it fails, their badges stay.
	See(ctx context.Context, ids ...string)
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
	if r.Remote.HoldsKey(note) {
		return ErrHoldsKey
	}
	return r.report([]string{id}, r.db().Annotate(ctx, id, note))
}

func (r results) Hide(ctx context.Context, hidden bool, ids ...string) ([]string, error) {
	moved, err := r.db().Hide(ctx, ids, hidden)
	return moved, r.report(moved, err)
}

func (r results) Discard(ctx context.Context, id string) error {
	j, err := r.Submitter.Job(ctx, id)
	if err != nil || j.Phase.Active() {
		return err
	}
	t, err := media.OpenTrash(r.Current.Get().DataDir)
	if err != nil {
		return err
	}
	defer t.Close()
	for _, f := range j.Files {
		err = cmp.Or(err, t.Put(ctx, j.ID, f))
	}
	return err
}

func (r results) See(ctx context.Context, ids ...string) {
	if first, _ := r.db().See(ctx, ids); first {
		r.changes.report()
	}
}

func (r results) report(ids []string, err error) error {
	if err == nil {
		r.changes.report(ids...)
	}
	return store.Explain(err)
}

func (r results) Lineage(ctx context.Context, id string) ([]Relative, error) {
	return explained(r.db().Lineage(ctx, id))
}

func (r results) file(ctx context.Context, id string, n int) (string, error) {
	j, err := r.Submitter.Job(ctx, id)
	if err != nil {
		return "", err
	}
	if why := store.NoResult(j.Row); !why.IsZero() {
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
	set := r.Current.Get()
	switch in {
	case InClipboard:
		ctx, done := r.program(ctx)
		defer done()
		return media.Clip(ctx, path)
	case InFileManager:
		return media.Reveal(ctx, path)
	case InPlayer:
		return media.Open(ctx, set.Player, set.Opener, path)
	}
	return media.Open(ctx, "", set.Opener, path)
}

// program gives the context of a program of the person's. The session ends it, and waits until done is called.
func (e *engine) program(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(e.ctx, cancel)
	e.tasks.group.Add(1)
	return ctx, func() {
		stop()
		cancel()
		e.tasks.group.Done()
	}
}

func (r results) Run(ctx context.Context, c Command, id string, n int) (api.Text, error) {
	path, err := r.file(ctx, id, n)
	if err != nil {
		return api.Text{}, err
	}
	ctx, done := r.program(ctx)
	defer done()
	return media.Run(ctx, c.Run, id, path)
}
