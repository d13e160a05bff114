package api

import (
	"context"
	"errors"
	"net/http"
)

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate"). The client
// remembers which of the two the service has. Errors are *Error; an amount that
// is not in credits is one of ClassCurrency, since it must not pass for credits.
func (c *Client) Estimate(ctx context.Context, r Request, m Model) (Estimate, error) {
	first := c.estimatePost.Load()
	e, err := c.estimate(ctx, r, m, first)
	if !otherMethod(err) {
		if err == nil {
			c.tellMethod(first)
		}
		return e, err
	}
	e, second := c.estimate(ctx, r, m, !first)
	if otherMethod(second) {
		return Estimate{Source: SourceNone}, err // neither is there: what the first said is nearer the cause
	}
	var told *Error
	if second == nil || errors.As(second, &told) && told.Status != 0 && told.Status < 500 {
		c.estimatePost.Store(!first)
		c.tellMethod(!first)
	}
	return e, second
}

func (c *Client) tellMethod(post bool) {
	switch {
	case c.learnt == nil:
	case post:
		c.learnt(http.MethodPost)
	default:
		c.learnt(http.MethodGet)
	}
}

// otherMethod reports whether an error may mean that the endpoint wants the
// other method.
func otherMethod(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

func (c *Client) estimate(ctx context.Context, r Request, m Model, post bool) (Estimate, error) {
	k := call{method: http.MethodGet, path: "/api/v1/pricing/estimate", cap: maxAnswer, whole: limitPoll}
	if post {
		k.method, k.body = http.MethodPost, r.EstimateBody(m)
	} else {
		k.query = r.EstimateQuery(m)
	}
	t, err := c.read(ctx, k)
	if err != nil {
		return Estimate{Source: SourceNone}, err
	}
	e, found, err := ReadEstimate(t.Body)
	if err != nil {
		return Estimate{Source: SourceNone}, notRead(t, err, found, c.now())
	}
	if e.Unit != "" {
		told := ownError(ClassCurrency, 0, "the service gives this price in "+e.Unit+", not in credits, so there is no figure")
		told.Raw, told.Found = keep(t.Body), found
		return Estimate{Source: SourceNone}, told
	}
	e.Source, e.At, e.Raw = SourceService, c.now(), nil
	if len(t.Body) <= maxKeptRaw { // a cut one would be no JSON
		e.Raw = t.Body
	}
	return e, nil
}
