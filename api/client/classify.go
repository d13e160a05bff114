package client

import (
	"errors"
	"net/http"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// retryUnsent is the RetryAfter of a create that never left: the first of the
// waits of 1, 4 and 16 s, which the caller counts.
const retryUnsent = time.Second

// Classify says what became of a create's one POST. It is a pure function and
// follows the outcome table: an outcome not proven one way or the other is
// unknown, because a person can resolve that and nobody can take back a second
// POST. now stands in for a missing Date header.
func Classify(t Trip, kind api.Kind, now time.Time) api.Outcome {
	o := api.Outcome{
		HTTPStatus: t.Status,
		Header:     t.Header,
		Raw:        read.KeepRaw(t.Body),
		Connected:  t.Connected || t.Status != 0,
	}
	switch s := t.Status; {
	case s == 0:
		return classifyNoAnswer(t, o)
	case s >= 200 && s <= 299:
		return classifyAccepted(t, kind, now, o)
	case s >= 400 && s <= 499:
		return classifyRefused(t, now, o)
	}
	return unknownOutcome(t, now, o)
}

// classifyNoAnswer judges a create without an answer: only without a connection
// is it proven unsent.
func classifyNoAnswer(t Trip, o api.Outcome) api.Outcome {
	o.Err = NetworkError(t.Err, t.Host, 0)
	o.Err.Sent = t.Connected
	if t.Connected || t.Err == nil {
		o.Phase, o.Err.Sent, o.Connected = api.PhaseUnknown, true, true
		return o
	}
	o.Phase = api.PhaseNotSent
	if !o.Err.Final {
		o.RetryAfter = retryUnsent
	}
	return o
}

// classifyAccepted judges a 2xx.
func classifyAccepted(t Trip, kind api.Kind, now time.Time, o api.Outcome) api.Outcome {
	if t.Streamed {
		return classifyStreamed(t, o)
	}
	if t.Err != nil || len(t.Body) == 0 {
		return unknownOutcome(t, now, o)
	}
	a := read.Create(t.Status, t.Header, t.Body, kind)
	a.Results = t.extractor.resolve(a.Results)
	o.Answer = a
	media := a.Binary || mediaBody(t.Header.Get("Content-Type"), t.Body) != ""
	switch {
	case media:
		// It came as a body and nobody took it: the bytes are gone.
		o.Phase, o.Answer.Binary = api.PhaseUnread, true
		o.Err = OwnError(api.ClassUnreadable, t.Status, api.ReasonResultNotTaken)
	case !a.NotReadable.IsZero():
		return unknownOutcome(t, now, o)
	case len(a.Results) > 0 && !a.Unfinished():
		o.Phase = api.PhaseFetching
	case a.ID != "" && read.PollableID(a.ID):
		o.Phase = api.PhaseQueued
	case a.ID == "" && !a.HasResult && a.Refusal != nil:
		return classifyRefusal(t, a, now, o)
	default:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status, api.ReasonNoJobID)
	}
	return o
}

// classifyRefusal classifies a refusal inside a 2xx like the 4xx of its class. A class
// of a 409 or a 5xx proves nothing here either.
func classifyRefusal(t Trip, a api.JobAnswer, now time.Time, o api.Outcome) api.Outcome {
	o.Err = completeError(a.Refusal, t, now)
	switch a.Refusal.Class {
	case api.ClassKey, api.ClassCredits, api.ClassInvalid, api.ClassModeration, api.ClassNotFound:
		o.Phase = api.PhaseRejected
	case api.ClassRate:
		o.Phase, o.RetryAfter = api.PhaseRejected, rateWait(o.Err)
	default:
		o.Phase = api.PhaseUnknown
	}
	return o
}

// classifyStreamed judges a 2xx whose body was media and was handed on.
func classifyStreamed(t Trip, o api.Outcome) api.Outcome {
	o.Answer = api.JobAnswer{Binary: true, HasResult: true, Class: api.StatusSucceeded, Progress: -1}
	switch {
	case t.Err != nil:
		o.Phase = api.PhaseUnknown
		o.Err = NetworkError(t.Err, t.Host, t.Status)
		o.Err.Class, o.Err.Sent = api.ClassNetwork, true
		o.Err.Reason = api.ReasonCutShort.Reason(o.Err.Reason)
	case t.StreamErr != nil:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status, api.ReasonResultNotSaved, t.StreamErr.Error())
		o.Err.Cause = t.StreamErr
	default:
		o.Phase = api.PhaseFetching
	}
	return o
}

// classifyRefused judges a 4xx. The status line alone decides, whether or not
// the body came to its end, but for words for exhausted credits.
func classifyRefused(t Trip, now time.Time, o api.Outcome) api.Outcome {
	e := completeError(read.Error(t.Status, t.Header, t.Body), t, now)
	switch {
	case e.Class == api.ClassCredits:
		o.Phase = api.PhaseRejected
	case t.Status == http.StatusTooManyRequests:
		o.Phase, o.RetryAfter = api.PhaseRejected, rateWait(e)
	case api.ProvesRefusal(t.Status):
		o.Phase = api.PhaseRejected
	default:
		return unknownOutcome(t, now, o)
	}
	o.Err = e
	return o
}

// rateWait returns how long a 429 holds its create.
func rateWait(e *api.Error) time.Duration {
	if e.RetryAfter > 0 {
		return api.ClampWait(e.RetryAfter)
	}
	return api.DefaultWait
}

// unknownOutcome is the outcome of an answer that proves nothing. Ids that can
// be seen in it are kept for a person to attach.
func unknownOutcome(t Trip, now time.Time, o api.Outcome) api.Outcome {
	o.Phase, o.RetryAfter = api.PhaseUnknown, 0
	o.Answer.Raw = o.Raw
	if o.Answer.ID == "" && len(o.Answer.Candidates) == 0 {
		o.Answer.Candidates = read.ScanIDs(t.Body, t.Status >= 200 && t.Status <= 299)
	}
	switch {
	case t.Status >= 400:
		o.Err = completeError(read.Error(t.Status, t.Header, t.Body), t, now)
	case t.Err != nil:
		o.Err = NetworkError(t.Err, t.Host, t.Status)
		o.Err.Class, o.Err.Sent = api.ClassNetwork, true
		if errors.Is(t.Err, ErrTooLarge) {
			o.Err.Class = api.ClassUnreadable
		}
	default:
		o.Err = Unreadable(t, o.Answer.NotReadable)
	}
	o.Err.Raw = o.Raw
	return o
}

// atJobID gives an accepted create the id at a path that a person set, when
// there is one that can be asked for. Nothing else of the outcome changes: a
// path that leads nowhere leaves what the reader found.
func atJobID(o api.Outcome, t Trip, path string) api.Outcome {
	if path == "" || t.Status < 200 || t.Status > 299 || o.Phase != api.PhaseQueued && o.Phase != api.PhaseUnread {
		return o
	}
	id := read.IDAt(t.Body, path)
	if !read.PollableID(id) {
		return o
	}
	if was := o.Answer.ID; was != "" && was != id {
		o.Answer.Candidates = append([]string{was}, o.Answer.Candidates...)
	}
	o.Answer.ID, o.Answer.IDPath = id, path
	o.Phase, o.Err = api.PhaseQueued, nil
	return o
}
