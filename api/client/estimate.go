package client

import (
	"context"
	"errors"
	"net/http"

	"darkroom/api"
	"darkroom/api/read"
)

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate"). The client
// remembers which of the two the service has. A price of one second is multiplied
// by the request's duration, and the rate table's price counts if it is higher.
// Errors are *Error; an amount that is not in credits, or is the price of a part
// only, is an error of ClassCurrency, since it must not pass for the credits of
// the request.
func (c *Client) Estimate(ctx context.Context, r api.Request, m api.Model) (api.Estimate, error) {
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
		return api.Estimate{Source: api.SourceNone}, err // neither is there: the first error is nearer the cause
	}
	var answered *api.Error
	if second == nil || errors.As(second, &answered) && answered.Status != 0 && answered.Status < 500 {
		c.estimatePost.Store(!first)
		c.tellMethod(!first)
	}
	return e, second
}

func (c *Client) tellMethod(post bool) {
	method := http.MethodGet
	if post {
		method = http.MethodPost
	}
	if c.methodFound != nil {
		c.methodFound(method)
	}
}

// otherMethod reports whether an error may mean that the endpoint wants the
// other method.
func otherMethod(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

func (c *Client) estimate(ctx context.Context, r api.Request, m api.Model, post bool) (api.Estimate, error) {
	k := call{method: http.MethodGet, path: "/api/v1/pricing/estimate", cap: MaxAnswer, whole: limitPoll}
	if post {
		k.method, k.body = http.MethodPost, r.EstimateBody(m)
	} else {
		k.query = r.EstimateQuery(m)
	}
	t, err := c.read(ctx, k)
	if err != nil {
		return api.Estimate{Source: api.SourceNone}, err
	}
	e, err := read.Estimate(t.Body)
	if err != nil {
		return api.Estimate{Source: api.SourceNone}, notRead(t, err, c.Now())
	}
	if e = e.Total(r); e.Unit != "" {
		code := api.ReasonPriceUnit
		if read.RateUnit(e.Unit) {
			code = api.ReasonPriceRate
		}
		foreign := OwnError(api.ClassCurrency, 0, code, e.Unit)
		foreign.Raw = read.KeepRaw(t.Body)
		return api.Estimate{Source: api.SourceNone}, foreign
	}
	e.Source, e.At, e.Raw = api.SourceService, c.Now(), nil
	if len(t.Body) <= read.MaxKeptRaw { // a cut one would not be JSON
		e.Raw = t.Body
	}
	return e.WithTable(r), nil
}
