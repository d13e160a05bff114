package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// Following says which jobs are followed, and how far.
type Following struct {
	IDs     []string
	New     bool // they were just agreed to: it is said when each was sent
	List    bool // --json prints a list
	Wait    bool // until they have ended, not only until they were sent
	Timeout time.Duration
}

// Follow waits for jobs, prints them, and gives the exit code of the first that
// did not end well. A time-out or Ctrl-C stops the waiting, never a job.
func (p Run) Follow(ctx context.Context, s *state.Session, w Following) error {
	waiting, cancel := context.WithTimeout(ctx, cmp.Or(w.Timeout, math.MaxInt64))
	defer cancel()
	sent, cause := p.awaitAll(ctx, waiting, s, w)
	stopped := errors.Is(cause, state.ErrKeyRefused) || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded)
	limit := run.CloseLimit
	if ctx.Err() != nil {
		limit = run.HurriedLimit
	}
	if cause != nil && (ctx.Err() != nil || w.New && w.List) { // what is being sent is waited for, and nothing else goes on
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		s.Finish(last)
	}
	if cause == nil || stopped || w.New && w.List {
		cause = p.printAll(context.WithoutCancel(ctx), s, w, cause)
	}
	for _, job := range sent {
		if job.RemoteID != "" && errors.Is(cause, state.ErrMoved) { // the file that is there does not know it
			p.Notice(run.Sentencef("the service accepted job %s under the id %s", job.ID, job.RemoteID))
		}
	}
	return cause
}

// awaitAll waits until the jobs were sent and, if that is wanted, have ended. It gives them as
// they were sent.
func (p Run) awaitAll(ctx, waiting context.Context, s *state.Session, w Following) (sent []state.Job, err error) {
	if left := false; w.New {
		sending := ctx
		if w.List {
			sending = waiting
		}
		err = eachLeft(w, func(id string) error {
			defer p.saying(sending, s, id, false, api.PhaseIntent)()
			job, err := s.Sent(sending, id)
			if err == nil && w.Wait && job.Error.IsZero() { // else it is said with the reason
				p.Remark("job %s · %s", job.ID, run.Phase(job.Phase))
			}
			left = left || job.Phase.Active()
			sent = append(sent, job)
			return err
		})
		if err != nil || !w.Wait || !left {
			return sent, err
		}
	}
	for _, id := range w.IDs {
		if job, err := s.Job(ctx, id); err == nil && state.GivenUp(job.Phase, job.Error) {
			_ = s.Refresh(waiting, id) // asked for once more; without an answer it stays as it is
		}
	}
	if len(w.IDs) == 1 {
		defer p.Progress(waiting, func(ctx context.Context) string {
			job, err := s.Job(ctx, w.IDs[0])
			if err != nil {
				return ""
			}
			line := p.Sentence(run.Phase(job.Phase))
			if job.Progress > 0 && job.Progress <= 1 {
				line += fmt.Sprintf(" · %d %%", int(100*job.Progress))
			}
			return line + " · " + max(time.Since(cmp.Or(job.SentAt, job.CreatedAt)).Round(time.Second), 0).String()
		})()
	}
	if !w.New && !run.IsTerminal(p.Err) {
		defer p.ForService()()
	}
	return sent, eachLeft(w, func(id string) error {
		defer p.saying(waiting, s, id, true, api.PhaseQueued, api.PhaseRunning)()
		_, err := s.Ended(waiting, id)
		return err
	})
}

// saying says why a job does not go on while it is waited for, such as a disk that
// is full, until what it returns is called: what troubles the service once the job was sent,
// else what it waits for itself in some phases.
func (p Run) saying(ctx context.Context, s *state.Session, id string, sent bool, phases ...api.Phase) func() {
	return run.Aside(ctx, func(ctx context.Context) {
		for err := error(nil); err == nil && !p.Quiet; _, err = s.Wait(ctx) {
			job, _ := s.Job(ctx, id) // one that cannot be read has no phase
			var why api.Reason
			if sent {
				why = s.Health().Trouble
			}
			if slices.Contains(phases, job.Phase) {
				why = cmp.Or(why, job.Error)
			}
			if text := p.Anew(p.Sentence(run.Because(why))); text != "" {
				text += p.Anew(p.SayIf(job.Phase == api.PhaseIntent, "; ctrl+c stops it, and what was not sent is not charged"))
				p.Notice(run.Verbatim(text))
			}
		}
	})
}

// eachLeft does something with each job up to the first error. Of several jobs of one
// agreement, those that another window has removed are left out.
func eachLeft(w Following, do func(id string) error) error {
	for _, id := range w.IDs {
		if err := do(id); err != nil && !(len(w.IDs) > 1 && w.New && w.List && errors.Is(err, state.ErrNoJob)) {
			return err
		}
	}
	return nil
}

