package client

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"darkroom/api"
)

// SafeError gives an error whose text and chain cannot hold the key: a server
// may echo it in what the transport quotes ("malformed HTTP status code …").
func (c *Transport) SafeError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	safe := string(c.Key.Redact([]byte(text)))
	if safe != text {
		return errors.New(safe)
	}
	return err
}

// RedactHeader gives the headers of interest, redacted, cleaned and cut: they
// are stored and shown.
func (c *Transport) RedactHeader(from http.Header) http.Header {
	const maxValue, maxValues, maxHeaders = 512, 4, 40
	kept := make(http.Header)
	for name, values := range from {
		if !headerOfInterest(name) || len(kept) >= maxHeaders {
			continue
		}
		for _, v := range values[:min(len(values), maxValues)] {
			if name == "Location" {
				v, _, _ = strings.Cut(v, "?") // a query may hold secrets
			}
			v = string(c.Key.Redact([]byte(v)))
			kept.Add(name, api.Clean(v, maxValue).String())
		}
	}
	return kept
}

func headerOfInterest(name string) bool {
	return slices.Contains([]string{
		"Date", "Content-Type", "Content-Length", "Location", "Link", "Retry-After", "Retry-After-Ms",
		"X-Should-Retry", "X-Request-Id", "Request-Id", "X-Fal-Request-Id", "X-Fal-Error-Type",
		"X-Trace-Id", "Cf-Ray", "Server", "Allow", "X-Job-Id", "X-Task-Id",
	}, name) || strings.HasPrefix(name, "X-Ratelimit-") || strings.HasPrefix(name, "Ratelimit-")
}
