package cli

import (
	"context"
	"fmt"
	"time"

	"darkroom/api"
	"darkroom/state"
)

// current is the figure that counts now: one of the service that is older than
// a minute is not known any more, and the rate table takes its place where
// there is one. The error says then what is missing.
func current(e api.Estimate, err error, r api.Request, now time.Time) (api.Estimate, error) {
	counts, fresh := e.Current(r, now)
	if fresh {
		return e, err
	}
	old := sentencef("the last figure, %s, is of %s", creditsText(e.Credits), e.At.Local().Format(time.DateTime))
	if err != nil {
		old = sentencef("%s; %s", err, old)
	}
	return counts, old
}

// ageSeconds is how old a figure of the service is.
func ageSeconds(e api.Estimate, now time.Time) int64 {
	if e.Source != api.SourceService || e.At.IsZero() {
		return 0
	}
	return max(int64(now.Sub(e.At)/time.Second), 0)
}

// allow refuses a price above the limit, or none.
func (c *credits) allow(e api.Estimate, err error) error {
	switch {
	case !c.set:
		return nil
	case !e.Known() && err != nil:
		return usage("nothing was sent: the price is not known (%s), and --max-credits is %s", err, c.amount)
	case !e.Known():
		return usage("nothing was sent: the price is not known, and --max-credits is %s", c.amount)
	case e.Credits > c.amount:
		return usage("nothing was sent: the price is %s, and --max-credits is %s", creditsText(e.Credits), c.amount)
	}
	return nil
}

// creditsText writes an amount with its unit: "1 credit", "12.5 credits".
func creditsText(c api.Credits) error {
	if c == api.Credit {
		return sentencef("1 credit")
	}
	return sentencef("%s credits", c.String())
}

// priceText says what is known of a price, and why no more is.
func priceText(e api.Estimate, err error) error {
	switch {
	case e.Differs && e.Source == api.SourceTable:
		return sentencef("%s by the rate table, although the service says %s", creditsText(e.Table), creditsText(e.Service))
	case e.Differs:
		return sentencef("%s, although the rate table says %s", creditsText(e.Service), creditsText(e.Table))
	case e.Source == api.SourceService:
		return creditsText(e.Credits)
	case e.Source == api.SourceTable && err != nil:
		return sentencef("%s by the rate table (the service gave no figure: %s)", creditsText(e.Credits), err)
	case e.Source == api.SourceTable:
		return sentencef("%s by the rate table", creditsText(e.Credits))
	case err != nil:
		return sentencef("price not known: %s", err)
	}
	return sentencef("price not known")
}

// sayPrice says before a request is sent what it costs, and that the service
// does not list its model.
func (p *program) sayPrice(ctx context.Context, s *state.Session, model string, price error) {
	if s.Unlisted(ctx, model) {
		p.notice(sentencef("the model %s is not in the service's list", shownID(model)))
	}
	fmt.Fprintf(p.err, "%s · %s\n", shownID(model), oneLine(p.sentence(price)))
}
