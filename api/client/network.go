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
	text, again := explainNetwork(err, host)
	e := &api.Error{Class: api.ClassNetwork, Status: status, Text: api.Clean(text, api.MaxErrorText), Final: !again, Cause: err}
	switch {
	case errors.Is(err, errNoKey):
		e.Class = api.ClassKey
	case certificateError(err):
		e.Do = api.Clean("check the base URL, this machine's clock and any proxy", api.MaxErrorText)
	}
	return e
}

// explainNetwork says in plain words why there was no complete answer, and
// whether trying again may cure it. The words never hold an address but host.
func explainNetwork(err error, host string) (text string, again bool) {
	var (
		refused Refusal
		limit   *LimitError
	)
	switch {
	case err == nil:
		return "there was no answer from " + host, true
	case errors.As(err, &refused):
		return refused.Error(), false
	case errors.Is(err, ErrTooLarge):
		return "the answer of " + host + " is larger than darkroom reads", false
	case errors.As(err, &limit):
		return "the service at " + host + " gave " + limit.Error(), true
	case errors.Is(err, context.Canceled):
		return "the call was stopped before it was complete", false
	case certificateError(err):
		return "the certificate of " + host + " cannot be trusted: " + certificateReason(err), false
	}
	return "the service is not reachable at " + host + ": " + connectReason(err), true
}

// connectReason gives the reason of a failed or lost connection.
func connectReason(err error) string {
	var (
		dns    *net.DNSError
		record tls.RecordHeaderError
		late   interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no such host name"
	case errors.As(err, &dns):
		return "its name cannot be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNABORTED):
		return "the connection was reset"
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETDOWN):
		return "no way to the network"
	case errors.As(err, &record):
		return "it does not speak TLS"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed before the answer was complete"
	case errors.As(err, &late) && late.Timeout():
		return "it did not answer in time"
	}
	text := err.Error()
	if _, reason, ok := strings.Cut(text, "tls: "); ok { // TLS alerts have no type of their own
		text = "TLS failed: " + reason
	}
	return api.Clean(text, 200).String()
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

func certificateReason(err error) string {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	switch {
	case errors.As(err, &authority):
		return "its issuer is not known on this machine"
	case errors.As(err, &name):
		return "it was issued for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or this machine's clock is wrong"
	}
	return "it is not valid"
}
