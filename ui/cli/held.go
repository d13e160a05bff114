package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// followAll waits until every job of an agreement was sent, or waits for the
// person, and with wait until the sent ones have ended. The exit code is that of
// the first job that did not end well.
func (p *program) followAll(ctx context.Context, s *state.Session, ids []string, wait bool, timeout time.Duration) error {
	waiting := ctx
	if timeout > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var cause error
	for _, id := range ids {
		j, err := s.Sent(waiting, id)
		if err != nil {
			cause = p.notFollowed(err)
		} else if wait {
			p.sayln("job %s · %s", j.ID, phaseWord(j.Phase))
		}
		if cause != nil {
			break
		}
	}
	for i := 0; wait && cause == nil && i < len(ids); i++ {
		if _, err := s.Ended(waiting, ids[i]); err != nil {
			cause = p.notFollowed(err)
		}
	}
	if cause != nil && ctx.Err() != nil { // what is being sent is waited for
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurriedLimit)
		defer cancel()
		s.Finish(last)
	}
	return p.finishAll(context.WithoutCancel(ctx), s, ids, wait, cause)
}

// notFollowed is why jobs are not waited for any longer; nil for one that
// another window has removed.
func (p *program) notFollowed(err error) error {
	if errors.Is(err, state.ErrNoJob) {
		return nil
	}
	return err
}

// finishAll prints the jobs of an agreement and turns what became of them into
// the exit code.
func (p *program) finishAll(ctx context.Context, s *state.Session, ids []string, wait bool, cause error) error {
	documents, code, held := []jobDocument{}, exitDone, ""
	for _, id := range ids {
		j, err := s.Job(ctx, id)
		if errors.Is(err, state.ErrNoJob) {
			continue
		}
		if err != nil {
			return err
		}
		if c := codeOfPhase(j); code == exitDone && (wait || !j.Phase.Active()) {
			code = c
		}
		if j.Phase == api.PhaseHeld && held == "" {
			held = j.ID
		}
		switch {
		case p.json:
			documents = append(documents, withAnswer(s, j))
		case !wait && j.Phase.Active():
			fmt.Fprintln(p.out, j.ID)
		default:
			p.printJob(s, j)
		}
	}
	if p.json {
		p.printJSON(map[string]any{"jobs": documents})
	}
	if held != "" {
		p.notice(sentencef("what is held was not sent. Send it with: darkroom job %s --send --all, or delete it with: darkroom job %s --remove --all", held, held))
	}
	if errors.Is(cause, state.ErrKeyRefused) {
		code = exitKey
	} else if cause != nil && code == exitDone {
		code = exitWaiting
	}
	if code == exitDone {
		return nil
	}
	return &failure{code: code, err: sentencef("not every job is done"), printed: true}
}

// sendHeld sends a held job, or all that wait with it.
func (p *program) sendHeld(ctx context.Context, s *state.Session, id string, f *settleFlags) error {
	job, err := s.Job(ctx, id)
	if err != nil {
		return err
	}
	offer, err := s.Queue().Offer(ctx, job.ID, f.all)
	switch {
	case errors.Is(err, state.ErrKeyRefused):
		return withCode(exitKey, err)
	case ctx.Err() != nil:
		return withCode(exitUsage, errAborted)
	case len(offer.Held) == 0:
		return withCode(exitUsage, err)
	}
	total := api.Estimate{Credits: offer.Total, Source: api.SourceTable}
	price := creditsText(offer.Total)
	if !offer.Known {
		total.Source, price = api.SourceNone, priceText(api.Estimate{Source: api.SourceNone}, err)
	}
	if err := f.maxCredits.allow(total, err); err != nil {
		return err
	}
	if !offer.Reason.IsZero() {
		p.notice(because(offer.Reason))
	}
	p.sayPrice(ctx, s, job.Model, sentencef("%d requests · %s", len(offer.Held), price))
	if f.yes == 0 {
		if !p.canAsk() {
			return usage("nothing was sent: without a terminal to ask on, --yes is needed")
		}
		if err := p.ask(ctx, sentencef("Send it?")); err != nil {
			return err
		}
	}
	if err := s.Queue().Resume(ctx, offer); err != nil {
		return err
	}
	ids := make([]string, len(offer.Held))
	for i, h := range offer.Held {
		ids[i] = h.ID
	}
	return p.followAll(ctx, s, ids, false, 0)
}

// removeHeld deletes a held job, or all that wait with it: nothing was sent and
// nothing spent.
func (p *program) removeHeld(ctx context.Context, s *state.Session, id string, all bool) error {
	job, err := s.Job(ctx, id)
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
	if p.json {
		p.printJSON(map[string]any{"removed": ids})
		return nil
	}
	p.sayln("%d removed; nothing was spent", len(ids))
	return nil
}
