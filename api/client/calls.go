package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// CreateOptions go with one create.
type CreateOptions struct {
	Kind api.Kind
	Sync bool // async false was asked for: the whole limit is 15 minutes
	// Media takes a body that is itself media, as it streams, to its end.
	// Without it such a body is an unread outcome. length is -1 when the
	// service does not tell it.
	Media func(mediaType string, length int64, body io.Reader) error
	// Last is called right before the request is handed to the network. Its
	// error keeps the request from being sent.
	Last func() error
}

// CreateLimit is how long a create takes at most until its answer has begun.
func CreateLimit(sync bool) time.Duration {
	if sync {
		return limitSync
	}
	return limitWhole
}

// Create sends body once, exactly once, and says what became of it. It never
// returns without an Outcome; the context stops it only before it has a
// connection; afterwards it makes the outcome unknown.
func (c *Client) Create(ctx context.Context, path string, body []byte, o CreateOptions) api.Outcome {
	k := call{
		method: http.MethodPost, path: path, body: body, create: true, media: o.Media,
		cap: MaxAnswer, headers: limitHeaders, whole: CreateLimit(o.Sync), extracts: true, last: o.Last,
	}
	if len(body) == 0 {
		// net/http may repeat a request without a body.
		return Classify(Trip{Host: c.Base.Host, Err: ErrBody}, o.Kind, c.Now())
	}
	if o.Sync {
		k.headers = 0
	}
	t := c.send(ctx, k)
	out := atJobID(Classify(t, o.Kind, c.Now()), t, c.jobID)
	if out.Phase != api.PhaseFetching {
		out.Answer.Results = t.extractor.drop(out.Answer.Results)
	}
	return out
}

// Models lists the models ("GET /api/v1/models"), at most 8 MiB. incomplete says
// that the answer names a further page. Errors are *Error.
func (c *Client) Models(ctx context.Context) (models []api.Model, incomplete bool, err error) {
	t, err := c.read(ctx, call{method: http.MethodGet, path: "/api/v1/models", cap: maxModels, headers: limitHeaders, whole: limitWhole})
	if err != nil {
		return nil, false, err
	}
	if models, incomplete, err = read.Models(t.Header, t.Body); err != nil {
		return nil, false, notRead(t, err, c.Now())
	}
	return models, incomplete, nil
}

var whyOtherJob = api.Sentence("it is about another job")

// Job reads a job's status ("GET /api/v1/jobs/{id}"). Errors are *Error; an
// id that cannot stand in a path (see PollableID) is one without a call. An
// answer that could not be read comes with the error, and so does an answer about
// another job, which is neither id nor one of also.
func (c *Client) Job(ctx context.Context, id string, kind api.Kind, also ...string) (api.JobAnswer, error) {
	if !read.PollableID(id) {
		return api.JobAnswer{}, OwnError(api.ClassInvalid, 0, api.ReasonBadJobID)
	}
	t, err := c.read(ctx, call{
		method: http.MethodGet, path: "/api/v1/jobs/" + url.PathEscape(id),
		cap: MaxAnswer, whole: limitPoll, extracts: true, bodyCap: api.MaxBytes(kind),
	})
	if err != nil {
		t.extractor.drop(nil)
		return api.JobAnswer{Progress: -1, Raw: json.RawMessage(t.Body)}, err
	}
	if t.media != nil {
		return mediaAnswer(t), nil
	}
	a := read.Job(t.Status, t.Header, t.Body, kind)
	a.Results = t.extractor.resolve(a.Results)
	switch {
	case a.Refusal != nil && a.Class == api.StatusNone:
		return a, completeError(a.Refusal, t, c.Now())
	case !a.NotReadable.IsZero():
		return a, Unreadable(t, a.NotReadable)
	case a.OtherJob(id, also...):
		t.extractor.drop(a.Results)
		return api.JobAnswer{Progress: -1, Raw: a.Raw}, Unreadable(t, whyOtherJob.Reason())
	}
	return a, nil
}

// mediaAnswer is the answer of a poll whose body was the result itself. Such a job is
// finished, unless the status is 202.
func mediaAnswer(t Trip) api.JobAnswer {
	a := api.JobAnswer{Binary: true, Progress: -1, Class: api.StatusRunning}
	if t.Status != http.StatusOK {
		os.Remove(t.media.File)
		return a
	}
	a.Class, a.HasResult, a.Results = api.StatusSucceeded, true, []api.Result{*t.media}
	return a
}

// Resolve asks for each of several ids that a create's answer may have meant
// and gives the first that answers with a status. A failure that says nothing
// about the id (network, key, rate, server) ends it with that error.
func (c *Client) Resolve(ctx context.Context, candidates []string, kind api.Kind) (string, api.JobAnswer, error) {
	var tried []string
	for _, id := range candidates {
		if !read.PollableID(id) || slices.Contains(tried, id) || len(tried) >= read.MaxCandidates {
			continue
		}
		tried = append(tried, id)
		a, err := c.Job(ctx, id, kind)
		var e *api.Error
		switch {
		case err == nil && a.Class != api.StatusNone:
			return id, a, nil
		case err == nil:
		case errors.As(err, &e) && (e.Class == api.ClassNotFound || e.Class == api.ClassInvalid || e.Class == api.ClassUnreadable ||
			e.Class == api.ClassConflict):
		default:
			return "", api.JobAnswer{}, err
		}
	}
	return "", api.JobAnswer{}, OwnError(api.ClassNotFound, 0, api.ReasonNoKnownID)
}

// ReadFailure gives the error of a trip that is not a complete 2xx, else nil.
func ReadFailure(t Trip, now time.Time) error {
	switch {
	case t.Status >= 400:
		return completeError(read.Error(t.Status, t.Header, t.Body), t, now)
	case t.Status != 0 && (t.Status < 200 || t.Status > 299):
		return Unreadable(t, api.Reason{})
	case t.Err == nil && t.Status != 0:
		return nil
	}
	e := NetworkError(t.Err, t.Host, t.Status)
	e.Sent = t.Connected
	if errors.Is(t.Err, ErrTooLarge) {
		e.Class = api.ClassUnreadable
		e.Raw = read.KeepRaw(t.Body)
	}
	return e
}

// notRead is the error of a 2xx that a reader could not use: the refusal in it, if
// there is one.
func notRead(t Trip, cause error, now time.Time) *api.Error {
	if refused := read.Error(t.Status, t.Header, t.Body); refused != nil {
		switch refused.Class {
		case api.ClassKey, api.ClassCredits, api.ClassRate, api.ClassInvalid, api.ClassNotFound:
			return completeError(refused, t, now)
		}
	}
	return Unreadable(t, api.ReasonOf(cause))
}
