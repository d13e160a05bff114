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

	"darkroom/api"
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
// again may cure it. The reason never holds an address but host.
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
	}
	return api.ReasonUnreachable.Reason(host, connectReason(err)), true
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
	return api.NewReason(api.ReasonText, api.Clean(text, 200))
}

func certificateError(err error) bool {
	var (
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		roots     x509.SystemRootsError
	)
	return errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &name) ||
		errors.As(err, &invalid) || errors.As(err, &roots)
}

// certificateReason gives why a certificate is not trusted.
func certificateReason(err error) api.ReasonKind {
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
