package jobs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/state"
	"darkroom/ui/cli/run"
)

// FollowAll waits until every job of an agreement was sent, or waits for the
// person, and with wait until the sent ones have ended. The exit code is that of
// the first job that did not end well.
func (p Run) FollowAll(ctx context.Context, s *state.Session, ids []string, wait bool, timeout time.Duration) error {
	waiting, cancel := run.Within(ctx, timeout)
	defer cancel()
	var cause error
	for _, id := range ids {
		j, err := s.Sent(waiting, id)
		switch {
		case err == nil && wait:
			p.Remark("job %s · %s", j.ID, run.Phase(j.Phase))
		case err != nil && !errors.Is(err, state.ErrNoJob): // which another window has removed
			cause = err
		}
		if cause != nil {
			break
		}
	}
	defer p.sayTrouble(waiting, s, s.Health().Trouble)() // each job says why it was not sent
	for i := 0; wait && cause == nil && i < len(ids); i++ {
		if _, err := s.Ended(waiting, ids[i]); err != nil && !errors.Is(err, state.ErrNoJob) {
			cause = err
		}
	}
	if cause != nil && ctx.Err() != nil { // what is being sent is waited for
		finishSending(ctx, s)
	}
	return p.finishAll(context.WithoutCancel(ctx), s, ids, wait, cause)
}

// finishAll prints the jobs of an agreement and turns what became of them into
// the exit code.
func (p Run) finishAll(ctx context.Context, s *state.Session, ids []string, wait bool, cause error) error {
	documents, code, held := []jobDocument{}, run.ExitDone, ""
	for _, id := range ids {
		j, err := find(ctx, s, id)
		if errors.Is(err, state.ErrNoJob) {
			continue
		}
		if err != nil {
			return err
		}
		if c := run.CodeOfJob(j); code == run.ExitDone && (wait || !j.Phase.Active()) {
			code = c
		}
		if j.Phase == api.PhaseHeld && held == "" {
			held = j.ID
		}
		switch {
		case p.JSON:
			documents = append(documents, withAnswer(s, j))
		case !wait && j.Phase.Active():
			fmt.Fprintln(p.Out, j.ID)
		default:
			p.printJob(s, j)
		}
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
	} else if cause != nil && code == run.ExitDone {
		code = run.ExitWaiting
	}
	return notAllDone(code)
}

// sendHeld sends a held job, or all that wait with it.
func (p Run) sendHeld(ctx context.Context, s *state.Session, id string, f *settleFlags) error {
	job, err := find(ctx, s, id)
	if err != nil {
		return err
	}
	offer, err := s.Queue().Offer(ctx, job.ID, f.all)
	switch {
	case errors.Is(err, state.ErrKeyRefused):
		return run.WithCode(run.ExitKey, err)
	case ctx.Err() != nil:
		return run.ErrAborted
	case len(offer.Held) == 0:
		return run.WithCode(run.ExitUsage, err)
	}
	total := api.Estimate{Credits: offer.Total, Source: api.SourceTable}
	price := run.Credits(offer.Total)
	if !offer.Known {
		total.Source, price = api.SourceNone, run.PriceText(api.Estimate{Source: api.SourceNone}, err)
	}
	if err := f.maxCredits.Allow(total, err); err != nil {
		return err
	}
	if !offer.Reason.IsZero() {
		p.Notice(run.Because(offer.Reason))
	}
	p.SayPrice(ctx, s, job.Model, run.Sentencef("%d requests · %s", len(offer.Held), price))
	questions := []error{run.Sentencef("Send it?")}
	if offer.Copied {
		questions = append(questions, chargedTwice)
	}
	if err := p.agree(ctx, f.yes, questions); err != nil {
		return err
	}
	if err := s.Queue().Resume(ctx, offer); err != nil {
		return err
	}
	ids := make([]string, len(offer.Held))
	for i, h := range offer.Held {
		ids[i] = h.ID
	}
	return p.FollowAll(ctx, s, ids, false, 0)
}

// removeHeld deletes a held job, or all that wait with it: nothing was sent and
// nothing spent.
func (p Run) removeHeld(ctx context.Context, s *state.Session, id string, all bool) error {
	job, err := find(ctx, s, id)
	if err != nil {
		return err
	}
	ids := []string{job.ID}
	if all {
		held, err := s.Queue().Held(ctx, job.ID)
		if err != nil {
			return err
		}
		ids = ids[:0]
		for _, h := range held {
			ids = append(ids, h.ID)
		}
	}
	if err := s.Queue().Remove(ctx, ids...); err != nil {
		return err
	}
	if p.JSON {
		p.PrintJSON(map[string]any{"removed": ids})
		return nil
	}
	p.Remark("%d removed; nothing was spent", len(ids))
	return nil
}
