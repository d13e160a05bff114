package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// Classify says what became of a create's one POST, by the outcome table: what is
// not proven is unknown: a second POST cannot be taken back.
func Classify(t Trip, kind api.Kind) api.Outcome {
	o := api.Outcome{HTTPStatus: t.Status, Header: t.Header, Raw: read.KeepRaw(t.Body)}
	switch {
	case t.Status == 0 && (t.Connected || t.Err == nil):
		o.Phase, o.Err = api.PhaseUnknown, NetworkError(t)
		o.Err.Sent = true
	case t.Status == 0: // only without a connection is a create proven unsent
		o.Phase, o.Err = api.PhaseNotSent, NetworkError(t)
		if !o.Err.Final {
			o.RetryAfter = time.Second // it never left
		}
	case t.accepted() && t.Streamed:
		classifyStreamed(t, &o)
	case t.accepted() && t.Err == nil && len(t.Body) > 0:
		classifyAccepted(t, kind, &o)
	case t.Status >= 400 && t.Status <= 499 && t.Err == nil:
		classifyRefusal(t, read.Error(t.Status, t.Header, t.Body), &o)
	}
	if o.Phase == "" {
		classifyUnknown(t, &o)
	}
	return o
}

func classifyAccepted(t Trip, kind api.Kind, o *api.Outcome) {
	a := read.Create(t.Status, t.Header, t.Body, kind)
	a.Results = t.extractor.resolve(a.Results)
	o.Answer = a
	switch {
	case a.Binary:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status,
			api.Sentence("the service answered with the result itself, and nothing was there to take it"))
	case !a.NotReadable.IsZero():
	case len(a.Results) > 0 && !a.Unfinished():
		o.Phase = api.PhaseFetching
	case read.PollableID(a.ID):
		o.Phase = api.PhaseQueued
	case a.Refusal != nil:
		classifyRefusal(t, a.Refusal, o)
	default:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status,
			api.Sentence("the service accepted the request, but its response holds no job id that can be read"))
	}
}

func classifyStreamed(t Trip, o *api.Outcome) {
	o.Answer = api.JobAnswer{Binary: true, Class: api.StatusSucceeded, Progress: -1}
	switch {
	case t.Err != nil: // unknown
		o.Err = NetworkError(t)
		o.Err.Reason = api.Sentence("the result was cut short: %v").Reason(o.Err.Reason)
	case t.StreamErr != nil:
		o.Phase = api.PhaseUnread
		o.Err = OwnError(api.ClassUnreadable, t.Status,
			api.Sentence("the service answered with the result itself, and it could not be saved: %v"), t.StreamErr.Error())
		o.Err.Cause = t.StreamErr
	default:
		o.Phase = api.PhaseFetching
	}
}

// classifyRefusal judges a complete refusal: a 4xx by its status or by words for
// exhausted credits or content that is not allowed, inside a 2xx by its class, like
// the 4xx of that class. What may be a job's id in it has still to be asked for.
func classifyRefusal(t Trip, e *api.Error, o *api.Outcome) {
	class, rated := e.Class, t.Status == http.StatusTooManyRequests
	proven := rated || api.ProvesRefusal(t.Status)
	if t.accepted() {
		rated = class == api.ClassRate
		proven = rated || class == api.ClassKey || class == api.ClassInvalid || class == api.ClassNotFound
	}
	o.Err = e
	if !proven && !class.UsedUp() && class != api.ClassModeration {
		return
	}
	o.Phase, o.Answer.Candidates = api.PhaseRejected, read.ScanIDs(t.Header, t.Body, false)
	if rated && !class.UsedUp() {
		o.RetryAfter = api.ClampWait(cmp.Or(e.RetryAfter, api.DefaultWait))
	}
}

// classifyUnknown keeps the ids that can be seen, for a person to attach.
func classifyUnknown(t Trip, o *api.Outcome) {
	o.Phase, o.Answer.Raw = api.PhaseUnknown, o.Raw
	if o.Answer.ID == "" && len(o.Answer.Candidates) == 0 {
		o.Answer.Candidates = read.ScanIDs(nil, t.Body, t.accepted())
	}
	switch {
	case o.Err != nil:
	case t.Status >= 500 || t.Status >= 400 && t.Err == nil:
		o.Err = read.Error(t.Status, t.Header, t.Body)
	case t.Err != nil:
		o.Err = NetworkError(t)
	default:
		o.Err = Unreadable(t, o.Answer.NotReadable)
	}
	o.Err.Raw = o.Raw
}

