package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
)

// Estimate asks for the price of the request with GET, and with POST when GET
// answers 404 or 405 ("GET or POST /api/v1/pricing/estimate"). The client
// remembers which of the two the service has. Errors are *Error.
func (c *Client) Estimate(ctx context.Context, r Request, m Model) (Estimate, error) {
	fields := estimateFields(r, m)
	first := c.estimatePost.Load()
	e, err := c.estimate(ctx, fields, first)
	if !otherMethod(err) {
		return e, err
	}
	e, second := c.estimate(ctx, fields, !first)
	if otherMethod(second) {
		return Estimate{Source: SourceNone}, err // neither is there: what the first said is nearer the cause
	}
	var told *Error
	if second == nil || errors.As(second, &told) && told.Status != 0 && told.Status < 500 {
		c.estimatePost.Store(!first)
	}
	return e, second
}

// otherMethod reports whether an error may mean that the endpoint wants the
// other method.
func otherMethod(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

func (c *Client) estimate(ctx context.Context, fields []estimateField, post bool) (Estimate, error) {
	k := call{method: http.MethodGet, path: "/api/v1/pricing/estimate", cap: maxAnswer, whole: limitPoll}
	if post {
		k.method, k.body = http.MethodPost, estimateBody(fields)
	} else {
		k.query = make(url.Values, len(fields))
		for _, f := range fields {
			k.query.Set(f.name, f.value)
		}
	}
	t, err := c.read(ctx, k)
	if err != nil {
		return Estimate{Source: SourceNone}, err
	}
	e, found, err := ReadEstimate(t.Body)
	if err != nil {
		return Estimate{Source: SourceNone}, notRead(t, err, found, c.now())
	}
	e.Source, e.At, e.Raw = SourceService, c.now(), nil
	if len(t.Body) <= maxKeptRaw { // a cut one would be no JSON
		e.Raw = t.Body
	}
	return e, nil
}

type estimateField struct{ name, value string }

// estimateFields gives the parameters of the estimate endpoint, in the spec's
// order, under the name that the model lists where the spec has two.
func estimateFields(r Request, m Model) []estimateField {
	var fields []estimateField
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, estimateField{name, value})
		}
	}
	add(FieldModel, r.Model)
	add(FieldDuration, r.Duration)
	add(FieldVideoModel, r.VideoModel)
	add(FieldResolution, r.Resolution)
	add(r.listedName(m, FieldSize, "image_size"), r.Size)
	add(FieldQuality, r.Quality)
	add(r.ratioName(m), r.AspectRatio)
	return fields
}

// estimateBody encodes the parameters for POST: flat, digits as a number, as
// in a generation request.
func estimateBody(fields []estimateField) []byte {
	object := make(map[string]any, len(fields))
	for _, f := range fields {
		object[f.name] = f.value
		if f.name == FieldDuration && decimal.MatchString(f.value) && json.Valid([]byte(f.value)) {
			object[f.name] = json.Number(f.value)
		}
	}
	b, _ := json.Marshal(object) // strings and checked digits cannot fail
	return b
}
