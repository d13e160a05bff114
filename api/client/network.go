package client

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"

	"darkroom/api"
	"darkroom/api/read"
)

// NetworkError is that of a call without a complete answer. It names the host alone.
func NetworkError(t Trip) *api.Error {
	err, host := t.Err, t.Host
	e := &api.Error{Class: api.ClassNetwork, Status: t.Status, Sent: t.Connected || t.Status != 0, Cause: err}
	var refused Refusal
	var limit *LimitError
	var verify *tls.CertificateVerificationError // every handshake wraps its causes in one
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
	case errors.As(err, &verify):
		e.Reason = api.Sentence("the certificate of %v cannot be trusted: %v").Reason(host, certificateReason(err).Reason())
		e.Do, e.Final = api.Sentence("check the base URL, this machine's clock and any proxy").Reason(), true
	case what != "":
		e.Reason = api.Sentence("the response of %v is not HTTP: %v").Reason(host, api.Clean(what, 200))
	default:
		why := cmp.Or(api.ConnectionReason(err), api.ReasonText.Reason(api.Clean(err.Error(), 200)))
		e.Reason = api.Sentence("the service is not reachable at %v: %v").Reason(host, why)
	}
	return e
}

// malformed returns net/http's complaint about an answer that did come, or "".
func malformed(err error) string {
	var lost *net.OpError
	switch {
	case err == nil, errors.As(err, &lost):
		return ""
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ""
	}
	_, what, _ := strings.Cut(err.Error(), "HTTP/1.x transport connection broken: ")
	return strings.TrimPrefix(what, "net/http: ")
}

func certificateReason(err error) api.Sentence {
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &authority):
		return api.Sentence("its issuer is not known on this machine")
	case errors.As(err, &name):
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