// printAll prints jobs and gives their exit code. cause ended the waiting early.
func (p Run) printAll(ctx context.Context, s *state.Session, w Following, cause error) error {
	documents, code, held := []Document{}, run.ExitDone, ""
	refused := errors.Is(cause, state.ErrKeyRefused)
	show := func(line string) { // what was paid for is not lost
		if _, err := fmt.Fprintln(p.Out, line); err != nil {
			fmt.Fprintln(p.Err, line)
		}
	}
	err := eachLeft(w, func(id string) error {
		job, err := s.Job(ctx, id)
		if err != nil {
			return err
		}
		active := job.Phase.Active()
		if w.Wait || !active || cause != nil {
			code = cmp.Or(code, run.CodeOfJob(job))
		}
		if job.Phase == api.PhaseHeld && w.New {
			held = cmp.Or(held, job.ID)
		}
		switch {
		case active && refused:
			p.Notice(run.Sentencef("the service refused the API key; the job goes on. Run 'darkroom login' with a valid one, then: "+
				"darkroom wait %s", job.ID))
		case active && cause != nil && s.Health().Unsaved == 0: // else its id is said at the end
			p.Notice(run.Sentencef("stopped waiting; the job goes on. Come back with: darkroom wait %s", job.ID))
		}
		switch {
		case p.JSON:
			documents = append(documents, withAnswer(s, job))
		case active && !w.Wait:
			show(job.ID)
		default:
			for _, file := range job.Files {
				if _, err := os.Stat(file.Path); err != nil && job.Error.IsZero() {
					p.Notice(Gone(file.Path))
				} else if err == nil { // else it could not be brought
					show(file.Path)
				}
			}
			if len(job.Files) > 0 && job.Error.IsZero() {
				break
			}
			why := p.Sentence(run.Because(job.Error))
			if anew := p.Anew(why); job.Phase != api.PhaseNotSent && job.Phase != api.PhaseRejected { // of these the last line says why
				why = anew
			}
			fmt.Fprintln(p.Err, run.Joined(p.Say("job %s · %s", job.ID, run.Phase(job.Phase)), why, p.next(s, job)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.JSON && !(w.List && p.PrintJSON(map[string]any{"jobs": documents}, "jobs") ||
		!w.List && p.PrintJSON(documents[0])) { // what was paid for is not lost
		for _, d := range documents {
			for _, file := range d.Files {
				fmt.Fprintln(p.Err, file.Path)
			}
			fmt.Fprintln(p.Err, p.Say("job %s · %s", d.ID, run.Phase(d.Phase)))
		}
	}
	if held != "" {
		p.Notice(run.Sentencef("the held requests were not sent. Send them with: darkroom job %s --send --all, or delete them with: "+
			"darkroom job %s --remove --all", held, held))
	}
	if refused {
		code = run.ExitKey
	}
	return run.Printed(code)
}

// Gone says that a result's file is missing.
func Gone(path string) error {
	return run.Sentencef("%s is not there any more: 'darkroom fetch' gets it again while its link lasts", path)
}

// elsewhere says how to send what a job asks for, if it is for another service than that of the settings.
func elsewhere(s *state.Session, job state.Job) error {
	if base := s.Base(); base == nil || base.String() == job.Base {
		return nil
	}
	return run.Sentencef(`it is for another service (%s). To send its request to this one, type: `+
		`darkroom %s "$(darkroom job %s --jq .request)"`, run.Address(job.Base), job.Kind, job.ID)
}

// next is what can be done, or was, about a job that was not sent, or of which nobody knows.
func (p Run) next(s *state.Session, job state.Job) string {
	switch {
	case (job.Phase == api.PhaseNotSent || job.Phase == api.PhaseRejected) && elsewhere(s, job) != nil:
		return p.Say("nothing was charged; %s", elsewhere(s, job))
	case job.Dismissed:
		return p.Say("it counts as not charged")
	case job.Phase == api.PhaseNotSent, job.Phase == api.PhaseRejected && (job.ErrClass.UsedUp() || job.ErrClass == api.ClassKey):
		return p.Say("nothing was charged; send it again with: darkroom job %s --resend", job.ID)
	case job.Phase == api.PhaseUnknown:
		return p.Say("it may have been accepted and charged: run 'darkroom job %s' with --attach and its id, --dismiss or --resend", job.ID)
	case state.GivenUp(job.Phase, job.Error):
		return p.Say("ask the service once more with: darkroom wait %s", job.ID)
	case job.Phase == api.PhaseFailed && job.Completed:
		return p.Say("download its results again with: darkroom fetch %s", job.ID)
	case job.Phase == api.PhaseUnread:
		return p.Say("it was accepted: run 'darkroom job %s' with --attach and its id; --raw prints the response", job.ID)
	}
	return ""
}

func (p Run) waitCommand() *cobra.Command {
	var timeout time.Duration
	cmd := p.Command("wait ID…", run.Polling, func(ctx context.Context, s *state.Session, ids []string) error {
		for i, id := range ids {
			job, err := Find(ctx, s, id)
			if err != nil {
				return err
			}
			ids[i] = job.ID
		}
		return p.Follow(ctx, s, Following{IDs: ids, List: len(ids) > 1, Wait: true, Timeout: timeout})
	})
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "stop waiting after this long, such as 10m; the jobs go on (default: no limit)")
	return p.JSONFlags(cmd, Document{})
}

type statusDocument struct {
	Running  int          `json:"running"`
	Held     int          `json:"held"`
	Unseen   int          `json:"unseen"` // done, and not looked at
	Credits  api.Credits  `json:"credits_today"`
	Possibly api.Credits  `json:"possibly_today"` // of unknown and unread jobs
	Budget   *api.Credits `json:"budget"`
}

func (p Run) statusCommand() *cobra.Command {
	var short bool
	cmd := p.Command("status", run.Store, func(ctx context.Context, s *state.Session, _ []string) error {
		page, err := s.Jobs(ctx, state.Query{Limit: 1})
		today, failed := s.Today(ctx)
		d := statusDocument{page.Active, page.Held, page.Unseen, today.Credits, today.Possibly, nil}
		if today.Budget > api.BudgetUnreadable {
			d.Budget = &today.Budget
		}
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		spent := run.Credits(d.Credits.Plus(d.Possibly))
		parts := []string{p.Say("%d running", d.Running), p.Say("%d held", d.Held), p.Say("%d new", d.Unseen), p.Say("today %s", spent)}
		if short { // a count of 0 is left out
			parts = slices.DeleteFunc(parts, func(part string) bool { return strings.HasPrefix(part, "0 ") })
		} else if d.Budget != nil {
			parts[3] = p.Say("today %s of %s", spent, run.Credits(*d.Budget))
		}
		return p.PrintResult(strings.Join(parts, " · "), d)
	})
	cmd.Flags().BoolVar(&short, "short", false, "leave out counts of 0 and the budget, for a status bar or a shell's prompt")
	return p.JSONFlags(cmd, statusDocument{})
}

// eventDocument is a change of a job as watch prints it and hooks read it: the job as
// it is now, but for the phase, which is the one that it went into.
type eventDocument struct {
	Change    int64  `json:"change"`
	ChangedAt string `json:"changed_at"`
	Document
}

// EventOf is the document of an event.
func EventOf(e state.Event, job state.Job) any {
	d := eventDocument{e.Number, e.At.Format(time.RFC3339), DocumentOf(job)}
	d.Phase = e.Phase
	return d
}

// watchCommand prints changes of jobs as they happen, those since a number first.
func (p Run) watchCommand() *cobra.Command {
	var since string
	cmd := p.Command("watch", run.Watching, func(ctx context.Context, s *state.Session, _ []string) (err error) {
		after, failed := strconv.ParseInt(since, 10, 64)
		day, known := state.Since(since, time.Now())
		switch {
		case since == "":
			after, err = s.Events().Last(ctx)
		case failed != nil && !known:
			return run.BadValue("since", since,
				run.Sentencef("the number of a change, or a day such as %s, today or 7d", time.Now().Format(time.DateOnly)))
		}
		say := sync.OnceFunc(func() { p.Remark("watching until interrupted (ctrl+c)") })
		for err == nil {
			var events []state.Event
			events, err = s.Events().After(ctx, after)
			if len(events) > 0 && after > 0 && events[0].Number > after+1 {
				p.Notice(run.Sentencef("changes before %d are no longer kept", events[0].Number))
			}
			for _, e := range events {
				after = e.Number
				job, err := s.Job(ctx, e.Job)
				switch {
				case failed != nil && e.At.Before(day):
				case errors.Is(err, state.ErrNoJob): // it was held, and is removed
				case err != nil:
					return err
				case p.JSON && !p.PrintJSON(EventOf(e, job)):
					return nil // why is said at the end
				case p.JSON:
				default:
					if _, err := fmt.Fprintln(p.Out, strings.Join([]string{e.At.Local().Format(time.DateTime), job.ID,
						p.Sentence(run.Phase(e.Phase)), p.Sentence(run.Word(job.Kind)), api.OneLine(job.Title)}, "\t")); err != nil {
						return nil // as above
					}
				}
			}
			if err != nil || len(events) > 0 {
				continue
			}
			say()
			_, err = s.Wait(ctx)
		}
		if ctx.Err() != nil {
			return nil // it was stopped
		}
		return err
	})
	cmd.Flags().StringVar(&since, "since", "", "begin with the changes of this day (2026-03-01, today, 7d), "+
		"or after the one with this number (0: all that are kept); default: now")
	return p.ListFlags(cmd)
}
