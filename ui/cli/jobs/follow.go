package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// Follow waits for a submitted job and prints what became of it. A time-out or
// Ctrl-C stops the waiting, never the job.
func (p Run) Follow(ctx context.Context, s *state.Session, job state.Job, wait bool, timeout time.Duration) error {
	sent, err := s.Sent(ctx, job.ID)
	if err != nil {
		return p.stoppedWaiting(ctx, s, job.ID, err)
	}
	switch active := sent.Phase.Active(); {
	case active && !wait && p.JSON:
		p.printJob(s, sent)
		return nil
	case active && !wait:
		fmt.Fprintln(p.Out, sent.ID)
		return nil
	}
	p.Remark("job %s · %s", sent.ID, run.Phase(sent.Phase))
	if sent.Phase.Active() {
		if sent, err = p.await(ctx, s, sent.ID, timeout); err != nil {
			return p.stoppedWaiting(ctx, s, job.ID, err)
		}
	}
	return p.finish(s, sent)
}

func (p Run) await(ctx context.Context, s *state.Session, id string, timeout time.Duration) (state.Job, error) {
	ctx, cancel := run.Within(ctx, timeout)
	defer cancel()
	defer p.sayTrouble(ctx, s, api.Reason{})()
	defer p.Progress(ctx, p.Env("TERM") == "dumb", func(ctx context.Context) string {
		job, err := find(ctx, s, id)
		if err != nil {
			return ""
		}
		parts := []string{p.Sentence(run.Phase(job.Phase))}
		if job.Progress > 0 && job.Progress <= 1 {
			parts = append(parts, fmt.Sprintf("%d %%", int(100*job.Progress)))
		}
		since := job.SentAt
		if since.IsZero() {
			since = job.CreatedAt
		}
		return strings.Join(append(parts, max(time.Since(since).Round(time.Second), 0).String()), " · ")
	})()
	return s.Ended(ctx, id)
}

// sayTrouble says what keeps jobs from going on while they are waited for, such
// as a disk that is full, until the function is called that it returns. What was
// said last, at first said, is not said again.
func (p Run) sayTrouble(ctx context.Context, s *state.Session, said api.Reason) func() {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for err := error(nil); err == nil; _, err = s.Wait(ctx) {
			if why := s.Health().Trouble; !why.IsZero() && why != said && !p.Quiet {
				said = why
				p.Notice(run.Because(why))
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// finish prints an ended job and turns its phase into the exit code.
func (p Run) finish(s *state.Session, job state.Job) error {
	p.printJob(s, job)
	return run.Printed(run.CodeOfJob(job), run.Sentencef("job %s: %s", job.ID, run.Phase(job.Phase)))
}

func (p Run) stoppedWaiting(ctx context.Context, s *state.Session, id string, cause error) error {
	refused := errors.Is(cause, state.ErrKeyRefused)
	if !refused && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	job, err := s.Job(context.WithoutCancel(ctx), id)
	if err == nil && ctx.Err() != nil && (job.Phase == api.PhaseIntent || job.Phase == api.PhaseSending) {
		finishSending(ctx, s)
		job, err = s.Job(context.WithoutCancel(ctx), id)
	}
	if err != nil {
		return err
	}
	if !job.Phase.Active() && job.Phase != api.PhaseUnknown && job.Phase != api.PhaseUnread {
		return p.finish(s, job)
	}
	if job.Phase.Active() || refused {
		p.sayGoesOn(id, refused)
	}
	p.printJob(s, job)
	if refused {
		return run.Printed(run.ExitKey, cause)
	}
	return run.Printed(run.CodeOfJob(job), cause)
}

// finishSending waits a moment for the answer to a request that is being sent.
func finishSending(ctx context.Context, s *state.Session) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), run.HurriedLimit)
	defer cancel()
	s.Finish(last)
}

// sayGoesOn says that a job is not lost by not being waited for, and how to come
// back to it.
func (p Run) sayGoesOn(id string, refused bool) {
	if refused {
		p.Notice(run.Sentencef("the service refused the API key; the job goes on. Run 'darkroom login' with a valid one, then: "+
			"darkroom wait %s", id))
		return
	}
	p.Notice(run.Sentencef("stopped waiting; the job goes on. Come back with: darkroom wait %s", id))
}

// printJob prints one job: its document, or its files' paths and its phase.
func (p Run) printJob(s *state.Session, job state.Job) {
	if p.JSON {
		p.PrintJSON(withAnswer(s, job))
		return
	}
	for _, file := range job.Files {
		p.Path(file.Path)
	}
	if len(job.Files) == 0 || !job.Error.IsZero() {
		line := p.Say("job %s · %s", job.ID, run.Phase(job.Phase))
		if !job.Error.IsZero() {
			line += " · " + p.reason(job)
		}
		fmt.Fprintln(p.Err, line)
	}
}

// reason says why a job ended as it did.
func (p Run) reason(job state.Job) string { return p.Sentence(run.Because(job.Error)) }

