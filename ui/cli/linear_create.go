package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darkroom/api"
	"darkroom/state"
)

// turn makes the next prompts of a kind, with the flags from now on.
func (l *linear) turn(kind api.Kind, flags []string) error {
	if _, err := requestOf(kind, flags); err != nil {
		return err
	}
	l.kind, l.asked[kind] = kind, flags
	return nil
}

// requestOf is the request that flags describe, without a prompt.
func requestOf(kind api.Kind, flags []string) (api.Request, error) {
	f, cmd := &requestFlags{}, &cobra.Command{Use: string(kind)}
	f.add(cmd, kind)
	if err := cmd.ParseFlags(flags); err != nil {
		return f.request, flagError(cmd, err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		return f.request, usage("%q is no flag: the prompt is a line of its own", rest[0])
	}
	return f.complete(cmd)
}

// price tells what the next prompt costs.
func (l *linear) price(ctx context.Context) error {
	r, err := requestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	if err := l.s.AwaitKey(ctx); err != nil {
		return withCode(exitKey, err)
	}
	r.Prompt = "-" // a price does not depend on it
	r, _, err = l.p.prepare(ctx, l.s, r)
	if err != nil {
		return err
	}
	estimate, err := l.s.Estimate(ctx, r)
	estimate, err = current(estimate, err, r, time.Now())
	fmt.Fprintf(l.p.out, "%s · %s\n", shownID(r.Model), oneLine(l.p.sentence(priceText(estimate, err))))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	if err := usableBase(l.s.Settings()); err != nil {
		return err
	}
	if err := l.s.AwaitKey(ctx); err != nil {
		return withCode(exitKey, err)
	}
	r, err := requestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	prompt := line
	if line != "-" { // which would wait for the rest of the input
		if prompt, err = l.p.readPrompt(line); err != nil {
			return err
		}
	}
	if r, err = filled(r, false, prompt); err != nil {
		return err
	}
	if err := l.p.single(ctx, l.s, r); err != nil {
		return err
	}
	r, model, err := l.p.prepare(ctx, l.s, r)
	if err != nil {
		return err
	}
	estimate, err := l.p.agree(ctx, l.s, r, model, &generateFlags{})
	if err != nil {
		return err
	}
	job, err := l.p.submit(ctx, l.s, state.Confirmed{ConfirmID: state.NewConfirmID(), Request: r, Estimate: estimate}, false)
	if err != nil {
		return err
	}
	l.phases[job.ID] = job.Phase
	fmt.Fprintln(l.p.out, l.p.say("job %s · %s", job.ID, phaseWord(api.PhaseSending)))
	return nil
}
