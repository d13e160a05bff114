package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"darkroom/api"
	"darkroom/api/read"
)

// NetworkError is the error of a call that had no complete answer.
func NetworkError(err error, host string, status int) *api.Error {
	why, again := explainNetwork(err, host)
	e := &api.Error{Class: api.ClassNetwork, Status: status, Reason: why, Final: !again, Cause: err}
	switch {
	case errors.Is(err, errNoKey):
		e.Class = api.ClassKey
	case certificateError(err):
		e.Do = api.AdviseCertificate.Reason()
	}
	return e
}

// explainNetwork says why there was no complete answer, and whether trying
// again may cure it. The reason holds no address but host.
func explainNetwork(err error, host string) (why api.Reason, again bool) {
	var (
		refused Refusal
		limit   *LimitError
	)
	switch {
	case err == nil:
		return api.ReasonSilent.Reason(host), true
	case errors.As(err, &refused):
		return refused.Kind.Reason(), false
	case errors.Is(err, ErrTooLarge):
		return api.ReasonTooLarge.Reason(host), false
	case errors.As(err, &limit):
		return api.ReasonGave.Reason(host, limit.what.Reason(), limit.limit), true
	case errors.Is(err, context.Canceled):
		return api.ReasonStopped.Reason(), false
	case certificateError(err):
		return api.ReasonCertificate.Reason(host, certificateReason(err).Reason()), false
	case malformed(err) != "":
		return api.ReasonMalformed.Reason(host, api.Clean(malformed(err), 200)), true
	}
	return api.ReasonUnreachable.Reason(host, connectReason(err)), true
}

// malformed returns net/http's complaint about an answer that did come; "" for
// other errors.
func malformed(err error) string {
	var lost *net.OpError
	if errors.As(err, &lost) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	_, what, _ := strings.Cut(err.Error(), "HTTP/1.x transport connection broken: ")
	return strings.TrimPrefix(what, "net/http: ")
}

// connectReason gives the reason of a failed or lost connection.
func connectReason(err error) api.Reason {
	var (
		dns    *net.DNSError
		record tls.RecordHeaderError
		late   interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return api.ReasonNoSuchHost.Reason()
	case errors.As(err, &dns):
		return api.ReasonLookup.Reason()
	case errors.Is(err, syscall.ECONNREFUSED):
		return api.ReasonConnRefused.Reason()
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return api.ReasonReset.Reason()
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return api.ReasonNoNetwork.Reason()
	case errors.As(err, &record):
		return api.ReasonNoTLS.Reason()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return api.ReasonClosed.Reason()
	case errors.As(err, &late) && late.Timeout():
		return api.ReasonLate.Reason()
	}
	text := err.Error()
	if _, reason, ok := strings.Cut(text, "tls: "); ok { // TLS alerts have no type of their own
		return api.ReasonTLS.Reason(api.Clean(reason, 200))
	}
	return api.ReasonText.Reason(api.Clean(text, 200))
}

func certificateError(err error) bool {
	var verify *tls.CertificateVerificationError // every handshake wraps its causes in one
	return errors.As(err, &verify)
}

// certificateReason gives why a certificate is not trusted.
func certificateReason(err error) api.Sentence {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &authority):
		return api.ReasonIssuer
	case errors.As(err, &name):
		return api.ReasonName
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return api.ReasonExpired
	}
	return api.ReasonNotValid
}

// OwnError is an error that is found here, not said by the service.
func OwnError(class api.ErrorClass, status int, why api.Sentence, args ...any) *api.Error {
	return &api.Error{Class: class, Status: status, Reason: why.Reason(args...)}
}

// Unreadable is the error for a 2xx or 3xx that holds nothing of use; why may
// be zero.
func Unreadable(t Trip, why api.Reason) *api.Error {
	kind, args := api.ReasonUnreadable, []any{t.Host, t.Status}
	switch {
	case t.Status >= 300 && t.Status <= 399:
		kind = api.ReasonRedirect
	case t.Status < 200 || t.Status > 599:
		kind = api.ReasonNoSuchAnswer
	case len(t.Body) == 0:
		kind = api.ReasonEmpty
	case !why.IsZero():
		kind, args = api.ReasonUnreadableWhy, append(args, why)
	}
	e := OwnError(api.ClassUnreadable, t.Status, kind, args...)
	e.Raw = read.KeepRaw(t.Body)
	return e
}

// completeError fills what the reader left open in a refusal.
func completeError(e *api.Error, t Trip, now time.Time) *api.Error {
	e.Status = t.Status
	if wait, ok := read.Wait(t.Header, now); ok {
		e.RetryAfter = max(wait, api.MinWait) // the answer asked for a wait of 0, which here would mean none
	}
	e.Raw = read.KeepRaw(t.Body)
	return e
}

// lastMoment is the time that an expired limit grants to read an answer that is
// there already.
const lastMoment = 100 * time.Millisecond
