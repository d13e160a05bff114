package state

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/media"
	"darkroom/state/store"
)

// unsentWaits are the waits before an intent that never left is sent again.
var unsentWaits = []time.Duration{time.Second, 4 * time.Second, 16 * time.Second}

// turnPatience is how long a request waits for another one without saying so.
const turnPatience = 2 * time.Second

// ratedTries is how often an intent is sent again after a 429.
const ratedTries = 3

// sender carries one intent to its outcome. Only outcomes that prove that
// nothing was accepted let it send again.
type sender struct {
	s      *Session
	l      *link
	job    Job
	unsent int
	rated  int
	last   *api.Error // why it was not accepted the last time
}

func (s *Session) send(l *link, j Job) {
	w := &sender{s: s, l: l, job: j}
	for {
		wait, again := w.once()
		if !again {
			return
		}
		if !rest(s.ctx, wait) {
			w.giveUp()
			return
		}
	}
}

// once sends the intent once. again is true when it may be sent once more
// after the wait.
func (w *sender) once() (wait time.Duration, again bool) {
	s := w.s
	waiting := time.AfterFunc(s.scaled(turnPatience), func() {
		w.explain("waits for its turn: another request is being sent", time.Time{})
	})
	unlock, err := s.createTurn()
	waiting.Stop()
	switch {
	case s.ctx.Err() != nil:
		if err == nil {
			unlock()
		}
		w.giveUp()
		return 0, false
	case err != nil:
		w.unsend(api.PhaseNotSent, "not sent, because the windows of darkroom cannot take turns: the file create.lock in "+
			s.Settings().LockDir()+" cannot be used ("+plainly(err)+")", "")
		return 0, false
	}
	defer unlock()
	now := s.linked()
	if now != nil && now.base == w.l.base {
		w.l = now // the key may have been replaced while this waited
	}
	if wait := w.hindrance(); wait != nil {
		return wait()
	}
	attempt, err := s.store().MarkSending(s.ctx, w.job.ID, s.own.id, time.Now())
	switch {
	case errors.Is(err, store.ErrLate): // cancelled by the person
		s.tell(w.job.ID)
		return 0, false
	case s.ctx.Err() != nil:
		w.giveUp()
		return 0, false
	case err != nil:
		w.cannotMark(err)
		return 0, false
	}
	s.tell(w.job.ID)
	var files []store.File
	out := w.l.service.Create(s.sendCtx, w.job.Request.Path(), w.job.Body, client.CreateOptions{
		Kind: w.job.Kind, Sync: w.job.Request.Sync || s.answersAtOnce(w.l.base),
		Media: func(mediaType string, length int64, body io.Reader) error {
			f, err := w.l.fetcher.Fetch(s.sendCtx, media.Want{
				Job: w.job.ID, N: 1, Kind: w.job.Kind, Title: w.job.Title, Created: w.job.CreatedAt,
				Result: api.Result{MediaType: mediaType, Kind: w.job.Kind}, Body: body, Length: length,
			})
			if err == nil {
				files = append(files, f)
			}
			return err
		},
	})
	crashAt("send")
	return w.conclude(out, attempt, files)
}

// hindrance looks whether the key, the credits or the gate forbid sending now.
func (w *sender) hindrance() func() (time.Duration, bool) {
	s := w.s
	s.mu.Lock()
	refused, forgotten, credits := s.standing.KeyRefused, s.link == nil, !s.creditsAt.IsZero() && s.creditsAt.After(w.job.CreatedAt)
	s.mu.Unlock()
	end := func(text string, class api.ErrorClass) func() (time.Duration, bool) {
		return func() (time.Duration, bool) {
			w.unsend(api.PhaseNotSent, text, class)
			return 0, false
		}
	}
	switch {
	case forgotten:
		return end("not sent, because the key was removed meanwhile: log in, then send it", api.ClassKey)
	case refused:
		return end("not sent, because the service refused the key: log in with a valid one, then send it", api.ClassKey)
	case credits:
		return end("not sent, because the key has no credits left: add credits, then send it", api.ClassCredits)
	}
	until, err := s.store().GateUntil(s.ctx, w.l.base)
	if now := time.Now(); s.tooFar(until, now) {
		s.replan(w.l, now)
	} else if left := until.Sub(now); err == nil && left > 0 {
		return func() (time.Duration, bool) {
			w.explain("waits until "+until.Format("15:04:05")+": the service asked for a rest", until)
			return left, true
		}
	}
	return nil
}

// conclude writes what became of the POST.
func (w *sender) conclude(out api.Outcome, attempt int64, files []store.File) (time.Duration, bool) {
	s, now := w.s, time.Now()
	f := w.finish(out, attempt, files, now)
	w.last = out.Err
	s.sawCreate(w.l, out)
	wait, again := w.again(out)
	if again {
		f.Phase, f.NextPoll = api.PhaseIntent, now.Add(wait)
		f.Error = api.CleanLines(errorText(out.Err)+"; it is sent again at "+f.NextPoll.Format("15:04:05"), api.MaxErrorText)
	}
	s.save(f)
	s.learnCreate(w.l.base, w.job.Request.Sync, out)
	if !again {
		s.afterCreate(w.l, w.job, out, f)
	}
	return wait, again
}

