package submit

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"darkroom/api"
	"darkroom/api/client"
	"darkroom/state/media"
	"darkroom/state/remote"
	"darkroom/state/settings"
	"darkroom/state/store"
)

// unsentWaits are the waits before an intent that never left is sent again.
var unsentWaits = []time.Duration{time.Second, 4 * time.Second, 16 * time.Second}

// turnPatience is how long a request waits for another one without saying so.
const turnPatience = time.Second

// ratedTries is how often an intent is sent again after a 429.
const ratedTries = 3

// sender carries one intent to its outcome. Only outcomes that prove that
// nothing was accepted let it send again.
type sender struct {
	s      *Submitter
	conn   *remote.Connection
	job    store.Job
	unsent int
	rated  int
	last   *api.Error // why it was not accepted the last time
}

func (s *Submitter) send(conn *remote.Connection, j store.Job) {
	w := &sender{s: s, conn: conn, job: j}
	for {
		wait := w.once()
		if wait == ended {
			return
		}
		if !remote.Sleep(s.ctx, wait) {
			w.giveUp()
			return
		}
	}
}

// ended stands for the wait of an intent that is not sent again.
const ended time.Duration = -1

// once sends the intent once, and gives the wait after which it may be sent once more.
func (w *sender) once() time.Duration {
	s := w.s
	turn, err := w.turn()
	switch {
	case s.ctx.Err() != nil:
		if err == nil {
			turn.Release()
		}
		w.giveUp()
		return ended
	case err != nil:
		w.unsend(api.PhaseNotSent, api.Sentence("not sent, because %v").Reason(err), "")
		return ended
	}
	defer turn.Release()
	if now := s.o.Remote.Connection(); now != nil && now.Base == w.conn.Base {
		w.conn = now // the key may have been replaced while this waited
	}
	if wait := w.hindrance(); wait != nil {
		return wait()
	}
	attempt, err := s.o.Store().MarkSending(s.ctx, w.job.ID, s.o.Instance, time.Now())
	switch {
	case errors.Is(err, store.ErrLate): // cancelled by the person
		return ended
	case err != nil && s.ctx.Err() != nil:
		w.giveUp()
		return ended
	case err != nil:
		if wait := w.later(); wait != ended && store.Busy(err) {
			return wait
		}
		w.unsend(api.PhaseNotSent, whyUnwritten.Reason(store.Why(err)), "")
		return ended
	}
	s.o.Changed(w.job.ID)
	var files []store.File
	var late bool
	out := w.conn.Service.Create(s.sendCtx, w.job.Request.Path(), w.job.Body, client.CreateOptions{
		Kind: w.job.Kind, Sync: w.sync(),
		Last: func() error {
			if late = turn.Over(); late {
				return errTurnOver
			}
			return nil
		},
		Media: func(mediaType string, length int64, body io.Reader) error {
			want := media.WantOf(&w.job, 1, api.Result{MediaType: mediaType, Kind: w.job.Kind})
			want.Body, want.Length = body, length
			f, err := s.o.Fetcher(w.conn).Fetch(s.sendCtx, want)
			if err == nil {
				files = append(files, f)
			}
			return err
		},
	})
	settings.CrashAt("send")
	if late {
		return w.wait(attempt)
	}
	return w.conclude(out, attempt, files)
}

// errTurnOver: this process was stopped for so long that others are sending.
var errTurnOver = api.Sentence("the turn to send is over").Fault(nil)

// sync reports whether the create is answered with its result.
func (w *sender) sync() bool {
	return w.job.Request.Waits() || w.s.o.Remote.AnswersAtOnce(w.conn.Base)
}

// turn waits for the turn to send, and says so when that takes long.
func (w *sender) turn() (Turn, error) {
	s := w.s
	var until atomic.Int64
	waiting := time.AfterFunc(s.scale.Of(turnPatience), func() {
		why := api.Sentence("waits for its turn: another request is being sent").Reason()
		if at := until.Load(); at != 0 {
			why = whyTurnUntil.Reason(time.UnixMilli(at).Format("15:04:05"))
		}
		w.explain(why, time.Time{})
	})
	defer waiting.Stop()
	return s.o.Turn(s.ctx, w.sync, func(at time.Time) { until.Store(at.UnixMilli()) })
}

// wait puts an intent that was marked but not sent back among those that wait.
func (w *sender) wait(attempt int64) time.Duration {
	now := time.Now()
	w.s.save(store.Finish{ID: w.job.ID, Attempt: attempt, Phase: api.PhaseIntent, Progress: -1, Now: now, NextPoll: now})
	return 0
}

