package linear

import (
	"context"
	"fmt"

	"darkroom/api"
	"darkroom/ui/cli/create"
	"darkroom/ui/cli/output"
	"darkroom/ui/cli/program"
	"darkroom/ui/cli/say"
)

// turn makes the next prompts of a kind, with the flags from now on.
func (l *linear) turn(kind api.Kind, flags []string) error {
	if _, err := create.RequestOf(kind, flags); err != nil {
		return err
	}
	l.kind, l.asked[kind] = kind, flags
	return nil
}

// price says what the next prompt costs.
func (l *linear) price(ctx context.Context) error {
	r, err := create.RequestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	if err := program.CanCall(ctx, l.s); err != nil {
		return err
	}
	r.Prompt = "-" // a price does not depend on it
	r, estimate, err := l.p.Price(ctx, l.s, r)
	if r.Model == "" {
		return err
	}
	fmt.Fprintf(l.p.Out, "%s · %s\n", output.ID(r.Model), api.OneLine(l.p.Sentence(program.PriceText(estimate, err))))
	return nil
}

// create sends a prompt, after its price was agreed to.
func (l *linear) create(ctx context.Context, line string) error {
	if err := program.CanCall(ctx, l.s); err != nil {
		return err
	}
	r, err := create.RequestOf(l.kind, l.asked[l.kind])
	if err != nil {
		return err
	}
	prompt := line
	if line != "-" { // which would wait for the rest of the input
		if prompt, err = l.p.ReadPrompt(ctx, line); err != nil {
			return err
		}
	}
	if r, err = create.Filled(r, false, prompt); err != nil {
		return err
	}
	job, err := l.p.Send(ctx, l.s, r)
	if err != nil {
		return err
	}
	l.phases[job.ID] = job.Phase
	l.p.Println("job %s · %s", job.ID, say.Phase(api.PhaseSending))
	return nil
}