// again says whether the same intent may be sent once more, and after which
// wait.
func (w *sender) again(out api.Outcome) (time.Duration, bool) {
	s := w.s
	if out.RetryAfter <= 0 || s.sendCtx.Err() != nil || out.Err != nil && keyRefused(out.Err) {
		return 0, false
	}
	switch out.Phase {
	case api.PhaseNotSent:
		if w.unsent >= len(unsentWaits) {
			return 0, false
		}
		w.unsent++
		return s.scaled(jitter(unsentWaits[w.unsent-1])), true
	case api.PhaseRejected:
		if w.rated >= ratedTries {
			return 0, false
		}
		w.rated++
		return s.scaled(api.ClampWait(out.RetryAfter)), true
	}
	return 0, false
}

// finish gives the outcome as the store keeps it.
func (w *sender) finish(out api.Outcome, attempt int64, files []store.File, now time.Time) store.Finish {
	f := store.Finish{
		ID: w.job.ID, Attempt: attempt, Phase: out.Phase, HTTPStatus: out.HTTPStatus, Headers: out.Header,
		Raw: w.l.key.Redact(out.Raw), Now: now, Progress: -1,
	}
	if out.Err != nil {
		f.Error, f.ErrClass = api.CleanLines(errorText(out.Err), api.MaxErrorText), out.Err.Class
	}
	a := out.Answer
	switch out.Phase {
	case api.PhaseQueued:
		f.RemoteID, f.Status, f.Progress = a.ID, a.Status, a.Progress
		f.NextPoll = now.Add(w.s.scaled(jitter(firstPoll(w.job.Kind))))
	case api.PhaseFetching:
		f.RemoteID, f.Status, f.Results, f.Completed, f.NextPoll = a.ID, a.Status, a.Results, true, now
		if len(files) > 0 {
			f.Phase, f.Files = api.PhaseDone, files
		}
	case api.PhaseUnread, api.PhaseUnknown:
		f.Status = a.Status
		if len(a.Candidates) > 0 {
			f.Error = api.CleanLines(f.Error.String()+" An id was seen in the answer: "+api.Clean(a.Candidates[0], api.MaxIDText).String(), api.MaxErrorText)
		}
	}
	return f
}

func errorText(e *api.Error) string {
	if e == nil {
		return ""
	}
	return e.Error()
}

// giveUp ends an intent that has to wait while the program ends.
func (w *sender) giveUp() {
	if w.rated > 0 && w.last != nil {
		w.unsend(api.PhaseRejected, errorText(w.last), w.last.Class)
		return
	}
	w.unsend(api.PhaseNotSent, "not sent; send now?", "")
}

func (w *sender) unsend(phase api.Phase, text string, class api.ErrorClass) {
	err := w.s.store().Unsend(context.Background(), w.job.ID, phase, api.CleanLines(text, api.MaxErrorText), class, time.Now())
	if err != nil && !errors.Is(err, store.ErrLate) {
		w.s.change(func(st *Standing) { st.Trouble = store.Words(err) })
	}
	w.s.tell(w.job.ID)
}

// cannotMark ends an intent that the store did not let be sent. If it does not
// take that either, the intent is found at the next start.
func (w *sender) cannotMark(cause error) {
	w.unsend(api.PhaseNotSent, "not sent, because the store could not be written: "+store.Words(cause), "")
}

func (w *sender) explain(text string, until time.Time) {
	_ = w.s.store().Explain(w.s.ctx, w.job.ID, api.CleanLines(text, api.MaxErrorText), until)
	w.s.tell(w.job.ID)
}

// createTurn waits until no other create is under way, in this window or
// another.
func (s *Session) createTurn() (unlock func(), err error) {
	select {
	case s.serial <- struct{}{}:
	case <-s.ctx.Done():
		return nil, s.ctx.Err()
	}
	folder := s.Settings().LockDir()
	file, err := os.OpenFile(filepath.Join(folder, "create.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // cleaned away while this window is open
		if err = os.MkdirAll(folder, 0o700); err == nil {
			file, err = os.OpenFile(filepath.Join(folder, "create.lock"), os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		<-s.serial
		return nil, err
	}
	for {
		free, err := tryLock(file)
		if err == nil && free {
			return func() { _ = file.Close(); <-s.serial }, nil
		}
		if err != nil || !rest(s.ctx, s.scaled(20*time.Millisecond)) {
			_ = file.Close()
			<-s.serial
			return nil, errors.Join(err, s.ctx.Err())
		}
	}
}

// plainly gives the cause of a file system's error without its path.
func plainly(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// jitter spreads an interval by U(0.8, 1.2).
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}