// hindrance looks whether the key, the credits or the gate forbid sending now.
func (w *sender) hindrance() func() time.Duration {
	s := w.s
	refused, current := s.o.Remote.Health().KeyRefused, s.o.Remote.Connection()
	unpaid := api.Sentence("not sent, because the key has no credits left: add credits, then send it")
	s.mu.Lock()
	class := s.noCredits.class
	if class == api.ClassCalls {
		unpaid = api.Sentence("not sent, because the key has no calls left: raise its call limit, then send it")
	}
	credits := s.noCredits.conn == current && s.noCredits.at.After(w.job.CreatedAt)
	s.mu.Unlock()
	end := func(why api.Sentence, class api.ErrorClass) func() time.Duration {
		return func() time.Duration {
			w.unsend(api.PhaseNotSent, why.Reason(), class)
			return ended
		}
	}
	switch {
	case current == nil:
		return end(whyKeyGone, api.ClassKey)
	case refused:
		return end(whyKeyRefused, api.ClassKey)
	case credits:
		return end(unpaid, class)
	}
	until, err := s.o.Remote.GateUntil(s.ctx, w.conn)
	if now := time.Now(); s.o.Remote.TooFar(until, now) {
		s.o.Remote.Replan(w.conn, now)
	} else if left := until.Sub(now); err == nil && left > 0 {
		return func() time.Duration {
			w.explain(api.Sentence("waits until %v: the service asked for a rest").Reason(until.Format("15:04:05")), until)
			return left
		}
	}
	return nil
}

// conclude writes what became of the POST.
func (w *sender) conclude(out api.Outcome, attempt int64, files []store.File) time.Duration {
	s, now := w.s, time.Now()
	f := w.finish(out, attempt, files, now)
	w.last = out.Err
	s.observeCreate(w.conn, out)
	wait := w.again(out)
	if wait != ended {
		f.Phase, f.NextPoll = api.PhaseIntent, now.Add(wait)
		f.Error = whyRepeated.Reason(f.Error, f.NextPoll.Format("15:04:05"))
	}
	s.save(f)
	s.o.Remote.RecordCreate(w.conn.Base, w.job.Request.Waits(), out)
	if wait == ended {
		s.afterCreate(w.conn, w.job, out, f)
	}
	return wait
}

// again is the wait after which the same intent may be sent once more.
func (w *sender) again(out api.Outcome) time.Duration {
	s := w.s
	if out.RetryAfter <= 0 || s.sendCtx.Err() != nil || out.Err != nil && remote.RefusesKey(out.Err) {
		return ended
	}
	switch out.Phase {
	case api.PhaseNotSent:
		return w.later()
	case api.PhaseRejected:
		if w.rated >= ratedTries {
			return ended
		}
		w.rated++
		return s.scale.Of(api.ClampWait(out.RetryAfter))
	}
	return ended
}

// later is the wait before an intent that never left is sent again.
func (w *sender) later() time.Duration {
	if w.unsent >= len(unsentWaits) {
		return ended
	}
	w.unsent++
	return w.s.scale.Of(remote.Jitter(unsentWaits[w.unsent-1]))
}

func (w *sender) finish(out api.Outcome, attempt int64, files []store.File, now time.Time) store.Finish {
	f := store.Finish{
		ID: w.job.ID, Attempt: attempt, Phase: out.Phase, HTTPStatus: out.HTTPStatus, Headers: out.Header,
		Raw: w.conn.Key.Redact(out.Raw), Now: now, Progress: -1,
	}
	if out.Err != nil {
		f.Error, f.ErrClass = out.Err.Why(), out.Err.Class
	}
	a := out.Answer
	switch out.Phase {
	case api.PhaseQueued:
		f.RemoteID, f.Status, f.Progress = a.ID, a.Status, a.Progress
		f.NextPoll = now.Add(w.s.scale.Of(remote.Jitter(w.s.o.FirstPoll(w.job.Kind))))
	case api.PhaseFetching:
		f.RemoteID, f.Status, f.Results, f.Error, f.Completed, f.NextPoll = a.ID, a.Status, a.Results, a.Left, true, now
		if len(files) > 0 {
			f.Phase, f.Files = api.PhaseDone, files
		}
	case api.PhaseUnread, api.PhaseUnknown:
		f.Status = a.Status
		if len(a.Candidates) > 0 {
			f.Error = api.Sentence("%v An id was seen in the response: %v").Reason(f.Error, api.Clean(a.Candidates[0], api.MaxIDText))
		}
	}
	return f
}

// giveUp ends an intent that has to wait while the program ends.
func (w *sender) giveUp() {
	if w.rated > 0 && w.last != nil {
		w.unsend(api.PhaseRejected, w.last.Why(), w.last.Class)
		return
	}
	w.unsend(api.PhaseNotSent, store.NotSent(), "")
}

func (w *sender) unsend(phase api.Phase, why api.Reason, class api.ErrorClass) {
	now := time.Now()
	err := w.s.o.Store().Unsend(context.Background(), w.job.ID, phase, why, class, now)
	if err != nil && !errors.Is(err, store.ErrLate) {
		// Whoever waits for the outcome would wait for ever.
		w.s.save(store.Finish{ID: w.job.ID, Phase: phase, Error: why, ErrClass: class, Progress: -1, Now: now})
		return
	}
	w.s.o.Changed(w.job.ID)
}

func (w *sender) explain(why api.Reason, until time.Time) {
	_ = w.s.o.Store().Explain(w.s.ctx, w.job.ID, why, until)
	w.s.o.Changed(w.job.ID)
}
