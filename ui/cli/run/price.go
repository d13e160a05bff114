package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// Current is the figure that counts now: one of the service that is older than
// a minute is not known any more, and the rate table takes its place where
// there is one. The error says then what is missing.
func Current(e api.Estimate, err error, r api.Request, now time.Time) (api.Estimate, error) {
	counts, fresh := e.Current(r, now)
	if fresh {
		return e, err
	}
	old := Sentencef("the last figure, %s, is of %s", Credits(e.Credits), e.At.Local().Format(time.DateTime))
	if err != nil {
		old = Sentencef("%s; %s", err, old)
	}
	return counts, old
}

// Estimate is the figure that counts now for a request, and why there is no
// better one. err ends the run.
func Estimate(ctx context.Context, s *state.Session, r api.Request) (e api.Estimate, why, err error) {
	e, why = s.Estimate(ctx, r)
	switch {
	case errors.Is(why, state.ErrKeyRefused):
		return e, nil, why
	case ctx.Err() != nil:
		return e, nil, ErrAborted
	}
	e, why = Current(e, why, r, time.Now())
	return e, why, nil
}

// LimitFlag is a flag that takes an amount of credits. An amount of 0 is one too:
// Given distinguishes it from a flag that was not given.
type LimitFlag struct {
	Amount api.Credits
	Given  bool
}

func (c *LimitFlag) String() string {
	if !c.Given {
		return ""
	}
	return c.Amount.String()
}

// Set reads the flag's value.
func (c *LimitFlag) Set(s string) error {
	v, err := api.ParseCredits(s)
	if err != nil {
		return err // FlagError says it
	}
	c.Amount, c.Given = v, true
	return nil
}

// Type names the value in help.
func (c *LimitFlag) Type() string { return "credits" }

// Allow refuses a price above the limit, or none.
func (c *LimitFlag) Allow(e api.Estimate, err error) error {
	switch {
	case !c.Given:
		return nil
	case !e.Known() && err != nil:
		return Usagef("nothing was sent: the price is not known (%s), and --max-credits is %s", err, c.Amount)
	case !e.Known():
		return Usagef("nothing was sent: the price is not known, and --max-credits is %s", c.Amount)
	case e.Credits > c.Amount:
		return Usagef("nothing was sent: the price is %s, and --max-credits is %s", Credits(e.Credits), c.Amount)
	}
	return nil
}

// PriceText says what is known of a price, and why no more is.
func PriceText(e api.Estimate, err error) error {
	switch {
	case e.Differs && e.Source == api.SourceTable:
		return Sentencef("%s by the rate table, although the service says %s", Credits(e.Table), Credits(e.Service))
	case e.Differs:
		return Sentencef("%s, although the rate table says %s", Credits(e.Service), Credits(e.Table))
	case e.Source == api.SourceService:
		return Credits(e.Credits)
	case e.Source == api.SourceTable && err != nil:
		return Sentencef("%s by the rate table (the service gave no figure: %s)", Credits(e.Credits), err)
	case e.Source == api.SourceTable:
		return Sentencef("%s by the rate table", Credits(e.Credits))
	case err != nil:
		return Sentencef("price not known: %s", err)
	}
	return Sentencef("price not known")
}

// SayPrice says before a request is sent what it costs, and that the service
// does not list its model.
func (p *Program) SayPrice(ctx context.Context, s *state.Session, model string, price error) {
	if s.Remote.Unlisted(ctx, model) {
		p.Notice(Sentencef("the model %s is not in the service's list", ID(model)))
	}
	fmt.Fprintf(p.Err, "%s · %s\n", ID(model), api.OneLine(p.Sentence(price)))
}