func (p Run) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:     "wait ID…",
		Short:   "Wait for jobs to end, and download their results",
		Example: `  darkroom wait k3f9 p2xa --timeout 10m`,
		Args:    run.Arguments(1, run.Many),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.WithService(cmd.Context(), true, func(s *state.Session) error {
				return p.waitAll(cmd.Context(), s, ids, timeout)
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop waiting after this long, such as 10m; the jobs go on")
	p.JSONFlags(cmd, jobDocument{})
	return cmd
}

// waitAll waits for several jobs under one time-out. The exit code is that of
// the first job that did not end well.
func (p Run) waitAll(ctx context.Context, s *state.Session, ids []string, timeout time.Duration) error {
	waiting, cancel := run.Within(ctx, timeout)
	defer cancel()
	defer p.sayTrouble(waiting, s, api.Reason{})()
	var jobs []state.Job
	for _, id := range ids {
		job, err := find(ctx, s, id)
		if err != nil {
			return err
		}
		if state.GivenUp(job.Phase, job.Error) {
			_ = s.Refresh(waiting, job.ID) // asked for once more; without an answer it stays as it is
		}
		jobs = append(jobs, job)
	}
	code := run.ExitDone
	for i, job := range jobs {
		ended, err := s.Ended(waiting, job.ID)
		refused := errors.Is(err, state.ErrKeyRefused)
		if refused || err != nil && waiting.Err() != nil {
			p.sayGoesOn(job.ID, refused)
			if refused {
				code = cmp.Or(code, run.ExitKey)
			}
			ended, err = s.Job(context.WithoutCancel(ctx), job.ID)
		}
		if err != nil {
			return err
		}
		jobs[i], code = ended, cmp.Or(code, run.CodeOfJob(ended))
	}
	if p.JSON && len(jobs) > 1 {
		p.PrintJSON(map[string]any{"jobs": run.Map(jobs, func(job state.Job) jobDocument { return withAnswer(s, job) })})
		return run.Printed(code, errNotAllDone)
	}
	for _, job := range jobs {
		p.printJob(s, job)
	}
	return run.Printed(code, errNotAllDone)
}

// errNotAllDone comes with the exit code of the first job that did not end well.
var errNotAllDone = run.Sentencef("not every job is done")

// FollowAll waits until every job of an agreement was sent, or waits for the
// person, and with wait until the sent ones have ended. The exit code is that of
// the first job that did not end well.
func (p Run) FollowAll(ctx context.Context, s *state.Session, ids []string, wait bool, timeout time.Duration) error {
	waiting, cancel := run.Within(ctx, timeout)
	defer cancel()
	cause := eachLeft(ids, func(id string) error {
		j, err := s.Sent(waiting, id)
		if err == nil && wait {
			p.Remark("job %s · %s", j.ID, run.Phase(j.Phase))
		}
		return err
	})
	defer p.sayTrouble(waiting, s, s.Health().Trouble)() // each job says why it was not sent
	if wait && cause == nil {
		cause = eachLeft(ids, func(id string) error {
			_, err := s.Ended(waiting, id)
			return err
		})
	}
	if cause != nil && ctx.Err() != nil { // what is being sent is waited for
		finishSending(ctx, s)
	}
	return p.finishAll(context.WithoutCancel(ctx), s, ids, wait, cause)
}

// eachLeft does something with each job that no other window has removed, up to
// the first error.
func eachLeft(ids []string, do func(id string) error) error {
	for _, id := range ids {
		if err := do(id); err != nil && !errors.Is(err, state.ErrNoJob) {
			return err
		}
	}
	return nil
}

// finishAll prints the jobs of an agreement and turns what became of them into
// the exit code.
func (p Run) finishAll(ctx context.Context, s *state.Session, ids []string, wait bool, cause error) error {
	documents, code, held := []jobDocument{}, run.ExitDone, ""
	err := eachLeft(ids, func(id string) error {
		j, err := find(ctx, s, id)
		if err != nil {
			return err
		}
		if wait || !j.Phase.Active() {
			code = cmp.Or(code, run.CodeOfJob(j))
		}
		if j.Phase == api.PhaseHeld {
			held = cmp.Or(held, j.ID)
		}
		switch {
		case p.JSON:
			documents = append(documents, withAnswer(s, j))
		case !wait && j.Phase.Active():
			fmt.Fprintln(p.Out, j.ID)
		default:
			p.printJob(s, j)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.JSON {
		p.PrintJSON(map[string]any{"jobs": documents})
	}
	if held != "" {
		p.Notice(run.Sentencef("what is held was not sent. Send it with: darkroom job %s --send --all, or delete it with: "+
			"darkroom job %s --remove --all", held, held))
	}
	if errors.Is(cause, state.ErrKeyRefused) {
		code = run.ExitKey
	} else if cause != nil {
		code = cmp.Or(code, run.ExitWaiting)
	}
	return run.Printed(code, errNotAllDone)
}