// atJobID gives an accepted create the id at a path that a person set. One that
// leads nowhere leaves what the reader found.
func atJobID(o api.Outcome, t Trip, path string) api.Outcome {
	if path == "" || !t.accepted() || o.Phase != api.PhaseQueued && o.Phase != api.PhaseUnread {
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

// NetworkError is that of a call without a complete answer. It names the host alone.
func NetworkError(t Trip) *api.Error {
	err, host := t.Err, t.Host
	e := &api.Error{Class: api.ClassNetwork, Status: t.Status, Sent: t.Connected || t.Status != 0, Cause: err}
	var refused Refusal
	var limit *LimitError
	switch what := malformed(err); {
	case err == nil:
		e.Reason = api.Sentence("there was no response from %v").Reason(host)
	case errors.As(err, &refused):
		e.Reason, e.Final = refused.Kind.Reason(), true
		if refused == errNoKey {
			e.Class = api.ClassKey
		}
	case errors.Is(err, ErrTooLarge):
		e.Class, e.Final, e.Raw = api.ClassUnreadable, true, read.KeepRaw(t.Body)
		e.Reason = api.Sentence("the response of %v is larger than darkroom reads").Reason(host)
	case errors.As(err, &limit):
		e.Reason = api.Sentence("the service at %v gave %v within %v").Reason(host, limit.what.Reason(), limit.limit)
	case errors.Is(err, context.Canceled):
		e.Reason, e.Final = api.ReasonStopped.Reason(), true
	case errors.As(err, new(*tls.CertificateVerificationError)): // every handshake wraps its causes in one
		e.Reason = api.Sentence("the certificate of %v cannot be trusted: %v").Reason(host, certificateReason(err).Reason())
		e.Do, e.Final = api.Sentence("check the service's address, this machine's clock and any proxy").Reason(), true
	case what != "":
		e.Reason = api.Sentence("the response of %v is not HTTP: %v").Reason(host, api.Clean(what, 200))
	default:
		why := cmp.Or(api.ConnectionReason(err), api.ReasonText.Reason(api.Clean(err.Error(), 200)))
		e.Reason = api.Sentence("the service is not reachable at %v: %v").Reason(host, why)
		if why.Format() == api.ReasonProxy {
			e.Do = api.Sentence("check the variable HTTPS_PROXY and the network").Reason()
		}
	}
	return e
}

// malformed returns net/http's complaint about an answer that did come, or "".
func malformed(err error) string {
	switch {
	case err == nil, errors.As(err, new(*net.OpError)):
		return ""
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ""
	case slices.Contains([]string{"malformed chunked encoding", "invalid byte in chunk length"}, err.Error()): // in the body
		return err.Error()
	}
	_, what, _ := strings.Cut(err.Error(), "HTTP/1.x transport connection broken: ")
	return strings.TrimPrefix(what, "net/http: ")
}

func certificateReason(err error) api.Sentence {
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return api.Sentence("its issuer is not known on this machine")
	case errors.As(err, new(x509.HostnameError)):
		return api.Sentence("it was issued for another name")
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return api.Sentence("it has expired, or this machine's clock is wrong")
	}
	return api.Sentence("it is not valid")
}

// OwnError is an error that is found here, not said by the service.
func OwnError(class api.ErrorClass, status int, why api.Sentence, args ...any) *api.Error {
	return &api.Error{Class: class, Status: status, Reason: why.Reason(args...)}
}

// Unreadable is the error for an answer that holds nothing of use.
func Unreadable(t Trip, why api.Reason) *api.Error {
	kind, args := api.Sentence("the service at %v answered %v, which cannot be read"), []any{t.Host, t.Status}
	switch {
	case t.Status >= 300 && t.Status <= 399:
		kind = api.Sentence("the service at %v answered %v, a redirect, which darkroom does not follow")
	case !t.accepted() && t.Status < 400 || t.Status > 599:
		kind = api.Sentence("the service at %v answered %v, which does not belong to this call")
	case len(t.Body) == 0:
		kind = api.Sentence("the service at %v answered %v with nothing in it")
	case !why.IsZero():
		kind, args = "the service at %v answered %v, which cannot be read: %v", append(args, why)
	}
	e := OwnError(api.ClassUnreadable, t.Status, kind, args...)
	e.Raw = read.KeepRaw(t.Body)
	return e
}
