package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

// follow waits for a submitted job and prints what became of it. A time-out or
// Ctrl-C stops the waiting, never the job.
func (p *program) follow(ctx context.Context, s *state.Session, job state.Job, wait bool, timeout time.Duration) error {
	sent, err := s.Sent(ctx, job.ID)
	if err != nil {
		return p.stoppedWaiting(ctx, s, job.ID, err)
	}
	if !wait && sent.Phase.Active() {
		if !p.json {
			fmt.Fprintln(p.out, sent.ID)
			return nil
		}
		p.printJob(s, sent)
		return nil
	}
	p.sayln("job %s · %s", sent.ID, phaseWord(sent.Phase))
	ended, err := p.await(ctx, s, sent.ID, timeout)
	if err != nil {
		return p.stoppedWaiting(ctx, s, job.ID, err)
	}
	return p.finish(s, ended)
}

func (p *program) await(ctx context.Context, s *state.Session, id string, timeout time.Duration) (state.Job, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	defer p.showProgress(ctx, s, id)()
	return s.Ended(ctx, id)
}

// finish prints an ended job and turns its phase into the exit code.
func (p *program) finish(s *state.Session, job state.Job) error {
	p.printJob(s, job)
	code := codeOfPhase(job)
	if code == exitDone {
		return nil
	}
	return &failure{code: code, err: sentencef("job %s: %s", job.ID, phaseWord(job.Phase)), printed: true}
}

func (p *program) stoppedWaiting(ctx context.Context, s *state.Session, id string, cause error) error {
	refused := errors.Is(cause, state.ErrKeyRefused)
	if !refused && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	job, err := s.Job(context.WithoutCancel(ctx), id)
	if err == nil && ctx.Err() != nil && (job.Phase == api.PhaseIntent || job.Phase == api.PhaseSending) {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurriedLimit)
		defer cancel()
		s.Finish(last)
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
		return &failure{code: exitKey, err: cause, printed: true}
	}
	if job.Phase == api.PhaseUnknown || job.Phase == api.PhaseUnread {
		return &failure{code: exitUnknown, err: cause, printed: true}
	}
	return &failure{code: exitWaiting, err: cause, printed: true}
}

// sayGoesOn says that a job is not lost by not being waited for, and how to come
// back to it.
func (p *program) sayGoesOn(id string, refused bool) {
	if refused {
		p.notice(sentencef("the service refused the API key; the job goes on. Run 'darkroom login' with a valid one, then: darkroom wait %s", id))
		return
	}
	p.notice(sentencef("stopped waiting; the job goes on. Come back with: darkroom wait %s", id))
}

// printJob prints one job: its document, or its files' paths and its standing.
func (p *program) printJob(s *state.Session, job state.Job) {
	if p.json {
		p.printJSON(withAnswer(s, job))
		return
	}
	for _, file := range job.Files {
		p.printPath(file.Path)
	}
	if len(job.Files) == 0 || !job.Error.IsZero() {
		line := p.say("job %s · %s", job.ID, phaseWord(job.Phase))
		if !job.Error.IsZero() {
			line += " · " + p.reason(job)
		}
		fmt.Fprintln(p.err, line)
	}
}

// reason says why a job ended as it did.
func (p *program) reason(job state.Job) string { return p.sentence(because(job.Error)) }

// phaseWord is a phase in a word; its English one is that of the JSON documents.
func phaseWord(phase api.Phase) error { return word(shownPhase(phase)) }

func (p *program) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait ID…",
		Short: "Wait for jobs to end, and download their results",
		Args:  arguments(1, many),
		RunE: func(cmd *cobra.Command, ids []string) error {
			return p.withService(cmd.Context(), true, func(s *state.Session) error {
				return p.waitAll(cmd.Context(), s, ids, timeout)
			})
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop waiting after this long, such as 10m; the jobs go on")
	p.jsonFlag(cmd)
	return cmd
}

// waitAll waits for several jobs under one time-out. The exit code is that of
// the first job that did not end well.
func (p *program) waitAll(ctx context.Context, s *state.Session, ids []string, timeout time.Duration) error {
	waiting := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var jobs []state.Job
	for _, id := range ids {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		jobs = append(jobs, job)
	}
	code := exitDone
	for i, job := range jobs {
		ended, err := s.Ended(waiting, job.ID)
		if err != nil {
			refused := errors.Is(err, state.ErrKeyRefused)
			if waiting.Err() == nil && !refused {
				return err
			}
			p.sayGoesOn(job.ID, refused)
			if refused && code == exitDone {
				code = exitKey
			}
			if ended, err = s.Job(context.WithoutCancel(ctx), job.ID); err != nil {
				return err
			}
		}
		jobs[i] = ended
		if c := codeOfPhase(ended); code == exitDone {
			code = c
		}
	}
	p.printJobs(s, jobs)
	if code == exitDone {
		return nil
	}
	return &failure{code: code, err: sentencef("not every job is done"), printed: true}
}

// printJobs prints one job as itself and several as a list.
func (p *program) printJobs(s *state.Session, jobs []state.Job) {
	if len(jobs) == 1 || !p.json {
		for _, job := range jobs {
			p.printJob(s, job)
		}
		return
	}
	documents := make([]jobDocument, 0, len(jobs))
	for _, job := range jobs {
		documents = append(documents, withAnswer(s, job))
	}
	p.printJSON(map[string]any{"jobs": documents})
}
