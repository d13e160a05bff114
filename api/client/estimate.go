package client

import (
	"context"
	"errors"
	"net/http"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate"). The client
// remembers which of the two the service has. A price of one second is multiplied
// by the request's duration, and the rate table's price counts if it is higher.
// An amount that is not in credits, or is the price of a part only, is an *Error
// of ClassCurrency.
func (c *Client) Estimate(ctx context.Context, r api.Request, m api.Model) (api.Estimate, error) {
	post := c.estimatePost.Load()
	e, err := c.estimate(ctx, r, m, post)
	found := err == nil
	if otherMethod(err) {
		other, second := c.estimate(ctx, r, m, !post)
		if otherMethod(second) {
			return other, err // neither is there: the first error is nearer the cause
		}
		var answered *api.Error
		found = second == nil || errors.As(second, &answered) && answered.Status != 0 && answered.Status < 500
		post, e, err = !post, other, second
	}
	if found {
		c.estimatePost.Store(post)
	}
	if found && c.MethodFound != nil {
		c.MethodFound(map[bool]string{false: http.MethodGet, true: http.MethodPost}[post])
	}
	return e, err
}

// otherMethod reports an error that may mean that the other method is wanted.
func otherMethod(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

func (c *Client) estimate(ctx context.Context, r api.Request, m api.Model, post bool) (api.Estimate, error) {
	none := api.Estimate{Source: api.SourceNone}
	k := call{method: http.MethodGet, path: "/api/v1/pricing/estimate", cap: MaxAnswer, whole: limitPoll}
	if post {
		k.method, k.body = http.MethodPost, r.EstimateBody(m)
	} else {
		k.query = r.EstimateQuery(m)
	}
	t, err := c.read(ctx, k)
	if err != nil {
		return none, err
	}
	e, err := read.Estimate(t.Body, r.EstimateQuery(m))
	if err != nil {
		return none, notRead(t, err)
	}
	if e = e.Total(r); e.Unit != "" {
		code := api.Sentence("the service gives this price in %v, not in credits, so there is no figure")
		if read.RateUnit(e.Unit) {
			code = api.Sentence("the service gives this price per %v, not for the request, so there is no figure")
		}
		foreign := OwnError(api.ClassCurrency, 0, code, e.Unit)
		foreign.Raw = read.KeepRaw(t.Body)
		return none, foreign
	}
	e.At = time.Now()
	if len(t.Body) <= read.MaxKeptRaw { // a cut one would not be JSON
		e.Raw = t.Body
	}
	return e.WithTable(r), nil
}
