package run

import (
	"context"
	"errors"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// Current is the figure that counts now: one of the service that is older than
// a minute is not known any more, and the rate table's takes its place.
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

// Estimate is the figure that counts now, and why it is no better. err ends the run.
func Estimate(ctx context.Context, s *state.Session, r api.Request) (e api.Estimate, why, err error) {
	e, why = s.Estimate(ctx, r)
	if err := Ends(ctx, why); err != nil {
		return e, nil, err
	}
	e, why = Current(e, why, r, time.Now())
	return e, why, nil
}

// Ends is what of a missing figure ends a run: a refused key, or a signal.
func Ends(ctx context.Context, why error) error {
	switch {
	case errors.Is(why, state.ErrKeyRefused):
		return why
	case ctx.Err() != nil:
		return ErrAborted
	}
	return nil
}

// LimitFlag is a flag that takes an amount of credits, which may be 0.
type LimitFlag struct {
	Amount api.Credits
	Given  bool
}

func (c *LimitFlag) String() string { return "" } // by default there is none

// Set reads the flag's value; FlagError says what is wrong with it.
func (c *LimitFlag) Set(s string) (err error) {
	c.Amount, err = api.ParseLimit(s)
	c.Given = err == nil
	return err
}

// Type names the value in help.
func (c *LimitFlag) Type() string { return "credits" }

// Allow refuses a price above the limit, or none.
func (c *LimitFlag) Allow(e api.Estimate, err error) error {
	switch {
	case !c.Given || e.Known() && e.Credits <= c.Amount:
		return nil
	case !e.Known() && err != nil:
		return Usagef("nothing was sent: the price is not known (%s), and --max-credits is %s", err, c.Amount)
	case !e.Known():
		return Usagef("nothing was sent: the price is not known, and --max-credits is %s", c.Amount)
	}
	return Usagef("nothing was sent: the price is %s, and --max-credits is %s", Credits(e.Credits), c.Amount)
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
